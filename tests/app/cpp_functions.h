#pragma once
#include <algorithm>
#include <cctype>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hardhead {

/// A function of a C++ text: a definition, a declaration at the scope of a namespace or class, or a lambda
/// expression.
struct CppFunction {
  std::string name;    ///< as written before the parameter list; "lambda" for lambda expressions
  int line = 0;        ///< of the name, from 1
  int body_lines = 0;  ///< from the line of the opening brace to that of the closing one; 0 for a declaration
  int parameters = 0;  ///< entries of the parameter list
  /// Whether a parameter is a `void*`: the user data that a C library hands to a callback of its own
  /// signature.
  bool is_c_callback = false;
};

/// The code of a C++ text: comments, preprocessor lines and the insides of literals become blanks, so that
/// lines and columns stay where they are.
inline std::string code_of(std::string_view text) {
  std::string out(text);
  const auto blank = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < std::min(to, out.size()); ++i)
      if (out[i] != '\n') out[i] = ' ';
  };
  const auto end_of = [&](std::string_view mark, std::size_t from) {
    const std::size_t at = text.find(mark, from);
    return at == std::string_view::npos ? text.size() : at + mark.size();
  };
  bool line_is_empty = true;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    const bool after_word =
        i > 0 && (std::isalnum(static_cast<unsigned char>(text[i - 1])) || text[i - 1] == '_');
    std::size_t end = i + 1;
    if (text.substr(i, 2) == "//") {
      end = std::min(text.find('\n', i), text.size());
      blank(i, end);
    } else if (text.substr(i, 2) == "/*") {
      end = end_of("*/", i + 2);
      blank(i, end);
    } else if (c == '#' && line_is_empty) {
      do end = end_of("\n", end);
      while (end >= 2 && end < text.size() && text[end - 2] == '\\');
      if (text[end - 1] == '\n') --end;
      blank(i, end);
    } else if (text.substr(i, 2) == "R\"" && !after_word) {
      const std::size_t open = text.find('(', i);
      std::string close = ")";
      close += text.substr(i + 2, open - i - 2);
      close += '"';
      end = end_of(close, open);
      blank(i, end);
      out[i] = '"';
      out[end - 1] = '"';
    } else if (c == '"' || (c == '\'' && !after_word)) {  // 1'000 has no character literal
      while (end < text.size() && text[end] != c) end += text[end] == '\\' ? 2 : 1;
      blank(i + 1, end);
      ++end;
    }
    for (std::size_t at = i; at < std::min(end, text.size()); ++at)
      line_is_empty = out[at] == '\n' || (line_is_empty && out[at] == ' ');
    i = end;
  }
  return out;
}

namespace detail {

struct Token {
  std::string text;
  int line = 0;
  bool is_word() const {
    return std::isalnum(static_cast<unsigned char>(text.front())) || text.front() == '_' ||
           text.front() == '~';
  }
};

inline std::vector<Token> tokens_of(std::string_view code) {
  std::vector<Token> out;
  int line = 1;
  for (std::size_t i = 0; i < code.size();) {
    const auto is_letter = [&](std::size_t at) {
      return at < code.size() && (std::isalnum(static_cast<unsigned char>(code[at])) || code[at] == '_');
    };
    std::size_t end = i + 1;
    if (code[i] == '\n') ++line;
    if (!std::isspace(static_cast<unsigned char>(code[i]))) {
      if (is_letter(i))
        while (is_letter(end)) ++end;
      else if (code.substr(i, 2) == "::" || code.substr(i, 2) == "->")
        end = i + 2;
      out.push_back({std::string(code.substr(i, end - i)), line});
    }
    i = end;
  }
  return out;
}

/// Reads a text's braces as scopes. `head_` is what stands before the next brace or semicolon; a braced part
/// of it that has been read is the single token "{}".
class FunctionReader {
 public:
  std::vector<CppFunction> read(std::string_view text) {
    scopes_ = {{Kind::names, {}, 0, {}}};
    for (const Token& token : tokens_of(code_of(text))) {
      if (token.text == "{") {
        open(token);
      } else if (token.text == "}") {
        close(token);
      } else if (token.text == ";" && parentheses_ == 0) {
        if (scopes_.back().kind == Kind::names) add_declaration();
        head_.clear();
      } else {
        if (token.text == "(") ++parentheses_;
        if (token.text == ")") --parentheses_;
        const bool label = token.text == ":" && head_.size() == 1 && scopes_.back().kind == Kind::names;
        if (label)  // public:
          head_.clear();
        else
          head_.push_back(token);
      }
    }
    return std::move(found_);
  }

