"""Verdicts and tables of labels: the most common class, the crowd against known answers, the most accurate method."""

from collections.abc import Mapping, Sequence
from functools import partial
from math import isnan
from typing import Any

import numpy as np
import pandas as pd

from analysis.systems.label_accuracy import ALONE, MAJORITY, WEIGHTED, Gold, LabelAccuracy
from analysis.values.estimate import Estimate
from analysis.workers.dawid_skene import DawidSkeneFit
from analysis.workers.polls import Poll
from analysis.workers.worker_agreement import AgainstGold
from features.blocks import Finding, NextStep, Note, Status, Table, Text, Warning
from features.evidence import FOR_RATERS_LIKE_THESE, FOR_THESE_RATERS, confidence_interval, evidence
from features.plotting.numbers import (
    count,
    decimal,
    decimal_with_interval,
    interval,
    share,
    share_with_interval,
)
from features.systems.labels_results import AGGREGATED, FEWEST_ITEMS, ClassesFound, CrowdFound, methods_differ
from features.tables import Written
from features.verdicts import excludes
from features.words import counted, listed

TIES = Note(("An item on which several labels tie counts in equal parts.", {}))
_PERCENT = partial(share, digits=1)
_COUNTS: Mapping[str, Written] = dict.fromkeys(("Votes", "Items", "Ties", "Items with gold"), count)
_ABOVE = "Points above majority"


def classes_finding(found: ClassesFound) -> Finding:
    """Return which class is most common, and whether it is clearly so."""
    items, first, *others = counted(found.items, "item"), *found.order
    values: dict[str, object] = {"first": found.options[first]}
    if not others:
        return Finding(("All labels are {first}.", values), evidence(items), Status.CLEAR)
    if found.items < FEWEST_ITEMS:
        return _not_enough("rank classes", items, "Upload more items", "finding")
    one, next_one = found.shares.share[first], found.shares.share[others[0]]
    is_clear = one.low > next_one.high
    values |= {"share": share(one.value), "second": found.options[others[0]]}
    headline = "Class {first} is the most common, with {share} of votes."
    if not is_clear:
        headline = "Class {first} is the most common, but {second} may be as common."
    line = evidence(
        "" if is_clear else f"{found.options[first]} {share(one.value)}",
        confidence_interval(one, share),
        f"next: {found.options[others[0]]} {share_with_interval(next_one)}",
        f"{count(len(found.order))} classes",
        items,
        FOR_THESE_RATERS,
    )
    return Finding((headline, values), line, Status.CLEAR if is_clear else Status.UNCERTAIN)


def confusion_finding(found: ClassesFound) -> Finding:
    """Return which two classes are confused most often."""
    line, confused = (
        evidence("Most frequent confusion", counted(found.items, "item"), "in these votes"),
        "confusion",
    )
    if not found.shares.together.any():
        headline = "Not enough data to say which classes are confused: no item has two votes."
        step = NextStep("Upload more votes", "datasets.py")
        return Finding((headline, {}), status=Status.NOT_ENOUGH_DATA, next_step=step, name=confused)
    if found.shares.most_confused is None:
        return Finding(("No two votes on one item differ.", {}), name=confused)
    one, other, part = found.shares.most_confused
    values = {"one": found.options[one], "other": found.options[other], "part": share(part)}
    headline = "Where one rater says {one}, another says {other} {part} of the time."
    return Finding((headline, values), line, name=confused)


def classes_table(found: ClassesFound) -> Table:
    """Return one row per class, the most common first: its share, and what others say where it is given."""
    given, alike = list(found.order), np.diagonal(found.confused)
    others = np.nan_to_num(found.confused - np.diag(alike))[given]
    shares = [found.shares.share[at] for at in given]
    met, often = others.argmax(axis=1), others.max(axis=1)
    rows = {
        "Class": [found.options[at] for at in given],
        "Share of votes": [one.value for one in shares],
        "Others agree": alike[given],
        "Most often confused with": [
            found.options[at] if part else "" for at, part in zip(met, often, strict=True)
        ],
        "How often": np.where(often > 0, often, np.nan),
        "Votes": found.votes[given],
    }
    written: dict[str, Written] = {
        "Share of votes": [share_with_interval(one, 1) for one in shares],
        **dict.fromkeys(("Others agree", "How often"), _PERCENT),
    }
    caption = "Classes, the most common first: share of an item's votes, and what others say."
    return _table("classes", caption, rows, written, Share=shares)


