"""Labels with gold: which way to aggregate votes is right more often, by class, by worker and by item."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from analysis.systems.label_accuracy import ALONE, MAJORITY, METHODS, WEIGHTED, Gold, LabelAccuracy, Labels
from analysis.values.estimate import Estimate
from analysis.workers.dawid_skene import DawidSkeneFit
from analysis.workers.polls import Poll
from analysis.workers.worker_agreement import AgainstGold
from features.blocks import Finding
from features.plotting.numbers import count, decimal, share
from features.tables import Shown
from features.verdicts import clear_if, not_enough_data
from features.words import Sentence, listed

PENDING = "…"
FEWEST_ITEMS = 10
"""Items with gold below which no method is said to be right most often."""
AGGREGATED = tuple(method for method in METHODS if method != ALONE)
NO_VOTES_ON_GOLD: Sentence = "No votes on items with gold.", {}
NO_GOLD: Sentence = (
    "No item here has a known answer, so nobody can say how often labels are right. On the <b>Data</b> page, map the "
    "column with the true answers to <b>gold</b>. What can be shown is how far the methods agree:",
    {},
)
NO_GOLD_AT_IMPORT: Sentence = (
    "No gold answers are known: give the column <b>gold</b> at import to see which method is right most often.",
    {},
)
HOW_WORKERS_ARE_HELD_AGAINST_GOLD: Sentence = (
    "Intervals are Wilson's over the worker's items with gold. Dawid-Skene has not seen gold: where the two agree, it "
    "would have found the worker's mistakes without.",
    {},
)
_APART = "Points over majority"
_PERCENT = partial(share, digits=1)
_NAMES = {MAJORITY: "Majority vote", WEIGHTED: "The r_w-weighted vote"}


def _items(number: int) -> str:
    return "1 item" if number == 1 else f"{count(number)} items"


def _points(difference: float) -> str:
    return ("+" if difference > 0 else "") + decimal(100 * difference, 1)


def finding(compared: LabelAccuracy) -> Finding:
    """Which method is right most often, and how far ahead of majority vote it is."""
    told = {method: e for method, e in compared.accuracy.items() if method != ALONE}
    best = max(told, key=lambda method: told[method].value)
    values: dict[str, object] = {
        "best": _NAMES.get(best, best),
        "accuracy": share(told[best].value),
        "n": count(told[best].n),
        "alone": share(compared.accuracy[ALONE].value),
        "majority": share(told[MAJORITY].value),
    }
    if told[best].n < FEWEST_ITEMS:
        return not_enough_data(
            "Which way to label is right most often <b>cannot be told</b> from {items} with gold: {least} or more "
            "would be needed. {best} gets {accuracy} of them right.",
            values | {"items": _items(told[best].n), "least": FEWEST_ITEMS},
        )
    is_clear = False
    sentence = "<b>{best}</b> gets <b>{accuracy}</b> of {n} items with gold right"
    if told[best].value == told[MAJORITY].value:
        values |= {"best": _NAMES[MAJORITY]}
        others = [method for method in told if method != MAJORITY]
        sentence += ", and no other method more" if others else ""
    else:
        apart = compared.difference[best]
        values |= {"apart": decimal(100 * apart.value, 1), "majority": share(told[MAJORITY].value, 1)}
        if np.isnan(apart.low):
            sentence += ", majority vote {majority}"
        elif apart.low <= 0:
            values |= {"between": _between(apart, 100)}
            sentence += ", majority vote {majority}: which is better <b>cannot be told</b> ({between} points)"
        else:
            values |= {"between": _between(apart, 100)}
            is_clear = True
            sentence += ", {apart} points more than majority vote ({between})"
    as_good = [method for method in told if told[method].value == told[best].value and method != best]
    if as_good and best != MAJORITY:
        values |= {"as_good": listed(as_good)}
        sentence += ", as many as {as_good}"
    return clear_if(is_clear, sentence + "; one worker alone gets {alone}.", values)


def methods_table(compared: LabelAccuracy) -> Shown:
    """One row per method, the most accurate first."""
    rows = []
    for method, e in sorted(compared.accuracy.items(), key=lambda pair: -pair[1].value):
        apart = compared.difference.get(method)
        pending = not compared.draws[method]
        rows.append(
            {
                "Method": method,
                "Accuracy": e.value,
                "Accuracy, 95 %": PENDING if pending else _percents(e),
                _APART: 0.0 if apart is None else apart.value,
                f"{_APART}, 95 %": "" if apart is None else PENDING if pending else _between(apart, 100),
                "Items": e.n,
                "Ties": compared.labels[method].ties,
            }
        )
    written: dict[str, Callable[[float], str]] = {
        "Ties": count,
        "Items": count,
        "Accuracy": _PERCENT,
        _APART: _points,
    }
    return pd.DataFrame(rows), written


def _percents(e: Estimate) -> str:
    return "–" if np.isnan(e.low) else f"{share(e.low, 1)} to {share(e.high, 1)}"


def _between(e: Estimate, times: float) -> str:
    return "–" if np.isnan(e.low) else f"{decimal(times * e.low, 1)} to {decimal(times * e.high, 1)}"


def notes(compared: LabelAccuracy, raters_are_persons: bool) -> list[Sentence]:
    """How intervals were drawn, and how ties count."""
    made = {method: draws for method, draws in compared.draws.items() if draws}
    told: list[Sentence] = []
    if made:
        per = sorted(set(made.values()), reverse=True)
        what = [f"{count(draws)} for {listed([m for m in made if made[m] == draws])}" for draws in per]
        told.append(
            (
                "Draws of {units}: {what}. Every draw fits everything again. Differences are paired and draw items "
                "only; "
                "they rest on the few items whose labels differ, so that their intervals are cautious.",
                {
                    "units": "items and workers" if raters_are_persons else "items",
                    "what": "; ".join(what),
                },
            )
        )
    ties = {m: labels.ties for m, labels in compared.labels.items() if labels.ties and m != ALONE}
    if ties:
        told.append(
            (
                "Ties: {ties}. An item whose best options tie counts 1 divided by their number if gold is among them: "
                "what breaking ties at random gives on average.",
                {"ties": "; ".join(f"{_items(n)} under {method}" for method, n in ties.items())},
            )
        )
    return told


def remarks(poll: Poll, compared: LabelAccuracy, known: Gold) -> list[Sentence]:
    """What is missing: gold of some items, gold that nobody chose, intervals that would take too long."""
    told: list[Sentence] = []
    if known.items_without:
        told.append(
            (
                "Without gold: {items}. The methods use their votes, but the accuracy leaves them out.",
                {"items": _items(known.items_without)},
            )
        )
    unseen = [
        option for option in range(len(poll.options)) if known.of_class[option] and not known.chosen[option]
    ]
    if unseen:
        told.append(
            (
                "Nobody chose {labels}, the gold of {items}: no method can find it.",
                {
                    "labels": listed([poll.options[option] for option in unseen]),
                    "items": _items(int(known.of_class[unseen].sum())),
                },
            )
        )
    bare = [method for method in compared.labels if not compared.draws[method]]
    if bare:
        told.append(("No intervals for {methods}.", {"methods": listed(bare, 5)}))
    return told


def classes_table(poll: Poll, compared: LabelAccuracy) -> Shown:
    """Precision and recall of each class under each method; undefined where nothing got or has that label."""
    columns: dict[str, Any] = {
        "Class": list(poll.options),
        "Items with gold": compared.labels[MAJORITY].confusion.sum(axis=1),
    }
    for method in AGGREGATED:
        columns[f"Precision, {method}"] = compared.labels[method].precision
        columns[f"Recall, {method}"] = compared.labels[method].recall
    parts = [name for name in columns if name.startswith(("Precision", "Recall"))]
    written: dict[str, Callable[[float], str]] = dict.fromkeys(parts, _PERCENT)
    return pd.DataFrame(columns), written | {"Items with gold": count}


def workers_table(poll: Poll, against_gold: AgainstGold, fit: DawidSkeneFit) -> Shown:
    """One row per worker, those with most items with gold first."""
    table = pd.DataFrame(
        {
            "Worker": poll.rater_names,
            "Votes": poll.votes.per_rater,
            "Items with gold": against_gold.items,
            "Accuracy": against_gold.accuracy,
            "Accuracy, 95 %": [
                _percents(Estimate(0.0, low, high))
                for low, high in zip(against_gold.low.tolist(), against_gold.high.tolist(), strict=True)
            ],
            "Dawid-Skene accuracy": fit.accuracy,
        }
    )
    written: dict[str, Callable[[float], str]] = {
        **dict.fromkeys(("Accuracy", "Dawid-Skene accuracy"), _PERCENT),
        **dict.fromkeys(("Votes", "Items with gold"), count),
    }
    return table.sort_values(["Items with gold", "Accuracy"], ascending=False, ignore_index=True), written


def items_differ(table: pd.DataFrame) -> Sentence:
    """On how many items the methods differ."""
    differ = int((table[list(AGGREGATED)].nunique(axis=1) > 1).sum())
    return (
        "The methods differ on {some} of {items}, shown first.",
        {"some": count(differ), "items": _items(len(table))},
    )


def same_labels_table(same: Mapping[tuple[str, str], Estimate]) -> Shown:
    """To how many items each two methods give the same label."""
    table = pd.DataFrame(
        [
            {"Method": one, "And": other, "Items with the same label": e.value, "Items": e.n}
            for (one, other), e in same.items()
        ]
    )
    return table, {"Items with the same label": _PERCENT, "Items": count}


def ties_in_all(labels: Mapping[str, Labels]) -> list[Sentence]:
    """Items on which each method has more than one best option."""
    tied = [f"{_items(of.ties_in_all)} under {method}" for method, of in labels.items() if of.ties_in_all]
    if not tied:
        return []
    return [("Ties: {ties}; broken at random by each method, on average.", {"ties": "; ".join(tied)})]


def labels_table(poll: Poll, labels: Mapping[str, Labels]) -> Shown:
    """Each item's label by every method, tied ones joined; items on which methods differ come first."""
    names = np.array([*poll.options, ""], dtype=object)
    votes = poll.votes.per_item
    columns: dict[str, Any] = {"Item": poll.item_names, "Votes": votes, "Gold": names[poll.gold]}
    for method, given in labels.items():
        told = names[given.shares.argmax(axis=1)]
        for item in np.flatnonzero(given.shares.max(axis=1) < 1):
            told[item] = " = ".join(names[np.flatnonzero(given.shares[item] > 0)])
        columns[method] = told
    table = pd.DataFrame(columns)
    differ = table[list(labels)].nunique(axis=1) > 1
    return table.loc[(~differ).sort_values(kind="stable").index].reset_index(drop=True), {"Votes": count}


