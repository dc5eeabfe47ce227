#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace hardhead::app {

/// Writes a result to stdout. Throws InputError if it could not be written (a full disk, say). Of a pipe that
/// nobody reads any more SIGPIPE tells (interrupt.h), and nothing is thrown.
void print(const std::string& text);

/// Writes words for whoever waits to stderr, as they are. That they cannot be written stops nothing.
void say(const std::string& text);

/// Indented, with a newline at the end.
std::string text_of(const nlohmann::ordered_json& document);

/// Columns aligned, two spaces apart; the first row is the head. Columns whose cells all look like numbers
/// are aligned to the right.
std::string table(const std::vector<std::vector<std::string>>& rows);

/// `text` broken at spaces into lines of at most `width`, each after `indent` spaces.
std::string wrapped(const std::string& text, std::size_t width = 100, std::size_t indent = 0);

/// A word of a command line as it is typed in a shell: in quotes where it must be.
std::string typed(const std::string& word);

/// Three significant digits, "-" if not finite.
std::string brief(double value);

/// "1 head", "2 heads".
std::string counted(std::int64_t count, const std::string& noun);
/// "1 query", "2 queries".
std::string counted(std::int64_t count, const std::string& singular, const std::string& plural);

/// Throws InputError if a file of this name cannot be written; leaves nothing behind. Called before a long
/// run, so that its result is not lost at the end.
void check_writable(const std::string& path);

}  // namespace hardhead::app
