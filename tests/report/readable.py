"""HTML pages and figures as text: what a reader sees of them, and nothing of their layout."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex

BLOCKS = (
    "p", "li", "tr", "h1", "h2", "h3", "h4", "summary", "div", "section", "article", "table", "ul",
    "pre", "title", "option",
)  # fmt: skip
SHOWN = ("href", "id", "class", "data-label", "data-paper", "data-kind", "data-verdict", "open",
         "cx", "x1", "x2", "x", "width", "value", "aria-label", "colspan")  # fmt: skip
"""Attributes that say something."""
PASSED = ("style", "script")


class Readable(HTMLParser):
    """Collects lines."""

    def __init__(self):
        super().__init__()
        self.parts, self.passed = [], 0

    def handle_starttag(self, tag, attrs):
        """A new line before a block; attributes in braces."""
        self.passed += tag in PASSED
        if tag in BLOCKS:
            self.parts.append("\n")
        shown = [f"{key}={value}" for key, value in attrs if key in SHOWN and value != ""]
        if shown and tag not in ("meta", "link", "math", "mrow"):
            self.parts.append(f"{{{tag} {' '.join(shown)}}}")
        elif tag in ("td", "th"):
            self.parts.append(" | ")

    def handle_endtag(self, tag):
        """Inside of styles and scripts nothing is read."""
        self.passed -= tag in PASSED

    def handle_data(self, data):
        """Text as it is."""
        if not self.passed:
            self.parts.append(data)


def readable(html):
    """Lines of the page."""
    parser = Readable()
    parser.feed(html)
    lines = (" ".join(line.split()) for line in "".join(parser.parts).split("\n"))
    return re.sub(r"\n{2,}", "\n", "\n".join(line for line in lines if line))


def rounded(text):
    """Its numbers to six figures."""
    return re.sub(r"-?\d+\.\d{4,}(e[-+]\d+)?", lambda number: f"{float(number[0]):.6g}", text)


def figure_text(figure):
    """Titles, axes, lines, shades, captions and legend of a figure, a line each."""
    width, height = figure.bbox.size / figure.dpi
    lines = [f"{width:.3g} x {height:.3g} inches"]
    lines += [f"title: {figure.get_suptitle()!r}"] * bool(figure.get_suptitle())
    for ax in figure.axes:
        lines.append(
            f"panel: x {_axis(ax.xaxis, ax.get_xlim())}; y {_axis(ax.yaxis, ax.get_ylim())}"
        )
        lines += [f"  line {_look(line)}: {_numbers(line.get_xydata())}" for line in ax.lines]
        for shape in ax.collections:
            corners = [path.vertices for path in shape.get_paths()]
            colours = [*shape.get_facecolor()[:1], *shape.get_edgecolor()[:1]]
            words = " ".join(to_hex(colour, keep_alpha=True) for colour in colours)
            lines.append(f"  {type(shape).__name__} {words}: {_numbers(np.concatenate(corners))}")
        for patch in ax.patches:
            lines.append(f"  patch {to_hex(patch.get_facecolor())}: {_numbers(patch.get_xy())}")
        for text in ax.texts:
            style = f"{text.get_color()} {text.get_fontweight()} {text.get_fontsize():g}"
            lines.append(f"  text {style} {text.get_ha()}: {text.get_text()!r}")
    for legend in (*figure.legends, *filter(None, (ax.get_legend() for ax in figure.axes))):
        looks = (_look(handle) for handle in legend.legend_handles)
        texts = (text.get_text() for text in legend.get_texts())
        lines += [f"legend {look}: {text}" for look, text in zip(looks, texts, strict=True)]
    return "\n".join(lines)


def _axis(axis, ends):
    ticks = [label.get_text() for label in axis.get_ticklabels()]
    ticks = [] if any("math" in tick for tick in ticks) else ticks  # those of matplotlib itself
    return f"{axis.get_scale()} {_numbers(ends)} {axis.get_label().get_text()!r} {ticks}"


def _look(artist):
    if isinstance(artist, LineCollection):
        return f"lines {to_hex(artist.get_color()[0])}"
    if not hasattr(artist, "get_marker"):
        return f"patch {to_hex(artist.get_facecolor(), keep_alpha=True)}"
    look = (artist.get_marker(), artist.get_linestyle(), f"{artist.get_linewidth():g}")
    return " ".join(map(str, (to_hex(artist.get_color()), *look, artist.get_zorder())))


def _numbers(values):
    numbers = np.ravel(np.asarray(values, dtype=float))
    return " ".join(f"{0.0 if abs(number) < 1e-12 else number:.4g}" for number in numbers)
