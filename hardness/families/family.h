#pragma once
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "attention/samples/public_gadget.h"
#include "attention/samples/sample_source.h"
#include "base/text/option_table.h"
#include "hardness/families/instance.h"
#include "lwe/problem/parameters.h"

namespace hardhead::hardness {

/// What labels depend on only where the public switch is on: the last coordinate of a token
/// (gadget/switch_gadget.h).
enum class Hidden {
  nothing,           ///< nothing, or nothing that a program of experiments/ reads
  parity_set,        ///< a set of coordinates, whose parity decides between two labels
  lwr_secret,        ///< the secret of learning with rounding; labels are exactly those of LWR
  staircase_secret,  ///< the same secret; labels differ from those of LWR by the finite width of the steps
};

/// A spec worth knowing.
struct Preset {
  std::string spec;     ///< of the family
  std::string meaning;  ///< what it is
};

/// What is said of a family of instances.
struct FamilyDescription {
  std::string name;                ///< what stands before the colon of a spec
  std::string summary;             ///< one line
  std::string hidden;              ///< what a learner has to find
  std::string assumptions;         ///< which conditions of the upper bound hold, and what hardness is claimed
  std::vector<Preset> presets;     ///< specs worth knowing
  Hidden hides = Hidden::nothing;  ///< for programs that treat such families alike
};

/// The labels of a layer behind the switch as a function of h = <s, b>, of which gadget/head_count.h says how
/// many heads it needs.
struct LabelsByH {
  std::vector<std::int64_t> g;  ///< g(0) .. g(H)
  bool shifted = false;         ///< met up to a constant, with any W; else with W = 0 and no constant
  std::string name;             ///< of the labels, in a sentence: "these labels"
  std::string slopes;           ///< of this layer's heads: "of one slope"
};

struct JuntaOptions;
struct NiceOptions;

/// Labels behind the switch (gadget/switch_gadget.h) as samples of a problem of lwe/: with k = 2 Boolean
/// tokens and the last coordinate j0 as the switch
///
///     Y_{r,1} = x_{r,j0} (first + step g)   where x_{1,j0} = -x_{2,j0},   and 0 in all other entries,
///
/// g in 0 .. levels - 1 being the label of a sample (a, g) of `problem`: bit e of entry j of a is 1 where the
/// tokens differ in coordinate j log2(q) + e. All but the secret is public.
struct SamplesBehindSwitch {
  lwe::ProblemParameters problem;  ///< parities: of q = 2 without noise, a secret of m ones
  std::int64_t levels = 2;         ///< p for lwr, else q
  double first = 0, step = -2;     ///< parities: -2 and 4, which is -2 (-1)^g
  bool shifted = false;            ///< labels have these differences, and another null predictor than 0
};

/// A family of instances: one file, and one line in registered_families.h.
struct Family : FamilyDescription {
  std::vector<Parameter> parameters;  ///< those that a spec may give
  /// The spec with every parameter: equal for specs that mean the same. Throws InputError for one out of
  /// range.
  std::function<Spec(const Spec&)> canonical{};
  /// The sizes of the instance that a spec names, told without making it. Throws InputError as `make` does.
  std::function<InstanceShape(const Spec&)> shape{};
  /// Makes the instance that a spec names, with its canonical spec and without a digest. Throws InputError
  /// for parameters out of range, alone or together; its text begins with the spec.
  std::function<Instance(const Spec&)> make{};
  /// What is public of an instance's layer, for learners by values; null where nothing is.
  std::function<attention::PublicGadget(const Instance&)> gadget{};
  /// The intermediate results of an instance, for learners by values; null where there are none.
  std::function<attention::Hints(const Instance&)> hints{};
  /// The layer that this spec would have if this were hidden (Instance::hidden); null where nothing is hidden
  /// that decides the layer. Throws InputError where there is no such layer.
  std::function<attention::Layer(const Spec&, const std::vector<attention::Index>&)> layer_of{};
  /// What is hidden (Instance::hidden) where labels behind the switch are the product of the bits z_j of
  /// these features; null where labels of this family are no such products.
  std::function<std::vector<attention::Index>(const Spec&, const std::vector<attention::Index>&)>
      hidden_behind_product{};
  /// What samples its labels are; null where they are none.
  std::function<SamplesBehindSwitch(const Spec&)> samples{};
  /// The function of a few hidden bits that its labels are; null where they are none.
  std::function<JuntaOptions(const Spec&)> junta{};
  /// The layer of random reals that it draws, with a seed that counts for nothing; null where it draws none
  /// that a challenge can have.
  std::function<NiceOptions(const Spec&)> random_layer{};
  /// The labels as a function of h; null where they are none.
  std::function<LabelsByH(const Spec&)> labels_by_h{};
  /// The examples of a member that has labels and no layer, which `make` refuses; null for a member with a
  /// layer. Empty where every member has one.
  std::function<std::shared_ptr<const attention::SampleSource>(const Spec&)> examples{};
};

/// As `families --json` has them.
template <class Visit>
void describe(Visit& visit, const Preset*) {
  visit("spec", &Preset::spec);
  visit("meaning", &Preset::meaning);
}
/// Likewise.
template <class Visit>
void describe(Visit& visit, const Family*) {
  visit("name", &Family::name);
  visit("summary", &Family::summary);
  visit("hidden", &Family::hidden);
  visit("assumptions", &Family::assumptions);
  visit("parameters", &Family::parameters);
  visit("presets", &Family::presets);
}

/// Calls `body`. An InputError of it gets the spec in front of its text.
void naming(const Spec& spec, const std::function<void()>& body);

/// The family whose parameters are the struct `Options`, which `table` binds to the keys of a spec. `shape`
/// says how large an instance is, `make` makes it; they throw InputError for combinations out of range and
/// need not name the spec.
template <class Options>
Family make_family(FamilyDescription description, OptionTable<Options> table,
                   InstanceShape (*shape)(const std::type_identity_t<Options>&),
                   Instance (*make)(const std::type_identity_t<Options>&)) {
  Family family{std::move(description), table.rows()};
  family.canonical = [table](const Spec& spec) { return table.canonical(spec); };
  family.shape = [table, shape](const Spec& spec) {
    InstanceShape out;
    naming(table.canonical(spec), [&] { out = shape(table.read(spec)); });
    return out;
  };
  family.make = [table = std::move(table), make](const Spec& spec) {
    Instance out;
    const Spec canonical = table.canonical(spec);
    naming(canonical, [&] { out = make(table.read(spec)); });
    out.spec = canonical;
    return out;
  };
  return family;
}

/// All families of the library, in the order they are listed.
std::span<const Family> families();

/// Adds a family of the caller's for the rest of the process: find_family() knows it from now on, and specs
/// name it wherever they name one. It takes the place of one that was added under its name. Throws InputError
/// for a name that the library has, or that is no word of a spec.
void add_family(Family family);

/// The family of that name, one of the library or one that was added; it lives as long as the process. Throws
/// InputError with the nearest name.
const Family& find_family(const std::string& name);

/// The sizes of the instance that a spec names, which is not made for it. Throws InputError as
/// make_instance() does.
InstanceShape instance_shape(const Spec& spec);

/// The sizes of an instance that has been made, of a spec or of any layer.
InstanceShape shape_of(const Instance& instance);

/// Whether the program that a spec names makes its instance (family `exec`). Such a spec is never taken from
/// a file, which others may have written.
bool runs_a_program(const Spec& spec);

/// Parses, checks and makes an instance, and sets its digest.
Instance make_instance(const Spec& spec);

}  // namespace hardhead::hardness
