"""Figures of the library, which are data, drawn with Matplotlib in the library's colours."""
import json

from . import _core

MARKERS = "osD^vP*X<>"


def joined(figures):
    """By name; the parts NAME-2, NAME-3, .. of one figure together."""
    out = {}
    for figure in figures:
        whole = figure["name"].rstrip("0123456789")
        name = whole[:-1] if whole.endswith("-") and whole[:-1] in out else figure["name"]
        if name in out:
            out[name]["curves"] += [curve for curve in figure["curves"] if curve not in out[name]["curves"]]
        else:
            out[name] = figure
    return out


def _draw_curve(ax, curve, name, colour, marker):
    points = [point for point in curve["points"] if point[0] is not None and point[1] is not None]
    x, y = [point[0] for point in points], [point[1] for point in points]
    line = {"measured": "-", "bound": ":", "slope": "-"}[curve["kind"]] if "line" in curve["style"] else ""
    ax.plot(x, y, color=colour, linestyle=line, label=name or None, linewidth=0.8 if curve["kind"] == "slope" else 1.5,
            marker=marker if "points" in curve["style"] else "", clip_on=False)
    for point in points:
        if len(point) == 4 and None not in point:
            ax.plot([point[0]] * 2, point[2:], color=colour, linewidth=1)


def _set_axis(ax, letter, axis):
    getattr(ax, f"set_{letter}label")(axis["label"])
    getattr(ax, f"set_{letter}scale")("log" if axis["log"] else "linear")
    low, high = {"x": ("left", "right"), "y": ("bottom", "top")}[letter]
    for end, value in ((low, axis["low"]), (high, axis["high"])):
        if value is not None and not (axis["log"] and value <= 0):
            getattr(ax, f"set_{letter}lim")(**{end: value})
    if axis["names"]:
        getattr(ax, f"set_{letter}ticks")(range(len(axis["names"])), axis["names"])


def draw_figure(figure, ax=None):
    """Draws a figure, as study/figure/figure.h writes it.

    Parameters
    ----------
    figure : dict
    ax : matplotlib.axes.Axes, optional
        Else those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
    """
    try:
        from matplotlib import pyplot  # only who asks for a figure needs it
    except ImportError as error:
        raise ImportError("plot() needs Matplotlib (Debian: python3-matplotlib)") from error
    if ax is None:
        _, ax = pyplot.subplots(layout="constrained")
    names, colours = _core._curve_looks(json.dumps(figure))
    for n, (curve, name, colour) in enumerate(zip(figure["curves"], names, colours)):
        _draw_curve(ax, curve, name, colour, MARKERS[n % len(MARKERS)])
    for level in figure["levels"]:
        ax.axhline(level["y"], color="gray", linestyle="--", linewidth=0.8, label=level["label"])
    _set_axis(ax, "x", figure["x"])
    _set_axis(ax, "y", figure["y"])
    places = sorted({point[0] for curve in figure["curves"] for point in curve["points"] if point[0] is not None})
    numbers = not figure["x"]["log"] and not figure["x"]["names"]
    if numbers and 0 < len(places) <= 8 and all(place == round(place) for place in places):
        ax.set_xticks(places)  # numbers of heads have no halves
    ax.set_title(figure["title"], fontsize="medium", wrap=True)
    if ax.get_legend_handles_labels()[1]:
        ax.legend(fontsize="small")
    return ax
