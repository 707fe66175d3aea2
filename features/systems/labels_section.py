"""Labels: how common each class is, and labels compared with known answers; verdicts, tables and sections."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from math import isfinite, isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.systems.label_accuracy import (
    ALONE,
    CLOSED,
    MAJORITY,
    WEIGHTED,
    Gold,
    LabelAccuracy,
    methods_differ,
)
from analysis.values.estimate import Estimate
from analysis.workers.polls import Poll
from analysis.workers.worker_agreement import worker_confusion
from features.blocks import (
    MAIN,
    Block,
    Figure,
    Finding,
    Heading,
    Method,
    NextStep,
    Status,
    Table,
    Text,
    Warning,
    capitalized,
    card_of,
    clear,
    clear_if,
    confidence_interval,
    for_raters,
    in_stages,
    last_stage,
    method_of,
    not_enough_data,
    not_tested,
    too_few,
)
from features.plotting.series import estimate_dots
from features.plotting.shades import matrix_layout, share_cells, share_numbers
from features.plotting.theme import (
    PERCENT_ONE_DIGIT,
    THREE_DIGITS,
    Look,
    PlotlyFigure,
    count,
    decimal,
    estimate_in_table,
    estimate_with_interval,
    share,
    short_names,
    shorten,
)
from features.program import computed_by
from features.study import Study
from features.systems import labels_results as results
from features.words import Column, counted, estimate_columns, listed, table_of


def classes_finding(found: results.ClassesFound) -> Finding:
    """Return which class is most common, and whether it is clearly so."""
    shares = {_as_label(found.options[at]): found.shares.share[at] for at in found.shares.order}
    items = counted(found.items, "item")
    if len(shares) == 1:
        return clear("All labels are {first}.", {"first": next(iter(shares))}, items)
    if found.items < results.FEWEST_ITEMS:
        return too_few("rank classes", {}, items, results.FEWEST_ITEMS, next_step=_upload("more items"))
    return most_common_finding("Class", shares, "with {share} of an item's votes", items)


def most_common_finding(
    what: str, shares: Mapping[str, Estimate], given: str, items: str, name: str = MAIN
) -> Finding:
    """Return which of two options or more is most common, and whether it is clearly so; `shares` are in their order."""
    (first, one), (second, next_one), *_ = shares.items()
    is_clear = one.low > next_one.high
    return clear_if(
        is_clear,
        f"{what} {{first}} is the most common, {given if is_clear else 'but {second} may be as common'}.",
        {"first": first, "second": second, "share": share(one.value)},
        "" if is_clear else f"{first} {share(one.value)}",
        confidence_interval(one, share),
        f"next: {second} {estimate_with_interval(next_one, share)}",
        items,
        for_raters("these raters"),
        name=name,
    )


def _as_label(option: str) -> str:
    """Return a label as a sentence has it, a number in quotation marks.

    >>> _as_label("cat"), _as_label("1")
    ('cat', '“1”')
    """
    return f"“{option}”" if option.replace(".", "").isdigit() else option


def confusion_finding(found: results.ClassesFound) -> Finding:
    """Return which two classes are confused most often."""
    if not found.shares.coincidences.any():
        headline = "Not enough data to say which classes are confused: no item has two votes."
        return not_enough_data(headline, name="confusion", next_step=_upload("more votes"))
    if found.shares.most_confused is None:
        return clear("No two votes on one item differ.", name="confusion")
    (one, other, part), options = found.shares.most_confused, found.options
    differing = np.triu(found.shares.coincidences, 1)
    return not_tested(
        "Where one rater says {one}, another says {other} {part} of the time.",
        {"one": _as_label(options[one]), "other": _as_label(options[other]), "part": share(part)},
        f"Most frequent confusion, {share(differing.max() / differing.sum())} of differing votes",
        counted(found.items, "item"),
        "in these votes",
        name="confusion",
    )


def classes_table(found: results.ClassesFound) -> Table:
    """Return one row per class, the most common first: its share, and what others say where it is given."""
    shares, order = found.shares, found.shares.order
    other, often = (each[order].tolist() for each in shares.most_confused_with)
    confused = ["" if isnan(part) else found.options[at] for at, part in zip(other, often, strict=True)]
    return table_of(
        "classes",
        "Classes, the most common first: share of an item's votes, and what others say.",
        [
            Column("Class", [found.options[at] for at in order]),
            *estimate_columns("Share of votes", [shares.share[at] for at in order], PERCENT_ONE_DIGIT),
            Column("Others agree", np.diagonal(shares.confusion_shares)[order], PERCENT_ONE_DIGIT),
            Column("Most often confused with", confused),
            Column("How often", often, PERCENT_ONE_DIGIT),
            Column("Votes", shares.votes[order], count),
        ],
    )


def crowd_finding(found: results.CrowdFound) -> Finding:
    """Return how often the crowd's majority gives the known answer, and whether that is beyond chance."""
    whole, kappa = found.whole, found.whole.kappa
    items, known = counted(whole.items, "item"), "gold" if found.known == "gold" else "the expert"
    if whole.items < results.FEWEST_ITEMS:
        step = _upload("more known answers")
        return too_few(f"compare with {known}", {}, items, results.FEWEST_ITEMS, next_step=step)
    is_clear = kappa.excludes()
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


