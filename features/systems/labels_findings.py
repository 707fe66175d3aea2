"""Verdicts and tables of labels: the most common class, the crowd against known answers, the most accurate method."""

from collections.abc import Mapping
from math import isnan

import numpy as np
from numpy.typing import NDArray

from analysis.systems.label_accuracy import ALONE, MAJORITY, WEIGHTED, Gold, LabelAccuracy, methods_differ
from analysis.values.estimate import Estimate
from analysis.workers.dawid_skene import DawidSkeneFit
from analysis.workers.polls import Poll
from analysis.workers.worker_agreement import AgainstGold
from features.blocks import (
    Finding,
    NextStep,
    Table,
    Text,
    Warning,
    capitalized,
    clear,
    clear_if,
    confidence_interval,
    excludes,
    for_raters,
    not_enough_data,
    too_few,
)
from features.plotting.numbers import count, decimal, share, share_with_interval
from features.systems.labels_results import AGGREGATED, FEWEST_ITEMS, ClassesFound, CrowdFound
from features.systems.scores_findings import EXACT, TENTH
from features.words import Column, counted, estimate_columns, listed, table_of, with_interval


def classes_finding(found: ClassesFound) -> Finding:
    """Return which class is most common, and whether it is clearly so."""
    items, first, *others = counted(found.items, "item"), *(found.options[at] for at in found.shares.order)
    if not others:
        return clear("All labels are {first}.", {"first": _as_label(first)}, items)
    if found.items < FEWEST_ITEMS:
        return too_few("rank classes", {}, items, FEWEST_ITEMS, next_step=_upload("more items"))
    one, next_one = (found.shares.share[at] for at in found.shares.order[:2])
    is_clear = one.low > next_one.high
    rival = "with {share} of votes" if is_clear else "but {second} may be as common"
    return clear_if(
        is_clear,
        f"Class {{first}} is the most common, {rival}.",
        {"first": _as_label(first), "second": _as_label(others[0]), "share": share(one.value)},
        "" if is_clear else f"{first} {share(one.value)}",
        confidence_interval(one, share),
        f"next: {others[0]} {share_with_interval(next_one)}",
        items,
        for_raters("these raters"),
    )


def _as_label(option: str) -> str:
    """Return a label as a sentence has it, a number in quotation marks.

    >>> _as_label("cat"), _as_label("1")
    ('cat', '“1”')
    """
    return f"“{option}”" if option.replace(".", "").isdigit() else option


def confusion_finding(found: ClassesFound) -> Finding:
    """Return which two classes are confused most often."""
    if not found.shares.together.any():
        headline = "Not enough data to say which classes are confused: no item has two votes."
        return not_enough_data(headline, name="confusion", next_step=_upload("more votes"))
    if found.shares.most_confused is None:
        return clear("No two votes on one item differ.", name="confusion")
    (one, other, part), options = found.shares.most_confused, found.options
    return clear(
        "Where one rater says {one}, another says {other} {part} of the time.",
        {"one": _as_label(options[one]), "other": _as_label(options[other]), "part": share(part)},
        "Most frequent confusion",
        counted(found.items, "item"),
        "in these votes",
        name="confusion",
    )


def classes_table(found: ClassesFound) -> Table:
    """Return one row per class, the most common first: its share, and what others say where it is given."""
    shares, order = found.shares, found.shares.order
    other, often = (each[order].tolist() for each in shares.mistaken_for)
    confused = ["" if isnan(part) else found.options[at] for at, part in zip(other, often, strict=True)]
    return table_of(
        "classes",
        "Classes, the most common first: share of an item's votes, and what others say.",
        [
            Column("Class", [found.options[at] for at in order]),
            *estimate_columns("Share of votes", [shares.share[at] for at in order], TENTH),
            Column("Others agree", np.diagonal(shares.confused)[order], TENTH),
            Column("Most often confused with", confused),
            Column("How often", often, TENTH),
            Column("Votes", shares.votes[order], count),
        ],
    )


