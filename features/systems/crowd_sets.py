"""Sets of labels that the crowd gives items: how common labels are, and how far the sets are gold.

The crowd's set is made label by label.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from analysis.comparison.clusters import Belonging, find_clusters
from analysis.systems.set_accuracy import (
    CrowdSets,
    Method,
    SetAccuracy,
    crowd_sets,
    label_shares,
    set_accuracy,
)
from analysis.values.estimate import Estimate
from features.assessments import MOST_CELLS, SHOWN, TOO_MANY, Labeled, labeled
from features.blocks import (
    Block,
    Figure,
    Finding,
    Heading,
    NextStep,
    Note,
    Table,
    card_of,
    clear,
    confidence_interval,
    for_raters,
    method_of,
    not_applicable,
    too_few,
)
from features.comparison.results import systems_and_topics
from features.exclusion import exclusion_change
from features.plotting.series import estimate_dots
from features.plotting.theme import PERCENT_ONE_DIGIT, count, estimate_with_interval, share
from features.program import computed_by
from features.study import Scenario, Study, key_of, query, result
from features.systems.labels_results import FEWEST_ITEMS
from features.systems.labels_section import most_common_finding
from features.words import Column, counted, estimate_columns, listed, table_of, why_column

_THESE = for_raters("these raters")


@dataclass(frozen=True)
class CrowdSetsSpec:
    """The crowd's sets for one question, "" for the first, made by `method`."""

    question: str = ""
    method: Method = "majority"


@dataclass(frozen=True, eq=False)
class CrowdSetsFound:
    """The crowd's sets of the `labels`, which an item's raters give in `shares`, and how far they are gold.

    `accuracy` is None without gold; `ties` are labels of items that exactly half of the raters gave. `clusters` says in
    which systems and topics items are drawn together.
    """

    labels: tuple[str, ...]
    shares: tuple[Estimate, ...]
    crowd: CrowdSets
    accuracy: SetAccuracy | None
    too_many: bool = False
    clusters: str = ""

    @property
    def order(self) -> list[int]:
        """Places of the labels, the most common first."""
        return sorted(range(len(self.labels)), key=lambda at: -self.shares[at].value)

    @property
    def sets(self) -> dict[int, tuple[str, ...]]:
        """The labels that the crowd gives each item, by its code."""
        names = np.array(self.labels, dtype=object)
        each = zip(self.crowd.items.tolist(), self.crowd.member, strict=True)
        return {item: tuple(names[row]) for item, row in each}

    @property
    def ties(self) -> int:
        return int(self.crowd.tied.sum())


def make_crowd_sets(study: Study, spec: CrowdSetsSpec) -> CrowdSetsFound:
    """Return the crowd's sets of labels, how common labels are, and how far the sets are gold."""
    found = labeled(study, spec.question)
    key = key_of(study.dataset, "crowd's sets", study.candidate, found.question, spec.method)
    return result(key, lambda: _make(found, spec.method, systems_and_topics(study)))


def _make(found: Labeled, method: Method, belonging: Belonging) -> CrowdSetsFound:
    crowd = crowd_sets(found.sets, method)
    both, at, of = np.intersect1d(crowd.items, found.known_items, return_indices=True)
    known, every = (find_clusters(belonging.of(items)) for items in (both, crowd.items))
    accuracy = set_accuracy(crowd.member[at], found.known[of], clusters=known.codes) if len(both) else None
    shares = label_shares(found.sets, clusters=every.codes)
    drawn = (known if accuracy is not None else every).description
    return CrowdSetsFound(found.sets.labels, shares, crowd, accuracy, found.too_many, drawn)


def gold_finding(found: CrowdSetsFound, accuracy: SetAccuracy) -> Finding:
    """Return on how many items the crowd's set is exactly the gold set."""
    exact, items = accuracy.exact, counted(accuracy.exact.n, "item")
    if exact.n < FEWEST_ITEMS:
        step = NextStep("Upload more gold sets", "datasets.py")
        return too_few("compare with gold", {}, items, FEWEST_ITEMS, next_step=step)
    return clear(
        "The crowd's label sets match gold exactly on <b>{share}</b> of items.",
        {"share": share(exact.value)},
        confidence_interval(exact, share),
        f"mean Jaccard index {estimate_with_interval(accuracy.jaccard, share)}",
        items,
        found.clusters,
        _THESE,
    )


def common_finding(found: CrowdSetsFound, name: str) -> Finding:
    """Return which label is most common, and whether it is clearly so."""
    items = counted(len(found.crowd.items), "item")
    if len(found.crowd.items) < FEWEST_ITEMS:
        step = NextStep("Upload more items", "datasets.py")
        return too_few("rank labels", {}, items, FEWEST_ITEMS, next_step=step, name=name)
    if not found.labels:
        return clear("No rater gave any label.", {}, items, name=name)
    shares = {found.labels[at]: found.shares[at] for at in found.order}
    if len(shares) > 1:
        return most_common_finding("Label", shares, "given by {share} of an item's raters", items, name)
    [(first, one)] = shares.items()
    values, line = (
        {"first": first, "share": share(one.value)},
        (confidence_interval(one, share), items, _THESE),
    )
    return clear("An item's raters give {first} {share} of the time.", values, *line, name=name)


