"""Replacing raters: figures and sections."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from analysis.replacement.corrected_scores import CorrectedScore
from analysis.values.estimate import Estimate
from features.blocks import Block, Figure, Method, Note, Progress, Text, card_of, method_of, not_enough_data
from features.plotting.panels import horizontal_line, remark
from features.plotting.series import (
    MOST_ROWS,
    Point,
    Series,
    axis_range_of,
    hover,
    point_chart,
    point_trace,
    series_dots,
    span_of,
)
from features.plotting.theme import (
    GROUP_COLOURS,
    GROUP_SYMBOLS,
    Look,
    NumberFormat,
    PlotlyFigure,
    decimal,
    group_colour,
    group_symbol,
    money,
    share,
    shorten,
)
from features.program import computed_by
from features.replacement import findings
from features.replacement.corrected import (
    comparable,
    correct_scores,
    corrected_finding,
    corrected_table,
    correlate_errors,
    errors_finding,
    errors_table,
)
from features.replacement.pass_rate import asks_for_pass_rate, default_pass_rate, pass_rate_section
from features.replacement.results import (
    candidate_stages,
    compute_candidates,
    compute_verdicts,
    default_spec,
    list_candidates,
)
from features.replacement.specs import Candidate, Prices, ReplacementSpec, Results
from features.study import Study, difference_writer, query, score_writer
from features.words import counted, number_repeats, plain

TITLE = "Advantage: share of items on which the candidate does at least as well as a rater"
HALF = 0.5
"""Advantage of a candidate that does as well as a rater."""
AS_GOOD = "as good as a rater"
"""Name of the line at that advantage."""


def advantage_dots(by_measure: Mapping[str, Results], groups: Sequence[str], look: Look) -> PlotlyFigure:
    """Draw a row per measure with a dot per candidate, of one measure a row per candidate, hollow if not shown."""
    names = list(dict.fromkeys(one.name for row in by_measure.values() for one in row))
    rows = dict(by_measure)
    if len(by_measure) == 1:
        (every,) = by_measure.values()
        rows = {one.name: (one,) for one in every}
    series = []
    for at, name in enumerate(names):
        in_rows = [next((one for one in row if one.name == name), None) for row in rows.values()]
        for passes in (True, False):
            estimates = [one.advantage if one and one.passes == passes else None for one in in_rows]
            of_name = Series(
                name if passes else f"{name}: not shown", estimates, *_marker(at, name, passes, groups)
            )
            if of_name.defined:
                series.append(of_name)
    made = series_dots(
        list(rows),
        series,
        "Advantage" if look.narrow or look.on_card else TITLE,
        look,
        guide=HALF,
        guide_name=AS_GOOD,
    )
    low, high = made["layout"]["xaxis"]["range"]

    def inward(x: float) -> PlotlyFigure:
        """Anchor a label so that it ends in the figure."""
        part = (x - low) / (high - low)
        return {"x": x, "xref": "x", "xanchor": "left" if part < 0.2 else "right" if part > 0.8 else "center"}

    for at, row in enumerate(list(rows.values())[:MOST_ROWS]):
        if len(row) == 1 and row[0].advantage.defined:
            verdict = "can replace" if row[0].passes else "not shown"
            place: PlotlyFigure = {**inward(row[0].advantage.value), "y": at, "yref": "y", "yshift": 14}
            made["layout"]["annotations"].append(remark(verdict, look, **place))
    return made


def against_price(results: Results, prices: Prices, groups: Sequence[str], look: Look) -> PlotlyFigure:
    """Draw the advantage over the price of one rating, for candidates with both."""
    known = [
        (at, one, prices.by_candidate[one.name])
        for at, one in enumerate(results)
        if one.advantage.defined and one.name in prices.by_candidate
    ]
    points = [
        Point(
            one.name,
            Estimate(price),
            one.advantage,
            f"{hover(one.name, 'Advantage', one.advantage, lambda value: share(value, 1))}<br>"
            f"{shorten(money(price, prices.currency))} a rating",
        )
        for _, one, price in known
    ]
    colors, symbols = zip(*(_marker(at, one.name, one.passes, groups) for at, one, _ in known), strict=True)
    trace = point_trace(points, "", 0, look, color=list(colors), symbol=list(symbols))
    if "error_y" in trace:  # one trace has one color of whiskers
        trace["error_y"] |= {"color": look.faint}
    across, up = span_of(points)
    (low, high), (_, right) = axis_range_of([*up, HALF]), axis_range_of([0.0, *across], 0.12)
    title = f"Price of one rating, {shorten(prices.currency, 8)}"
    return point_chart(
        [trace],
        {"title": title, "range": [-0.05 * right, right]},
        {"title": "Advantage", "range": [max(low, -0.02), min(high, 1.02)], "tickformat": ".0%"},
        f"dotted: {AS_GOOD}",
        look,
        shapes=[horizontal_line(HALF, look.faint, dash="dot")],
    )


def _marker(at: int, name: str, passes: bool, groups: Sequence[str]) -> tuple[str, str]:
    """Return the color and the symbol of the candidate at a place: a group's own, hollow where it does not pass."""
    if name in groups:
        color, symbol = group_colour(name, groups), group_symbol(name, groups)
    else:
        color, symbol = (of[(at + 2) % len(of)] for of in (GROUP_COLOURS, GROUP_SYMBOLS))
    return color, symbol if passes else f"{symbol}-open"


