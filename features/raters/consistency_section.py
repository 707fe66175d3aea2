"""Verdicts, tables and notes on the consistency of raters, their screening, and their agreement with the others."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.assessors.consistency import Consistency
from analysis.assessors.system_model import RaterFigures, consistency_estimates
from analysis.screening.rating_behavior import FailedChecks, HighAnchors
from analysis.values.estimate import Estimate
from features.assessments import names
from features.blocks import (
    Block,
    Figure,
    Finding,
    Heading,
    NextStep,
    Note,
    Table,
    Text,
    Warning,
    card_of,
    clear_if,
    confidence_interval,
    evidence,
    for_raters,
    in_stages,
    method_of,
    name_of,
    not_applicable,
    not_enough_data,
    not_tested,
)
from features.plotting.theme import (
    ONE_DIGIT,
    PERCENT_ONE_DIGIT,
    THREE_DIGITS,
    NumberFormat,
    count,
    decimal,
    p_value,
)
from features.program import computed_by
from features.raters import consistency_results as results
from features.raters import rater_results
from features.raters.consistency_results import (
    AgreementSpec,
    ConsistencyFound,
    ConsistencySpec,
    Screening,
)
from features.raters.ranking import KnownAnswers, RaterRanking, known_scatter, rater_dots
from features.raters.typical_rater_findings import ADJUSTED, TYPICAL, naming_finding, scatter_finding
from features.study import Scenario, Study, models_among
from features.words import Column, by_reason, counted, estimate_columns, listed, number_repeats, table_of

TABLE = "each-rater"
"""Name of the table whose rows can be ticked."""
FIGURES = ("Alpha", "r with the others")
"""Columns of that table with a rater's consistency, of which it has one."""
KNOWN = "known answers"
"""Name of the finding on agreement with known answers."""
EXCLUDED = Note(("Excluded raters are hollow. All figures here are of everyone's ratings.", {}))
ORDER = "the lowest first, those with few items last"
UNKNOWN = Estimate(np.nan)
MOST_NAMED = 6
"""Raters that a sentence names."""
MOST_FAILED_CONTROLS = 0.15
"""Share of items on which BS.1534 allows a rater to miss the hidden reference, or to rate the mid-range anchor high."""
Names = NDArray[np.str_]
"""Names by code."""


def anchor_finding(found: HighAnchors, names: Names) -> Finding:
    """Return who rates the mid-range anchor above 90 on more items than BS.1534 allows, the most frequent first."""
    few, n = int(found.set_aside.sum()), len(found.items)
    if few == n:
        line = "more than 25% of the raters rate it above 90 on every item"
        return not_applicable("The mid-range anchor screens no raters.", {}, line, name="anchor")
    aside = (
        f"{few} of {counted(n, 'item')} not counted: more than 25% of the raters rate it above 90"
        if few
        else ""
    )
    control = "mid-range anchor", "above 90", rater_results.ANCHOR, "anchor"
    return _control_finding(found.by_rater, names, *control, aside)


def _control_finding(
    found: FailedChecks,
    names: Names,
    control: str,
    failure: str,
    rule: str,
    name: str,
    more: str = "",
) -> Finding:
    """Return who fails a control of a listening test on more items than BS.1534 allows, the worst first."""
    worst = np.lexsort((found.raters, -np.nan_to_num(found.share)))
    failing = worst[np.nan_to_num(found.share[worst]) > MOST_FAILED_CONTROLS].tolist()
    at = worst[0]
    values = {"k": count(len(failing)) if failing else "None", "n": counted(len(worst), "rater")}
    who = name_of(names[found.raters[at]], "rater")
    whose = f"{who}: {failure} on {found.failed[at]} of {counted(found.checks[at], 'item')}"
    others = listed([str(names[found.raters[one]]) for one in failing[1:]])
    headline = f"{{k}} of {{n}} {'fail' if len(failing) > 1 else 'fails'} the {control}."
    line = evidence(
        whose if found.failed[at] else f"nobody rates it {failure}",
        f"also {others}" if others else "",
        more,
        "ITU-R BS.1534 excludes above 15% of the items",
    )
    parameters = {"question": "What if they go", "rule": rule}
    step = NextStep("See the ranking without them", "assessors.py", parameters) if failing else None
    return Finding((headline, values), line, name=name, next_step=step)


