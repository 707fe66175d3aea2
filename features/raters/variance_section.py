"""Section on the sources of variance of single ratings, and on means over other numbers of raters and items."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from math import isnan

from analysis.values.estimate import Estimate
from features.blocks import Block, Figure, Heading, in_stages
from features.plotting.labels import label_lines
from features.plotting.numbers import count, decimal_with_interval, share, share_with_interval
from features.plotting.panels import LEGEND_ON_TOP, band, upright
from features.plotting.series import Dot, dots, row_chart
from features.plotting.theme import GROUP_COLOURS, Look, PlotlyFigure, axis, escape, layout
from features.program import method_of, study_program
from features.raters import variance_findings as findings
from features.raters import variance_results
from features.raters.variance_results import LaidOutWhenAsked, VarianceFound, VarianceSpec
from features.study import Study

HEIGHT = 380


def variance_shares(shares: Mapping[str, Estimate], look: Look) -> PlotlyFigure:
    """Draw a row per source with its share of the variance of a single rating; `shares` by the names to be written."""
    drawn = [
        Dot(at, e, f"{escape(name)}<br>{share_with_interval(e, 1)}, n = {count(e.n)}")
        for at, (name, e) in enumerate(shares.items())
        if e.defined
    ]
    written = [share(dot.estimate.value) for dot in drawn]
    return row_chart(
        list(shares),
        [dots(drawn, GROUP_COLOURS[0], 9, written=written, ink=look.ink, cliponaxis=False)],
        {"title": "Share of the variance of a single rating", "range": [-0.02, 1.04], "tickformat": ".0%"},
        look,
        row=44,
        right=20,
        hovermode="closest",
    )


def d_study_curve(
    along: str,
    numbers: Sequence[int],
    curves: Mapping[str, Sequence[Estimate]],
    chosen: int,
    look: Look,
) -> PlotlyFigure:
    """Draw each coefficient by the number of raters or items (`along`), with its band; the `chosen` one is marked."""
    made = layout(look, height=HEIGHT, hovermode="x", shapes=[upright(chosen, look.ink)])
    made["margin"] = {"l": 56, "r": 16, "t": 44, "b": 48}
    made["xaxis"] = axis(look, along, range=[min(numbers) - 0.3, max(numbers) + 0.3], nticks=8)
    made["yaxis"] = axis(look, "Coefficient", range=[0, 1.02], nticks=6)
    traces: list[PlotlyFigure] = []
    for place, (name, estimates) in enumerate(curves.items()):
        colour, dash = GROUP_COLOURS[place], ("solid", "dash")[place % 2]
        traces += band(numbers, estimates, colour)
        traces.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": escape(name),
                "x": list(numbers),
                "y": [None if isnan(e.value) else e.value for e in estimates],
                "line": {"color": colour, "width": 2, "dash": dash},
                "text": [f"{escape(name)}: {decimal_with_interval(e)}" for e in estimates],
                "hovertemplate": "%{text}<extra></extra>",
            }
        )
    made |= {"showlegend": True, "legend": LEGEND_ON_TOP}
    return label_lines({"data": traces, "layout": made}, look)


def variance_section(
    study: Study, spec: VarianceSpec, made: LaidOutWhenAsked | None = None
) -> Iterator[Block]:
    """Yield which sources hold the variance of single ratings, and how well means generalize."""
    found = yield from in_stages(variance_results.variance_stages(study, spec, made), _shares)
    if found.components.reason:
        return
    if found.has_coefficients:
        yield Heading("Other numbers of raters and items")
        yield findings.coefficient_finding(found.components, found.of_means)
        yield from _curve(found)
    yield from findings.variance_warnings(found.components)
    yield from findings.variance_notes(found.components)
    draws = spec.bootstrap.draws
    yield method_of("raters", "variance", ["brennan2001", "searle1992"], draws=draws)


def _shares(found: VarianceFound) -> Iterator[Block]:
    yield findings.components_finding(found.components, found.spec.measure)
    if found.components.reason:
        return
    shares = {findings.called(name): e for name, e in found.components.shares().items()}
    caption = "Share of the variance of a single rating of {measure} by source, with 95% CI."
    yield Figure("shares", (caption, {"measure": found.spec.measure}), partial(variance_shares, shares))
    yield findings.components_table(found.components, found.of_means)


def _curve(found: VarianceFound) -> Iterator[Block]:
    along = found.spec.along
    numbers = [getattr(each.averaged, along) for each in found.of_designs]
    chosen = getattr(found.spec.averaged, along)
    curves = findings.curves(found.of_designs)
    caption = "Coefficients by the number of {along}, with 95% CI."
    draw = partial(d_study_curve, findings.ALONG[along], numbers, curves, chosen)
    yield Figure("d-study", (caption, {"along": along}), draw)
    yield findings.d_study_table(along, found.of_designs)


def variance_program(study: Study, spec: VarianceSpec) -> str:
    """Return a program that splits the variance without a browser."""
    lines = [
        "of = found.components",
        "results = {'variances': of.variances(), 'shares': of.shares(), 'means': found.of_means}",
        "if found.has_coefficients:",
        "    results['by number'] = found.of_designs",
    ]
    return study_program(study, None, variance_results.variance_stages, spec, lines)