def corrected_dots(
    scores: Mapping[str, CorrectedScore], look: Look, write_score: NumberFormat = decimal
) -> PlotlyFigure:
    """Draw a row per system, in it the score from the reference alone and the corrected score."""
    each = list(scores.values())
    series = [
        Series("Reference alone", [one.reference for one in each], GROUP_COLOURS[0], GROUP_SYMBOLS[0]),
        Series("Corrected", [one.tuned for one in each], GROUP_COLOURS[2], GROUP_SYMBOLS[2]),
    ]
    return series_dots(list(scores), series, "Score", look, shares=False, write=write_score)


NO_PRICES = Prices()
Groups = Sequence[str]


@computed_by(
    compute_candidates,
    "results = {",
    "    one.name: {'test': one.test, 'worth': one.worth, 'compared': one.compared} for one in found",
    "}",
)
def replacement_section(
    study: Study, spec: ReplacementSpec, candidates: tuple[Candidate, ...], prices: Prices = NO_PRICES
) -> Iterator[Block]:
    """Yield which candidates can replace a rater on one measure, first without intervals."""
    if not candidates:
        yield findings.no_candidates(spec)
        return
    found: Results = ()
    for stage in candidate_stages(study, spec, candidates):
        if isinstance(stage, Progress):
            yield stage
        else:
            found = stage
            yield from _verdicts(study, {spec.measure: (spec, found)}, prices)
    if not found:
        return
    yield from _remarks(study, {spec.measure: (spec, found)})
    names = query(study.dataset, "rater_names")["name"]
    if (table := findings.raters_table(spec, found, names)) is not None:
        yield table
    yield replacement_method(spec, study.holds_choices)


def measures_section(study: Study, specs: Sequence[tuple[ReplacementSpec, Results]]) -> Iterator[Block]:
    """Yield the same of several measures at once, each with its spec and results."""
    by_measure = {spec.measure: (spec, found) for spec, found in specs}
    yield from _verdicts(study, by_measure, NO_PRICES)
    yield from _remarks(study, by_measure)
    yield replacement_method(specs[0][0], study.holds_choices)


_ByMeasure = dict[str, tuple[ReplacementSpec, Results]]


def _verdicts(study: Study, by_measure: _ByMeasure, prices: Prices) -> Iterator[Block]:
    specs = [spec for spec, _ in by_measure.values()]
    formats = {measure: difference_writer(study, measure) for measure in by_measure}
    yield from _findings(study, by_measure)
    tested = {
        measure: tuple(one for one in found if one.is_tested) for measure, (_, found) in by_measure.items()
    }
    drawn = {measure: row for measure, row in tested.items() if row}
    rater: dict[str, object] = {"rater": specs[0].a_rater}
    if drawn:
        caption = (
            "Advantage: percent of items on which a candidate does at least as well as {rater}, with its 95% CI. "
            "Filled dots can replace a rater; of hollow ones that is not shown."
        )
        yield Figure("standing-in", (caption, rater), partial(advantage_dots, drawn, study.groups))
    every = tuple(one for row in drawn.values() for one in row)
    if any(one.name in prices.by_candidate for one in every):
        caption = "Advantage over {rater} by the price of one rating."
        yield Figure("prices", (caption, rater), partial(against_price, every, prices, study.groups))
    if any(one.advantage.defined or one.worth.defined for _, found in by_measure.values() for one in found):
        results = {measure: found for measure, (_, found) in by_measure.items()}
        yield findings.candidates_table(specs[0], results, formats)


