"""Groups compared: tables and sections."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf, isnan, nan
from typing import Any

from analysis.comparison.clusters import FEWEST_CLUSTERS
from analysis.comparison.comparison import Comparison, ComparisonSpec, verdict_flips
from analysis.screening.observer_rejection import exclusion_gain
from analysis.values.estimate import BootstrapSpec, Estimate
from features.blocks import (
    MAIN,
    Block,
    Figure,
    Finding,
    Heading,
    Note,
    Table,
    Warning,
    capitalized,
    card_of,
    in_stages,
    last_stage,
    method_of,
)
from features.comparison import findings, results
from features.comparison.figures import (
    correlation_matrix,
    difference_of,
    differences,
    level_dots,
    order_dots,
    scatter,
)
from features.comparison.findings import SIGNIFICANT, equivalence_p, level_p, raters_p, scope_of, spread_p
from features.comparison.results import Compared, GroupsCompared, GroupsSpec
from features.plotting.panels import MOST
from features.plotting.theme import (
    ONE_DIGIT,
    THREE_DIGITS,
    Look,
    NumberFormat,
    count,
    decimal,
    estimate_in_table,
    group_colour,
    p_phrase,
    p_value,
)
from features.program import computed_by
from features.study import Scenario, Study, query
from features.words import WHY, Column, counted, estimate_columns, listed, table_of, write_each

GROUPS = "groups"
FEWEST_RATERS = 5
EVEN = 2 / 3
"""Raters weigh unequally where they are worth less than this share of as many with equal shares."""
FEW_ITEMS = 15
"""Items up to which intervals of RMSE may be too narrow."""
AT_FIRST = ("Spearman ρ", "Mean difference", "RMSE", "Items")


@dataclass(frozen=True)
class _Figure:
    """Figure of a comparison: its heading, how it is read and written, and if it compares numbers on one scale.

    `write` is None for a figure in points of the scale.
    """

    heading: str
    read: Callable[[Comparison], Estimate]
    write: NumberFormat | None = THREE_DIGITS
    of_level: bool = False


_FIGURES = (
    _Figure("Spearman ρ", lambda c: c.spearman),
    _Figure("Mean difference", lambda c: c.mean_difference, None, True),
    _Figure("RMSE", lambda c: c.rmse, None, True),
    _Figure("Pearson r", lambda c: c.pearson),
    _Figure("Kendall τ-b", lambda c: c.kendall),
    _Figure("Concordance", lambda c: c.concordance, THREE_DIGITS, True),
    _Figure("ρ over systems", lambda c: c.systems.spearman),
    _Figure("r over systems", lambda c: c.systems.pearson),
    _Figure("Reliability, candidate", lambda c: c.true_scores.reliability_candidate),
    _Figure("Reliability, reference", lambda c: c.true_scores.reliability_reference),
    _Figure("Ceiling", lambda c: c.true_scores.ceiling),
    _Figure("Corrected r", lambda c: c.true_scores.corrected),
    _Figure("Spread", lambda c: c.true_scores.spread, decimal, True),
    _Figure("Lower limit", lambda c: c.limit_low, None, True),
    _Figure("Upper limit", lambda c: c.limit_high, None, True),
)


def groups_table(c: Compared, first: str = "Measure", name: str = GROUPS) -> Table:
    """Return every figure, a row per measure or kind of rater; figures that answer the question come first."""
    has_level = any(one.same_scale and one.items_shared for one in c.full)
    shown = [
        one
        for one in _FIGURES
        if (has_level or not one.of_level)
        and (one.heading in AT_FIRST or any(one.read(each).defined for each in c.full))
    ]
    systems, formats = [one.systems.systems for one in c.full], c.difference_formats
    tests = [
        _level_column(c, "Margin", lambda one: one.equivalence.margin, formats),
        _level_column(c, "90% CI from", lambda one: one.equivalence.low, formats),
        _level_column(c, "90% CI to", lambda one: one.equivalence.high, formats),
        _level_column(c, "p (equivalence)", lambda one: one.equivalence.p, p_value),
        Column("p (equivalence, Holm)", equivalence_p(c.full), p_value, False),
        _level_column(c, "p (spread)", lambda one: one.true_scores.spread_p, p_value),
        Column("p (spread, Holm)", spread_p(c.full), p_value, False),
        _level_column(c, "Slope", lambda one: one.slope),
    ]
    columns = [Column(first, list(c.measures))]
    for figure in shown:
        estimates = [_figure_value(one, figure) for one in c.full]
        at_first = figure.heading in AT_FIRST
        columns += estimate_columns(
            figure.heading, estimates, figure.write or formats, at_first_sight=at_first
        )
    columns += [
        Column("Items", [one.items_shared for one in c.full], count),
        Column("Strength", [one.strength for one in c.full], None, False),
        Column("p of ρ", [one.spearman_p for one in c.full], p_value, False),
        *([Column("Systems", systems, count, False)] if any(systems) else []),
        *_drop_empty_columns(tests),
        Column("Only candidate", [one.left_out_candidate for one in c.full], count, False),
        Column("Only reference", [one.left_out_reference for one in c.full], count, False),
        Column(WHY, [_undefined_reasons(one, shown) for one in c.full], None, False),
    ]
    caption = "Correlation, mean difference and RMSE by {what}, {candidate} minus {reference}, with 95% CI."
    values = {"what": first.casefold(), "candidate": c.candidate, "reference": c.reference}
    return table_of(name, (caption, values), columns)


def _level_column(
    c: Compared,
    heading: str,
    read: Callable[[Comparison], float],
    write: NumberFormat | Sequence[NumberFormat] = decimal,
    at_first: bool = False,
) -> Column:
    """Return a column of numbers that are undefined where both sides are on different scales."""
    values = [read(one) if one.same_scale else nan for one in c.full]
    return Column(heading, values, write if callable(write) else write_each(values, write), at_first)


def _drop_empty_columns(columns: Sequence[Column]) -> list[Column]:
    return [each for each in columns if any(value == value and value != "" for value in each.values)]


def _undefined_reasons(one: Comparison, shown: Sequence[_Figure]) -> str:
    """Return why figures of a row are undefined, first those that are seen at first sight."""
    for at_first in (True, False):
        figures = [each for each in shown if (each.heading in AT_FIRST) is at_first]
        reasons = [
            figure.reason
            for each in figures
            if not (figure := _figure_value(one, each)).defined and figure.reason
        ]
        if reasons:
            return "; ".join(dict.fromkeys(reasons))
    return ""


def _figure_value(one: Comparison, figure: _Figure) -> Estimate:
    """Return a figure; one of level is undefined where both sides are on different scales."""
    if figure.of_level and not one.same_scale:
        return Estimate(nan, reason="both sides are on different scales")
    return figure.read(one)


def tests_table(c: Compared) -> Table:
    """Return medians, correlation and the tests of level, as in Iskender et al. 2020, Table 1."""
    adjusted = level_p(c.full)

    def of_items(values: Sequence[float]) -> list[float]:
        pairs = zip(c.full, values, strict=True)
        return [value if one.scope == "these raters" else nan for one, value in pairs]

    p_items = _level_column(c, "", lambda one: one.item_tails.of(one.spec.alternative)).values
    of_medians, of_reference_medians = c.median_formats
    medians = [one.candidate.median for one in c.full]
    of_reference = [one.reference.median for one in c.full]
    columns = [
        Column("Median", medians, write_each(medians, of_medians)),
        Column("Median, reference", of_reference, write_each(of_reference, of_reference_medians)),
        Column("Spearman ρ", [one.spearman.value for one in c.full], THREE_DIGITS),
        _level_column(c, "Mann-Whitney U", lambda one: one.u, ONE_DIGIT, True),
        _level_column(c, "p (U)", lambda one: one.u_p, p_value, True),
        Column("p (raters, Holm)", raters_p(c.full), p_value),
        Column("p (items, Holm)", of_items(adjusted), p_value),
        Column("Significant", ["" if isnan(p) else "yes" if p < SIGNIFICANT else "no" for p in adjusted]),
        _level_column(c, "p (raters)", lambda one: one.rater_p, p_value),
        Column("p (items)", of_items(p_items), p_value, False),
        _level_column(c, "p (labels exchanged)", lambda one: one.permuted_p, p_value),
        _level_column(c, "Rank-biserial", lambda one: one.rank_biserial),
        _level_column(c, "Wilcoxon W", lambda one: one.wilcoxon, ONE_DIGIT),
        _level_column(c, "p (W)", lambda one: one.wilcoxon_p, p_value),
    ]
    caption = (
        "Medians of the items' MOS and tests of level against {reference}: Mann and Whitney's U for these raters, and "
        "a test {scope}, significant where its Holm-adjusted p is below .05."
    )
    values = {"reference": c.reference, "scope": scope_of(c.full)}
    return table_of(
        "groups-tests",
        (caption, values),
        [Column("Measure", list(c.measures)), *_drop_empty_columns(columns)],
    )


def verdicts_table(c: Compared) -> Table | None:
    """Return where another tail or test would change the verdict on a level; None where none would."""
    known = [(m, one.level_p, verdict_flips(one, SIGNIFICANT)) for m, one in c.rows if one.same_scale]
    rows = [(m, p, turned) for m, p, turned in known if turned]
    if not rows:
        return None
    chosen_tests = [f"{'' if p < SIGNIFICANT else 'not '}significant, {p_phrase(p)}" for _, p, _ in rows]
    others = ["; ".join(f"{f.test}, {f.alternative}: {p_phrase(f.p)}" for f in flips) for *_, flips in rows]
    columns = [
        Column("Measure", [m for m, _, _ in rows]),
        Column("Chosen test", chosen_tests),
        Column("Other tests", others),
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
        formats = [figure.write] * len(values) if figure.write else c.difference_formats
        for side, numbers in (
            ("everyone", [before for before, _ in values]),
            ("without", [after for _, after in values]),
            ("difference", [exclusion_gain(*each) for each in values]),
        ):
            texts, at_first = write_each(numbers, formats), side != "difference"
            columns.append(Column(f"{figure.heading}, {side}", numbers, texts, at_first))
    columns += [
        Column("Items, everyone", [before.items_shared for before, _ in both], count, False),
        Column("Items, without", [after.items_shared for _, after in both], count, False),
    ]
    caption = "Figures with everyone, without the excluded raters, and the difference."
    return table_of("groups-without", caption, columns)


def pairs_table(rho: Mapping[tuple[str, str], Estimate]) -> Table:
    pairs = sorted(rho, key=lambda pair: -rho[pair].value if rho[pair].defined else inf)
    estimates = [rho[pair] for pair in pairs]
    columns = [
        Column("Group", [one for one, _ in pairs]),
        Column("Other group", [other for _, other in pairs]),
        *estimate_columns(
            "Spearman ρ", estimates, THREE_DIGITS, [estimate_in_table(e, THREE_DIGITS) for e in estimates]
        ),
    ]
    return table_of(
        "pairs", "Spearman's ρ of every two groups, the highest first.", columns, "All pairs of groups"
    )


def warnings_of(c: Compared) -> Warning | None:
    """Return what to know before trusting a comparison, each once with its measures; None where there is nothing."""
    warnings = _by_reason(c, lambda one: [*_cautions(c, one), one.few if one.same_scale else ""])
    return Warning(("{warning}", {"warning": warnings})) if warnings else None


def _by_reason(c: Compared, read: Callable[[Comparison], Sequence[str]]) -> str:
    """Return reasons as sentences, each once, after its measures unless it holds for all of them."""
    measures_of_reason: dict[str, list[str]] = {}
    for measure, one in c.rows:
        for reason in filter(None, read(one)):
            measures_of_reason.setdefault(reason, []).append(measure)
    return " ".join(
        capitalized(reason if len(where) == len(c.measures) else f"{listed(where)}: {reason}") + "."
        for reason, where in measures_of_reason.items()
    )


def _cautions(c: Compared, one: Comparison) -> list[str]:
    cautions = []
    sides = (c.candidate, one.candidate.raters), (c.reference, one.reference.raters)
    for (name, raters), worth in zip(sides, one.raters_worth, strict=True):
        if not c.raters_are_persons or not raters:
            continue
        if raters == 1:
            cautions.append(f"there is a single rater in {name}: all figures hold for this rater only")
        elif raters < FEWEST_RATERS:
            cautions.append(
                f"{raters} raters in {name} are fewer than {FEWEST_RATERS}: too few to say what other raters would "
                "have given"
            )
        if worth < EVEN * raters:
            cautions.append(
                f"the work of {name} is shared unequally: its {count(raters)} raters weigh as much as "
                f"{decimal(worth, 0)} with equal shares"
            )
    if one.same_scale and one.rmse.defined and one.rmse.n <= FEW_ITEMS:
        cautions.append(
            f"with {counted(one.rmse.n, 'item')} the interval of RMSE may be too narrow: over 12 items it held in "
            "90 of 100 simulated studies"
        )
    if 1 < one.systems.systems < FEWEST_CLUSTERS:
        cautions.append(
            f"the items belong to {one.systems.systems} systems, fewer than {FEWEST_CLUSTERS}: "
            "intervals treat them as fixed"
        )
    return cautions


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


ITEMS, EVERY_TWO = "items", "pairs"
"""Names of the figures of items and of every two groups."""
MOST_ITEMS_OF_CARD = 1000
"""Items up to which the overview's card has intervals."""