def models_note(study: Study) -> list[Note]:
    """Return which raters are models by their names, next to people of the same group."""
    models = names(study, "rater")[models_among(study)].tolist()
    if not models:
        return []
    text = "Models among the raters, by their names: {who}. A rule in the sidebar excludes them."
    return [Note((text, {"who": listed(models, MOST_NAMED)}))]


def known_finding(ranking: RaterRanking, known: KnownAnswers) -> Finding:
    """Return whether raters closer to known answers also agree more with the others."""
    rho, values = ranking.correlate_with_known()[1].estimate, {"whose": known.name}
    if not rho.defined:
        headline = "Not enough data to say whether raters closer to {whose} agree more with the others."
        return not_enough_data(headline, values, rho.reason, name=KNOWN)
    headline = "Whether raters closer to {whose} agree more with the others is unclear."
    if rho.excludes():
        headline = (
            f"Raters closer to {{whose}} also agree {'more' if rho.low > 0 else 'less'} with the others."
        )
    return clear_if(
        rho.excludes(),
        headline,
        values,
        f"ρ = {decimal(rho.value)}",
        confidence_interval(rho),
        counted(rho.n, "rater"),
        for_raters("raters like these"),
        name=KNOWN,
    )


def raters_table(found: ConsistencyFound, names: Names, splits: Names, scenario: Scenario) -> Table:
    """Return a row per rater of the measure shown: its figure, its verdict, and the results of screening rules."""
    raters, ranked, screening = found.ranking.raters, found.ranked[found.measure], found.screening
    code_of = {str(name): code for code, name in enumerate(names)}
    codes = [code_of[one.name] for one in raters]
    has_texts = isinstance(ranked, Consistency)
    term, unit = (FIGURES[0], "Sets") if has_texts else (FIGURES[1], "Items shared")
    columns: list[Column] = []
    if screening is not None:
        for rule, verdicts in (("BT.500", screening.bt500), ("P.913", screening.p913)):
            rejected = set(verdicts.raters[verdicts.rejected].tolist())
            results_of = ["reject" if code in rejected else "" for code in codes]
            columns.append(Column(rule, results_of, None, any(results_of)))
    columns += _consistency_columns(ranked, codes, splits)
    caption = "Raters on {measure} by consistency, " + ORDER
    if screening is not None:
        columns += _screening_columns(screening, codes)
        caption += ", with the results of screening rules"
    caption_text = f"{caption}.", {"measure": found.measure}
    return agreement_table(found.ranking, term, unit, scenario=scenario, more=columns, caption=caption_text)


def lone_rater_table(screening: Screening, names: Names) -> Table:
    """Return what screening rules tell of a single rater, without figures that compare raters."""
    codes = screening.runs.raters.tolist()
    own = [replace(column, at_first_sight=True) for column in _own_columns(screening, codes)]
    columns = [Column("Rater", [str(names[code]) for code in codes]), *own]
    return table_of("rater", "Ratings of the only rater.", columns)


def _consistency_columns(ranked: RaterFigures, codes: Sequence[int], splits: Names) -> list[Column]:
    if not isinstance(ranked, Consistency):
        return [_column("Alpha without", codes, ranked.raters, ranked.alpha_without)]
    columns = [_column("Judgments", codes, ranked.raters, ranked.judgements, count)]
    for split, part in (ranked.by_split or {}).items():
        alphas = [e.value for e in part.alpha]
        columns.append(_column(f"Alpha, {splits[split]}", codes, part.raters, alphas))
    return columns


def _screening_columns(screening: Screening, codes: Sequence[int]) -> list[Column]:
    bias, model = screening.bias, screening.model
    ratings, *others = _own_columns(screening, codes)
    figures = codes, bias.raters, bias.bias, bias.low, bias.high
    columns = [ratings, *_interval_columns("Bias", screening.write_difference, *figures)]
    if model is not None and not model.reason:
        ends = model.inconsistency_low, model.inconsistency_high
        figures = codes, model.raters, model.inconsistency, *ends
        columns += _interval_columns("Inconsistency", screening.write_score, *figures)
    return [
        *columns,
        *others,
        _column("BT.500 far", codes, screening.bt500.raters, screening.bt500.far, PERCENT_ONE_DIGIT),
        _column("P.913 r", codes, screening.p913.raters, screening.p913.by_item),
    ]


