"""Colors, template and text safety that every figure shares, and formats of numbers in sentences, tables and figures.

Plotly's default template changes when Streamlit is imported, and Plotly turns `<a href>` in any text into a
live link; so each figure names its template here, and each text from a data set passes through `escape`.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape as _escape_html
from math import floor, isinf, isnan
from typing import Any

from analysis.values.estimate import Estimate, thousands
from analysis.values.estimate import shorten as _shorten

NumberFormat = Callable[[float], str]
"""Function that writes a number."""
EN_SPACE = "\u2002"
MINUS = "\u2212"
UNDEFINED = "undefined"


def decimal(value: float, digits: int = 2) -> str:
    """Write a number with fixed digits and a real minus sign, without decimals from 10,000.

    >>> decimal(-0.1234), decimal(float("nan")), decimal(-0.0001), decimal(float("inf"))
    ('−0.12', 'undefined', '0.00', '∞')
    >>> decimal(-10536.71), decimal(2.8e19)
    ('−10,537', '2.8e+19')
    """
    if isnan(value):
        return UNDEFINED
    if isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    if abs(value) >= 10_000:
        return f"{value:{',.0f' if abs(value) < 1e9 else '.1e'}}".replace("-", MINUS)
    text = f"{value:.{digits}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace("-", MINUS)


def score_digits(scale_length: float) -> int:
    """Return the decimals of means of scores on a scale of this length; in tables, their differences have one more.

    >>> score_digits(1), score_digits(4), score_digits(100), score_digits(1000)
    (3, 2, 1, 1)
    """
    return 3 if scale_length <= 2 else 2 if scale_length <= 50 else 1


def as_typed(value: float) -> str:
    """Write a goal with the digits that a visitor typed.

    >>> as_typed(0.06 * 4), as_typed(0.005), as_typed(12.0)
    ('0.24', '0.005', '12')
    """
    return f"{value:.10g}".replace("-", MINUS)


def write_rank(rank: float) -> str:
    """Write a rank or a shift of ranks, with a digit only where ties share a rank.

    >>> write_rank(3.0), write_rank(2.5)
    ('3', '2.5')
    """
    return decimal(rank, 0 if rank == round(rank, 0) else 1)


def p_value(p: float) -> str:
    """Write a p value as the field prints it.

    >>> p_value(0.0341), p_value(0.00001), p_value(1.0)
    ('.034', '< .001', '1.000')
    """
    if isnan(p):
        return UNDEFINED
    return "< .001" if p < 0.001 else f"{p:.3f}".removeprefix("0")


def p_phrase(p: float) -> str:
    """Write a p value for a sentence.

    >>> p_phrase(0.0341), p_phrase(0.00001)
    ('p = .034', 'p < .001')
    """
    return f"p {p_value(p)}" if p < 0.001 else f"p = {p_value(p)}"


def count(number: float) -> str:
    """Return a count with commas between thousands.

    >>> count(21600)
    '21,600'
    """
    return UNDEFINED if isnan(number) else thousands(round(number))


def share(value: float, digits: int = 0) -> str:
    """Write a share as percent.

    >>> share(0.66), share(0.3333, 1)
    ('66%', '33.3%')
    """
    return UNDEFINED if isnan(value) else f"{decimal(100 * value, digits)}%"


def share_saved(value: float) -> str:
    """Write a share saved as whole percent, rounded down: 16 of 24 ratings are 66%, as in the paper.

    >>> share_saved(2 / 3), share_saved(0.29)
    ('66%', '29%')
    """
    return UNDEFINED if isnan(value) else f"{floor(100 * value + 1e-9)}%"


def money(amount: float, currency: str) -> str:
    """Write an amount with the currency that the user typed.

    >>> money(1538.4, "€")
    '1,538.40 €'
    """
    return UNDEFINED if isnan(amount) else f"{amount:,.2f}" + f" {currency}".rstrip()


THREE_DIGITS, ONE_DIGIT = partial(decimal, digits=3), partial(decimal, digits=1)
PERCENT_ONE_DIGIT = partial(share, digits=1)
"""Percent with one digit."""
TO_SEPARATOR = " to "
"""Separator of the ends of intervals in tables and hover texts; evidence lines have a dash."""


def interval_text(estimate: Estimate, write: NumberFormat = decimal, separator: str = TO_SEPARATOR) -> str:
    """Write the ends of an interval, "" without one; an interval with one end is open.

    "to" replaces the separator where an end is negative.

    >>> interval_text(Estimate(0.9, 0.84, 0.95)), interval_text(Estimate(0.1, -0.02, 0.2), decimal, "–")
    ('0.84 to 0.95', '−0.02 to 0.20')
    >>> interval_text(Estimate(0.6, 0.5, 0.71), share, "–"), interval_text(Estimate(0.6, 0.5), share)
    ('50–71%', 'above 50%')
    >>> interval_text(Estimate(1.0, high=2.0), str), interval_text(Estimate(1.0), str)
    ('below 2.0', '')
    """
    low, high = ("" if isnan(end) else write(end) for end in (estimate.low, estimate.high))
    if low and high:
        unit = "%" if low.endswith("%") and high.endswith("%") else ""
        between = TO_SEPARATOR if min(estimate.low, estimate.high) < 0 else separator
        return f"{low.removesuffix(unit)}{between}{high}"
    return f"above {low}" if low else f"below {high}" if high else ""


def estimate_with_interval(estimate: Estimate, write: NumberFormat = decimal, separator: str = "–") -> str:
    """Write an estimate with its interval in brackets, where it has one; by default as in evidence lines.

    >>> estimate_with_interval(Estimate(0.9, 0.84, 0.95)), estimate_with_interval(Estimate(0.9))
    ('0.90 (0.84–0.95)', '0.90')
    """
    between = interval_text(estimate, write, separator)
    return write(estimate.value) + (f" ({between})" if between else "")


def estimate_in_table(estimate: Estimate, write: NumberFormat = decimal) -> str:
    """Write an estimate with its interval as in tables and hover boxes.

    >>> estimate_in_table(Estimate(0.61, 0.571, 0.652), share)
    '61% (57 to 65%)'
    """
    return estimate_with_interval(estimate, write, TO_SEPARATOR)


def interval(estimate: Estimate, digits: int = 2) -> str:
    """Write the interval of an estimate, or a dash where it has none.

    >>> interval(Estimate(0.9, 0.84, 0.95)), interval(Estimate(0.9))
    ('0.84 to 0.95', '–')
    """
    return interval_text(estimate, partial(decimal, digits=digits)) or "–"


def counts(estimate: Estimate) -> str:
    """Write the interval of a count, which may have no upper end, or a dash without one.

    >>> counts(Estimate(19.0, 10.0, 43.0)), counts(Estimate(19.0, 10.0, float("inf"))), counts(Estimate(19.0))
    ('10 to 43', '10 or more', '–')
    """
    if isnan(estimate.low) or isnan(estimate.high) or isinf(estimate.low):
        return "–"
    return f"{count(estimate.low)} " + ("or more" if isinf(estimate.high) else f"to {count(estimate.high)}")


def chance(value: float) -> str:
    """Write a chance as percent, never as certain.

    >>> chance(0.66), chance(0.9999), chance(0.001)
    ('66%', 'more than 99%', 'less than 1%')
    """
    if isnan(value):
        return UNDEFINED
    return "more than 99%" if value >= 0.995 else "less than 1%" if value < 0.005 else share(value)


def chance_between(estimate: Estimate) -> str:
    """Write the interval of a chance as percent, or a dash where it has none.

    >>> chance_between(Estimate(0.85, 0.743, 0.928)), chance_between(Estimate(0.99, 0.9, 0.999))
    ('74 to 93%', '90 to more than 99%')
    >>> chance_between(Estimate(0.999, 0.995, 1.0)), chance_between(Estimate(0.85))
    ('more than 99%', '–')
    """
    if isnan(estimate.low) or isnan(estimate.high):
        return "–"
    low, high = chance(estimate.low), chance(estimate.high)
    return low if low == high else f"{low.removesuffix('%')} to {high}"


def points(estimate: Estimate) -> str:
    """Write a difference of shares in percentage points, with its interval where it has one.

    >>> points(Estimate(-0.034, -0.12, 0.05)), points(Estimate(0.034))
    ('−3 points (−12 to 5)', '3 points')
    """
    between = interval_text(estimate, share).removesuffix("%")
    return f"{decimal(100 * estimate.value, 0)} points" + (f" ({between})" if between else "")


PlotlyFigure = dict[str, Any]
"""A figure as Plotly takes it, or a part of one (a trace, an axis, a shape), in plain Python."""


GROUP_COLOURS = ("#0072B2", "#C18600", "#009E73", "#C96FA1", "#1E98DF", "#D55E00")
"""Okabe and Ito's, safe for colour-blind readers; three are darker, to be seen on white as on black."""
GROUP_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
GROUP_SYMBOLS = ("circle", "diamond", "square", "triangle-up", "cross", "x")
_GROUP_PATTERNS = tuple(
    re.compile(rf"(?i)(^|[\W\d_])({words})($|[\W\d_])")
    for words in ("lab|labs|laboratory|expert|experts", "crowd|crowds|crowdsourcing|crowdworkers?")
)
SHUFFLE_GREY = "#8A9099"

