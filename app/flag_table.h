#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace hardhead::app {

/// What is said of a flag. Parsing, help, completion, the man page and docs/commands.md are made from these
/// texts.
struct Flag {
  std::string name;         ///< "--heads", or "-o,--output"
  std::string argument;     ///< what its value is called; empty for a switch
  std::string help;         ///< what it does, one line
  std::string fallback{};   ///< the default in words; else it is that of the struct, if any
  bool repeatable = false;  ///< each use adds a value
  bool required = false;    ///< the command cannot do without it
  bool common = false;      ///< every command has it
  bool reads = false;       ///< its FILE is read; that of any other flag is written
  std::string range{};      ///< set by the reader: "1 .. 4096", "screen | paper"

  /// What help says: what it does, its range and its default.
  std::string text() const;
};

/// "-o,--output" as {"-o", "--output"}.
std::vector<std::string> spellings(const Flag& flag);

/// The last spelling, by which messages name the flag: "--output".
std::string long_name(const Flag& flag);

/// What is said of the words of a command line that follow the command's name.
struct Positional {
  std::string name, help;   ///< no name: the command takes none
  bool required = true;     ///< the command cannot do without one
  bool repeatable = false;  ///< it takes several
  bool files = true;        ///< a word may name a file, which is read
};

/// Makes a value of a flag's text, and says what it takes.
template <class Value>
struct Reader {
  /// Throws InputError with `flag` ("--heads"), the text and what is expected instead.
  std::function<Value(const std::string& flag, const std::string& text)> read;
  std::string range{};                               ///< "1 .. 4096"; empty where the help says it
  std::function<std::string(const Value&)> shown{};  ///< a default, as it would be typed; null: it has none

  Value operator()(const std::string& flag, const std::string& text) const { return read(flag, text); }
};

/// The flags of a command, each bound to the member of the command's options struct that it sets: a flag for
/// a member that the struct does not have, or has as another type, does not compile. The defaults are those
/// of the struct.
///
///     struct SampleOptions {
///       CommonOptions common;
///       std::string source;
///       std::int64_t count = 0;
///       bool anonymous = false;
///     };
///     FlagTable<SampleOptions>()
///         .positional({"SOURCE", "a spec, a layer file or a data file"}, &SampleOptions::source)
///         .on({"--anonymous", "", "leave the spec out of the file"}, &SampleOptions::anonymous)
///         .required({"-n,--count", "N", "how many"}, &SampleOptions::count, integer_in<std::int64_t>(1, 9));
template <class Options>
class FlagTable {
 public:
  /// Stores a text in the options.
  using Setter = std::function<void(Options&, const std::string& text)>;
  /// The default that the options have, as it would be typed; "" for none.
  using Default = std::function<std::string(const Options&)>;

  /// What follows the command's name: one word, or all of them where the member is a list.
  template <class Words>
  FlagTable& positional(Positional row, Words Options::* member) {
    constexpr bool one = std::is_same_v<Words, std::string>;
    positional_ = std::move(row);
    positional_.repeatable = !one;
    set_positional_ = [member](Options& options, const std::vector<std::string>& words) {
      if constexpr (one)
        options.*member = words.front();
      else
        options.*member = words;
    };
    return *this;
  }

  /// A switch: the member is true if it is given.
  FlagTable& on(Flag row, bool Options::* member) {
    return add(std::move(row), [member](Options& options, const std::string&) { options.*member = true; });
  }

  /// A flag with a value. `Member` is `Value` or an optional of it.
  template <class Member, class Value>
  FlagTable& flag(Flag row, Member Options::* member, Reader<Value> read) {
    std::string name = long_name(row);
    row.range = read.range;
    const Default fallback = [member, shown = read.shown](const Options& options) -> std::string {
      if (!shown) return "";
      if constexpr (std::is_same_v<Member, Value>)
        return shown(options.*member);
      else
        return options.*member ? shown(*(options.*member)) : "";
    };
    return add(
        std::move(row),
        [member, name = std::move(name), read = std::move(read)](Options& options, const std::string& text) {
          options.*member = read(name, text);
        },
        fallback);
  }

  /// A flag that must be given.
  template <class Member, class Value>
  FlagTable& required(Flag row, Member Options::* member, Reader<Value> read) {
    row.required = true;
    return flag(std::move(row), member, std::move(read));
  }

  /// A flag that may be given several times; each adds a value.
  template <class Value>
  FlagTable& each(Flag row, std::vector<Value> Options::* member, Reader<Value> read) {
    row.repeatable = true;
    row.range = read.range;
    std::string name = long_name(row);
    return add(std::move(row), [member, name = std::move(name), read = std::move(read)](
                                   Options& options, const std::string& text) {
      (options.*member).push_back(read(name, text));
    });
  }

  /// A flag whose text `set` stores in a way of its own.
  FlagTable& add(Flag row, Setter set, Default fallback = nullptr) {
    rows_.push_back(std::move(row));
    setters_.push_back(std::move(set));
    defaults_.push_back(std::move(fallback));
    return *this;
  }

  /// All flags of a part of the options, and its positional where it has one.
  template <class Part>
  FlagTable& group(Part Options::* member, const FlagTable<Part>& part) {
    for (std::size_t i = 0; i < part.rows().size(); ++i)
      add(
          part.rows_[i],
          [member, set = part.setters_[i]](Options& options, const std::string& text) {
            set(options.*member, text);
          },
          [member, shown = part.defaults_[i]](const Options& options) {
            return shown ? shown(options.*member) : std::string();
          });
    if (!part.set_positional_) return *this;
    positional_ = part.positional_;
    set_positional_ = [member, set = part.set_positional_](Options& options,
                                                           const std::vector<std::string>& words) {
      set(options.*member, words);
    };
    return *this;
  }

  /// All flags of `more`, and its positional.
  FlagTable& append(const FlagTable& more) {
    for (std::size_t i = 0; i < more.rows_.size(); ++i)
      add(more.rows_[i], more.setters_[i], more.defaults_[i]);
    positional_ = more.positional_;
    set_positional_ = more.set_positional_;
    return *this;
  }

  /// The flags, in the order in which help shows them.
  const std::vector<Flag>& rows() const { return rows_; }
  /// The flags with the defaults of these options, where they have no default in words.
  std::vector<Flag> rows_with_defaults(const Options& options) const {
    std::vector<Flag> out = rows_;
    for (std::size_t i = 0; i < out.size(); ++i)
      if (out[i].fallback.empty() && !out[i].required && defaults_[i])
        out[i].fallback = defaults_[i](options);
    return out;
  }
  /// What stores the text of flag rows()[row].
  const Setter& setter(std::size_t row) const { return setters_[row]; }
  /// What is said of the positional.
  const Positional& positional() const { return positional_; }
  /// Stores the words of the positional: at least one.
  void set_positional(Options& options, const std::vector<std::string>& words) const {
    set_positional_(options, words);
  }

 private:
  template <class Other>
  friend class FlagTable;

  std::vector<Flag> rows_;
  std::vector<Setter> setters_;
  std::vector<Default> defaults_;
  Positional positional_;
  std::function<void(Options&, const std::vector<std::string>&)> set_positional_;
};

}  // namespace hardhead::app