 private:
  /// names: a namespace or a type, whose members are declarations; code: a function's body, or a lambda's.
  enum class Kind { names, code, braces };
  struct Scope {
    Kind kind;
    std::vector<Token> head;
    int parentheses;
    std::vector<std::size_t> function;  ///< position in found_, or none
  };
  struct Signature {
    std::size_t name = 0, open = 0, close = 0;  ///< positions in head_
    bool found = false;
  };

  std::size_t matching(std::size_t at) const {
    int depth = 0;
    for (std::size_t i = at; i < head_.size(); ++i) {
      const std::string& t = head_[i].text;
      if (t == "(" || t == "[" || t == "<") ++depth;
      if (t == ")" || t == "]" || t == ">") --depth;
      if (depth == 0) return i;
    }
    return head_.size() - 1;
  }
  /// The end of parentheses or brackets, whatever '<' and '>' mean within.
  std::size_t matching_bracket(std::size_t at) const {
    const bool round = head_[at].text == "(";
    int depth = 0;
    for (std::size_t i = at; i < head_.size(); ++i) {
      if (head_[i].text == (round ? "(" : "[")) ++depth;
      if (head_[i].text == (round ? ")" : "]") && --depth == 0) return i;
    }
    return head_.size() - 1;
  }

  /// The parameter list of a function that head_ declares.
  Signature signature() const {
    static const std::set<std::string> no_names = {"alignas",  "decltype", "noexcept",      "__attribute__",
                                                   "explicit", "requires", "static_assert", "sizeof"};
    for (std::size_t i = 0; i < head_.size(); ++i) {
      const std::string& t = head_[i].text;
      if (t == "operator") {
        std::size_t open = i + 1;
        if (open + 1 < head_.size() && head_[open].text == "(") open += 2;  // operator()
        while (open < head_.size() && head_[open].text != "(") ++open;
        if (open == head_.size()) return {};
        return {i, open, matching_bracket(open), true};
      }
      if (t == "=" || t == "{}") return {};
      if (t == "[") i = matching_bracket(i);
      if (t == "<" && i > 0) i = matching(i);
      if (t != "(" || i == 0) continue;
      if (head_[i - 1].is_word() && !no_names.contains(head_[i - 1].text))
        return {i - 1, i, matching_bracket(i), true};
      i = matching_bracket(i);
    }
    return {};
  }

  /// The lambda expression whose body is about to begin.
  Signature lambda() const {
    for (std::size_t i = head_.size(); i-- > 0;) {
      if (head_[i].text == "{}" || head_[i].text == ";") return {};
      if (head_[i].text != "[") continue;
      const std::string before = i == 0 ? "" : head_[i - 1].text;
      if (before == "[" || before == ")" || before == "]" || before == "operator" || before == "delete")
        continue;
      if (i > 0 && head_[i - 1].is_word() && before != "return") continue;
      std::size_t next = matching_bracket(i) + 1;
      if (next < head_.size() && head_[next].text == "<") next = matching(next) + 1;
      if (next >= head_.size()) return {i, i, i, true};
      if (head_[next].text != "(") return {};
      const std::size_t close = matching_bracket(next);
      for (std::size_t k = close + 1; k < head_.size(); ++k)
        if (head_[k].text == "," || head_[k].text == "=" || head_[k].text == ")") return {};
      return {i, next, close, true};
    }
    return {};
  }

