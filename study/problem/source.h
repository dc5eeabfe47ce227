#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "attention/files/data_file.h"
#include "base/run/run_context.h"
#include "base/text/spec.h"
#include "hardness/families/instance.h"

namespace hardhead::study {

/// A source once it has been made or opened: an instance, which labels as many examples as are asked for, or
/// a finite set of examples. Exactly one of the two is set.
struct ResolvedSource {
  /// Of a spec, or of a layer file (file_named()). A layer file whose metadata has the spec of an instance
  /// with this very layer stands for that instance (hard families label by exact values, not by a forward
  /// pass). Any other layer file becomes an instance without a spec (empty name), labelled by the layer's
  /// forward pass, with k and inputs from the source's name or the file's metadata and the digest of its
  /// content. One that has the form of a hard layer is refused unless its metadata has labels = forward: a
  /// forward pass gives away what it hides.
  std::shared_ptr<const hardness::Instance> instance;
  std::shared_ptr<const attention::SampleSource> examples;  ///< of a data file, or of the caller
  std::string examples_spec{};  ///< canonical, of a member of a family that has labels and no layer

  /// The canonical spec of the instance or the member; empty where there is none.
  std::string spec() const;
};

/// The shape of a source's examples.
struct SourceShape {
  attention::Index d = 0, k = 0;                      ///< features, tokens
  std::optional<attention::Index> m;                  ///< true heads, where the source brings its layer
  std::optional<std::int64_t> examples{};             ///< how many there are, where they end
  std::optional<hardness::InstanceShape> instance{};  ///< of an instance, which draws its examples
};

/// What a user names where examples are expected: a spec, a layer file or a data file.
///
/// A handle: copies share one value, which is made or read when it is first asked for. Digest and shape are
/// remembered while a copy lives; the value only while recently used values are small enough together
/// (kept_bytes), and it is made again later. Safe to use from several threads at once.
class Source {
 public:
  /// Bytes of layers that all handles of the process keep, besides the value that was made last.
  static constexpr double kept_bytes = 128 << 20;

  Source(std::string name);  ///< a text stands for the source that it names; nothing is opened yet
  Source(const char* name);  ///< the same
  /// A source that is `label` but for its seed.
  Source(std::string name, std::string label);
  /// An instance that the caller has. It is named by its spec.
  static Source of(std::shared_ptr<const hardness::Instance> instance);
  /// An instance without a spec that the caller has. `name` is what messages call it.
  static Source of(std::string name, std::shared_ptr<const hardness::Instance> instance);
  /// Examples that the caller has, as those of a data file. `name` is what messages call them.
  static Source of(std::string name, std::shared_ptr<const attention::SampleSource> examples);

  /// The text that names it.
  const std::string& name() const;
  /// The name without the seed: sources of one label have the same shape but for what the seed decides.
  /// Throws InputError for a spec that no family has.
  std::string label() const;
  /// Whether another process could open it by its name: it was not made of a value that the caller had.
  bool opens_by_name() const;
  /// A text that equal sources share, told without making or reading them: the canonical spec, the path of a
  /// file, the digest of what the caller had. Throws InputError for a spec that no family has or whose
  /// parameters are out of range.
  std::string canonical_name() const;

  /// The value. Throws InputError: whatever is wrong with the spec or the file, a file that is neither a
  /// layer (theta, w) nor a data set (x, y), a layer file without k in its name or metadata.
  std::shared_ptr<const ResolvedSource> resolve() const;
  /// Told by a spec alone: no instance is made for it. Throws as resolve().
  SourceShape shape() const;
  /// The digest of the instance, or of a data file's content, which is read to its end and can be stopped by
  /// `context` (Stopped). Throws as resolve().
  std::string digest(const RunContext& context = {}) const;

  /// Whether two handles share their value.
  bool operator==(const Source&) const = default;

 private:
  struct State;
  class Recent;
  /// Of a value of the caller's.
  Source(std::string name, bool is_label, ResolvedSource value);