@computed_by(results.group_stages, "results = found.comparisons")
def groups_section(
    study: Study, scenario: Scenario, spec: GroupsSpec, groups: Sequence[str] | None = None
) -> Iterator[Block]:
    """Yield the groups, all by default, compared with the reference, then the candidate in detail."""
    missing = findings.missing_reference(study)
    if missing is not None:
        yield missing
        return
    no_measure = _no_shared_measure(study, spec)
    if no_measure is not None and len(results.candidates(study)) < 2:
        yield no_measure
        return
    stages = results.group_stages(study, spec, groups)
    found = yield from in_stages(stages, partial(_blocks, study, scenario, spec))
    if found.compared.items:
        bootstrap = spec.comparison.bootstrap
        sources = ["iskender2020", "holm1979", "spearman1904"]
        yield method_of("comparison", "groups", sources, draws=bootstrap.draws, seed=bootstrap.seed)


def _no_shared_measure(study: Study, spec: GroupsSpec) -> Finding | None:
    """Return the finding of a candidate that shares no measure with the reference; None of any other."""
    pair = None if spec.pair else results.unshared_pair(study)
    if pair is None:
        return None
    return findings.no_shared_measure(study, pair, len(results.shared_items(study, pair).item))


def _blocks(study: Study, scenario: Scenario, spec: GroupsSpec, found: GroupsCompared) -> Iterator[Block]:
    compared, several = found.compared, len(found.by_group) > 1
    if found.everyone is not None:
        yield findings.exclusion_finding(compared, found.everyone, scenario)
    if several:
        yield from _all_groups_blocks(study, spec, found)
        yield Heading("The chosen pair")
    no_measure = _no_shared_measure(study, spec)
    if no_measure is not None:
        yield replace(no_measure, name="order")
        return
    yield findings.order_finding(compared, "order" if several else MAIN)
    if not compared.items:
        return
    alone = {} if several else {compared.candidate: compared}
    yield from _order_figure(study, alone)
    if compared.full:
        yield from _drop_missing([findings.level_finding(compared)])
        yield from _level_figure(study, alone)
        yield from _drop_missing([findings.equality_finding(compared), findings.systems_finding(compared)])
    yield from _items(study, spec, compared)
    if compared.full:
        yield groups_table(compared)
        yield from notes_of(compared)
        yield from _drop_missing([warnings_of(compared)])
        if any(one.same_scale for one in compared.full):
            yield tests_table(compared)
        yield from _drop_missing([verdicts_table(compared)])
        if found.everyone is not None:
            yield without_table(compared, found.everyone)
    if found.is_last:
        without_noise = [findings.ceiling_finding(compared), findings.spread_finding(compared)]
        if any(without_noise):
            yield Heading("Without rater noise")
        yield from _drop_missing(without_noise)
        if found.kinds is not None:
            yield Heading("By kind of rater")
            yield groups_table(found.kinds, spec.kinds[0][0], "kinds")


