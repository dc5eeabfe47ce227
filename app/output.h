#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/terminal/layout.h"

namespace hardhead::app {

/// Writes a result to stdout. Here and in say() foreign text becomes safe for a terminal (for_terminal()).
/// Throws InputError if it could not be written (a full disk, say). Of a pipe that
/// nobody reads any more SIGPIPE tells (interrupt.h), and nothing is thrown.
void print(const std::string& text);

/// Writes words for whoever waits to stderr. That they cannot be written stops nothing.
void say(const std::string& text);
/// The same over the line that a terminal's cursor is in.
void say_in_place(const std::string& text);

/// Indented, with a newline at the end.
std::string text_of(const nlohmann::ordered_json& document);

/// A word of a command line as it is typed in a shell: in quotes where it must be.
std::string typed(const std::string& word);

/// Three significant digits, "-" if not finite.
std::string brief(double value);

/// The digits of a count with its thousands apart: "130,505".
std::string grouped(std::string digits);

/// "1 head", "2 heads"; with a plural of its own "1 query", "2 queries".
std::string counted(std::int64_t count, const std::string& noun, const std::string& plural = {});

/// Throws InputError if a file of this name cannot be written; leaves nothing behind. Called before a long
/// run, so that its result is not lost at the end.
void check_writable(const std::string& path);

}  // namespace hardhead::app