def crowd_finding(found: CrowdFound) -> Finding:
    """Return how often the crowd's majority gives the known answer, and whether that is beyond chance."""
    whole, kappa = found.whole, found.whole.kappa
    items, known = counted(whole.items, "item"), "gold" if found.known == "gold" else "the expert"
    if whole.items < FEWEST_ITEMS:
        step = _upload("more known answers")
        return too_few(f"compare with {known}", {}, items, FEWEST_ITEMS, next_step=step)
    is_clear = excludes(kappa)
    beyond = "" if is_clear or not kappa.defined else ", not clearly beyond chance"
    return clear_if(
        is_clear,
        f"The crowd's majority matches {{known}} on {{share}} of items{beyond}.",
        {"known": known, "share": share(whole.accuracy)},
        f"Kappa {decimal(kappa.value)}" if kappa.defined else f"Kappa undefined: {kappa.reason}",
        confidence_interval(kappa),
        items,
        for_raters("these raters"),
    )


def crowd_table(found: CrowdFound) -> Table:
    """Return a row for all comparisons and one for each design or comparison."""
    rows = found.rows.values()
    return table_of(
        "known-answers",
        "The crowd's label compared with the known answer.",
        [
            Column("Comparison", list(found.rows)),
            Column("Same answer", [one.accuracy for one in rows], TENTH),
            *estimate_columns("Kappa", [one.kappa for one in rows], EXACT),
            Column("Items", [one.items for one in rows], count),
            Column("Ties", [one.ties for one in rows], count),
        ],
    )


def methods_finding(found: LabelAccuracy, raters_are_persons: bool) -> Finding:
    """Return which method is right most often, and whether it is clearly ahead of majority vote."""
    rivals = [method for method in found.accuracy if method != ALONE]
    best = max(rivals, key=lambda method: found.accuracy[method].value)
    accuracy, ahead = found.accuracy[best], found.difference.get(best, Estimate(0.0))
    than = "and no method on more"
    if best != MAJORITY:
        than = f"{'not clearly ' if ahead.low <= 0 else ''}more than majority vote"
    interval = confidence_interval(accuracy, share)
    return clear_if(
        ahead.low > 0,
        f"{{best}} is right on {{accuracy}} of items, {than}.",
        {"best": f"The {best}" if best == WEIGHTED else capitalized(best), "accuracy": share(accuracy.value)},
        interval,
        "" if best == MAJORITY else f"{with_interval(ahead, _points)} points above majority vote",
        f"{counted(accuracy.n, 'item')} with gold",
        for_raters("raters like these" if raters_are_persons else "these raters") if interval else "",
        f"{ALONE} {share(found.accuracy[ALONE].value)}",
        name="methods",
    )


def missing_gold(gold: Gold) -> Finding:
    """Return the finding that too few items have gold to compare methods."""
    if gold.items:
        there, step = f"{counted(gold.items, 'item')} with gold", _upload("more gold")
        return too_few("compare methods", {}, there, FEWEST_ITEMS, next_step=step, name="methods")
    step = NextStep("Map the column with true answers to gold", "datasets.py")
    headline = "Not enough data to say which method is right: no item has gold."
    return not_enough_data(headline, name="methods", next_step=step)


def _upload(what: str) -> NextStep:
    return NextStep(f"Upload {what}", "datasets.py")


def _points(difference: float) -> str:
    return f"{'+' if difference > 0 else ''}{decimal(100 * difference, 1)}"


def methods_table(found: LabelAccuracy) -> Table:
    """Return one row per method, the most accurate first."""
    order = sorted(found.accuracy, key=lambda method: -found.accuracy[method].value)
    accuracy = [found.accuracy[method] for method in order]
    above = [found.difference.get(method, Estimate(0.0)) for method in order]
    return table_of(
        "labels",
        "How often each method gives the gold label, and its difference to majority vote.",
        [
            Column("Method", order),
            *estimate_columns("Accuracy", accuracy, TENTH),
            *estimate_columns("Points above majority", above, _points),
            Column("Items", [one.n for one in accuracy], count),
            Column("Ties", [found.labels[method].ties for method in order], count),
        ],
    )


