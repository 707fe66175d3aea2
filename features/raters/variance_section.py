"""Sources of variance by share, and generalizability of means over raters and items: findings, tables and section."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from math import isnan

from analysis.values.estimate import Estimate
from analysis.variance.components import Components, ItemSample
from analysis.variance.generalisability import NO_OBJECT, Along, Averaged, Generalisability, separable_objects
from analysis.variance.jackknives import FEWEST_ITEMS, FEWEST_OF_BOTH
from analysis.variance.sources import BY, ITEM, RATER, REST, SYSTEM, TOPIC
from features.blocks import (
    Block,
    Figure,
    Finding,
    Heading,
    Note,
    Table,
    Warning,
    capitalized,
    clear_if,
    confidence_interval,
    for_raters,
    in_stages,
    method_of,
    not_enough_data,
    uncertain,
)
from features.plotting.panels import LEGEND_ON_TOP, band, label_lines, vertical_line
from features.plotting.series import Dot, dots, row_chart
from features.plotting.theme import (
    GROUP_COLOURS,
    PERCENT_ONE_DIGIT,
    THREE_DIGITS,
    Look,
    PlotlyFigure,
    count,
    decimal,
    escape,
    estimate_in_table,
    estimate_with_interval,
    group_colour,
    share,
)
from features.program import computed_by
from features.raters import variance_results
from features.raters.variance_results import VarianceFound, VarianceSpec
from features.study import Study
from features.words import (
    Column,
    Sentence,
    counted,
    estimate_columns,
    listed,
    number_repeats,
    of_many,
    table_of,
)

FEW_LEVELS = 6
"""Raters or systems below which an interval of their variance spans a factor of ten and more."""
MANY_RATERS = 12
"""Raters below which intervals may be too narrow where raters differ much in noise."""
WIDEST = 0.6
"""Width of an interval of a share or a coefficient from which nothing is concluded."""
CALLED = {"item": "items", "rater": "raters", "system": "systems", "topic": "topics", REST: "residual"}
PARTS = {
    "object": "object of measurement",
    "relative": "error of comparisons and levels",
    "absolute": "error of levels",
}
ALONG: dict[Along, str] = {"raters": "Raters per item", "items": "Items per system"}
COEFFICIENT, DEPENDABILITY = "Comparing (generalizability)", "Level on the scale (dependability)"


def called(source: str) -> str:
    """Return a source in words.

    >>> called("rater"), called("system × rater")
    ('raters', 'systems × raters')
    """
    return BY.join(CALLED.get(facet, facet) for facet in source.split(BY))


def components_finding(found: Components, measure: str) -> Finding:
    """Return which source holds most of the variance of single ratings."""
    values: dict[str, object] = {"measure": measure}
    sizes = _sizes(found)
    if found.reason:
        headline = "Not enough data to say where the variance of {measure} comes from."
        return not_enough_data(headline, values, found.reason)
    if not separable_objects(found):
        headline = "Not enough data to separate the variance of items from the residual on {measure}."
        return not_enough_data(headline, values, NO_OBJECT[ITEM], *sizes)
    if found.jackknife is not None and found.jackknife.reason:
        headline = "Not enough data to say which source of variance of {measure} is largest."
        return not_enough_data(headline, values, found.jackknife.reason, *sizes)
    shares = found.shares()
    first, second = sorted(shares, key=lambda name: -shares[name].value)[:2]
    largest = shares[first]
    line = (
        confidence_interval(largest, share, found.level),
        f"then {called(second)} {estimate_with_interval(shares[second], share)}",
        *sizes,
        _raters(found),
    )
    if largest.high - largest.low > WIDEST:
        headline = "The largest source of variance of {measure} is unclear."
        return uncertain(headline, values, f"{called(first)} {share(largest.value)}", *line)
    verb, article = ("is", "the ") if first == REST else ("are", "")
    return clear_if(
        largest_is_clear(shares) and not has_few_topics(found),
        f"{{first}} {verb} the largest source of variance of {{measure}}, <b>{{share}}</b>.",
        values | {"first": capitalized(article + called(first)), "share": share(largest.value)},
        *line,
    )


def has_few_topics(found: Components) -> bool:
    """Return True where items share topics, too few of them for intervals over topics."""
    return TOPIC in found.sources and found.counts[TOPIC] < _needed_topics(found)


def _needed_topics(found: Components) -> int:
    """Return the number of topics from which on intervals are over topics."""
    has_systems = SYSTEM in found.sources and found.counts[SYSTEM] >= FEWEST_OF_BOTH
    return FEWEST_OF_BOTH if has_systems else FEWEST_ITEMS


def _needed_systems(found: Components) -> int:
    """Return the number of systems from which on intervals of coefficients of items are over systems."""
    return FEWEST_OF_BOTH if TOPIC in found.sources else FEWEST_ITEMS


def _sizes(found: Components) -> list[str]:
    return [counted(found.counts[name], name) for name in ("item", "rater") if name in found.counts]


def _raters(found: Components) -> str:
    """Return the raters that intervals are for: these where raters are no source of variance."""
    return for_raters("raters like these" if RATER in found.sources else "these raters")


def largest_is_clear(shares: Mapping[str, Estimate]) -> bool:
    """Return True where the interval of the largest share lies above those of all others."""
    first, *others = sorted(shares.values(), key=lambda e: -e.value)
    return all(first.low > e.high for e in others)


def coefficient_finding(found: Components, of_means: Generalisability) -> Finding:
    """Return the generalizability of the chosen means, with their dependability."""
    mean_name, relative = means(of_means.averaged), of_means.coefficient
    if not relative.defined or relative.reason:
        return not_enough_data(
            "Not enough data to say how well {means} generalize.",
            {"means": mean_name.lower()},
            relative.reason,
            f"coefficient {decimal(relative.value)}" if relative.defined else "",
            *_sizes(found),
            name="coefficient",
        )
    return clear_if(
        relative.excludes() and relative.high - relative.low <= WIDEST and not has_few_topics(found),
        "{means} have a generalizability coefficient of <b>{relative}</b>.",
        {"means": mean_name, "relative": decimal(relative.value)},
        confidence_interval(relative, decimal, found.level),
        f"dependability {estimate_with_interval(of_means.dependability)}",
        *_sizes(found),
        _raters(found),
        name="coefficient",
    )


def means(averaged: Averaged) -> str:
    """Return the means that a coefficient is about.

    >>> means(Averaged("item", 5)), means(Averaged("system", 1, 20))
    ('Item means over 5 raters', 'System means over 20 items with 1 rater each')
    """
    raters = counted(averaged.raters, "rater")
    if averaged.of == "item":
        return f"Item means over {raters}"
    return f"System means over {counted(averaged.items, 'item')} with {raters} each"


def components_table(found: Components, of_means: Generalisability) -> Table:
    """Return one row per source: share and variance with intervals, and its part in the chosen means."""
    variances, shares = found.variances(), found.shares()
    sources = [term.source for term in of_means.terms]
    columns = [
        Column("Source", [capitalized(called(name)) for name in sources]),
        Column("Levels", [variances[name].n for name in sources], count),
        *estimate_columns("Share", [shares[name] for name in sources], PERCENT_ONE_DIGIT),
        *estimate_columns("Variance", [variances[name] for name in sources], THREE_DIGITS),
        Column("In the mean", [PARTS[term.part] for term in of_means.terms]),
        Column("Divided by", [term.over for term in of_means.terms], count),
    ]
    return table_of(
        "variance", "Variance of a single rating by source, and its part in the chosen mean.", columns
    )


def d_study_table(along: Along, curve: Sequence[Generalisability]) -> Table:
    """Return both coefficients by number of raters or items."""
    columns = [Column(ALONG[along], [getattr(each.averaged, along) for each in curve], count)]
    for name, estimates in curves(curve).items():
        columns += estimate_columns(name, estimates, THREE_DIGITS)
    return table_of("d-study", "Coefficients of means over other numbers of raters or items.", columns)


def curves(curve: Sequence[Generalisability]) -> dict[str, list[Estimate]]:
    return {
        COEFFICIENT: [each.coefficient for each in curve],
        DEPENDABILITY: [each.dependability for each in curve],
    }


def variance_notes(found: Components) -> list[Note]:
    """Return how variances were estimated, what the design does not separate, and what was estimated below 0."""
    moments = "moments (sums of squares)"
    method = "restricted maximum likelihood (REML)" if found.method == "REML" else moments
    values = {"method": method, "ratings": count(found.ratings)}
    texts: list[Sentence] = [("Estimated by {method} from {ratings} ratings.", values)]
    if found.sample is not None:
        texts.append(of_items(found.sample))
    for within in dict.fromkeys(one.within for one in found.unseparated):
        names = [called(one.name) for one in found.unseparated if one.within == within]
        text = "Not separated in this design: {names} from {within}."
        texts.append((text, {"names": listed(names), "within": called(within)}))
    variances = zip(found.sources, found.variance.tolist(), strict=True)
    below = [f"{called(name)} ({decimal(value, 3)})" for name, value in variances if value < 0]
    if below:
        texts.append(("Estimated below 0, counted as 0: {names}.", {"names": listed(below)}))
    return [Note(text) for text in number_repeats(texts)]


def of_items(sample: ItemSample) -> Sentence:
    """Return of which items the ratings are."""
    return (
        "These are all ratings of <b>{items}</b>, drawn from {of} (seed {seed}).",
        {"items": of_many(sample.items, "items"), "of": count(sample.of), "seed": sample.seed},
    )


def variance_warnings(found: Components) -> list[Warning]:
    """Return cautions: few raters, systems or topics, ratings without a system, no peak of the likelihood."""
    texts: list[Sentence] = [
        (
            "With only {n}, the variance of {names} is hardly known, and intervals that include it are wide.",
            {"n": counted(found.counts[name], name), "names": called(name)},
        )
        for name in ("rater", "system")
        if name in found.sources and found.counts[name] < FEW_LEVELS
    ]
    topics, systems, raters = (found.counts.get(name, 0) for name in (TOPIC, SYSTEM, RATER))
    too_narrow = "With {n}, intervals may be too narrow; {needed} {names} are needed."
    if has_few_topics(found):
        needed = count(_needed_topics(found))
        texts.append((too_narrow, {"n": counted(topics, "topic"), "needed": needed, "names": "topics"}))
    if found.jackknife is not None and SYSTEM in found.sources and systems < _needed_systems(found):
        needed = count(_needed_systems(found))
        texts.append((too_narrow, {"n": counted(systems, "system"), "needed": needed, "names": "systems"}))
    if found.left_out:
        n = counted(found.left_out, "rating")
        texts.append(("{n} without a system or a topic are not used.", {"n": n}))
    if not found.converged:
        texts.append(("The likelihood did not reach its peak, so intervals may be wrong.", {}))
    # Not where the noise of these raters differs: few raters who happen to be alike miss the noisiest of all.
    if found.jackknife is not None and not found.jackknife.reason and raters < MANY_RATERS:
        text = "With {n}, intervals may be too narrow if raters differ much in noise."
        texts.append((text, {"n": counted(raters, "rater")}))
    return [Warning(text) for text in number_repeats(texts)]


HEIGHT = 380


def variance_shares(shares: Mapping[str, Estimate], color: str, look: Look) -> PlotlyFigure:
    """Draw a row per source with its share of the variance of a single rating; `shares` by the names to be written."""
    drawn = [
        Dot(at, e, f"{escape(name)}<br>{estimate_in_table(e, PERCENT_ONE_DIGIT)}, n = {count(e.n)}")
        for at, (name, e) in enumerate(shares.items())
        if e.defined
    ]
    written = [share(dot.estimate.value) for dot in drawn]
    return row_chart(
        list(shares),
        [dots(drawn, color, 9, written=written, ink=look.ink, cliponaxis=False)],
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
    made = look.layout(height=HEIGHT, hovermode="x", shapes=[vertical_line(chosen, look.ink)])
    made["margin"] = {"l": 56, "r": 16, "t": 44, "b": 48}
    made["xaxis"] = look.axis(along, range=[min(numbers) - 0.3, max(numbers) + 0.3], nticks=8)
    made["yaxis"] = look.axis("Coefficient", range=[0, 1.02], nticks=6)
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
                "text": [f"{escape(name)}: {estimate_in_table(e)}" for e in estimates],
                "hovertemplate": "%{text}<extra></extra>",
            }
        )
    made |= {"showlegend": True, "legend": LEGEND_ON_TOP}
    return label_lines({"data": traces, "layout": made}, look)


@computed_by(
    variance_results.variance_stages,
    "of = found.components",
    "results = {'variances': of.variances(), 'shares': of.shares(), 'means': found.of_means}",
    "if found.has_coefficients:",
    "    results['by number'] = found.of_designs",
)
def variance_section(study: Study, spec: VarianceSpec) -> Iterator[Block]:
    """Yield which sources hold the variance of single ratings, and how well means generalize."""
    found = yield from in_stages(variance_results.variance_stages(study, spec), partial(_shares, study))
    if found.components.reason:
        return
    if found.has_coefficients:
        yield Heading("Other numbers of raters and items")
        yield coefficient_finding(found.components, found.of_means)
        yield from _curve(found)
    yield from variance_warnings(found.components)
    yield from variance_notes(found.components)
    draws = spec.bootstrap.draws
    yield method_of("raters", "variance", ["brennan2001", "searle1992"], draws=draws)


def _shares(study: Study, found: VarianceFound) -> Iterator[Block]:
    yield components_finding(found.components, found.spec.measure)
    if found.components.reason:
        return
    shares = {called(name): e for name, e in found.components.shares().items()}
    caption = "Share of the variance of a single rating of {measure} by source, with 95% CI."
    draw = partial(variance_shares, shares, group_colour(study.candidate, study.groups))
    yield Figure("shares", (caption, {"measure": found.spec.measure}), draw)
    yield components_table(found.components, found.of_means)


def _curve(found: VarianceFound) -> Iterator[Block]:
    along = found.spec.along
    designs = found.of_designs
    numbers = [getattr(each.averaged, along) for each in designs]
    chosen = getattr(found.spec.averaged, along)
    caption = "Coefficients by the number of {along}, with 95% CI."
    draw = partial(d_study_curve, ALONG[along], numbers, curves(designs), chosen)
    yield Figure("d-study", (caption, {"along": along}), draw)
    yield d_study_table(along, designs)