def _own_columns(screening: Screening, codes: Sequence[int]) -> list[Column]:
    """Return the columns of screening that need no other rater."""
    runs, speed = screening.runs, screening.speed
    columns = [_column("Ratings", codes, runs.raters, runs.ratings, count)]
    if speed is not None:
        columns.append(_column("Seconds", codes, speed.raters, speed.seconds, ONE_DIGIT))
    if (checks := screening.checks) is not None:
        columns += [
            _column("Checks", codes, checks.raters, checks.checks, count),
            _column("Failed checks", codes, checks.raters, checks.share, PERCENT_ONE_DIGIT),
        ]
    if (hidden := screening.references) is not None:
        columns.append(_column("Reference below 90", codes, hidden.raters, hidden.share, PERCENT_ONE_DIGIT))
    if screening.anchors is not None:
        high = screening.anchors.by_rater
        columns.append(_column("Anchor above 90", codes, high.raters, high.share, PERCENT_ONE_DIGIT))
    return [
        *columns,
        _column("Longest run", codes, runs.raters, runs.longest, count),
        _column("Chance of the run", codes, runs.raters, runs.chance),
    ]


def _column(
    heading: str,
    codes: Sequence[int],
    raters: NDArray[np.int64],
    values: ArrayLike,
    write: NumberFormat = THREE_DIGITS,
) -> Column:
    """Return a column of values known for some raters at these codes, a dash for the others."""
    known = dict(zip(raters.tolist(), np.asarray(values, dtype=np.float64).tolist(), strict=True))
    return Column(heading, [known.get(code, np.nan) for code in codes], write, False)


def _interval_columns(
    heading: str,
    write: NumberFormat,
    codes: Sequence[int],
    raters: NDArray[np.int64],
    *values: NDArray[np.float64],
) -> list[Column]:
    """Return the columns of a figure with both ends of its interval."""
    known = dict(zip(raters.tolist(), map(Estimate, *values), strict=True))
    estimates = [known.get(code, UNKNOWN) for code in codes]
    return estimate_columns(heading, estimates, write, at_first_sight=False)


def orders_table(found: ConsistencyFound, names: Names) -> Table:
    """Return the raters of each measure in its own order, as in Owczarzak et al. 2012, Table 1."""
    of_measures = {
        measure: sorted(
            (-e.value, str(name))
            for name, e in zip(names[one.raters], consistency_estimates(one), strict=True)
            if e.defined
        )
        for measure, one in found.ranked.items()
    }
    rows = range(max(map(len, of_measures.values()), default=0))
    columns = [Column("Place", [at + 1 for at in rows], count)]
    for measure, of in of_measures.items():
        texts = [f"{name} {THREE_DIGITS(-value)}" for value, name in of]
        columns.append(Column(measure, [texts[at] if at < len(texts) else "" for at in rows]))
    caption = "Raters of each measure with their consistency, the most consistent first."
    return table_of("orders", caption, columns, "Order on each measure")


def repeats_finding(repeats: Mapping[str, Consistency], names: Names) -> Iterator[Finding]:
    """Yield the rater least consistent on repeated items, where the interval lies below the median on a measure."""
    lowest: tuple[Estimate, str, str, float, int] | None = None
    for measure, one in repeats.items():
        known = [
            (alpha, str(names[rater]), int(sets))
            for rater, alpha, sets in zip(one.raters.tolist(), one.alpha, one.sets, strict=True)
            if alpha.defined
        ]
        typical = float(np.median([alpha.value for alpha, *_ in known])) if len(known) > 2 else np.nan
        for alpha, rater, sets in known:
            if alpha.high < typical and (lowest is None or alpha.value < lowest[0].value):
                lowest = alpha, rater, measure, typical, sets
    if lowest is None:
        return
    alpha, rater, measure, typical, sets = lowest
    yield not_tested(
        "Rater {rater} is least consistent on repeated items, alpha <b>{alpha}</b>.",
        {"rater": rater, "alpha": decimal(alpha.value)},
        confidence_interval(alpha),
        f"median rater {decimal(typical)}",
        f"{counted(sets, 'item')} repeated",
        measure if len(repeats) > 1 else "",
        "noise and drift both lower it",
        name="repeats",
    )


def repeats_table(repeats: Mapping[str, Consistency], names: Names, fold: str) -> Table:
    """Return a row per measure and rater with repeated items."""
    rows = [
        (measure, str(names[rater]), alpha, int(sets))
        for measure, one in repeats.items()
        for rater, alpha, sets in zip(one.raters.tolist(), one.alpha, one.sets, strict=True)
        if sets
    ]
    return table_of(
        "repeats",
        "Alpha of each rater with itself on the items that it rated more than once, by measure.",
        [
            Column("Measure", [row[0] for row in rows]),
            Column("Rater", [row[1] for row in rows]),
            *estimate_columns("Alpha", [row[2] for row in rows], decimal),
            Column("Items repeated", [row[3] for row in rows], count),
        ],
        fold,
    )


