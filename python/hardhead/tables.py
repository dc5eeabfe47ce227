"""Rows, dicts of the same keys, as text and as HTML; and as data frames."""
import html


def cell(value):
    """A value as a table has it."""
    if not isinstance(value, float):
        return "-" if value is None else str(value)
    return f"{value:.0f}" if value.is_integer() and abs(value) < 1e15 else f"{value:.3g}"


def with_ends(value, low, high, form="{:.3g}"):
    """A value with the ends of its interval."""
    if value is None or low is None or high is None:
        return cell(value)
    return f"{form} ({form} .. {form})".format(value, low, high)


def table_text(rows):
    """Columns that line up, under their names."""
    if not rows:
        return "(no rows)"
    lines = [list(rows[0]), *[[cell(value) for value in row.values()] for row in rows]]
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return "\n".join("  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip() for line in lines)


def table_html(rows):
    """The same for notebooks."""
    def line(tag, cells):
        return "<tr>" + "".join(f"<{tag}>{html.escape(text)}</{tag}>" for text in cells) + "</tr>"

    return "<table>" + line("th", rows[0] if rows else []) + "".join(line("td", map(cell, row.values())) for row in rows) + "</table>"


def dataframe(records):
    """Records as a pandas.DataFrame."""
    try:
        import pandas  # only who asks for a data frame needs it
    except ImportError as error:
        raise ImportError("to_dataframe() needs pandas (Debian: python3-pandas)") from error
    return pandas.DataFrame.from_records(records)


class Table:
    """What shows itself as a table, by rows()."""

    def rows(self):
        """One record for each line."""
        raise NotImplementedError

    def to_dataframe(self):
        """The rows as a pandas.DataFrame.

        Returns
        -------
        pandas.DataFrame
        """
        return dataframe(self.rows())

    def __str__(self):
        return table_text(self.rows())

    def __repr__(self):
        return str(self)

    def _repr_html_(self):
        return table_html(self.rows())
