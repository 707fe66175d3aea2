"""Section of groups compared: the blocks that its page and its card show and its report prints."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from analysis.comparison.comparison import ComparisonSpec
from analysis.values.estimate import BootstrapSpec
from features.blocks import (
    MAIN,
    Block,
    Figure,
    Finding,
    Heading,
    Note,
    card_of,
    in_stages,
    last_of,
    method_of,
)
from features.comparison import findings, results, tables
from features.comparison.figures import correlation_matrix, differences, level_dots, order_dots, scatter
from features.comparison.results import Compared, GroupsCompared, GroupsSpec
from features.plotting.panels import MOST
from features.plotting.theme import Look, group_colour
from features.program import computed_by
from features.study import Scenario, Study, query

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
        yield from _of_all_groups(study, spec, found)
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
        yield from _known([findings.level_finding(compared)])
        yield from _level_figure(study, alone)
        yield from _known([findings.equality_finding(compared), findings.systems_finding(compared)])
    yield from _items(study, spec, compared)
    if compared.full:
        yield tables.groups_table(compared)
        yield from tables.notes_of(compared)
        yield from _known([tables.warnings_of(compared)])
        if any(one.same_scale for one in compared.full):
            yield tables.tests_table(compared)
        yield from _known([tables.verdicts_table(compared)])
        if found.everyone is not None:
            yield tables.without_table(compared, found.everyone)
    if found.is_last:
        without_noise = [findings.ceiling_finding(compared), findings.spread_finding(compared)]
        if any(without_noise):
            yield Heading("Without rater noise")
        yield from _known(without_noise)
        if found.kinds is not None:
            yield Heading("By kind of rater")
            yield tables.groups_table(found.kinds, spec.kinds[0][0], "kinds")


def _known(blocks: Sequence[Block | None]) -> Iterator[Block]:
    """Yield the blocks that there are."""
    yield from (block for block in blocks if block is not None)


def _of_all_groups(study: Study, spec: GroupsSpec, found: GroupsCompared) -> Iterator[Block]:
    yield findings.groups_finding(found.by_group)
    yield from _known([findings.groups_level_finding(found.by_group)])
    yield from _order_figure(study, found.by_group)
    yield from _level_figure(study, found.by_group)
    measure = spec.matrix_measure
    if found.pairs and measure is not None:
        caption = "Spearman's ρ of every two groups on {measure}, over the items that both rated."
        draw = partial(correlation_matrix, study.groups, found.pairs, measure)
        hint = "A click on a cell opens its pair."
        yield Figure(EVERY_TWO, (caption, {"measure": measure}), draw, hint=hint)
        yield tables.pairs_table(found.pairs)


def _order_figure(study: Study, by_group: Mapping[str, Compared]) -> Iterator[Block]:
    if any(one.spearman.defined for c in by_group.values() for one in c.of):
        caption = "Spearman's ρ of the items' MOS with {reference} by measure, with 95% CI."
        draw = partial(order_dots, by_group, study.groups)
        yield Figure("order", (caption, {"reference": study.reference_name}), draw)


def _level_figure(study: Study, by_group: Mapping[str, Compared]) -> Iterator[Block]:
    if level_dots(by_group, study.groups, Look()) is not None:
        caption = "Mean difference from {reference} by measure, with 95% CI."
        draw = partial(level_dots, by_group, study.groups)
        yield Figure("level", (caption, {"reference": study.reference_name}), draw)


def _items(study: Study, spec: GroupsSpec, compared: Compared) -> Iterator[Block]:
    """Yield the figure of items, where any measure has items that both sides rated."""
    scattered = spec.picture == "scatter"
    rows = zip(results.rows_of(study, spec), compared.measures, compared.of, strict=True)
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
    yield Figure(ITEMS, (caption, values), draw, hint="A click on a point opens its item.")


def all_groups_section(study: Study, spec: GroupsSpec, groups: Sequence[str]) -> Iterator[Block]:
    """Yield several groups compared with the reference, without the details of any."""
    yield from _of_all_groups(study, spec, last_of(results.group_stages(study, spec, groups)))


def card_spec(study: Study) -> GroupsSpec:
    """Return the spec of the overview; without intervals where there are many items."""
    spec = GroupsSpec(ComparisonSpec(raters_are_persons=study.raters_are_persons, scope=None))
    if query(study.dataset, "cells")["items"].max(initial=0) <= MOST_ITEMS_OF_CARD:
        return spec
    closed = replace(spec.comparison, bootstrap=BootstrapSpec(draws=0), permutations=0)
    return replace(spec, comparison=closed)


def groups_card(study: Study) -> Iterator[Block]:
    """Yield the main finding and the correlations by measure."""
    spec = card_spec(study)
    is_tested = spec.comparison.bootstrap.draws > 0
    yield from card_of(groups_section(study, Scenario(), spec), is_tested)
    if not is_tested:
        yield Note(("Its page has the intervals and the answer.", {}))