def agreement_table(
    ranking: RaterRanking,
    term: str,
    unit: str,
    known: str = "",
    scenario: Scenario | None = None,
    more: Sequence[Column] = (),
    caption: Text = (f"Agreement of each rater with the others, {ORDER}.", {}),
) -> Table:
    """Return a row per rater: its figure, its verdict, and agreement with what is `known`."""
    names, figures = [one.name for one in ranking.raters], [one.figure for one in ranking.raters]
    verdicts, p = [one.verdict for one in ranking.raters], [one.p for one in ranking.raters]
    columns = [Column("Rater", names)]
    if scenario is not None and scenario.excludes:
        columns.append(Column("Excluded", ["yes" if name in scenario.names else "" for name in names]))
    columns += [
        *estimate_columns(term, figures, THREE_DIGITS),
        Column(unit, [one.n for one in figures], count),
        Column(TYPICAL, verdicts, None, any(verdicts)),
        Column(ADJUSTED, p, p_value, not np.isnan(p).all()),
    ]
    if ranking.known is not None:
        of_known = [one.known or UNKNOWN for one in ranking.raters]
        columns += estimate_columns(
            known, of_known, PERCENT_ONE_DIGIT if ranking.known.is_share else THREE_DIGITS
        )
        columns.append(Column("Items known", [one.n for one in of_known], count, False))
    return table_of(TABLE, caption, [*columns, *more])


def screening_notes(found: ConsistencyFound) -> Iterator[Note]:
    """Yield alpha with everyone, with which that without each rater is compared."""
    ranked = found.ranked[found.measure]
    if not isinstance(ranked, Consistency) and ranked.alpha_all.defined:
        text = (
            "With everyone, alpha is {alpha}. The column <i>Alpha without</i> excludes the rater of its row."
        )
        yield Note((text, {"alpha": decimal(ranked.alpha_all.value, 3)}))


def undefined_notes(ranking: RaterRanking, unit: str = "item", weight: str = "") -> list[Note]:
    """Return each reason for an undefined figure once, and how many raters have too few units to be drawn."""
    undefined = [one for one in ranking.raters if not one.figure.defined]
    reasons = ((one.name, f"undefined, {one.figure.reason}{weight}") for one in undefined)
    texts = number_repeats(one.text for one in by_reason(reasons, len(ranking.raters), "raters"))
    few = len(ranking.raters) - len(undefined) - len(ranking.with_enough)
    if few and len(ranking.with_enough) > 1:
        values = {"fewest": ranking.fewest, "few": counted(few, "rater"), "all": count(len(ranking.raters))}
        texts.append((f"Fewer than {{fewest}} {unit}s, so not drawn: {{few}} of {{all}}.", values))
    return [Note(text) for text in texts]


def screening_warnings(found: ConsistencyFound) -> list[Warning]:
    ranked, screening = found.ranked[found.measure], found.screening
    model = None if screening is None else screening.model
    reasons = {
        "BT.500 can reject nobody here: {reason}.": screening.bt500.reason if screening else "",
        "Inconsistency (P.910) is undefined: {reason}.": model.reason if model else "",
    }
    if not isinstance(ranked, Consistency) and not ranked.alpha_all.defined:
        reasons["Alpha over items is undefined: {reason}."] = ranked.alpha_all.reason
    return [Warning((text, {"reason": reason})) for text, reason in reasons.items() if reason]


WITH_OTHERS: Text = ("Agreement of each rater with the others with its 95% CI, the lowest on top.", {})
PROGRAM = "results = {**vars(found), 'raters': found.ranking.raters}"
RANKING = "results = vars(found)"
"""Lines of programs that end in a result with a ranking, and in a ranking."""