  bool begins_names() const {
    if (head_.empty()) return false;
    std::size_t i = 0;
    if (head_[0].text == "template" && head_.size() > 1) i = matching(1) + 1;
    static const std::set<std::string> words = {"namespace", "class", "struct", "union", "enum", "extern"};
    for (; i < head_.size() &&
           (head_[i].text == "inline" || head_[i].text == "static" || head_[i].text == "const" ||
            head_[i].text == "typedef" || head_[i].text == "constexpr");)
      ++i;
    if (i >= head_.size() || !words.contains(head_[i].text)) return false;
    const auto is_end = [](const Token& t) { return t.text == "=" || t.text == "{}"; };
    if (std::any_of(head_.begin(), head_.end(), is_end)) return false;
    return !signature().found;  // a function that returns a `struct X`
  }

  /// Whether the brace belongs to a member of a constructor's list of initialisers: `: a_(1), b_{2} {`.
  bool is_member_initialiser(const Signature& of) const {
    static const std::set<std::string> specifiers = {"const", "noexcept", "override",
                                                     "final", "try",      "mutable"};
    bool list = false;
    for (std::size_t i = of.close; i < head_.size(); ++i) list = list || head_[i].text == ":";
    const Token& last = head_.back();
    return list && (last.text == ">" || (last.is_word() && !specifiers.contains(last.text)));
  }

  void open(const Token& token) {
    Scope scope{Kind::braces, {}, parentheses_, {}};
    const bool in_names = scopes_.back().kind == Kind::names;
    const Signature function = in_names && parentheses_ == 0 ? signature() : Signature{};
    if (begins_names()) {
      scope.kind = Kind::names;
    } else if (function.found && !is_member_initialiser(function)) {
      scope.kind = Kind::code;
      scope.function = {add(function, head_[function.name].text)};
    } else if (const Signature body = lambda(); body.found) {
      scope.kind = Kind::code;
      scope.function = {add(body, "lambda")};
    }
    if (!scope.function.empty()) found_[scope.function.front()].body_lines = -token.line;
    scope.head = std::move(head_);
    scopes_.push_back(std::move(scope));
    head_.clear();
    parentheses_ = 0;
  }

  void close(const Token& token) {
    if (scopes_.size() == 1) return;
    Scope scope = std::move(scopes_.back());
    scopes_.pop_back();
    if (!scope.function.empty()) found_[scope.function.front()].body_lines += token.line + 1;
    head_ = std::move(scope.head);
    parentheses_ = scope.parentheses;
    static const std::set<std::string> statements = {"if",  "for",   "while", "switch",    "do",    "else",
                                                     "try", "catch", "case",  "namespace", "extern"};
    const bool defines = !scope.function.empty() && found_[scope.function.front()].name != "lambda";
    const bool is_statement =
        parentheses_ == 0 &&
        (head_.empty() || defines || (statements.contains(head_.front().text) && scope.function.empty()));
    if (is_statement)
      head_.clear();
    else
      head_.push_back({"{}", token.line});
  }

  void add_declaration() {
    static const std::set<std::string> others = {"using", "typedef", "friend", "static_assert", "return"};
    if (head_.empty() || others.contains(head_.front().text)) return;
    if (const Signature declared = signature(); declared.found) add(declared, head_[declared.name].text);
  }

  std::size_t add(const Signature& signature, std::string name) {
    CppFunction out{std::move(name), head_[signature.name].line, 0, 0, false};
    int depth = 0;
    for (std::size_t i = signature.open + 1; i < signature.close; ++i) {
      const std::string& t = head_[i].text;
      if (out.parameters == 0) out.parameters = 1;
      if (t == "(" || t == "[" || t == "<") ++depth;
      if (t == ")" || t == "]" || t == ">") --depth;
      if (t == "," && depth == 0) ++out.parameters;
      if (t == "void" && head_[i + 1].text == "*") out.is_c_callback = true;
    }
    found_.push_back(std::move(out));
    return found_.size() - 1;
  }

  std::vector<Scope> scopes_;
  std::vector<Token> head_;
  int parentheses_ = 0;
  std::vector<CppFunction> found_;
};

}  // namespace detail

/// The functions of a C++ text as clang-format leaves it, in the order of their opening lines. Macros are not
/// expanded.
inline std::vector<CppFunction> functions_of(std::string_view text) {
  return detail::FunctionReader().read(text);
}

}  // namespace hardhead