def crowd_finding(found: CrowdFound) -> Finding:
    """Return how often the crowd's majority gives the known answer, and whether that is beyond chance."""
    whole, kappa = found.whole, found.whole.kappa
    items, known = counted(whole.items, "item"), "gold" if found.known == "gold" else "the expert"
    if whole.items < FEWEST_ITEMS:
        return _not_enough(f"compare with {known}", items, "Upload more known answers", "finding")
    is_clear = excludes(kappa)
    headline = "The crowd's majority matches {known} on {share} of items"
    headline += "." if is_clear or not kappa.defined else ", not clearly beyond chance."
    parts = [
        (one.kappa.value, f"{name} {decimal_with_interval(one.kappa)}")
        for name, one in found.parts.items()
        if one.kappa.defined and one.items >= FEWEST_ITEMS
    ]
    line = evidence(
        f"Kappa {decimal(kappa.value)}" if kappa.defined else f"Kappa undefined: {kappa.reason}",
        confidence_interval(kappa),
        items,
        FOR_THESE_RATERS,
        f"lowest: {min(parts)[1]}" if len(parts) > 1 else "",
        f"highest: {max(parts)[1]}" if len(parts) > 1 else "",
    )
    values = {"known": known, "share": share(whole.accuracy)}
    return Finding((headline, values), line, Status.CLEAR if is_clear else Status.UNCERTAIN)


def crowd_table(found: CrowdFound) -> Table:
    """Return one row per design or comparison."""
    parts = found.parts.values()
    kappas = [one.kappa for one in parts]
    rows = {
        "Comparison": list(found.parts),
        "Same answer": [one.accuracy for one in parts],
        "Kappa": [one.value for one in kappas],
        "Items": [one.items for one in parts],
        "Ties": [one.ties for one in parts],
    }
    written: dict[str, Written] = {
        "Same answer": _PERCENT,
        "Kappa": [decimal_with_interval(one, 3) for one in kappas],
    }
    caption = "The crowd's label compared with the known answer."
    return _table("known-answers", caption, rows, written, Kappa=kappas)


def methods_finding(found: LabelAccuracy, raters_are_persons: bool) -> Finding:
    """Return which method is right most often, and whether it is clearly ahead of majority vote."""
    known = {method: one for method, one in found.accuracy.items() if method != ALONE}
    best = max(known, key=lambda method: known[method].value)
    alike = [method for method, one in known.items() if one.value == known[best].value and method != best]
    is_clear, ahead = False, ""
    headline = "{best} is right on {accuracy} of items, and no method on more."
    if best == MAJORITY or MAJORITY in alike:
        best, alike = MAJORITY, []
    else:
        apart = found.difference[best]
        is_clear, ahead = apart.low > 0, f"{points(apart)} points above majority vote"
        headline = "{best} is right on {accuracy} of items, majority vote on fewer."
        if not isnan(apart.low):
            than = "more than" if is_clear else "not clearly more than"
            headline = f"{{best}} is right on {{accuracy}} of items, {than} majority vote."
    told = confidence_interval(known[best], share)
    scope = FOR_RATERS_LIKE_THESE if raters_are_persons else FOR_THESE_RATERS
    line = evidence(
        told,
        ahead,
        f"as many by {listed(alike)}" if alike else "",
        f"{counted(known[best].n, 'item')} with gold",
        scope if told else "",
        f"one rater alone {share(found.accuracy[ALONE].value)}",
    )
    called = {MAJORITY: "Majority vote", WEIGHTED: "The r_w-weighted vote"}.get(best, best)
    values = {"best": called, "accuracy": share(known[best].value)}
    status = Status.CLEAR if is_clear else Status.UNCERTAIN
    return Finding((headline, values), line, status, name="methods")


def missing_gold(gold: Gold) -> Finding:
    """Return the finding that too few items have gold to compare methods."""
    if gold.items:
        there = f"{counted(gold.items, 'item')} with gold"
        return _not_enough("compare methods", there, "Upload more gold", "methods")
    headline = "Not enough data to say which method is right: no item has gold."
    step = NextStep("Map the column with true answers to gold", "datasets.py")
    return Finding((headline, {}), status=Status.NOT_ENOUGH_DATA, next_step=step, name="methods")


def _not_enough(purpose: str, there: str, step: str, name: str) -> Finding:
    headline = f"Not enough data to {purpose}: you have {{there}}, it needs {{least}}."
    values = {"there": there, "least": FEWEST_ITEMS}
    next_step = NextStep(step, "datasets.py")
    return Finding((headline, values), status=Status.NOT_ENOUGH_DATA, next_step=next_step, name=name)


def method_name(method: str) -> str:
    """Return a method as pages call it."""
    return "one rater alone" if method == ALONE else method