@computed_by(results.consistency_stages, PROGRAM)
def consistency_section(
    study: Study, scenario: Scenario, spec: ConsistencySpec, on_all: bool = False
) -> Iterator[Block]:
    """Yield how consistent raters are, with the headline on the measure shown or `on_all`, and whom rules reject."""
    stages = results.consistency_stages(study, spec)
    found = yield from in_stages(stages, partial(_consistency_blocks, study, scenario, on_all))
    screening, rater_names = found.screening, names(study, "rater")
    if screening is not None:
        yield from _screening_blocks(screening, rater_names)
    else:
        if not found.ranking.is_lone:
            yield raters_table(found, rater_names, names(study, "split"), scenario)
        text = "Screening reads each of {ratings} ratings several times, which takes minutes and gigabytes."
        yield Note((text, {"ratings": count(rater_results.numbers(study, found.measure).sum())}))
    yield from models_note(study)
    if scenario.excludes:
        yield EXCLUDED
    unit = "set" if found.ranking.compared.statistic.unit != "item" else "item"
    if not found.ranking.is_lone:
        yield from undefined_notes(found.ranking, unit)
        yield from screening_notes(found)
        yield from screening_warnings(found)
    if len(found.ranked) > 1 and not found.ranking.is_lone:
        yield orders_table(found, rater_names)
    sources = ["owczarzak2012", "krippendorff2011", "holm1979", "benjamini1995", "bt500", "p913"]
    if screening is not None and (screening.references is not None or screening.anchors is not None):
        sources.append("bs1534")
    yield method_of("raters", "consistency", sources)


def _screening_blocks(screening: Screening, names: Names) -> Iterator[Block]:
    """Yield who stands out on a screening rule, then alpha of raters with themselves."""
    if screening.scattered is not None:
        yield from scatter_finding(screening.scattered, screening.write_score)
    if screening.references is not None:
        yield _control_finding(
            screening.references, names, "hidden reference", "below 90", rater_results.REFERENCE, "reference"
        )
    if screening.anchors is not None:
        yield anchor_finding(screening.anchors, names)
    if screening.repeats:
        apart = list(repeats_finding(screening.repeats, names))
        yield from apart
        yield repeats_table(screening.repeats, names, "" if apart else "Own repeats")


def _consistency_blocks(
    study: Study, scenario: Scenario, on_all: bool, found: ConsistencyFound
) -> Iterator[Block]:
    yield naming_finding(found.compared, "" if on_all else found.measure)
    caption = "Consistency of each rater on {measure} with its 95% CI, the lowest on top."
    yield from rater_figure(found.ranking, study, (caption, {"measure": found.measure}), scenario.names)
    if found.screening is None:
        return
    if found.ranking.is_lone:
        yield lone_rater_table(found.screening, names(study, "rater"))
    else:
        yield raters_table(found, names(study, "rater"), names(study, "split"), scenario)


def consistency_card(study: Study, scenario: Scenario) -> Iterator[Block]:
    """Yield who is consistent, and the raters of the measure on which they differ most, for the overview."""
    found = results.compare_without_intervals(study)
    yield from card_of(_consistency_blocks(study, scenario, False, found))


@computed_by(results.agreement_stages, RANKING)
def agreement_section(study: Study, scenario: Scenario, spec: AgreementSpec) -> Iterator[Block]:
    """Yield the agreement of raters with the others, and with the reference where there is one."""
    ranking = yield from in_stages(
        results.agreement_stages(study, spec), partial(_agreement_blocks, study, scenario)
    )
    yield from known_blocks(ranking, study.groups)
    yield from models_note(study)
    if scenario.excludes:
        yield EXCLUDED
    if not ranking.is_lone:
        yield from undefined_notes(ranking)
    yield method_of("raters", "with_others", ["habibi2012"])


def _agreement_blocks(study: Study, scenario: Scenario, ranking: RaterRanking) -> Iterator[Block]:
    yield naming_finding([ranking.compared])
    yield from rater_figure(ranking, study, WITH_OTHERS, scenario.names)
    if ranking.known is not None or not ranking.is_lone:
        yield agreement_table(
            ranking, "Agreement with the others", "Items shared", "r with the reference", scenario
        )


def rater_figure(
    ranking: RaterRanking, study: Study, caption: Text, excluded: Sequence[str] = ()
) -> Iterator[Figure]:
    if ranking.drawn:
        yield Figure("raters", caption, partial(rater_dots, ranking, study.groups, excluded))


def known_blocks(ranking: RaterRanking, groups: tuple[str, ...]) -> Iterator[Block]:
    """Yield agreement with what is known against agreement with the others; nothing where nothing is known."""
    known = ranking.known
    if known is None:
        return
    yield Heading("Agreement with known answers" if known.is_share else "Agreement with the reference")
    yield known_finding(ranking, known)
    if any(one.known is not None and one.known.defined for one in ranking.with_enough):
        caption = "Agreement with {known} against agreement with the others, a dot per rater."
        draw = partial(known_scatter, ranking, known, groups)
        yield Figure("known", (caption, {"known": known.name}), draw)
