"""Section of "Ranking systems" on two systems: the blocks that its page shows and its report prints."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from math import isnan

from analysis.systems.preference import DROPPED, PCCH, PreferenceSpec, of_the_second
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.workers.polls import Poll, usually_dropped
from features.assessments import polls
from features.blocks import Block, Figure, Heading, Progress, in_stages
from features.plotting.numbers import share, share_with_interval
from features.plotting.panels import remark, texts, upright
from features.plotting.series import interval_lines
from features.plotting.shades import ink_on_colour
from features.plotting.theme import Look, PlotlyFigure, axis, escape, group_colour, layout, shorten
from features.program import method_of, study_program
from features.study import Study
from features.systems import pairs_findings as findings
from features.systems import pairs_results as results
from features.systems.pairs_findings import method_name
from features.systems.pairs_results import ComparedPair, PairSpec, find_designs

_ROW, _BAR = 54, 0.54
_NAME, _NUMBER, _WHISKER = -0.41, -0.1, 0.16
"""Positions of a method's name, its shares and its interval within a row, from the middle of its bar."""
_TICKS = [0.25, 0.5, 0.75]
_LEAST = 0.18
"""Least share whose number fits into its part of the bar, with several panels on a phone."""
_GAP, _MARGIN = 0.04, 0.012


def pair_bars(found: ComparedPair, look: Look) -> PlotlyFigure:
    """Draw a panel per design with the shares of both systems by each method."""
    panels = [(each.design or each.name, found.preferences[each.name].shares) for each in found.designs]
    pair = found.poll.first, found.poll.second
    first, second = (group_colour(system, found.systems) for system in pair)
    return preference_bars(panels, pair, (first, second), look, {DROPPED: method_name(DROPPED, found.spec)})


def preference_bars(
    panels: Sequence[tuple[str, Mapping[str, Estimate]]],
    systems: tuple[str, str],
    colours: tuple[str, str],
    look: Look,
    names: Mapping[str, str] | None = None,
) -> PlotlyFigure:
    """Draw a panel per design (its name, and the first system's share by method), all with the same methods in order.

    A line marks one half and whiskers are intervals; `names` are what methods are called where it is not their name.
    """
    methods = list(dict.fromkeys(method for _, shares in panels for method in shares))
    several, strong = len(panels) > 1, {"size": 13, "color": look.ink}
    label = partial(remark, look=look, xanchor="center", yanchor="bottom")
    made = layout(
        look,
        height=96 + _ROW * max(len(methods), 1),
        barmode="overlay",
        hovermode="closest",
        margin={"l": 8, "r": 8, "t": 46 if several else 26, "b": 44},
        yaxis=axis(look, visible=False, range=[len(methods) - 0.5, -0.75], fixedrange=True),
        annotations=[label("Share of the preference", x=0.5, y=0, yshift=-42, font=strong)],
        shapes=[],
    )
    called = {PCCH: f"<b>{PCCH}</b>"} | {one: escape(name) for one, name in (names or {}).items()}
    rows = [(0.0, y + _NAME, called.get(method, method)) for y, method in enumerate(methods)]
    traces = [texts(rows, look.ink, 12, "middle right", xaxis="x", yaxis="y")]
    width = (1 - _GAP * (len(panels) - 1)) / max(len(panels), 1)
    for at, (title, shares) in enumerate(panels):
        suffix, start = str(at + 1) if at else "", at * (width + _GAP)
        end = min(start + width, 1.0)
        ticks = {"tickvals": _TICKS, "ticktext": [share(tick) for tick in _TICKS], "showgrid": False}
        made[f"xaxis{suffix}"] = axis(look, range=[0, 1], fixedrange=True, anchor="y")
        made[f"xaxis{suffix}"] |= {"domain": [start, end], **ticks, **({"matches": "x"} if at else {})}
        drawn = _panel(methods, shares, systems, colours, look, _LEAST if several else _LEAST / 2)
        traces += [trace | {"xaxis": f"x{suffix}", "yaxis": "y"} for trace in drawn if trace["y"]]
        made["shapes"].append(upright(0.5, look.ink, 1.2, xref=f"x{suffix}"))
        for name, x, side in zip(systems, (start, end), ("left", "right"), strict=True):
            text = f"<b>{shorten(name, 18 if several else 22)}</b>"
            made["annotations"].append(label(text, x=x, y=1, xanchor=side, font=strong))
        if several:
            middle = (start + end) / 2
            made["annotations"].append(label(shorten(title, 24), size=12.5, x=middle, y=1, yshift=20))
    return {"data": traces, "layout": made}