  std::shared_ptr<State> state_;
};

/// A source of which run i takes its own member: an instance whose `seed` is the spec's own, or else one
/// that is given, plus i. Files, families without a seed, and entries of a suite are fixed: all their members
/// are one source.
class SourceSeries {
 public:
  /// Throws InputError for a spec that no family has.
  SourceSeries(const std::string& name);
  SourceSeries(const char* name) : SourceSeries(std::string(name)) {}  ///< the same

  /// As it was named, or the spec of an entry.
  const std::string& name() const { return name_; }
  /// The spec without its seed, or the file.
  const std::string& label() const { return label_; }
  /// The suite of which it is an entry, "suite:NAME".
  const std::optional<std::string>& suite() const { return suite_; }
  /// The source of run `run`, 0, 1, ..: the spec with its seed, which is `seed` + run where the spec gives
  /// none, or the file. Nothing is opened yet. Throws InputError for a seed beyond the
  /// largest.
  Source member(std::int64_t run, std::uint64_t seed) const;

 private:
  friend std::vector<SourceSeries> series_of(const std::string& name);
  Source numbered(std::uint64_t seed) const;

  std::string name_, label_;
  std::optional<std::string> suite_;
  Spec spec_;
  std::optional<std::uint64_t> first_;  // the spec's own seed
  std::optional<Source> fixed_;         // all members
};

/// The series of what a user names: of the source, or for "suite:NAME" (suite.h) one of each entry. Throws
/// InputError for a spec that no family has and an unknown suite.
std::vector<SourceSeries> series_of(const std::string& name);
/// Those of all names.
std::vector<SourceSeries> series_of(const std::vector<std::string>& names);

/// The examples of an instance with exact labels, without end, from the stream of (domain, seed, instance
/// digest).
std::shared_ptr<const attention::SampleSource> exact_examples_of(const hardness::Instance& instance,
                                                                 Domain domain, std::uint64_t seed);

/// The examples that an instance gives: the same tokens, and in Domain::samples its label noise.
std::shared_ptr<const attention::SampleSource> examples_of(const hardness::Instance& instance, Domain domain,
                                                           std::uint64_t seed);

/// The examples that a source gives: its instance's, or those of its data file, whatever the domain and the
/// seed. Throws as Source::resolve().
std::shared_ptr<const attention::SampleSource> examples_of(const Source& source, Domain domain,
                                                           std::uint64_t seed);

/// What a safetensors file holds.
enum class FileKind { layer, data };

/// By its tensors: theta and w, or x and y. Throws InputError naming the tensors it has otherwise.
FileKind kind_of(const attention::SafetensorsFile& file);

/// True if `source` is meant as a path: a file of that name exists, or the part before ':' has a '/' or '.'.
bool names_a_file(const std::string& source);

/// A file that a source names, and what the examples of its layer are to be where the source says it:
/// "layer.safetensors:k=2,inputs=boolean".
struct NamedFile {
  std::string path;                           ///< the file alone
  std::optional<attention::Index> k;          ///< tokens
  std::optional<attention::Inputs> inputs{};  ///< distribution of X
};

/// The file that a source names: all of the text, or what is before the last ':' where that is a file. Throws
/// InputError for other words behind it than k and inputs.
NamedFile file_named(const std::string& source);

/// A layer with as much of its shape as is known.
struct NamedLayer {
  attention::Layer layer;                   ///< in double
  std::optional<attention::Index> k;        ///< tokens, where the spec or the file says
  std::optional<attention::Inputs> inputs;  ///< distribution of X, likewise
};

/// An instance without a spec of a layer that is labelled by its forward pass: its digest is of the layer's
/// numbers. Throws InputError for the form of a hard layer, whose labels would give away what it hides;
/// `what` is what the message calls it.
hardness::Instance instance_of(attention::Layer layer, attention::Index tokens, attention::Inputs inputs,
                               const std::string& what);

/// The layer that a source names: an instance's, or a file's, which need not say for how many tokens. Throws
/// InputError as Source::resolve() does, and for a data set, which holds none.
NamedLayer open_layer(const Source& source);

}  // namespace hardhead::study