def _drop_missing(blocks: Sequence[Block | None]) -> Iterator[Block]:
    yield from (block for block in blocks if block is not None)


def _all_groups_blocks(study: Study, spec: GroupsSpec, found: GroupsCompared) -> Iterator[Block]:
    yield findings.groups_finding(found.by_group)
    yield from _drop_missing([findings.groups_level_finding(found.by_group)])
    yield from _order_figure(study, found.by_group)
    yield from _level_figure(study, found.by_group)
    measure = spec.matrix_measure
    if found.pairs and measure is not None:
        caption = "Spearman's ρ of every two groups on {measure}, over the items that both rated."
        draw = partial(correlation_matrix, study.groups, found.pairs, measure)
        hint = "Click a cell to open its pair."
        yield Figure(EVERY_TWO, (caption, {"measure": measure}), draw, hint=hint)
        yield pairs_table(found.pairs)


def _order_figure(study: Study, by_group: Mapping[str, Compared]) -> Iterator[Block]:
    if any(one.spearman.defined for c in by_group.values() for one in c.of):
        caption = "Spearman's ρ of the items' MOS with {reference} by measure, with 95% CI."
        draw = partial(order_dots, by_group, study.groups)
        yield Figure("order", (caption, {"reference": study.reference_name}), draw)


