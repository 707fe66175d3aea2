"""Tables of groups compared with the reference, and remarks on them: warnings, notes, reasons."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf, isnan, nan

from analysis.comparison.clusters import FEWEST
from analysis.comparison.comparison import Comparison, verdict_flips
from analysis.screening.observer_rejection import change
from analysis.values.estimate import Estimate
from features.blocks import Note, Table, Warning
from features.comparison.findings import SIGNIFICANT, equivalence_p, level_p, raters_p, scope_of, spread_p
from features.comparison.results import Compared
from features.plotting.numbers import count, decimal, decimal_with_interval, p_phrase, p_value
from features.tables import WHY, Column, estimate_columns, table_of
from features.verdicts import capitalized
from features.words import listed

GROUPS = "groups"
FEWEST_RATERS = 5
EVEN = 2 / 3
"""Raters weigh unequally where they are worth less than this share of as many with equal shares."""
EXACT = partial(decimal, digits=3)
ONE_DIGIT = partial(decimal, digits=1)
AT_FIRST = ("Spearman ρ", "Mean difference", "RMSE", "Items")


@dataclass(frozen=True)
class _Figure:
    """Figure of a comparison: its heading, how it is read and written, and if it compares numbers on one scale."""

    heading: str
    read: Callable[[Comparison], Estimate]
    write: Callable[[float], str] = EXACT
    of_level: bool = False


_FIGURES = (
    _Figure("Spearman ρ", lambda c: c.spearman),
    _Figure("Mean difference", lambda c: c.mean_difference, decimal, True),
    _Figure("RMSE", lambda c: c.rmse, decimal, True),
    _Figure("Pearson r", lambda c: c.pearson),
    _Figure("Kendall τ-b", lambda c: c.kendall),
    _Figure("Concordance", lambda c: c.concordance, EXACT, True),
    _Figure("ρ over systems", lambda c: c.systems.spearman),
    _Figure("r over systems", lambda c: c.systems.pearson),
    _Figure("Reliability, candidate", lambda c: c.true_scores.reliability_candidate),
    _Figure("Reliability, reference", lambda c: c.true_scores.reliability_reference),
    _Figure("Ceiling", lambda c: c.true_scores.ceiling),
    _Figure("Corrected r", lambda c: c.true_scores.corrected),
    _Figure("Spread", lambda c: c.true_scores.spread, decimal, True),
    _Figure("Lower limit", lambda c: c.limit_low, decimal, True),
    _Figure("Upper limit", lambda c: c.limit_high, decimal, True),
)


def groups_table(c: Compared, first: str = "Measure", name: str = GROUPS) -> Table:
    """Return every figure by measure, or by what else the rows are; those that answer the question come first."""
    has_level = any(one.same_scale and one.items_shared for one in c.full)
    shown = [
        one
        for one in _FIGURES
        if (has_level or not one.of_level)
        and (one.heading in AT_FIRST or any(one.read(each).defined for each in c.full))
    ]
    figures = [_estimates(c.full, one) for one in shown]
    main = [columns for columns in figures if columns[0].heading in AT_FIRST]
    others = [columns for columns in figures if columns[0].heading not in AT_FIRST]
    items = Column("Items", [one.items_shared for one in c.full], count)
    systems = [one.systems.systems for one in c.full]
    columns = [
        Column(first, list(c.measures)),
        *(columns[0] for columns in main),
        items,
        Column("Strength", [one.strength for one in c.full], None, False),
        Column("p of ρ", [one.spearman_p for one in c.full], p_value, False),
        *(columns[0] for columns in others),
        *([Column("Systems", systems, count, False)] if any(systems) else []),
        *_tests_of_equality(c),
        *(column for columns in (*main, *others) for column in columns[1:]),
        Column("Only candidate", [one.left_out_candidate for one in c.full], count, False),
        Column("Only reference", [one.left_out_reference for one in c.full], count, False),
        Column(WHY, [_why(one, shown) for one in c.full], None, False),
    ]
    caption = "Correlation, mean difference and RMSE by {what}, {candidate} minus {reference}, with 95% CI."
    values = {"what": first.casefold(), "candidate": c.candidate, "reference": c.reference}
    return table_of(name, (caption, values), columns)


def _estimates(compared: Sequence[Comparison], figure: _Figure) -> list[Column]:
    estimates = [_read(one, figure) for one in compared]
    digits = 3 if figure.write is EXACT else 2
    texts = [decimal_with_interval(each, digits) for each in estimates]
    at_first = figure.heading in AT_FIRST
    return estimate_columns(figure.heading, estimates, figure.write, texts, at_first)


def _tests_of_equality(c: Compared) -> list[Column]:
    """Return the columns of equivalence and equal spread, without those that hold nothing."""
    equal = [one.equivalence for one in c.full]
    columns = [
        Column("Margin", [each.margin for each in equal], decimal),
        Column("90% CI from", [each.low for each in equal], decimal),
        Column("90% CI to", [each.high for each in equal], decimal),
        Column("p (equivalence)", [each.p for each in equal], p_value),
        Column("p (equivalence, Holm)", equivalence_p(c.full), p_value),
        Column("p (spread)", [one.true_scores.spread_p for one in c.full], p_value),
        Column("p (spread, Holm)", spread_p(c.full), p_value),
        Column("Slope", [one.slope for one in c.full], decimal),
    ]
    known = [at for at, one in enumerate(c.full) if one.same_scale]
    return [
        Column(
            each.heading,
            [value if at in known else nan for at, value in enumerate(each.values)],
            each.write,
            False,
        )
        for each in columns
        if any(each.values[at] == each.values[at] for at in known)
    ]


def _why(one: Comparison, shown: Sequence[_Figure]) -> str:
    """Return why figures of a row are undefined, first those that are seen at first sight."""
    for at_first in (True, False):
        figures = [each for each in shown if (each.heading in AT_FIRST) is at_first]
        reasons = [
            figure.reason for each in figures if not (figure := _read(one, each)).defined and figure.reason
        ]
        if reasons:
            return "; ".join(dict.fromkeys(reasons))
    return ""


def _read(one: Comparison, figure: _Figure) -> Estimate:
    """Return a figure; one of level is undefined where both sides are on different scales."""
    if figure.of_level and not one.same_scale:
        return Estimate(nan, reason="both sides are on different scales")
    return figure.read(one)


def tests_table(c: Compared) -> Table:
    """Return medians, correlation and the tests of level, as in Iskender et al. 2020, Table 1."""
    of, adjusted = c.full, level_p(c.full)

    def of_level(read: Callable[[Comparison], float]) -> list[float]:
        return [read(one) if one.same_scale else nan for one in of]

    def of_items(values: Sequence[float]) -> list[float]:
        return [value if one.scope == "these raters" else nan for one, value in zip(of, values, strict=True)]

    columns = [
        Column("Median", [one.candidate.median for one in of], EXACT),
        Column("Median, reference", [one.reference.median for one in of], EXACT),
        Column("Spearman ρ", [one.spearman.value for one in of], EXACT),
        Column("Mann-Whitney U", of_level(lambda one: one.u), ONE_DIGIT),
        Column("p (U)", of_level(lambda one: one.u_p), p_value),
        Column("p (raters, Holm)", raters_p(of), p_value),
        Column("p (items, Holm)", of_items(adjusted), p_value),
        Column("Significant", ["" if isnan(p) else "yes" if p < SIGNIFICANT else "no" for p in adjusted]),
        Column("p (raters)", of_level(lambda one: one.rater_p), p_value, False),
        Column("p (items)", of_items(of_level(_p_of_items)), p_value, False),
        Column("p (labels exchanged)", of_level(lambda one: one.permuted_p), p_value, False),
        Column("Rank-biserial", of_level(lambda one: one.rank_biserial), decimal, False),
        Column("Wilcoxon W", of_level(lambda one: one.wilcoxon), ONE_DIGIT, False),
        Column("p (W)", of_level(lambda one: one.wilcoxon_p), p_value, False),
    ]
    caption = (
        "Medians of the items' MOS and tests of level against {reference}: Mann and Whitney's U for these raters, and "
        "a test {scope}, significant where its Holm-adjusted p is below .05."
    )
    shown = [each for each in columns if any(value == value and value != "" for value in each.values)]
    values = {"reference": c.reference, "scope": scope_of(of)}
    return table_of("groups-tests", (caption, values), [Column("Measure", list(c.measures)), *shown])


def _p_of_items(one: Comparison) -> float:
    return one.item_tails.of(one.spec.alternative)


def verdicts_table(c: Compared) -> Table | None:
    """Return where another tail or test would change the verdict on a level; None where none would."""
    rows = [
        (m, one.level_p, turned)
        for m, one in c.rows
        if one.same_scale and (turned := verdict_flips(one, SIGNIFICANT))
    ]
    if not rows:
        return None
    asked = [f"{'' if p < SIGNIFICANT else 'not '}significant, {p_phrase(p)}" for _, p, _ in rows]
    columns = [
        Column("Measure", [m for m, _, _ in rows]),
        Column("Chosen test", asked),
        Column(
            "Other tests",
            ["; ".join(f"{f.test}, {f.alternative}: {p_phrase(f.p)}" for f in turned) for *_, turned in rows],
        ),
    ]
    caption = "Tests and tails under which the verdict on a level would be another."
    return table_of("verdicts", caption, columns, f"Verdicts that depend on the test ({len(rows)})")


def without_table(c: Compared, everyone: Compared) -> Table:
    """Return order and level by measure with everyone, without the excluded raters, and the difference."""
    both = list(zip(everyone.full, c.full, strict=True))
    columns = [Column("Measure", list(c.measures))]
    for figure in _FIGURES[: 3 if any(one.same_scale for one in c.full) else 1]:
        values = [
            tuple(figure.read(one).value if one.same_scale or not figure.of_level else nan for one in each)
            for each in both
        ]
        columns += [
            Column(f"{figure.heading}, everyone", [before for before, _ in values], EXACT),
            Column(f"{figure.heading}, without", [after for _, after in values], EXACT),
            Column(f"{figure.heading}, difference", [change(*each) for each in values], EXACT, False),
        ]
    columns += [
        Column("Items, everyone", [before.items_shared for before, _ in both], count, False),
        Column("Items, without", [after.items_shared for _, after in both], count, False),
    ]
    caption = "Figures with everyone, without the excluded raters, and the difference."
    return table_of("groups-without", caption, columns)


def pairs_table(rho: Mapping[tuple[str, str], Estimate]) -> Table:
    """Return Spearman's rho of every two groups."""
    pairs = sorted(rho, key=lambda pair: -rho[pair].value if rho[pair].defined else inf)
    estimates = [rho[pair] for pair in pairs]
    columns = [
        Column("Group", [one for one, _ in pairs]),
        Column("Other group", [other for _, other in pairs]),
        *estimate_columns("Spearman ρ", estimates, EXACT, [decimal_with_interval(e, 3) for e in estimates]),
    ]
    return table_of(
        "pairs", "Spearman's ρ of every two groups, the highest first.", columns, "Every two groups"
    )