CONFIG = {
    "displaylogo": False,
    "showSendToCloud": False,
    "responsive": True,
    "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d"],
    "toImageButtonOptions": {"format": "svg", "filename": "raterscope"},
}
"""For `st.plotly_chart(config=...)` and exported HTML: no logo, no upload button, SVG by the browser."""
NARROW_CONFIG = CONFIG | {
    "modeBarButtonsToRemove": [
        *("select2d", "lasso2d", "autoScale2d"),
        *("zoom2d", "pan2d", "zoomIn2d", "zoomOut2d", "resetScale2d"),
    ]
}
"""The same in a narrow window: a full bar of buttons would stand over the legend, and fingers zoom anyway."""


TEMPLATE: PlotlyFigure = {"layout": {}}
"""None: what Plotly would take otherwise depends on who was imported."""


@dataclass(frozen=True)
class Look:
    """Look of the page that a figure stands on: its colors, and whether it is narrow, as a phone's is.

    On a card of the overview figures are small: of many rows they have some.
    """

    dark: bool = False
    narrow: bool = False
    on_card: bool = False

    @property
    def ink(self) -> str:
        return "#E8EAED" if self.dark else "#1B1F24"

    @property
    def faint(self) -> str:
        return "#9AA3AD" if self.dark else "#5B6570"

    @property
    def grid(self) -> str:
        return "#2A3038" if self.dark else "#E6E9ED"

    @property
    def ground(self) -> str:
        return "#111418" if self.dark else "#FFFFFF"

    def layout(self, **more: Any) -> PlotlyFigure:
        """The layout all figures start from; `more` overrides it at the top level."""
        return {
            "template": TEMPLATE,
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "font": {"family": "Source Sans, Source Sans Pro, sans-serif", "size": 13, "color": self.ink},
            "margin": {"l": 56, "r": 16, "t": 28, "b": 54},
            "hoverlabel": {"align": "left", "bgcolor": self.ground, "font": {"color": self.ink}},
            "showlegend": False,
            **more,
        }

    def axis(self, title: str = "", **more: Any) -> PlotlyFigure:
        """One axis: light grid, no zero line, its title in plain words."""
        return {
            "title": {"text": title, "font": {"size": 13}, "standoff": 8},
            "gridcolor": self.grid,
            "linecolor": self.faint,
            "tickcolor": self.faint,
            "tickfont": {"color": self.faint, "size": 12},
            "zeroline": False,
            "automargin": True,
            **more,
        }