def crowd_table(found: results.CrowdFound) -> Table:
    rows = found.rows.values()
    return table_of(
        "known-answers",
        "The crowd's label compared with the known answer.",
        [
            Column("Comparison", list(found.rows)),
            Column("Same answer", [one.accuracy for one in rows], PERCENT_ONE_DIGIT),
            *estimate_columns("Kappa", [one.kappa for one in rows], THREE_DIGITS),
            Column("Items", [one.items for one in rows], count),
            Column("Ties", [one.ties for one in rows], count),
        ],
    )


def methods_finding(found: LabelAccuracy) -> Finding:
    """Return which method is right most often, and whether it is clearly ahead of majority vote."""
    rivals = [method for method in found.accuracy if method != ALONE]
    best = max(rivals, key=lambda method: found.accuracy[method].value)
    accuracy, ahead = found.accuracy[best], found.difference.get(best, Estimate(0.0))
    than = ", and no method on more" if best == MAJORITY else ""
    if than == "" and isfinite(ahead.low):
        than = f", {'' if ahead.low > 0 else 'not clearly '}more than majority vote"
    interval = confidence_interval(accuracy, share)
    return clear_if(
        ahead.low > 0,
        f"{{best}} is right on {{accuracy}} of items{than}.",
        {"best": f"The {best}" if best == WEIGHTED else capitalized(best), "accuracy": share(accuracy.value)},
        interval,
        "" if best == MAJORITY else f"{estimate_in_table(ahead, _points)} points above majority vote",
        f"{counted(accuracy.n, 'item')} with gold",
        for_raters(found.scope) if interval else "",
        f"{ALONE} {share(found.accuracy[ALONE].value)}",
        name="methods",
    )


def missing_gold(gold: Gold) -> Finding:
    """Return the finding that too few items have gold to compare methods."""
    if gold.items:
        there, step = f"{counted(gold.items, 'item')} with gold", _upload("more gold")
        return too_few("compare methods", {}, there, results.FEWEST_ITEMS, next_step=step, name="methods")
    step = NextStep("Map the column with true answers to gold", "datasets.py")
    headline = "Not enough data to say which method is right: no item has gold."
    return not_enough_data(headline, name="methods", next_step=step)


def _upload(what: str) -> NextStep:
    return NextStep(f"Upload {what}", "datasets.py")


def _points(difference: float) -> str:
    return f"{'+' if difference > 0 else ''}{decimal(100 * difference, 1)}"


def methods_table(found: LabelAccuracy) -> Table:
    order = sorted(found.accuracy, key=lambda method: -found.accuracy[method].value)
    accuracy = [found.accuracy[method] for method in order]
    above = [found.difference.get(method, Estimate(0.0)) for method in order]
    return table_of(
        "labels",
        "How often each method gives the gold label, and its difference to majority vote.",
        [
            Column("Method", order),
            *estimate_columns("Accuracy", accuracy, PERCENT_ONE_DIGIT),
            *estimate_columns("Points above majority", above, _points),
            Column("Items", [one.n for one in accuracy], count),
            Column("Ties", [found.labels[method].ties for method in order], count),
        ],
    )


def gold_warnings(poll: Poll, gold: Gold) -> list[Warning]:
    """Return which items have no gold, and gold that nobody chose."""
    texts: list[Text] = []
    if gold.items_without:
        rest = counted(gold.items_without, "item")
        texts.append(("Without gold: {rest}. Methods use their votes, accuracies do not.", {"rest": rest}))
    unseen = [at for at in range(len(poll.options)) if gold.of_class[at] and not gold.chosen[at]]
    if unseen:
        items = counted(int(gold.of_class[unseen].sum()), "item")
        values = {"names": listed([poll.options[at] for at in unseen]), "items": items}
        texts.append(("Nobody chose {names}, the gold of {items}: no method can find it.", values))
    return [Warning(text) for text in texts]