def warnings_of(c: Compared) -> Warning | None:
    """Return what to know before trusting a comparison, each once with its measures; None where there is nothing."""
    told = _by_reason(c, lambda one: [*_cautions(c, one), one.few if one.same_scale else ""])
    return Warning(("{warning}", {"warning": told})) if told else None


def _by_reason(c: Compared, read: Callable[[Comparison], Sequence[str]]) -> str:
    """Return reasons as sentences, each once, after its measures unless it holds for all of them."""
    told: dict[str, list[str]] = {}
    for measure, one in c.rows:
        for reason in filter(None, read(one)):
            told.setdefault(reason, []).append(measure)
    return " ".join(
        capitalized(reason if len(where) == len(c.measures) else f"{listed(where)}: {reason}") + "."
        for reason, where in told.items()
    )


def _cautions(c: Compared, one: Comparison) -> list[str]:
    told = []
    sides = (c.candidate, one.candidate.raters), (c.reference, one.reference.raters)
    for (name, raters), worth in zip(sides, one.raters_worth, strict=True):
        if not c.raters_are_persons or not raters:
            continue
        if raters == 1:
            told.append(f"{name} has a single rater: all figures hold for this rater only")
        elif raters < FEWEST_RATERS:
            told.append(
                f"{raters} raters of {name} are fewer than {FEWEST_RATERS}: too few to say what other raters would "
                "have given"
            )
        if worth < EVEN * raters:
            told.append(
                f"the work of {name} is shared unequally: its {count(raters)} raters weigh as much as "
                f"{decimal(worth, 0)} with equal shares"
            )
    if 1 < one.systems.systems < FEWEST:
        told.append(
            f"the items belong to {one.systems.systems} systems, fewer than {FEWEST}: intervals treat them as fixed"
        )
    return told


def notes_of(c: Compared) -> list[Note]:
    """Return how intervals and tests were made, and why some are missing, each reason once."""
    first, has_level = c.full[0], any(one.same_scale for one in c.full)
    values = {
        "level": " and test of level" if has_level else "",
        "scope": scope_of([first]),
        "how": first.interval_method,
        "test": f"; {first.level_test}" if has_level else "",
    }
    notes = [Note(("Intervals{level} {scope}: {how}{test}.", values))]
    reasons = _by_reason(c, lambda one: [*one.reasons, *_without_interval(one)])
    return [*notes, *([Note(("{notes}", {"notes": reasons}))] if reasons else [])]


def _without_interval(one: Comparison) -> list[str]:
    estimates = {"Spearman ρ": one.spearman, "Mean difference": one.mean_difference}
    return [
        f"no interval of {label}: {e.reason}"
        for label, e in estimates.items()
        if e.defined and isnan(e.low) and e.reason
    ]