def points(difference: Estimate) -> str:
    """Return a difference of two shares in percentage points.

    >>> points(Estimate(0.1, 0.02, 0.2)), points(Estimate(-0.1))
    ('+10.0 (2.0 to 20.0)', '−10.0')
    """
    sign = "+" if difference.value > 0 else ""
    between = interval(Estimate(0.0, 100 * difference.low, 100 * difference.high), 1)
    return f"{sign}{decimal(100 * difference.value, 1)}" + ("" if between == "–" else f" ({between})")


def methods_table(found: LabelAccuracy) -> Table:
    """Return one row per method, the most accurate first."""
    order = sorted(found.accuracy, key=lambda method: -found.accuracy[method].value)
    accuracy = [found.accuracy[method] for method in order]
    above = [found.difference.get(method, Estimate(0.0)) for method in order]
    rows = {
        "Method": [method_name(method) for method in order],
        "Accuracy": [one.value for one in accuracy],
        _ABOVE: [one.value for one in above],
        "Items": [one.n for one in accuracy],
        "Ties": [found.labels[method].ties for method in order],
    }
    written: dict[str, Written] = {
        "Accuracy": [share_with_interval(one, 1) for one in accuracy],
        _ABOVE: [points(one) for one in above],
    }
    caption = "How often each method gives the gold label, and its difference to majority vote."
    return _table("labels", caption, rows, written, Accuracy=accuracy, Points=above)


def methods_notes(found: LabelAccuracy, raters_are_persons: bool) -> list[Note]:
    """Return how intervals were drawn, and how ties count."""
    made = [f"{count(draws)} for {method_name(method)}" for method, draws in found.draws.items() if draws]
    units = "items and raters" if raters_are_persons else "items"
    text = (
        "Bootstrap samples of {units}: {what}. Differences are paired over items; they depend on the few items whose "
        "labels differ, so their intervals are cautious."
    )
    drawn = [Note((text, {"units": units, "what": ", ".join(made)}))] if made else []
    return drawn + ([TIES] if any(one.ties for one in found.labels.values()) else [])


def methods_warnings(poll: Poll, gold: Gold, found: LabelAccuracy) -> list[Warning]:
    """Return what is missing: gold of some items, gold that nobody chose, intervals."""
    told: list[Text] = []
    if gold.items_without:
        rest = counted(gold.items_without, "item")
        told.append(("Without gold: {rest}. Methods use their votes, accuracies do not.", {"rest": rest}))
    unseen = [at for at in range(len(poll.options)) if gold.of_class[at] and not gold.chosen[at]]
    if unseen:
        labels = listed([poll.options[at] for at in unseen])
        items = counted(int(gold.of_class[unseen].sum()), "item")
        text = "Nobody chose {names}, the gold of {items}: no method can find it."
        told.append((text, {"names": labels, "items": items}))
    bare = [method_name(method) for method, draws in found.draws.items() if not draws]
    if bare:
        told.append(("No intervals for {methods}.", {"methods": listed(bare, 5)}))
    return [Warning(text) for text in told]


def precision_table(poll: Poll, found: LabelAccuracy, method: str) -> Table:
    """Return precision and recall of each class under each method, at first sight under one of them."""
    columns = {
        f"{measure}, {name}": getattr(found.labels[name], measure.casefold())
        for name in AGGREGATED
        for measure in ("Precision", "Recall")
    }
    gold = found.labels[MAJORITY].confusion.sum(axis=1)
    return Table(
        "precision",
        ("Precision and recall of each class by method.", {}),
        pd.DataFrame({"Class": list(poll.options), "Items with gold": gold, **columns}),
        ("Class", "Items with gold", f"Precision, {method}", f"Recall, {method}"),
        {**dict.fromkeys(columns, _PERCENT), **_COUNTS},
    )


def raters_table(poll: Poll, against: AgainstGold, fit: DawidSkeneFit) -> Table:
    """Return one row per rater, those with most items with gold first."""
    order = np.lexsort((-np.nan_to_num(against.accuracy, nan=-1.0), -against.items))
    ends = zip(against.accuracy[order], against.low[order], against.high[order], strict=True)
    accuracy = [Estimate(float(value), float(low), float(high)) for value, low, high in ends]
    rows = {
        "Rater": poll.rater_names[order],
        "Votes": poll.votes.per_rater[order],
        "Items with gold": against.items[order],
        "Accuracy": against.accuracy[order],
        "Dawid-Skene accuracy": fit.accuracy[order],
    }
    written: dict[str, Written] = {
        "Accuracy": [share_with_interval(one, 1) for one in accuracy],
        "Dawid-Skene accuracy": _PERCENT,
    }
    caption = "Accuracy of each rater against gold, and as Dawid-Skene estimates it without gold."
    return _table("raters", caption, rows, written, Accuracy=accuracy)


