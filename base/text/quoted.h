#pragma once
#include <string>
#include <string_view>

namespace hardhead {

/// Text that somebody else wrote, as a message shows it: in quotes, its first 80 characters only, with
/// control characters and bytes that are not UTF-8 escaped. It is fit for a terminal and for JSON.
std::string quoted(std::string_view text);

/// Such text as it is if nothing in it has to be escaped, and else quoted() in full length: for a line of its
/// own, which it cannot leave.
std::string on_one_line(std::string_view text);

/// Text of several lines as a terminal may get it, whoever wrote its words: tabs and the ends of lines stay;
/// other control characters, marks that turn the direction of writing and what else cannot be seen come out
/// as \uXXXX (in JSON, too, that is the character), bytes that are not UTF-8 as \xXX.
std::string printable(std::string_view text);

/// 'TEXT' if nothing in it has to be escaped, and else quoted(): a word of the user's in a message.
std::string in_quotes(std::string_view text);

}  // namespace hardhead