def precision_table(poll: Poll, found: LabelAccuracy, method: str) -> Table:
    columns = [
        Column("Class", list(poll.options)),
        Column("Items with gold", found.labels[MAJORITY].confusion.sum(axis=1), count),
    ]
    for name in results.AGGREGATED:
        labels, at_first_sight = found.labels[name], name == method
        columns.append(Column(f"Precision, {name}", labels.precision, PERCENT_ONE_DIGIT, at_first_sight))
        columns.append(Column(f"Recall, {name}", labels.recall, PERCENT_ONE_DIGIT, at_first_sight))
    return table_of("precision", "Precision and recall of each class by method.", columns)


def items_table(poll: Poll, found: LabelAccuracy) -> Table:
    labels = {method: found.labels[method] for method in results.AGGREGATED}
    names, differ = np.array([*poll.options, ""]), methods_differ(labels)
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
    return table_of(
        "same-labels",
        "Share of items to which two methods give the same label, which needs no gold.",
        [
            Column("Method", [one for one, _ in same]),
            Column("And", [other for _, other in same]),
            Column("Same label", [each.value for each in same.values()], PERCENT_ONE_DIGIT),
            Column("Items", [each.n for each in same.values()], count),
        ],
    )


MOST_CLASSES = 12
"""Classes in one matrix; of more, the most frequent."""
_CELL = 38


def confusion_map(
    cells: NDArray[Any],
    names: Sequence[str],
    axes: tuple[str, str],
    unit: str,
    look: Look,
    frequency: NDArray[Any] | None = None,
) -> PlotlyFigure:
    """Draw the share of each column in each row of a matrix (k, k), in percent; rows of nothing stay empty.

    `axes` are the titles of rows and columns. `cells` are counts of a `unit`, such as votes, or shares where it is "".
    Of many classes the most frequent are drawn, by `frequency` (k,), by default by what the cells hold.
    """
    total = np.nansum(cells, axis=1)
    often = total + np.nansum(cells, axis=0) if frequency is None else frequency
    shown = np.sort(np.argsort(-often, kind="stable")[:MOST_CLASSES])
    k, rows_of = len(shown), np.where(total > 0, total, np.nan)[:, None]
    shares = (cells / rows_of)[np.ix_(shown, shown)]

    def hover(y: int, x: int) -> str:
        row, column = shown[y], shown[x]
        parts = f", {_counted(cells[row, column])} of {_counted(total[row])} {unit}" if unit else ""
        named = [f"{axes[0]}: {shorten(names[row])}", f"{axes[1]}: {shorten(names[column])}"]
        return "<br>".join([*named, share(float(shares[y, x]), 1) + parts])

    remark = "% of each row"
    if len(often) > k:
        remark += f", {k} of {count(len(often))} classes: the most frequent"
    texts = short_names([names[code] for code in shown], 12)
    made = matrix_layout(texts, texts, look, 110 + _CELL * max(k, 2), axes, remark)
    parts = [[None if isnan(part) else part for part in row] for row in shares.tolist()]
    heat = share_cells(parts, [[hover(y, x) for x in range(k)] for y in range(k)], look)
    return {"data": [heat, share_numbers(parts, look)], "layout": made}


def _counted(number: float) -> str:
    """Return a count of items, which may be in parts where options tie."""
    return count(number) if float(number).is_integer() else decimal(float(number), 1)


@computed_by(
    results.count_classes,
    "shares = dict(zip(found.options, found.shares.share))",
    "results = {'shares': shares, 'confused': found.shares.confusion_shares}",
)
def classes_section(study: Study, spec: results.ClassesSpec) -> Iterator[Block]:
    """Yield how common each class is, and which classes are confused."""
    found = results.count_classes(study, spec)
    verdict = classes_finding(found)
    yield verdict
    if verdict.status is Status.NOT_ENOUGH_DATA or len(found.shares.order) == 1:
        return
    shares = {found.options[at]: found.shares.share[at] for at in found.shares.order}
    caption = "Share of an item's votes for each class with its 95% CI, the most common on top."
    yield Figure("shares", (caption, {}), partial(estimate_dots, shares, "Share of an item's votes"))
    yield classes_table(found)
    yield Heading("Confused classes")
    confusion = confusion_finding(found)
    yield confusion
    if confusion.status is not Status.NOT_ENOUGH_DATA:
        caption = "Percent of an item's other votes for each class, where one vote is for the row's class."
        axes = "One rater says", "Another rater says"
        draw = partial(confusion_map, found.shares.coincidences, found.options, axes, "votes")
        yield Figure("confused", (caption, {}), draw)
    yield method_of("systems", "classes", ["krippendorff2011"])


