#include "base/text/json.h"

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text/quoted.h"

namespace hardhead {
namespace {

/// Walks over a JSON text and keeps only the names of the objects that are open. nlohmann's own parser with a
/// callback looks through the whole parent at the end of every object.
class Walk {
 public:
  explicit Walk(int max_depth) : max_depth_(max_depth) {}
  virtual ~Walk() = default;
  Walk(const Walk&) = delete;
  Walk& operator=(const Walk&) = delete;

  // The events of nlohmann's sax_parse().
  bool null() { return value(nullptr); }
  bool boolean(bool given) { return value(given); }
  bool number_integer(std::int64_t given) { return value(given); }
  bool number_unsigned(std::uint64_t given) { return value(given); }
  bool number_float(double given, const std::string&) { return value(given); }
  bool string(std::string& given) { return value(std::move(given)); }
  bool binary(nlohmann::json::binary_t&) { return false; }  // not in texts
  bool start_object(std::size_t) { return open(nlohmann::json::object()); }
  bool start_array(std::size_t) { return open(nlohmann::json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& name) {
    if (const auto [at, is_new] = names_.back().insert(name); !is_new)
      throw InputError(fmt::format("an object of the JSON has the name {} twice", hardhead::quoted(*at)));
    named(name);
    return true;
  }
  template <class Error>
  bool parse_error(std::size_t, const std::string&, const Error& error) {
    throw error;
  }

 protected:
  int depth() const { return static_cast<int>(names_.size()); }

 private:
  virtual void named(const std::string&) {}
  virtual void add(nlohmann::json) {}
  virtual void ended() {}

  bool value(nlohmann::json given) {
    add(std::move(given));
    return true;
  }
  bool open(nlohmann::json empty) {
    if (depth() >= max_depth_)
      throw InputError(fmt::format("the JSON is nested too deeply: more than {} times", max_depth_));
    add(std::move(empty));
    names_.emplace_back();
    return true;
  }
  bool close() {
    names_.pop_back();
    ended();
    return true;
  }

  int max_depth_;
  std::vector<std::set<std::string>> names_;
};

/// Builds the members of the outer object one after another.
class Members final : public Walk {
 public:
  Members(int max_depth, const MemberVisitor& visit) : Walk(max_depth), visit_(visit) {}

 private:
  void named(const std::string& name) override { (depth() == 1 ? member_ : key_) = name; }

  void add(nlohmann::json given) override {
    if (depth() == 0) {
      if (!given.is_object()) throw InputError("not a JSON object");
      return;
    }
    const bool nested = given.is_structured();
    nlohmann::json* at = &root_;
    if (depth() > 1) {
      nlohmann::json& parent = *open_.back();
      at = parent.is_array() ? &parent.emplace_back() : &parent[key_];
    }
    *at = std::move(given);
    if (nested)
      open_.push_back(at);
    else if (depth() == 1)
      visit_(member_, root_);
  }

  void ended() override {
    if (depth() == 0) return;
    open_.pop_back();
    if (depth() == 1) visit_(member_, root_);
  }

  const MemberVisitor& visit_;
  std::string member_, key_;
  nlohmann::json root_;                ///< the value of the member
  std::vector<nlohmann::json*> open_;  ///< in it, outermost first; only the last of them grows
};

/// Calls `parse` and turns nlohmann's errors into ours.
template <class AnyJson, class Parse>
auto with_our_errors(std::string_view text, std::size_t offset, const Parse& parse) {
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos)
    throw InputError(fmt::format("not JSON: a zero byte at offset {}", offset + zero));
  try {
    return parse();
  } catch (const typename AnyJson::parse_error& error) {
    throw InputError(fmt::format("not JSON at offset {}", offset + error.byte - 1));
  } catch (const typename AnyJson::exception& error) {
    throw InputError(fmt::format("not JSON: {}", hardhead::quoted(error.what())));
  }
}

}  // namespace

template <class AnyJson>
AnyJson parse_json(std::string_view text, int max_depth, std::size_t offset) {
  return with_our_errors<AnyJson>(text, offset, [&] {
    Walk walk(max_depth);
    nlohmann::json::sax_parse(text.begin(), text.end(), &walk);
    return AnyJson::parse(text.begin(), text.end());
  });
}
template nlohmann::json parse_json(std::string_view, int, std::size_t);
template Json parse_json(std::string_view, int, std::size_t);

void for_each_json_member(std::string_view text, int max_depth, const MemberVisitor& visit,
                          std::size_t offset) {
  with_our_errors<nlohmann::json>(text, offset, [&] {
    Members members(max_depth, visit);
    return nlohmann::json::sax_parse(text.begin(), text.end(), &members);
  });
}

template <class AnyJson>
std::string text_of_json(const AnyJson& document, int indent) {
  return document.dump(indent, ' ', false, AnyJson::error_handler_t::replace);
}
template std::string text_of_json(const nlohmann::json&, int);
template std::string text_of_json(const Json&, int);

}  // namespace hardhead