def group_colour(group: str, groups: Sequence[str]) -> str:
    """The one colour of a group on all pages; the first where it is none of them, such as all groups together."""
    return GROUP_COLOURS[_place(group, groups) % len(GROUP_COLOURS) if group in groups else 0]


def by_group(title: str, group: str, groups: Sequence[str]) -> str:
    """Return the title of an axis, with the group whose ratings are drawn where there are several."""
    return f"{title} by {shorten(group, 24)}" if len(groups) > 1 else title


def group_dash(group: str, groups: Sequence[str]) -> str:
    """The line dash of a group, so that colour never stands alone."""
    return GROUP_DASHES[_place(group, groups) % len(GROUP_DASHES)]


def group_symbol(group: str, groups: Sequence[str]) -> str:
    """The marker of a group, so that colour never stands alone."""
    return GROUP_SYMBOLS[_place(group, groups) % len(GROUP_SYMBOLS)]


def is_crowd_name(group: str) -> bool:
    return _GROUP_PATTERNS[1].search(group) is not None


def _place(group: str, groups: Sequence[str]) -> int:
    """A laboratory or experts come first and a crowd second in every study; others in the order of the data set."""
    position_by_group: dict[str, int] = {}
    for place, pattern in enumerate(_GROUP_PATTERNS):
        named = [name for name in groups if name not in position_by_group and pattern.search(name)]
        position_by_group |= dict.fromkeys(named[:1], place)
    free = (
        place
        for place in range(len(groups) + len(_GROUP_PATTERNS))
        if place not in position_by_group.values()
    )
    position_by_group |= {name: next(free) for name in groups if name not in position_by_group}
    return position_by_group[group]