@computed_by(results.compare_known, "results = found")
def known_section(study: Study, spec: results.KnownSpec) -> Iterator[Block]:
    """Yield the labels of the crowd, of each method and of each rater compared with known answers."""
    crowd = list(crowd_section(study, spec))
    yield from crowd
    if results.has_methods(study):
        yield from [Heading("Accuracy of the methods")] if crowd else []
        yield from labels_section(study, spec)
    yield known_method(spec)


def crowd_section(study: Study, spec: results.KnownSpec) -> Iterator[Block]:
    """Yield how often the crowd's label is the known answer; nothing where none is known."""
    found = results.compare_crowd(study, spec)
    if found is None:
        return
    verdict = crowd_finding(found)
    yield verdict
    if verdict.status is Status.NOT_ENOUGH_DATA:
        return
    caption = "Kappa of the crowd's label with the known answer, with its 95% CI, under each comparison."
    kappas, title = {name: one.kappa for name, one in found.rows.items()}, "Kappa of the crowd's label"
    draw = partial(estimate_dots, kappas, title, shares=False, guide=0.0)
    if len(found.parts) == 1:
        caption = "Percent of the items of each known answer that get each label by the crowd."
        axes = found.known.capitalize(), "The crowd says"
        draw = partial(confusion_map, found.whole.confusion, found.options, axes, "items")
    yield Figure("known-answers", (caption, {}), draw)
    yield crowd_table(found)


def labels_section(study: Study, spec: results.KnownSpec) -> Iterator[Block]:
    """Yield the labels of each method compared with gold, then those of each item, and the chosen rater's.

    Without enough gold it yields how often methods give the same label.
    """
    poll, gold = results.poll_of(study, spec), results.count_gold(study, spec)
    stages = results.method_stages(study, spec)
    if results.has_enough_gold(study, spec):
        found = yield from in_stages(stages, partial(_methods, study))
        yield from gold_warnings(poll, gold)
        yield Heading("By class")
        caption = "Percent of the items of each gold class that get each label by {method}."
        cells, axes = found.labels[spec.method].confusion, ("Gold", f"Label by {spec.method}")
        draw = partial(confusion_map, cells, poll.options, axes, "items")
        yield Figure("confused-labels", (caption, {"method": spec.method}), draw)
        yield precision_table(poll, found, spec.method)
        if spec.rater in poll.rater_names:
            yield Heading("By rater")
            yield from _confusions_of_rater(study, spec)
    else:
        found = last_stage(stages)
        yield missing_gold(gold)
        yield same_labels_table(results.compare_labels(found))
    yield items_table(poll, found)


def _methods(study: Study, found: LabelAccuracy) -> Iterator[Block]:
    yield methods_finding(found)
    accuracy = dict(sorted(found.accuracy.items(), key=lambda row: -row[1].value))
    caption = "Share of items that get their gold label with its 95% CI, by method, the highest on top."
    draw = partial(estimate_dots, accuracy, "Items with gold that get their gold label")
    yield Figure("labels", (caption, {}), draw)
    yield methods_table(found)


def _confusions_of_rater(study: Study, spec: results.KnownSpec) -> Iterator[Block]:
    """Yield the votes of the chosen rater by gold, and by the class that Dawid-Skene estimates."""
    poll, fit = results.poll_of(study, spec), results.fit_raters(study, spec)
    rater = poll.rater_names.tolist().index(spec.rater)
    given, estimated = worker_confusion(poll.votes, poll.gold, rater), fit.observed_confusion(rater)
    often = given.sum(axis=0) + given.sum(axis=1) + fit.met[rater]
    answer = f"Answer of {shorten(spec.rater, 24)}"
    for name, cells, by, axis, unit in (
        ("counted", given, "the item's gold", "Gold", "votes"),
        ("estimated", estimated, "the class that Dawid-Skene estimates", "Class by Dawid-Skene", ""),
    ):
        if cells.any():
            caption = f"Percent of {{rater}}'s votes for each class, by {by}."
            draw = partial(confusion_map, cells, poll.options, (axis, answer), unit, frequency=often)
            yield Figure(name, (caption, {"rater": spec.rater}), draw)


def known_method(spec: results.KnownSpec) -> Method:
    """Return how labels are compared with known answers."""
    sources = ("dawid1979", "whitehill2009", "habibi2012")
    return method_of("systems", "known_answers", sources, seed=spec.bootstrap.seed)


def labels_card(study: Study) -> list[Block]:
    """Return the accuracy of methods without a fit and without intervals for the overview; the classes without gold."""
    spec, gold = results.KnownSpec(), results.count_gold(study, results.KnownSpec())
    if not gold.items:
        return card_of(classes_section(study, results.ClassesSpec()))
    if results.has_enough_gold(study, spec):
        return card_of(_methods(study, results.compare_methods(study, spec, CLOSED)))
    return [missing_gold(gold)]