def items_table(items: pd.DataFrame) -> Table:
    """Return each item's label by every method, folded."""
    differ = count(methods_differ(items).sum())
    return Table(
        "items",
        ("Label of each item by every method, those first on which methods differ.", {}),
        items,
        formats=_COUNTS,
        fold=f"Each item: methods differ on {differ} of {counted(len(items), 'item')}",
    )


def same_labels_table(same: Mapping[tuple[str, str], Estimate]) -> Table:
    """Return on how many items each two methods give the same label."""
    pairs = [
        {"Method": one, "And": other, "Same label": share.value, "Items": share.n}
        for (one, other), share in same.items()
    ]
    caption = "Share of items to which two methods give the same label, which needs no gold."
    return Table(
        "same-labels", (caption, {}), pd.DataFrame(pairs), formats={"Same label": _PERCENT, **_COUNTS}
    )


def _table(
    name: str,
    caption: str,
    rows: Mapping[str, Any],
    formats: Mapping[str, Written],
    **estimates: Sequence[Estimate],
) -> Table:
    """Return a table that has both ends of the intervals, unrounded, in columns behind the others."""
    ends = {f"{of} from": [one.low for one in told] for of, told in estimates.items()}
    ends |= {f"{of} to": [one.high for one in told] for of, told in estimates.items()}
    return Table(name, (caption, {}), pd.DataFrame({**rows, **ends}), tuple(rows), {**_COUNTS, **formats})


CLASSES_DETAILS = r"""
**Share of a class**: its share of each item's votes, averaged over items, so that an item with many votes counts no
more than one with few. The interval is over items, for these raters: Wilson's formula with the variance of the items'
shares.

**Confusion**: of two votes on one item, how often the other is for another class. Of an item of *n* votes each pair
counts $1 / (n - 1)$, so that each vote counts once (Krippendorff's coincidences). This needs no known answers, and does
not say who is right: **Against known answers** does.

**Sources:** Krippendorff 2011, section C; Wilson 1927; Dean and Pagano 2015 (clustered shares).
"""
KNOWN_DETAILS = r"""
**The crowd's label** of an item is the one with most votes; each of *t* labels that tie counts $1 / t$, as breaking
ties at random would on average. **Kappa** (Cohen) compares the crowd, as one rater, with gold or the expert:
$\kappa = (p_o - p_e) / (1 - p_e)$, with $p_o$ the share of items on which both agree and $p_e$ that share had each
labeled at random with its own shares. Its interval leaves out each item in turn (jackknife), for these raters. Each
design, condition or pair of systems has its own row.

**Accuracy**: the share of items with gold whose aggregated label is the gold label. An item whose best *t* options tie
counts 1 / *t* if gold is among them. Items without gold are used in the fits, not in the accuracy.

**Majority vote**: all votes count alike. **r_w-weighted vote**: each vote counts max(r_w, 0), its rater's agreement
with the others (PCC-H, Eq. 1); where all weights of an item are 0, its votes count alike. **Dawid-Skene**: each rater
has a confusion matrix, estimated together with the labels. **GLAD**: each rater has an ability, each item a difficulty.
No method sees gold. **One rater alone**: the mean share of an item's votes that are right.

**Intervals** resample items and raters (pigeonhole bootstrap) and repeat the whole estimate. A sample has fewer
different raters than the study, so its labels are noisier and less often right, and percentiles may miss even the
estimate. The samples therefore only give the number of independent items that the study is worth, *n = m (1 - m) / v*
for samples with mean *m* and variance *v*. The interval is Wilson's for that many, with Student's *t* for as many units
as there are raters or items, whichever are fewer. One rater alone is a mean: its variance is that of the items and of
what raters add from item to item, without samples of raters.

**Differences** to majority vote are paired over the same samples of items, with the same raters: *t* standard
deviations to both sides, and at least half an item. Methods differ on few items, so that these intervals are cautious.
One rater alone has no interval of its difference. In simulated studies accuracies were covered 92 to 98 of 100 times
(near 100 % of the items more often), differences 94 to 100 (docs/calibration.md); GLAD was not simulated.

**Precision** of a class: of the items that get its label, the share that has it as gold. **Recall**: of the items that
have it as gold, the share that gets its label. Ties count in parts.

**Each rater**: votes on items with gold, counted, and the confusion matrix of Dawid-Skene, whose rows are the classes
it estimates as true. Intervals of a rater's accuracy are Wilson's, with items as units.

**Sources:** Cohen 1960; Arvesen 1969 (jackknife); Habibi and Popescu-Belis 2012, section 5; Dawid and Skene 1979;
Whitehill et al. 2009; Owen 2007; Wilson 1927; Dean and Pagano 2015.
"""