EXPLANATION = r"""
**Accuracy**: the share of items with gold whose aggregated label is the gold label. An item whose best *t* options
tie counts 1 / *t* if gold is among them. Items without gold take part in the fits, not in the accuracy.

**Majority vote**: everyone counts alike. **r_w-weighted vote**: each vote counts max(r_w, 0), the worker's agreement
with the others (PCC-H, Eq. 1); where all weights of an item are 0, its votes count alike. **Dawid-Skene**: every
worker has a confusion matrix, worked out together with the labels. **GLAD**: every worker has an ability, every item
a difficulty. None of them sees gold. **One worker alone**: the mean share of an item's votes that are right.

**Intervals** draw items and workers anew (pigeonhole bootstrap) and repeat the whole estimate in each draw. A draw
holds fewer different workers than the study, so its labels are noisier and right less often: percentiles of the
draws may miss even the estimate. The draws' variance therefore only tells how many independent items the study is
worth, *n = m (1 - m) / v* for draws with mean *m* and variance *v*, and the interval is Wilson's for that many, with
Student's *t* for as many units as there are workers or items, whichever are fewer. One worker alone is a mean: its
variance is that of the items and what workers carry from item to item, without draws of workers.

**Differences** to majority vote are paired over the same draws of items, the workers as they are: *t* standard
deviations to both sides, and no less than half an item makes. Methods differ on few items, so that a difference
moves in steps of one item: these intervals are cautious. One worker alone, no rival of the others, has no interval of
its difference. In simulated studies accuracies were covered 92 to 98 of 100 times (near 100 % of the items more
often), differences 94 to 100 (docs/calibration.md); GLAD was not simulated.

**Precision** of a class: of the items that get its label, the share that has it as gold; **recall**: of the items
that have it as gold, the share that gets its label. Ties count in parts.

**Each worker**: votes on items with gold, counted, beside the confusion matrix of Dawid-Skene, whose rows are the
classes it takes for true. Intervals of a worker's accuracy are Wilson's, with items as units.

Sources: Habibi and Popescu-Belis 2012, section 5; Dawid and Skene 1979; Whitehill et al. 2009; Owen 2007; Wilson
1927; Dean and Pagano 2015.
"""