def gold_warnings(poll: Poll, gold: Gold) -> list[Warning]:
    """Return which items have no gold, and gold that nobody chose."""
    told: list[Text] = []
    if gold.items_without:
        rest = counted(gold.items_without, "item")
        told.append(("Without gold: {rest}. Methods use their votes, accuracies do not.", {"rest": rest}))
    unseen = [at for at in range(len(poll.options)) if gold.of_class[at] and not gold.chosen[at]]
    if unseen:
        items = counted(int(gold.of_class[unseen].sum()), "item")
        values = {"names": listed([poll.options[at] for at in unseen]), "items": items}
        told.append(("Nobody chose {names}, the gold of {items}: no method can find it.", values))
    return [Warning(text) for text in told]


def precision_table(poll: Poll, found: LabelAccuracy, method: str) -> Table:
    """Return precision and recall of each class under each method, at first sight under one of them."""
    columns = [
        Column("Class", list(poll.options)),
        Column("Items with gold", found.labels[MAJORITY].confusion.sum(axis=1), count),
    ]
    for name in AGGREGATED:
        labels, at_first_sight = found.labels[name], name == method
        columns.append(Column(f"Precision, {name}", labels.precision, TENTH, at_first_sight))
        columns.append(Column(f"Recall, {name}", labels.recall, TENTH, at_first_sight))
    return table_of("precision", "Precision and recall of each class by method.", columns)


def raters_table(poll: Poll, against: AgainstGold, fit: DawidSkeneFit) -> Table:
    """Return one row per rater, those with most items with gold first."""
    order = np.lexsort((-np.nan_to_num(against.accuracy, nan=-1.0), -against.items))
    ends = np.stack([against.accuracy, against.low, against.high], axis=1)[order]
    return table_of(
        "raters",
        "Accuracy of each rater against gold, and as Dawid-Skene estimates it without gold.",
        [
            Column("Rater", poll.rater_names[order]),
            Column("Votes", poll.votes.per_rater[order], count),
            Column("Items with gold", against.items[order], count),
            *estimate_columns("Accuracy", [Estimate(*each) for each in ends.tolist()], TENTH),
            Column("Dawid-Skene accuracy", fit.accuracy[order], TENTH),
        ],
    )


def items_table(poll: Poll, found: LabelAccuracy) -> Table:
    """Return each item's label by every method, those first on which methods differ, folded."""
    labels, names = {method: found.labels[method] for method in AGGREGATED}, np.array([*poll.options, ""])
    differ = methods_differ(labels)
    order = np.argsort(~differ, kind="stable")
    return table_of(
        "item-labels",
        "Label of each item by every method, those first on which methods differ.",
        [
            Column("Item", poll.item_names[order]),
            Column("Votes", poll.votes.per_item[order], count),
            Column("Gold", names[poll.gold[order]]),
            *(Column(method, _join_labels(one.shares[order], names)) for method, one in labels.items()),
        ],
        fold=f"Each item: methods differ on {count(differ.sum())} of {counted(len(order), 'item')}",
    )


def _join_labels(shares: NDArray[np.float64], names: NDArray[np.str_]) -> list[str]:
    """Return the label of each item, several that tie in one text."""
    labels: list[str] = names[shares.argmax(axis=1)].tolist()
    for item in np.flatnonzero(shares.max(axis=1) < 1):
        labels[item] = " = ".join(names[np.flatnonzero(shares[item] > 0)])
    return labels


def same_labels_table(same: Mapping[tuple[str, str], Estimate]) -> Table:
    """Return on how many items each two methods give the same label."""
    return table_of(
        "same-labels",
        "Share of items to which two methods give the same label, which needs no gold.",
        [
            Column("Method", [one for one, _ in same]),
            Column("And", [other for _, other in same]),
            Column("Same label", [each.value for each in same.values()], TENTH),
            Column("Items", [each.n for each in same.values()], count),
        ],
    )
