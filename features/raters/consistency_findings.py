"""Verdicts, tables and notes on the consistency of raters, their screening, and their agreement with the others."""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.assessors.consistency import CONSTANT, Consistency
from analysis.assessors.system_model import Ranked, estimates
from analysis.values.estimate import Estimate
from analysis.values.names import shorten
from features.blocks import Finding, Note, Status, Table, Text, Warning
from features.plotting.numbers import count, decimal, interval, p_value, share
from features.raters.consistency_results import AgreementFound, ConsistencyFound, Screening
from features.raters.naming_findings import ADJUSTED, TYPICAL, naming_finding
from features.raters.ranking import RankedRater, RaterRanking
from features.study import Scenario
from features.tables import Column, estimate_columns, table_of
from features.verdicts import confidence_interval, evidence, excludes, for_raters, not_applicable
from features.words import counted, number_repeats

TABLE = "each-rater"
"""Name of the table whose rows can be ticked."""
FIGURES = ("Alpha", "r with the others")
"""Columns of that table with a rater's consistency, of which it has one."""
KNOWN = "known answers"
"""Name of the finding on agreement with known answers."""
SLOTS = "Consistency of raters is unknown, because rater ids are slots."
FELL_BACK = Note(
    (
        "Too few identical texts were judged again by the same rater (the columns text_id or text would show them), so "
        "raters are compared by their agreement with the others.",
        {},
    )
)
EXCLUDED = Note(("Excluded raters are hollow. All figures here are of everyone's ratings.", {}))
ORDER = "the lowest first, those with few items last"
_EXACT = partial(decimal, digits=3)
_PERCENT = partial(share, digits=1)
Names = NDArray[np.str_]
"""Names by code."""


def consistency_finding(found: ConsistencyFound, persons: bool, on_all: bool = False) -> Finding:
    """Return who is clearly less or more consistent than the typical rater; nobody where rater ids are slots."""
    if not persons:
        return not_applicable(SLOTS, {}, "A slot may hold another rater in each row")
    return naming_finding(found.compared, "" if on_all else found.measure)


def known_finding(ranking: RaterRanking) -> Finding | None:
    """Return whether raters closer to known answers also agree more with the others; None where that is undefined."""
    if ranking.known is None:
        return None
    rho = ranking.correlate_with_known()[1].estimate
    if not rho.defined:
        return None
    values: dict[str, object] = {"whose": ranking.known.name}
    line = evidence(
        f"ρ = {decimal(rho.value)}",
        confidence_interval(rho),
        counted(rho.n, "rater"),
        for_raters("raters like these"),
    )
    if excludes(rho):
        more = "more" if rho.low > 0 else "less"
        headline = f"Raters closer to {{whose}} also agree {more} with the others."
        return Finding((headline, values), line, name=KNOWN)
    headline = "Whether raters closer to {whose} agree more with the others is unclear."
    return Finding((headline, values), line, Status.UNCERTAIN, name=KNOWN)


def no_correlation(ranking: RaterRanking) -> Note:
    """Return why both agreements have no correlation over raters."""
    return Note(("No correlation: {reason}.", {"reason": ranking.correlate_with_known()[0].estimate.reason}))


def verdict_columns(raters: Sequence[RankedRater]) -> list[Column]:
    """Return the verdict of each rater compared with the typical one, and its p."""
    return [
        Column(TYPICAL, [one.verdict for one in raters]),
        Column(ADJUSTED, [one.p for one in raters], p_value),
    ]


def excluded_column(names: Sequence[str], scenario: Scenario) -> list[Column]:
    """Return the column of excluded raters, where there are some."""
    return (
        [Column("Excluded", ["yes" if name in scenario.names else "" for name in names])]
        if scenario.excludes
        else []
    )


def raters_table(found: ConsistencyFound, names: Names, splits: Names, scenario: Scenario) -> Table:
    """Return a row per rater of the measure shown: its figure, its verdict, and the results of screening rules."""
    raters, ranked, screening = found.ranking.raters, found.ranked[found.measure], found.screening
    code_of = {str(name): code for code, name in enumerate(names)}
    codes = np.array([code_of[one.name] for one in raters], dtype=np.int64)
    figures = [one.figure for one in raters]
    has_texts = isinstance(ranked, Consistency)
    term, units = (FIGURES[0], "Sets") if has_texts else (FIGURES[1], "Items shared")
    figure, *figure_ends = estimate_columns(term, figures, _EXACT)
    columns = [
        Column("Rater", [one.name for one in raters]),
        *excluded_column([one.name for one in raters], scenario),
        figure,
        Column(units, [one.n for one in figures], count),
        *verdict_columns(raters),
        *([] if screening is None else _rule_columns(screening, codes)),
        *figure_ends,
        *_consistency_columns(ranked, codes, splits),
    ]
    caption = "Raters on {measure} by consistency, " + ORDER
    if screening is not None:
        columns += _repeats_columns(screening.repeats.get(found.measure), codes)
        columns += _screening_columns(screening, codes)
        caption += ", with the results of screening rules"
    caption += "."
    return table_of(TABLE, (caption, {"measure": found.measure}), columns)


