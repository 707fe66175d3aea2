"""Replacing raters: figures and sections."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import isnan, nan

from analysis.replacement.corrected_scores import CorrectedScore
from analysis.values.estimate import Estimate
from features.blocks import Block, Figure, Method, Note, Progress, Text, card_of, method_of, not_enough_data
from features.plotting.panels import horizontal_line, remark
from features.plotting.series import (
    MOST_ROWS,
    Series,
    axis_range_of,
    error_bars,
    hover,
    series_dots,
    values_and_ends,
)
from features.plotting.theme import (
    EN_SPACE,
    GROUP_COLOURS,
    GROUP_SYMBOLS,
    Look,
    PlotlyFigure,
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
from features.study import Study, query
from features.words import counted, number_repeats, plain

TITLE = "Advantage: share of items on which the candidate does at least as well as a rater"
HALF = 0.5
"""Advantage of a candidate that does as well as a rater."""


@dataclass(frozen=True)
class Drawn:
    """Candidate to draw: hollow where it does not pass; `price` of one rating is NaN where none is known."""

    name: str
    advantage: Estimate
    passes: bool
    price: float = float("nan")


def advantage_dots(drawn: Sequence[Drawn], groups: Sequence[str], look: Look) -> PlotlyFigure:
    """Draw a row per candidate, with a dotted line where it does as well as a rater."""
    series = [
        Series(
            one.name,
            [one.advantage if row == at else None for row in range(len(drawn))],
            _colour(one, at, groups),
            _symbol(one, at, groups),
        )
        for at, one in enumerate(drawn)
    ]
    return _labeled([one.name for one in drawn], series, drawn, look)


def advantage_by_measure(
    drawn: Mapping[str, Sequence[Drawn]], groups: Sequence[str], look: Look
) -> PlotlyFigure:
    """Draw a row per measure, in it a dot per candidate, with a dotted line where one does as well as a rater."""
    names = list(dict.fromkeys(one.name for row in drawn.values() for one in row))
    series = []
    for at, name in enumerate(names):
        in_rows = [next((one for one in row if one.name == name), None) for row in drawn.values()]
        for passes in (True, False):
            there = [
                one if one and one.passes == passes and one.advantage.defined else None for one in in_rows
            ]
            if (first := next(filter(None, there), None)) is not None:
                series.append(
                    Series(
                        name if passes else f"{name}: not shown",
                        [None if one is None else one.advantage for one in there],
                        _colour(first, at, groups),
                        _symbol(first, at, groups),
                    )
                )
    alone = [next((one for one in row if one.name == names[0]), None) for row in drawn.values()]
    return _labeled(list(drawn), series, alone if len(names) == 1 else [], look)


def _labeled(
    rows: Sequence[str], series: Sequence[Series], labeled: Sequence[Drawn | None], look: Look
) -> PlotlyFigure:
    """Draw the series, with the verdict at each dot where there is one per row, and the name of the guide."""
    made = series_dots(rows, series, "Advantage" if look.narrow or look.on_card else TITLE, look, guide=HALF)
    low, high = made["layout"]["xaxis"]["range"]

    def inward(x: float) -> PlotlyFigure:
        """Anchor a label so that it ends in the figure."""
        part = (x - low) / (high - low)
        return {"x": x, "xref": "x", "xanchor": "left" if part < 0.2 else "right" if part > 0.8 else "center"}

    at_line: PlotlyFigure = {**inward(HALF), "y": 1, "yanchor": "bottom"}
    made["layout"]["annotations"].append(remark("as good as a rater", look, **at_line))
    made["layout"]["margin"]["t"] = max(made["layout"]["margin"]["t"], 24)
    for row, one in enumerate(labeled[:MOST_ROWS]):
        if one is not None and one.advantage.defined:
            verdict = "can replace" if one.passes else "not shown"
            place: PlotlyFigure = {**inward(one.advantage.value), "y": row, "yref": "y", "yshift": 14}
            made["layout"]["annotations"].append(remark(verdict, look, **place))
    return made


def against_price(drawn: Sequence[Drawn], groups: Sequence[str], currency: str, look: Look) -> PlotlyFigure:
    """Draw the advantage over the price of one rating, for candidates with both; names are at the points."""
    known = [(at, one) for at, one in enumerate(drawn) if one.advantage.defined and not isnan(one.price)]
    low, high = axis_range_of([*values_and_ends([one.advantage for _, one in known]), HALF])
    left, right = axis_range_of([0.0, *(one.price for _, one in known)], 0.12)
    traces = [
        {
            "type": "scatter",
            "mode": "markers+text",
            "x": [one.price],
            "y": [one.advantage.value],
            "text": [f"{EN_SPACE}{shorten(one.name, 18 if look.narrow else 26)}{EN_SPACE}"],
            "textposition": "middle right" if one.price < (left + right) / 2 else "middle left",
            "textfont": {"size": 12.5, "color": look.ink},
            "marker": {
                "size": 10,
                "color": _colour(one, at, groups),
                "symbol": _symbol(one, at, groups),
                "line": {"width": 1.5, "color": _colour(one, at, groups)},
            },
            "error_y": error_bars([one.advantage], _colour(one, at, groups)),
            "hovertext": [
                f"{hover(one.name, 'Advantage', one.advantage, lambda value: share(value, 1))}<br>"
                f"{shorten(money(one.price, currency))} a rating"
            ],
            "hovertemplate": "%{hovertext}<extra></extra>",
            "cliponaxis": False,
        }
        for at, one in known
    ]
    at_line: PlotlyFigure = {"x": 1, "xanchor": "right", "y": HALF, "yref": "y", "yanchor": "bottom"}
    made = look.layout(
        height=380,
        hovermode="closest",
        shapes=[horizontal_line(HALF, look.faint, dash="dot")],
        annotations=[remark("as good as a rater", look, **at_line)],
    )
    return {
        "data": traces,
        "layout": made
        | {
            "xaxis": look.axis(
                f"Price of one rating, {shorten(currency, 8)}", range=[max(left, -0.05 * right), right]
            ),
            "yaxis": look.axis("Advantage", range=[max(low, -0.02), min(high, 1.02)], tickformat=".0%"),
        },
    }


def _colour(one: Drawn, at: int, groups: Sequence[str]) -> str:
    return (
        group_colour(one.name, groups) if one.name in groups else GROUP_COLOURS[(at + 2) % len(GROUP_COLOURS)]
    )


def _symbol(one: Drawn, at: int, groups: Sequence[str]) -> str:
    symbol = (
        group_symbol(one.name, groups) if one.name in groups else GROUP_SYMBOLS[(at + 2) % len(GROUP_SYMBOLS)]
    )
    return symbol if one.passes else f"{symbol}-open"


def corrected_dots(scores: Mapping[str, CorrectedScore], look: Look) -> PlotlyFigure:
    """Draw a row per system, in it the score from the reference alone and the corrected score."""
    each = list(scores.values())
    series = [
        Series("Reference alone", [one.reference for one in each], GROUP_COLOURS[0], GROUP_SYMBOLS[0]),
        Series("Corrected", [one.tuned for one in each], GROUP_COLOURS[2], GROUP_SYMBOLS[2]),
    ]
    return series_dots(list(scores), series, "Score", look, shares=False)


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
    yield from _findings(by_measure)
    tested = {
        measure: [
            Drawn(one.name, one.advantage, one.passes, prices.by_candidate.get(one.name, nan))
            for one in found
            if one.is_tested
        ]
        for measure, (_, found) in by_measure.items()
    }
    drawn = {measure: row for measure, row in tested.items() if row}
    every = [one for row in drawn.values() for one in row]
    rater: dict[str, object] = {"rater": specs[0].a_rater}
    if every:
        yield findings.tolerance_note(specs[0].epsilon)
        caption = (
            "Advantage: percent of items on which a candidate does at least as well as {rater}, with its 95% CI. "
            "Filled dots can replace a rater; of hollow ones that is not shown."
        )
        draw = partial(advantage_dots, every, study.groups)
        if len(drawn) > 1:
            draw = partial(advantage_by_measure, drawn, study.groups)
        yield Figure("standing-in", (caption, rater), draw)
    if any(one.price == one.price for one in every):
        caption = "Advantage over {rater} by the price of one rating."
        draw_prices = partial(against_price, every, study.groups, prices.currency)
        yield Figure("prices", (caption, rater), draw_prices)
    if any(one.advantage.defined or one.worth.defined for _, found in by_measure.values() for one in found):
        results = {measure: found for measure, (_, found) in by_measure.items()}
        yield findings.candidates_table(specs[0], results)


def _findings(by_measure: _ByMeasure) -> Iterator[Block]:
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
    if not others and (worth := findings.worth_finding(spec, found)) is not None:
        yield worth


def _remarks(study: Study, by_measure: _ByMeasure) -> Iterator[Block]:
    """Yield warnings and notes, each once."""
    names = query(study.dataset, "rater_names")["name"]
    for spec, found in by_measure.values():
        yield from findings.replacement_warnings(spec, found)
    notes = [
        text for spec, found in by_measure.values() for text in findings.replacement_notes(spec, found, names)
    ]
    yield from map(Note, number_repeats(notes))


def errors_section(
    study: Study, spec: ReplacementSpec, candidates: tuple[Candidate, ...], names: Sequence[str]
) -> Iterator[Block]:
    """Yield whether the chosen candidates err alike."""
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
                yield Figure("corrected", caption, partial(corrected_dots, scores.scores))
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
