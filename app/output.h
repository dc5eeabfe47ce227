#pragma once
#include <string>

#include "app/terminal/layout.h"
#include "base/text/json.h"
#include "base/text/number.h"

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
std::string text_of(const Json& document);

/// A word of a command line as it is typed in a shell: in quotes where it must be.
std::string typed(const std::string& word);

/// Three significant digits, "-" if not finite.
std::string brief(double value);

/// The digits of a count with its thousands apart: "130,505".
std::string grouped(std::string digits);

/// Throws InputError if a file of this name cannot be written; leaves nothing behind. Called before a long
/// run, so that its result is not lost at the end.
void check_writable(const std::string& path);

}  // namespace hardhead::app