def _rule_columns(screening: Screening, codes: NDArray[np.int64]) -> list[Column]:
    bt500, p913, runs = screening.bt500, screening.p913, screening.runs
    rejected = {"BT.500": bt500.raters[bt500.rejected], "P.913": p913.raters[p913.rejected]}
    return [
        *(
            Column(rule, ["reject" if code in of else "" for code in codes.tolist()])
            for rule, of in rejected.items()
        ),
        Column("Ratings", _at(codes, runs.raters, runs.ratings), count, False),
    ]


def _consistency_columns(ranked: Ranked, codes: NDArray[np.int64], splits: Names) -> list[Column]:
    if not isinstance(ranked, Consistency):
        return [Column("Alpha without", _at(codes, ranked.raters, ranked.alpha_without), _EXACT, False)]
    return [
        Column("Judgments", _at(codes, ranked.raters, ranked.judgements), count, False),
        *(
            Column(
                f"Alpha, {splits[split]}",
                _at(codes, part.raters, [e.value for e in part.alpha]),
                _EXACT,
                False,
            )
            for split, part in (ranked.by_split or {}).items()
        ),
    ]


def _repeats_columns(repeats: Consistency | None, codes: NDArray[np.int64]) -> list[Column]:
    if repeats is None:
        return []
    own = "Alpha on own repeats"
    between = dict(zip(repeats.raters.tolist(), map(interval, repeats.alpha), strict=True))
    return [
        Column(own, _at(codes, repeats.raters, [e.value for e in repeats.alpha]), _EXACT, False),
        Column(f"{own}, 95%", [between.get(code, "–") for code in codes.tolist()], None, False),
        Column("Items repeated", _at(codes, repeats.raters, repeats.sets), count, False),
    ]


def _screening_columns(screening: Screening, codes: NDArray[np.int64]) -> list[Column]:
    bias, model, runs, bt500 = screening.bias, screening.model, screening.runs, screening.bt500
    columns = [
        Column("Bias", _at(codes, bias.raters, bias.bias), decimal, False),
        Column("Bias, 95%", _between(codes, bias.raters, bias.low, bias.high), None, False),
    ]
    if model is not None and not model.reason:
        low, high = model.inconsistency_low, model.inconsistency_high
        columns += [
            Column("Inconsistency", _at(codes, model.raters, model.inconsistency), decimal, False),
            Column("Inconsistency, 95%", _between(codes, model.raters, low, high), None, False),
        ]
    if screening.speed is not None:
        write = partial(decimal, digits=1)
        columns.append(
            Column("Seconds", _at(codes, screening.speed.raters, screening.speed.seconds), write, False)
        )
    if (checks := screening.checks) is not None:
        columns += [
            Column("Checks", _at(codes, checks.raters, checks.checks), count, False),
            Column("Failed checks", _at(codes, checks.raters, checks.share), _PERCENT, False),
        ]
    return [
        *columns,
        Column("Longest run", _at(codes, runs.raters, runs.longest), count, False),
        Column("Chance of the run", _at(codes, runs.raters, runs.chance), _EXACT, False),
        Column("BT.500 far", _at(codes, bt500.raters, bt500.far), _PERCENT, False),
        Column("P.913 r", _at(codes, screening.p913.raters, screening.p913.by_item), _EXACT, False),
    ]


def _at(codes: NDArray[np.int64], raters: NDArray[np.int64], values: ArrayLike) -> NDArray[np.float64]:
    """Return values known for some raters at these codes, NaN where there is none."""
    known = dict(zip(raters.tolist(), np.asarray(values, dtype=np.float64).tolist(), strict=True))
    return np.array([known.get(code, np.nan) for code in codes.tolist()])


def _between(
    codes: NDArray[np.int64], raters: NDArray[np.int64], low: NDArray[np.float64], high: NDArray[np.float64]
) -> list[str]:
    ends = zip(_at(codes, raters, low).tolist(), _at(codes, raters, high).tolist(), strict=True)
    return [interval(Estimate(0.0, *both)) for both in ends]


def measures_table(found: ConsistencyFound, names: Names) -> Table:
    """Return a row per rater and a column per measure, the lowest median first."""
    of_measures = {
        measure: dict(zip(names[one.raters].tolist(), estimates(one), strict=True))
        for measure, one in found.ranked.items()
    }
    none = Estimate(np.nan)
    every = list(dict.fromkeys(name for of in of_measures.values() for name in of))
    values = {name: [of.get(name, none).value for of in of_measures.values()] for name in every}
    median = {
        name: float(np.nanmedian(of)) if not np.isnan(of).all() else np.inf for name, of in values.items()
    }
    order = sorted(every, key=lambda name: median[name])
    columns = [Column("Rater", order)]
    ends = []
    for measure, of in of_measures.items():
        value, low, high = estimate_columns(
            measure,
            [of.get(name, none) for name in order],
            decimal,
            [decimal(of.get(name, none).value) for name in order],
        )
        columns.append(value)
        ends += [low, high]
    caption = "Consistency of each rater by measure, the lowest median over measures first."
    return table_of("consistency", caption, [*columns, *ends], "All measures")


