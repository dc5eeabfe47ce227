#include "study/report/page.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <regex>

#include "base/error.h"
#include "base/files/read_file.h"
#include "base/text/number.h"
#include "study/report/escape.h"

namespace hardhead::report {
namespace {

/// Tables of more rows are folded.
constexpr std::size_t most_open_rows = 12;
/// On paper, tables of more columns lie across the sheet.
constexpr std::size_t most_upright_columns = 8;

/// A path as a relative link.
std::string link(const std::string& path) {
  std::string out;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    out += std::isalnum(byte) != 0 || std::string_view("/._-").find(c) != std::string_view::npos
               ? std::string(1, c)
               : fmt::format("%{:02X}", byte);
  }
  return out;
}

/// What a content security policy calls a script by.
std::string policy_hash(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr);
  std::array<unsigned char, std::size_t{2} * EVP_MAX_MD_SIZE> base64{};
  EVP_EncodeBlock(base64.data(), digest.data(), static_cast<int>(size));
  return fmt::format("'sha256-{}'", reinterpret_cast<const char*>(base64.data()));
}

/// The figure in a file as an element of the page.
std::string figure_element(const std::string& path, const std::string& prefix) {
  const std::string svg = read_file(path);
  return at_place(fmt::format("figure '{}'", path), [&] { return inline_svg(svg, prefix); });
}

std::string badge(Verdict verdict) {
  const char* text = verdict == Verdict::holds           ? "\u2713 holds"
                     : verdict == Verdict::does_not_hold ? "\u2717 does not hold"
                                                         : "? inconclusive";
  return fmt::format("<span class=\"badge {}\">{}</span>", name_of(verdict), text);
}

/// A button that the page's script gives its work: to copy what has this id, a text or a table.
std::string copy_button(const std::string& what, const std::string& id) {
  return fmt::format(
      "<button type=\"button\" class=\"copy\" data-copies=\"{}\">Copy<span class=\"of\"> {}</span></button>",
      id, what);
}

