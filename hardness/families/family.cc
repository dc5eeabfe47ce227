#include "hardness/families/family.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>

#include "attention/forward/block.h"
#include "base/error.h"
#include "base/files/digest.h"
#include "hardness/families/registered_families.h"

namespace hardhead::hardness {
namespace {

void add_matrix(Digest& digest, const attention::Matrix& matrix) {
  const attention::RowMatrix rows = matrix;
  digest.add(std::span<const double>(rows.data(), static_cast<std::size_t>(rows.size())));
}

std::string digest_of(const Instance& instance) {
  Digest digest;
  digest.add(instance.spec.str());
  if (!instance.exact) {
    for (const attention::Head& head : instance.layer.heads) {
      add_matrix(digest, head.theta);
      add_matrix(digest, head.w);
    }
    if (const auto& network = instance.layer.network) {
      digest.add(network->residual ? "residual network" : "network");
      for (const attention::Matrix* part : {&network->in, &network->out}) add_matrix(digest, *part);
      for (const attention::Vector* part : {&network->in_bias, &network->out_bias}) add_matrix(digest, *part);
    }
    return digest.hex();
  }
  digest.add(fmt::format("d {} base {}", instance.exact->d, instance.exact->base));
  for (std::size_t i = 0; i < instance.exact->heads.size(); ++i) {
    for (const auto& entry : instance.exact->heads[i].theta)
      digest.add(fmt::format("theta {} {} {} {}", i, entry.row, entry.column, entry.half_units));
    for (const auto& entry : instance.exact->heads[i].w)
      digest.add(fmt::format("w {} {} {} {}", i, entry.row, entry.column, to_string(entry.value)));
  }
  return digest.hex();
}

/// Families of the caller's. One that was replaced is kept: others may hold it.
struct AddedFamilies {
  std::mutex mutex;
  std::deque<Family> kept;
  std::map<std::string, const Family*> by_name;
};

AddedFamilies& added_families() {
  static auto* const added = new AddedFamilies;  // threads may outlive main()
  return *added;
}

}  // namespace

void naming(const Spec& spec, const std::function<void()>& body) {
  at_place(fmt::format("spec '{}'", spec.str()), body);
}

std::span<const Family> families() {
#define HARDHEAD_FAMILY(name) detail::name##_family(),
  static const std::vector<Family> all{HARDHEAD_FAMILIES(HARDHEAD_FAMILY)};
#undef HARDHEAD_FAMILY
  return all;
}

void add_family(Family family) {
  if (!Spec::parse(family.name).values.empty() ||
      std::ranges::any_of(families(), [&](const Family& known) { return known.name == family.name; }))
    throw InputError(fmt::format("family '{}': a family of the library has that name", family.name));
  AddedFamilies& added = added_families();
  const std::lock_guard lock(added.mutex);
  added.kept.push_back(std::move(family));
  added.by_name[added.kept.back().name] = &added.kept.back();
}

const Family& find_family(const std::string& name) {
  {
    AddedFamilies& added = added_families();
    const std::lock_guard lock(added.mutex);
    if (const auto at = added.by_name.find(name); at != added.by_name.end()) return *at->second;
  }
  return find_named("family", name, families());
}

InstanceShape instance_shape(const Spec& spec) {
  return find_family(spec.name).shape(spec);
}

InstanceShape shape_of(const Instance& instance) {
  if (!instance.spec.name.empty()) return instance_shape(instance.spec);
  return {.d = instance.layer.d, .k = instance.k, .m = instance.layer.m(), .inputs = instance.inputs};
}

Instance make_instance(const Spec& spec) {
  Instance instance = find_family(spec.name).make(spec);
  instance.digest = digest_of(instance);
  return instance;
}

attention::PassShape InstanceShape::pass() const {
  return {d, k, m, are_signs(inputs)};
}

double InstanceShape::bytes() const {
  const double layer = attention::layer_bytes(d, m), some_matrices = 4 * attention::layer_bytes(d, 1);
  return layer + (forward ? attention::layer_teacher_bytes(pass()) : 0) + some_matrices + exact_bytes;
}

double InstanceShape::label_bytes() const {
  const double noise_and_levels = attention::example_bytes(d, k, attention::block_size);
  return noise_and_levels + (forward ? attention::layer_teacher_scratch_bytes(pass()) : 0);
}

}  // namespace hardhead::hardness