def repeats_table(repeats: Mapping[str, Consistency], names: Names) -> Table:
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
        "Own repeats",
    )


def agreement_table(found: AgreementFound, scenario: Scenario) -> Table:
    """Return a row per rater: agreement with the others, its verdict, and agreement with the reference."""
    raters = found.ranking.raters
    known = found.ranking.known
    figure, *ends = estimate_columns("r_w", [one.figure for one in raters], _EXACT)
    columns = [
        Column("Rater", [one.name for one in raters]),
        *excluded_column([one.name for one in raters], scenario),
        figure,
        Column("Items shared", [one.figure.n for one in raters], count),
        *verdict_columns(raters),
    ]
    if known is not None:
        of_known = [one.known or Estimate(np.nan) for one in raters]
        reference, *more = estimate_columns("r with the reference", of_known, _EXACT)
        columns.append(reference)
        ends += [*more, Column("Items known", [one.n for one in of_known], count, False)]
    columns += [Column("Ratings", found.ratings, count, False), *ends]
    caption = f"Agreement of each rater with the others, {ORDER}."
    return table_of(TABLE, caption, columns)


def screening_notes(found: ConsistencyFound) -> list[Note]:
    """Return how alpha with everyone compares with that without each rater, and how raters agree with themselves."""
    ranked, screening = found.ranked[found.measure], found.screening
    told: list[Text] = []
    if not isinstance(ranked, Consistency) and ranked.alpha_all.defined:
        whole = ranked.alpha_all
        values = {
            "items": counted(whole.n, "item"),
            "alpha": decimal(whole.value, 3),
            "ends": interval(whole, 3),
        }
        told.append(
            (
                "With everyone, alpha over {items} is {alpha} ({ends}). <i>Alpha without</i> excludes that rater.",
                values,
            )
        )
    repeats = None if screening is None else screening.repeats.get(found.measure)
    if repeats is not None:
        known = [e.value for e in repeats.alpha if e.defined]
        values = {
            "raters": counted(int((repeats.sets > 0).sum()), "rater"),
            "items": counted(int(repeats.sets.max()), "item"),
        }
        if known:
            middle, low, high = (decimal(float(of(known))) for of in (np.median, min, max))
            values |= {"middle": middle, "low": low, "high": high}
            text = "Median alpha of {raters} with themselves: {middle} ({low} to {high}), on up to {items} rated again."
        else:
            text = "{raters} rated up to {items} again, too few for an alpha of a rater with itself."
        told.append((text, values))
    return [Note(text) for text in told]


def undefined_notes(ranking: RaterRanking, unit: str = "item", weight: str = "") -> list[Note]:
    """Return each reason for an undefined figure once, and how many raters have too few units to be drawn."""
    reasons: dict[str, list[str]] = {}
    for one in ranking.raters:
        if not one.figure.defined:
            reasons.setdefault(one.figure.reason, []).append(one.name)
    told: list[Text] = []
    for reason, who in reasons.items():
        named = f"{count(len(who))} raters" if len(who) > 4 else ", ".join(map(shorten, who))
        text = "Without variation, so not compared: {who}."
        if reason != CONSTANT:
            text = f"Undefined for {{who}}: {{reason}}{weight}."
        told.append((text, {"who": named, "reason": reason}))
    told = number_repeats(told)
    few = sum(one.figure.defined for one in ranking.raters) - len(ranking.with_enough)
    if few and len(ranking.with_enough) > 1:
        values = {"fewest": ranking.fewest, "few": counted(few, "rater"), "all": count(len(ranking.raters))}
        told.append((f"Fewer than {{fewest}} {unit}s, so not drawn: {{few}} of {{all}}.", values))
    elif few:
        told.append((f"Fewer than two raters have {{fewest}} {unit}s.", {"fewest": ranking.fewest}))
    return [Note(text) for text in told]


def screening_warnings(found: ConsistencyFound) -> list[Warning]:
    """Return what screening could not compute, each reason once."""
    ranked, screening = found.ranked[found.measure], found.screening
    model = None if screening is None else screening.model
    reasons = {
        "BT.500 can reject nobody here: {reason}.": screening.bt500.reason if screening else "",
        "Inconsistency (P.910) is undefined: {reason}.": model.reason if model else "",
    }
    if not isinstance(ranked, Consistency) and not ranked.alpha_all.defined:
        reasons["Alpha over items is undefined: {reason}."] = ranked.alpha_all.reason
    return [Warning((text, {"reason": reason})) for text, reason in reasons.items() if reason]


def many_ratings(ratings: int) -> Note:
    """Return why raters are not screened without being asked to."""
    text = "Screening reads each of {ratings} ratings several times, which takes minutes and gigabytes."
    return Note((text, {"ratings": count(ratings)}))
