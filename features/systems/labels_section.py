"""Sections on labels: how common each class is, and labels compared with known answers."""

from collections.abc import Iterator, Sequence
from functools import partial
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.systems.label_accuracy import CLOSED, LabelAccuracy
from analysis.workers.worker_agreement import confusion_of
from features.blocks import Block, Figure, Heading, Method, Status, card_of, in_stages, last_of
from features.plotting.numbers import count, decimal, share
from features.plotting.series import estimate_dots
from features.plotting.shades import matrix_layout, share_cells, share_numbers
from features.plotting.theme import Look, PlotlyFigure, short_names, shorten
from features.program import method_of, study_program
from features.study import Study
from features.systems import labels_findings as findings
from features.systems import labels_results as results
from features.systems.labels_results import ClassesSpec, KnownSpec

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


def classes_section(study: Study, spec: ClassesSpec) -> Iterator[Block]:
    """Yield how common each class is, and which classes are confused."""
    found = results.count_classes(study, spec)
    verdict = findings.classes_finding(found)
    yield verdict
    if verdict.status is Status.NOT_ENOUGH_DATA or len(found.shares.order) == 1:
        return
    shares = {found.options[at]: found.shares.share[at] for at in found.shares.order}
    caption = "Share of an item's votes for each class with its 95% CI, the most common on top."
    yield Figure("shares", (caption, {}), partial(estimate_dots, shares, "Share of an item's votes"))
    yield findings.classes_table(found)
    yield Heading("Confused classes")
    confusion = findings.confusion_finding(found)
    yield confusion
    if confusion.status is not Status.NOT_ENOUGH_DATA:
        caption = "Percent of an item's other votes for each class, where one vote is for the row's class."
        axes = "One rater says", "Another rater says"
        draw = partial(confusion_map, found.shares.together, found.options, axes, "votes")
        yield Figure("confused", (caption, {}), draw)
    yield method_of("systems", "classes", ["krippendorff2011"])


def known_section(study: Study, spec: KnownSpec) -> Iterator[Block]:
    """Yield the labels of the crowd, of each method and of each rater compared with known answers."""
    crowd = list(crowd_section(study, spec))
    yield from crowd
    if results.has_methods(study):
        yield from [Heading("Accuracy of the methods")] if crowd else []
        yield from labels_section(study, spec)
    yield known_method(spec)


def crowd_section(study: Study, spec: KnownSpec) -> Iterator[Block]:
    """Yield how often the crowd's label is the known answer; nothing where none is known."""
    found = results.compare_crowd(study, spec)
    if found is None:
        return
    verdict = findings.crowd_finding(found)
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
    yield findings.crowd_table(found)


def labels_section(study: Study, spec: KnownSpec) -> Iterator[Block]:
    """Yield the labels of each method compared with gold, then each rater's and each item's.

    Without enough gold it yields how often methods give the same label.
    """
    poll, gold = results.poll_of(study, spec), results.count_gold(study, spec)
    stages = results.method_stages(study, spec)
    if results.has_enough_gold(study, spec):
        found = yield from in_stages(stages, partial(_methods, study))
        yield from findings.gold_warnings(poll, gold)
        yield Heading("By class")
        caption = "Percent of the items of each gold class that get each label by {method}."
        cells, axes = found.labels[spec.method].confusion, ("Gold", f"Label by {spec.method}")
        draw = partial(confusion_map, cells, poll.options, axes, "items")
        yield Figure("confused-labels", (caption, {"method": spec.method}), draw)
        yield findings.precision_table(poll, found, spec.method)
        yield Heading("By rater")
        yield from _raters(study, spec)
    else:
        found = last_of(stages)
        yield findings.missing_gold(gold)
        yield findings.same_labels_table(results.compare_labels(found))
    yield findings.items_table(poll, found)


def _methods(study: Study, found: LabelAccuracy) -> Iterator[Block]:
    yield findings.methods_finding(found, study.raters_are_persons)
    accuracy = dict(sorted(found.accuracy.items(), key=lambda row: -row[1].value))
    caption = "Share of items that get their gold label with its 95% CI, by method, the highest on top."
    draw = partial(estimate_dots, accuracy, "Items with gold that get their gold label")
    yield Figure("labels", (caption, {}), draw)
    yield findings.methods_table(found)


def _raters(study: Study, spec: KnownSpec) -> Iterator[Block]:
    poll, fit = results.poll_of(study, spec), results.fit_raters(study, spec)
    names = poll.rater_names.tolist()
    if spec.rater in names:
        rater, axes = names.index(spec.rater), ("Gold", f"Answer of {shorten(spec.rater, 24)}")
        counted, estimated = confusion_of(poll.votes, poll.gold, rater), fit.confusion_where_met(rater)
        often = counted.sum(axis=0) + counted.sum(axis=1) + fit.met[rater]
        told = {"rater": spec.rater}
        if counted.any():
            caption = "Percent of {rater}'s votes for each class, by the item's gold."
            draw = partial(confusion_map, counted, poll.options, axes, "votes", frequency=often)
            yield Figure("counted", (caption, told), draw)
        if estimated.any():
            caption = "Percent of {rater}'s votes for each class, by the class that Dawid-Skene estimates."
            axes = "Class by Dawid-Skene", axes[1]
            draw = partial(confusion_map, estimated, poll.options, axes, "", frequency=often)
            yield Figure("estimated", (caption, told), draw)
    yield findings.raters_table(poll, results.compare_raters(study, spec), fit)


def known_method(spec: KnownSpec) -> Method:
    """Return how labels are compared with known answers."""
    sources = ("dawid1979", "whitehill2009", "habibi2012")
    return method_of("systems", "known_answers", sources, seed=spec.bootstrap.seed)


def labels_card(study: Study) -> list[Block]:
    """Return the accuracy of methods without a fit and without intervals for the overview; the classes without gold."""
    spec, gold = KnownSpec(), results.count_gold(study, KnownSpec())
    if not gold.items:
        return card_of(classes_section(study, ClassesSpec()))
    if results.has_enough_gold(study, spec):
        return card_of(_methods(study, results.compare_methods(study, spec, CLOSED)))
    return [findings.missing_gold(gold)]


def classes_program(study: Study, spec: ClassesSpec) -> str:
    """Return a program that counts the classes without a browser."""
    told = '{"shares": dict(zip(found.options, found.shares.share)), "confused": found.shares.confused}'
    return study_program(study, None, results.count_classes, spec, [f"results = {told}"])


def known_program(study: Study, spec: KnownSpec) -> str:
    """Return a program that compares labels with known answers without a browser."""
    return study_program(study, None, results.compare_known, spec, ["results = found"])