def _level_figure(study: Study, by_group: Mapping[str, Compared]) -> Iterator[Block]:
    if any(difference_of(one).defined for c in by_group.values() for one in c.of):
        caption = "Mean difference from {reference} by measure, with 95% CI."
        draw = partial(level_dots, by_group, study.groups)
        yield Figure("level", (caption, {"reference": study.reference_name}), draw)


def _items(study: Study, spec: GroupsSpec, compared: Compared) -> Iterator[Block]:
    """Yield the figure of items, where any measure has items that both sides rated."""
    scattered = spec.picture == "scatter"
    rows = zip(results.measure_pairs(study, spec), compared.measures, compared.of, strict=True)
    panels = [
        results.item_mos(study, row, name, one)
        for row, name, one in rows
        if one.items_shared
        and (spec.panels is None or spec.pair or row[0] in spec.panels)
        and (scattered or getattr(one, "same_scale", True))
    ][:MOST]
    sides = compared.candidate, compared.reference
    color, by_column = group_colour(compared.candidate, study.groups), study.reference_column is not None

    def draw(look: Look) -> dict[str, Any]:
        if scattered:
            return scatter(panels, *sides, color, look, by_column)
        return differences(panels, *sides, color, look)

    if not panels:
        text = "Differences need both sides on one scale. The scatter shows their order."
        yield Note((text, {}))
        return
    values = {"candidate": sides[0], "reference": sides[1]}
    caption = "Difference of each item's MOS, {candidate} minus {reference}, by their mean, with limits of agreement."
    if scattered:
        caption = "Each item's MOS by {candidate} and {reference}, one panel per measure."
    yield Figure(ITEMS, (caption, values), draw, hint="Click a point to open its item.")


def all_groups_section(study: Study, spec: GroupsSpec, groups: Sequence[str]) -> Iterator[Block]:
    """Yield several groups compared with the reference, without the details of any."""
    yield from _all_groups_blocks(study, spec, last_stage(results.group_stages(study, spec, groups)))


def card_spec(study: Study) -> GroupsSpec:
    """Return the spec of the overview; without intervals where there are many items."""
    spec = GroupsSpec(ComparisonSpec(raters_are_persons=study.raters_are_persons, scope=None))
    if query(study.dataset, "cells")["items"].max(initial=0) <= MOST_ITEMS_OF_CARD:
        return spec
    closed = replace(spec.comparison, bootstrap=BootstrapSpec(draws=0), permutations=0)
    return replace(spec, comparison=closed)


def groups_card(study: Study) -> Iterator[Block]:
    spec = card_spec(study)
    is_tested = spec.comparison.bootstrap.draws > 0
    yield from card_of(groups_section(study, Scenario(), spec), is_tested)
    if not is_tested:
        yield Note(("Open the page for intervals.", {}))