def point_marker(colour: str, size: float, many: bool = False) -> PlotlyFigure:
    """Points of a scatter: filled faintly, so that it shows where they lie on each other, with a rim that is seen."""
    return {
        "color": translucent(colour, 0.25 if many else 0.55),
        "size": size,
        "line": {"color": colour, "width": 1},
    }


def escape(text: object) -> str:
    """Text from a data set, inert in Plotly's titles, labels and hovers (HTML, links and TeX alike); a name that is
    longer than pages show is cut."""
    return _escape_html(_shorten(text), quote=False).replace("$", "&#36;")


def shorten(text: object, width: int = 28) -> str:
    """At most `width` characters, escaped, the cut shown by an ellipsis."""
    return escape(_shorten(text, width))


def in_two_lines(text: object, width: int, longest: int | None = None) -> str:
    """At most two lines of `width` characters, escaped; one longer than `longest` (or `width`) is broken at the space
    nearest to its middle.

    >>> in_two_lines("structure and coherence", 18), in_two_lines("focus", 18)
    ('structure and<br>coherence', 'focus')
    """
    whole = str(text)
    spaces = [at for at, sign in enumerate(whole) if sign == " "]
    if len(whole) <= (longest or width) or not spaces:
        return shorten(text, width)
    middle = min(spaces, key=lambda at: abs(at - len(whole) / 2))
    return f"{shorten(whole[:middle], width)}<br>{shorten(whole[middle + 1 :], width)}"


def translucent(colour: str, opacity: float) -> str:
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity})"


def short_names(names: Sequence[str], width: int) -> list[str]:
    """Names cut to a width, escaped; those that would look alike lose what they begin with in common.

    >>> short_names(["annotator 1 of 12", "annotator 10 of 12", "Ann"], 10)
    ['…1 of 12', '…10 of 12', 'Ann']
    """
    short = [shorten(name, width) for name in names]
    alike: dict[str, list[str]] = {}
    for name, cut in zip(names, short, strict=True):
        alike.setdefault(cut, []).append(name)
    return [
        cut if len(set(alike[cut])) == 1 else shorten(f"…{name[_shared(alike[cut]) :]}", width)
        for name, cut in zip(names, short, strict=True)
    ]


def _shared(names: Sequence[str]) -> int:
    """Return how many characters all names begin with, a number at the end not cut apart."""
    first, last = min(names), max(names)
    same = next((at for at, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return len(first[:same].rstrip("0123456789"))