def _findings(study: Study, by_measure: _ByMeasure) -> Iterator[Block]:
    """Yield the verdict on each measure, once where all are the same; of a single measure the worth, too."""
    (spec, found), *others = by_measure.values()
    for_all = [
        findings.replacement_finding(replace(each, several_measures=False), results)
        for each, results in by_measure.values()
    ]
    if others and len({(plain(one.headline), plain(one.evidence)) for one in for_all}) == 1:
        yield for_all[0]
        return
    yield findings.replacement_finding(spec, found)
    for each, results in others:
        yield replace(findings.replacement_finding(each, results), name=f"finding on {each.measure}")
    worth = None if others else findings.worth_finding(spec, found, score_writer(study, spec.measure))
    if worth is not None:
        yield worth


def _remarks(study: Study, by_measure: _ByMeasure) -> Iterator[Block]:
    for spec, found in by_measure.values():
        yield from findings.replacement_warnings(spec, found)
    notes = [text for spec, found in by_measure.values() for text in findings.replacement_notes(spec, found)]
    yield from map(Note, number_repeats(notes))


def errors_section(
    study: Study, spec: ReplacementSpec, candidates: tuple[Candidate, ...], names: Sequence[str]
) -> Iterator[Block]:
    results = _tested(study, spec, candidates)
    if not results:
        return
    offered = comparable(candidates, results)
    chosen = [name for name in offered if name in names]
    if len(chosen) < 2:
        yield not_enough_data(
            "Not enough data to compare errors: you have {there} on the scale, it needs 2.",
            {"there": counted(len(chosen), "candidate")},
        )
        return
    errors = correlate_errors(study, spec, [offered[name] for name in chosen], results)
    if errors is None:
        return
    yield errors_finding(spec, chosen, errors)
    if not errors.reason:
        yield errors_table(chosen, errors)
    yield replacement_method(spec, study.holds_choices)


def corrected_section(
    study: Study,
    spec: ReplacementSpec,
    candidates: tuple[Candidate, ...],
    name: str,
    weight: float | None,
) -> Iterator[Block]:
    """Yield the scores of all items with the help of a candidate."""
    results = _tested(study, spec, candidates)
    for one, found in zip(candidates, results, strict=False):
        if one.name == name:
            scores = correct_scores(study, spec, one, found, weight)
            yield corrected_finding(spec, scores)
            if scores.items == scores.rated:
                return
            if any(each.tuned.defined for each in scores.scores.values()):
                caption: Text = (
                    "Scores with the help of {name} and from the reference alone, with 95% CIs.",
                    {"name": name},
                )
                draw = partial(corrected_dots, scores.scores, write_score=scores.write_score)
                yield Figure("corrected", caption, draw)
            yield corrected_table(scores)
            yield replacement_method(spec, study.holds_choices)


def _tested(study: Study, spec: ReplacementSpec, candidates: tuple[Candidate, ...]) -> Results:
    """Return the results without intervals, or those that are there; none while stopped."""
    for stage in candidate_stages(study, spec, candidates):
        if not isinstance(stage, Progress):
            return stage
    return ()


def replacement_method(spec: ReplacementSpec, of_choices: bool) -> Method:
    """Return how candidates are tested; of choices worth, order and level are not computed."""
    sources = ["calderon2025", "benjamini2001", *([] if of_choices else ["spearman1910"])]
    remark = (
        "Worth is how many raters' mean correlates as well with the truth as the candidate's value (Spearman 1910), "
        "whatever its level. Numbers on another scale than the ratings are not tested."
    )
    return method_of(
        "replacement",
        "replacement",
        sources,
        rater=spec.a_rater,
        fewest=spec.fewest,
        score="equal answers" if of_choices else "the root mean squared difference",
        epsilon=f"{spec.epsilon:.2f}",
        q=f"{spec.q:g}",
        over="items" if spec.scope == "these raters" else "items and raters",
        remark="" if of_choices else remark,
    )


def replacement_card(study: Study) -> Iterator[Block]:
    """Yield the true pass rate where too few rate to test anybody, else the verdicts without intervals, if quick."""
    study = study.between_raters
    if asks_for_pass_rate(study):
        yield from card_of(pass_rate_section(study, default_pass_rate(study)))
        return
    spec = default_spec(study, "" if study.holds_choices else study.measures[0])
    if found := compute_verdicts(study, spec):
        yield from card_of(_verdicts(study, {spec.measure: (spec, found)}, NO_PRICES))


def candidates_of(study: Study, spec: ReplacementSpec, groups: Groups) -> tuple[Candidate, ...]:
    """Return the candidates, of the groups only those chosen where some are."""
    return tuple(
        one
        for one in list_candidates(study, spec)
        if one.kind != "group" or not groups or one.source in groups
    )