def labels_table(found: CrowdSetsFound) -> Table:
    order, given, tied = found.order, found.crowd.member.sum(axis=0), found.crowd.tied.sum(axis=0)
    return table_of(
        "labels",
        "Labels, the most common first: share of an item's raters with its 95% CI, and items by the crowd.",
        [
            Column("Label", [found.labels[at] for at in order]),
            *estimate_columns("Share of raters", [found.shares[at] for at in order], PERCENT_ONE_DIGIT),
            Column("In the crowd's sets", given[order], count),
            Column("Ties", tied[order], count),
        ],
    )


def _by_f1(accuracy: SetAccuracy) -> list[int]:
    return sorted(range(len(accuracy.f1)), key=lambda at: -np.nan_to_num(accuracy.f1[at].value, nan=-1))


def gold_table(found: CrowdSetsFound, accuracy: SetAccuracy) -> Table:
    order, measures = _by_f1(accuracy), (accuracy.f1, accuracy.precision, accuracy.recall)
    of = {
        name: [each[at] for at in order]
        for name, each in zip(("F1", "Precision", "Recall"), measures, strict=True)
    }
    why = why_column(zip(*of.values(), strict=True))
    return table_of(
        "gold",
        "The crowd's sets compared with the gold sets by label, with 95% CIs; the highest F1 first.",
        [
            Column("Label", [found.labels[at] for at in order]),
            *(
                column
                for name, each in of.items()
                for column in estimate_columns(name, each, PERCENT_ONE_DIGIT)
            ),
            Column("Items by gold", accuracy.known[order], count),
            Column("Items by the crowd", accuracy.given[order], count),
            *([why] if any(why.values) else []),
        ],
    )


def _shown(labels: tuple[str, ...]) -> str:
    return ", ".join(labels) or "no label"


def items_table(study: Study, found: CrowdSetsFound) -> Table:
    names, labels = query(study.dataset, "item_names")["name"], np.array(found.labels)
    tied = [listed(labels[row].tolist(), len(labels)) if row.any() else "" for row in found.crowd.tied]
    sets = [_shown(of_item) for of_item in found.sets.values()]
    columns = [Column("Item", names[found.crowd.items]), Column("Crowd's set", sets)]
    columns += [Column("Ties", tied)] if any(tied) else []
    return table_of(
        "crowd-sets",
        "The crowd's set of each item.",
        columns,
        fold=f"Each item: {counted(len(sets), 'item')}",
    )


def _blocks(found: CrowdSetsFound) -> Iterator[Block]:
    if found.too_many:
        yield not_applicable(TOO_MANY, {"most": count(MOST_CELLS)})
        return
    accuracy = found.accuracy
    if accuracy is not None:
        yield gold_finding(found, accuracy)
        if accuracy.exact.n >= FEWEST_ITEMS:
            rows = {found.labels[at]: accuracy.f1[at] for at in _by_f1(accuracy)[:SHOWN]}
            caption = "F1 of each label in the crowd's sets against gold, with its 95% CI; the highest first."
            yield Figure("gold", (caption, {}), partial(estimate_dots, rows, "F1 against gold"))
            yield gold_table(found, accuracy)
        yield Heading("How common labels are")
    yield common_finding(found, "common" if accuracy is not None else "finding")
    if found.labels:
        rows = {found.labels[at]: found.shares[at] for at in found.order[:SHOWN]}
        caption = "Share of an item's raters who give each label, with its 95% CI; the most common first."
        yield Figure("shares", (caption, {}), partial(estimate_dots, rows, "Share of an item's raters"))
        yield labels_table(found)


def _stages(study: Study, spec: CrowdSetsSpec) -> Iterator[CrowdSetsFound]:
    yield make_crowd_sets(study, spec)


def _figures(found: CrowdSetsFound) -> Mapping[str, Estimate]:
    if found.accuracy is not None:
        return {"gold": found.accuracy.exact}
    return dict(zip(found.labels, found.shares, strict=True))


@computed_by(
    make_crowd_sets,
    "shares = dict(zip(found.labels, found.shares))",
    "results = {'shares': shares, 'crowd': found.crowd, 'accuracy': found.accuracy}",
)
def crowd_sets_section(study: Study, scenario: Scenario, spec: CrowdSetsSpec) -> Iterator[Block]:
    """Yield how far the crowd's sets are gold, how common labels are, and the set of each item."""
    found = make_crowd_sets(study, spec)
    yield from _blocks(found)
    if found.too_many:
        return
    what = "the share of items whose set is exactly" if found.accuracy else "the share of raters who give"
    yield from exclusion_change(study, scenario, what, found, _stages, spec, _figures)
    if found.ties:
        text = "{ties} tie at exactly one half, and are not in the crowd's sets."
        yield Note((text, {"ties": counted(found.ties, "label of an item", "labels of items")}))
    yield items_table(study, found)
    yield method_of("systems", "crowd_sets", ["dawid1979", "wilson1927"])


def crowd_sets_card(study: Study) -> list[Block]:
    return card_of(_blocks(make_crowd_sets(study, CrowdSetsSpec())))