def _panel(
    methods: Sequence[str],
    shares: Mapping[str, Estimate],
    systems: tuple[str, str],
    colours: tuple[str, str],
    look: Look,
    least: float,
) -> list[PlotlyFigure]:
    there = [(y, method, shares[method]) for y, method in enumerate(methods) if method in shares]
    known = [(y, method, one) for y, method, one in there if one.defined]
    heights, first = [y for y, *_ in known], [one.value for *_, one in known]
    hovers = {
        "hovertext": [_hover(method, one, systems) for _, method, one in known],
        "hovertemplate": "%{hovertext}<extra></extra>",
    }
    bar = {"type": "bar", "orientation": "h", "y": heights, "width": _BAR, **hovers}
    sides = (
        (first, [0.0] * len(first), _MARGIN, "middle right"),
        ([1 - part for part in first], first, 1 - _MARGIN, "middle left"),
    )
    bars, numbers = list[PlotlyFigure](), list[PlotlyFigure]()
    for (parts, base, x, position), colour in zip(sides, colours, strict=True):
        bars.append(bar | {"x": parts, "base": base, "marker": {"color": colour, "line": {"width": 0}}})
        fitting = [(y + _NUMBER, part) for y, part in zip(heights, parts, strict=True) if part >= least]
        told = [(x, y, share(part)) for y, part in fitting]
        numbers.append(texts(told, ink_on_colour(colour), 13, position))
    whiskers = [(y + _WHISKER, one) for y, _, one in known if not (isnan(one.low) or isnan(one.high))]
    spans = [(y, one.low, one.high) for y, one in whiskers]
    marks = {
        "type": "scatter",
        "mode": "markers",
        "x": [one.value for _, one in whiskers],
        "y": [y for y, _ in whiskers],
        "marker": {"symbol": "line-ns", "size": 11, "line": {"width": 2, "color": look.ink}},
        "hoverinfo": "skip",
    }
    unknown = [(y, one) for y, _, one in there if not one.defined]
    undefined = texts([(0.0, y, "undefined") for y, _ in unknown], look.faint, 12, "middle right")
    undefined |= hovers | {"hoverinfo": None, "hovertext": [escape(one.reason) for _, one in unknown]}
    halo = interval_lines(spans, look.ground, 5)  # shows whiskers on bars of either color
    return [*bars, *numbers, halo, interval_lines(spans, look.ink, 2), marks, undefined]


def _hover(method: str, first: Estimate, systems: tuple[str, str]) -> str:
    both = zip(systems, (first, of_the_second(first)), strict=True)
    told = [f"{shorten(name)}: {share_with_interval(one, 1)}" for name, one in both]
    return "<br>".join([escape(method), *told])


def default_spec(study: Study, poll: Poll, bootstrap: BootstrapSpec) -> PairSpec:
    """Return the spec of a comparison with as many raters dropped as by default."""
    dropped = usually_dropped(find_designs(study, poll.name)[1])
    return PairSpec(poll.name, PreferenceSpec(dropped, draws=bootstrap.draws, seed=bootstrap.seed))


def pair_section(study: Study, spec: PairSpec) -> Iterator[Block]:
    """Yield which of two systems is preferred: first with the intervals that are cached, those of GLAD last."""
    found = yield from in_stages(results.pair_stages(study, spec), _verdict)
    if found.answers:
        yield findings.methods_table(found)
        yield from findings.pair_notes(found, results.position_bias(study, found.poll, spec.shares))
        for each in found.designs:
            yield from findings.pair_warnings(each, found.preferences[each.name], spec.shares)
    if spec.all_pairs:
        yield Progress("All pairs")
        yield from all_pairs_section(study, spec.shares)
    if found.answers:
        yield findings.items_table(found.poll, *results.item_difficulty(study, found.poll, spec.shares))
    yield method_of("systems", "pairs", ["habibi2012"], draws=spec.shares.draws, seed=spec.shares.seed)


def all_pairs_section(study: Study, shares: PreferenceSpec) -> Iterator[Block]:
    """Yield a table of all comparisons."""
    every = polls(study.between_raters)
    yield Heading("All pairs")
    yield findings.pairs_table([(each, results.shares_of_everyone(study, each, shares)) for each in every])


def _verdict(found: ComparedPair) -> Iterator[Block]:
    yield findings.pair_finding(found.poll, found.preference)
    if found.answers:
        caption = (
            "Share of the preference of {first} and {second} by each method, with 95% CI. The dotted line is "
        )
        pair = {"first": found.poll.first, "second": found.poll.second}
        yield Figure("preference", (caption + "one half.", pair), partial(pair_bars, found))


def pair_card(study: Study) -> Iterator[Block]:
    """Yield the first comparison for the overview, with the intervals that take moments."""
    spec = default_spec(study, polls(study)[0], BootstrapSpec())
    for each in find_designs(study, spec.comparison)[1]:
        if len(each.votes) <= results.QUICK_VOTES:
            results.shares_of_everyone(study, each, spec.shares)
    yield from _verdict(results.preview_pair(study, spec))


def pair_program(study: Study, spec: PairSpec) -> str:
    """Return a program that compares the two systems without a browser."""
    return study_program(study, None, results.compare_pair, spec, ["results = dict(found.preference.shares)"])