/// Cells are HTML. Columns of numbers are set to the right; only columns of long text break their lines.
std::string table_html(const std::string& id, const std::string& caption,
                       const std::vector<std::string>& columns,
                       const std::vector<std::vector<std::string>>& rows) {
  constexpr std::size_t longest_unbroken = 32;
  std::vector<const char*> kind;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const auto all = [&](const auto& is) {
      return std::ranges::all_of(rows, [&](const auto& row) { return is(row[c]); });
    };
    kind.push_back(all([](const std::string& cell) { return cell.empty() || whole_number<double>(cell); })
                       ? " class=\"number\""
                   : all([](const std::string& cell) { return cell.size() <= longest_unbroken; })
                       ? " class=\"short\""
                       : "");
  }
  std::string out = fmt::format("<div class=\"scroll{}\"><table id=\"{}\">",
                                columns.size() > most_upright_columns ? " wide" : "", id);
  if (!caption.empty()) out += fmt::format("<caption>{}</caption>", caption);
  out += "\n<thead><tr>";
  for (std::size_t c = 0; c < columns.size(); ++c)
    out += fmt::format(R"(<th scope="col"{}><button type="button">{}</button></th>)", kind[c], columns[c]);
  out += "</tr></thead>\n<tbody>\n";
  for (const auto& row : rows) {
    out += "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c) out += fmt::format("<td{}>{}</td>", kind[c], row[c]);
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

/// Shows the rows of a table that have all the words typed.
std::string search_field(const std::string& table, const std::string& title) {
  return fmt::format(
      "<label class=\"search\">Rows with <input type=\"search\" data-searches=\"{}\" "
      "aria-label=\"Words in rows: {}\"></label>",
      table, escaped(title));
}

/// "recovered 2, learnt 1 of 3" with each word and its number in a span of the word's class.
std::string coloured(const std::string& words) {
  static const std::regex word(R"(([a-z]+) (\d+)(?=, | of ))");
  return std::regex_replace(words, word, R"(<span class="$1">$1 $2</span>)");
}

std::string table_of(const PageSection& section) {
  const Table& table = *section.table;
  std::vector<std::string> columns;
  for (const std::string& column : table.columns) columns.push_back(escaped(column));
  std::vector<std::vector<std::string>> rows;
  for (const auto& row : table.rows) {
    auto& cells = rows.emplace_back();
    for (std::size_t c = 0; c < row.size(); ++c)
      cells.push_back(table.columns[c] == section.words_column ? coloured(escaped(row[c])) : escaped(row[c]));
  }
  const std::string file =
      section.table_file.empty()
          ? ""
          : fmt::format("<a href=\"{}\">{}</a>", link(section.table_file), escaped(section.table_file));
  const std::string id = section.id + "-table";
  const std::string button = copy_button("the table as CSV", id);
  if (rows.size() <= most_open_rows) return button + table_html(id, file, columns, rows);
  return fmt::format("<details><summary>The table: {}</summary>\n{}{}{}</details>\n",
                     counted(std::ssize(rows), "row"), button, search_field(id, section.title),
                     table_html(id, file, columns, rows));
}

/// A line that copies what it shows.
std::string copied(const std::string& what, const std::string& id, const std::string& text) {
  return fmt::format("<div class=\"copied\"><pre id=\"{}\">{}</pre>{}</div>\n", id, escaped(text),
                     copy_button(what, id));
}

/// A cell that a reader can open: a summary, and behind it lines of text.
std::string grid_cell(const GridCell& cell) {
  std::string text = escaped(cell.text);
  if (!cell.detail.empty()) text += fmt::format("<br><small>{}</small>", escaped(cell.detail));
  if (!cell.behind.empty()) {
    std::string lines;
    for (const std::string& line : cell.behind) lines += escaped(line) + "\n";
    text = fmt::format("<details><summary>{}</summary><pre>{}</pre></details>", text, lines);
  }
  return fmt::format("<td class=\"cell {}\">{}</td>", cell.degree.empty() ? "untried" : cell.degree, text);
}

std::string grid_html(const Grid& grid) {
  std::string out = "<div class=\"scroll map\"><table class=\"grid\">\n<thead><tr><td></td>";
  for (const auto& [title, count] : grid.groups)
    out += fmt::format("<th scope=\"colgroup\" colspan=\"{}\">{}</th>", count, escaped(title));
  out += "</tr>\n<tr><td></td>";
  for (const std::string& column : grid.columns)
    out += fmt::format("<th scope=\"col\">{}</th>", escaped(column));
  out += "</tr></thead>\n<tbody>\n";
  for (std::size_t r = 0; r < grid.rows.size(); ++r) {
    out += fmt::format("<tr><th scope=\"row\">{}</th>", escaped(grid.rows[r]));
    for (const GridCell& cell : grid.cells[r]) out += grid_cell(cell);
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string figures_html(const PageSection& section, const std::string& folder, const std::string& prefix) {
  if (section.figures.empty()) return "";
  std::string out = "<div class=\"figures\">\n";
  for (std::size_t f = 0; f < section.figures.size(); ++f) {
    const std::string& file = section.figures[f];
    out += fmt::format(
        "<figure>\n{}\n<figcaption>{}: <a href=\"{}.svg\">SVG</a>, <a "
        "href=\"{}.pdf\">PDF</a></figcaption>\n</figure>\n",
        figure_element(folder + "/" + file + ".svg", fmt::format("{}-{}-", prefix, f)), escaped(file),
        link(file), link(file));
  }
  return out + "</div>\n";
}

std::string section_html(const PageSection& section, const std::string& folder, const std::string& prefix) {
  std::string out = fmt::format("<section id=\"{}\">\n", escaped(section.id));
  out += section.verdict ? fmt::format("<h2>{}: {} {}</h2>\n", escaped(section.id),
                                       formulae_html(section.title), badge(*section.verdict))
                         : fmt::format("<h2>{}</h2>\n", escaped(section.title));
  if (!section.facts.empty()) {
    out += "<dl>\n";
    for (const auto& [name, text] : section.facts)
      out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escaped(name), formulae_html(text));
    out += "</dl>\n";
  }
  if (!section.command.empty()) out += copied("the command", section.id + "-command", section.command);
  if (!section.listing.empty()) out += fmt::format("<pre>{}</pre>\n", escaped(section.listing));
  if (!section.about_figures.empty()) out += fmt::format("<p>{}</p>\n", escaped(section.about_figures));
  out += figures_html(section, folder, prefix);
  if (section.grid) out += grid_html(*section.grid);
  if (section.table) out += table_of(section);
  return out + "</section>\n";
}

/// The bar that stays: a claim by its number and the sign of its verdict, other sections by their titles.
std::string navigation(const Page& page) {
  std::string out = "<nav aria-label=\"Sections\">";
  for (const PageSection& section : page.sections)
    out += section.verdict
               ? fmt::format("<a href=\"#{0}\" class=\"{1}\" title=\"{2}\">{0}</a>\n", escaped(section.id),
                             name_of(*section.verdict), escaped(section.title))
               : fmt::format("<a href=\"#{}\">{}</a>\n", escaped(section.id), escaped(section.title));
  return out + "<a href=\"#cite\">Cite</a></nav>\n";
}

std::string verdicts_html(const Page& page) {
  std::vector<std::vector<std::string>> rows;
  for (const PageSection& section : page.sections)
    if (section.verdict)
      rows.push_back({fmt::format("<a href=\"#{0}\">{0}</a>", escaped(section.id)),
                      formulae_html(section.title), badge(*section.verdict)});
  return rows.empty() ? ""
                      : search_field("verdicts", "verdicts") +
                            table_html("verdicts", "", {"id", "claim", "verdict"}, rows);
}

}  // namespace

std::string html(const Page& page, const std::string& folder) {
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "script-src {}; img-src data:; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n"
      "<style>{}</style>\n</head>\n<body>\n{}<header>\n<h1>{}</h1>\n",
      policy_hash(detail::page_script()), escaped(page.title), detail::page_style(), navigation(page),
      escaped(page.title));
  for (const std::string& paragraph : page.lead)
    out += fmt::format("<p class=\"lead\">{}</p>\n", formulae_html(paragraph));
  out += verdicts_html(page) + "</header>\n<main>\n";
  for (std::size_t s = 0; s < page.sections.size(); ++s)
    out += section_html(page.sections[s], folder, fmt::format("s{}", s));
  out += "<section id=\"cite\">\n<h2>How to cite hardhead</h2>\n" +
         copied("the BibTeX entry", "cite-bibtex", std::string(detail::citation())) + "</section>\n";
  return out + fmt::format("</main>\n<script>{}</script>\n</body>\n</html>\n", detail::page_script());
}

}  // namespace hardhead::report
