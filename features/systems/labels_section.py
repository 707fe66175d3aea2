"""Sections on labels: how common each class is, and labels compared with known answers."""

from collections.abc import Iterator
from functools import partial

from analysis.systems.label_accuracy import ALONE, CLOSED, METHODS, LabelAccuracy
from analysis.workers.worker_agreement import confusion_of
from features.blocks import Block, Figure, Heading, Method, Progress, Status, card_of
from features.program import study_program
from features.study import Study
from features.systems import labels_findings as findings
from features.systems.labels_figures import (
    ConfusionAxes,
    accuracy_dots,
    confusion_map,
    kappa_dots,
    share_dots,
)
from features.systems.labels_results import (
    AGGREGATED,
    FEWEST_ITEMS,
    ClassesSpec,
    KnownSpec,
    are_intervals_kept,
    compare_crowd,
    compare_known,
    compare_labels,
    compare_methods,
    compare_raters,
    count_classes,
    count_gold,
    fit_raters,
    label_items,
    poll_of,
)


def classes_section(study: Study, spec: ClassesSpec) -> Iterator[Block]:
    """Yield how common each class is, and which classes are confused."""
    found = count_classes(study, spec)
    verdict = findings.classes_finding(found)
    yield verdict
    if verdict.status is Status.NOT_ENOUGH_DATA or len(found.order) == 1:
        return
    shares = {found.options[at]: found.shares.share[at] for at in found.order}
    caption = "Share of an item's votes for each class with its 95% CI, the most common on top."
    yield Figure("shares", (caption, {}), partial(share_dots, shares))
    yield findings.classes_table(found)
    yield Heading("Confused classes")
    confusion = findings.confusion_finding(found)
    yield confusion
    if confusion.status is not Status.NOT_ENOUGH_DATA:
        caption = "Percent of an item's other votes for each class, where one vote is for the row's class."
        axes = ConfusionAxes("One rater says", "Another rater says", "votes")
        draw = partial(confusion_map, found.shares.together, found.options, axes)
        yield Figure("confused", (caption, {}), draw)
    told = (
        "A class's share is the mean of its shares of the items' votes, with Wilson's interval over items; confusions "
        "are Krippendorff's coincidences of two votes on one item."
    )
    yield Method((told, {}), ["krippendorff2011"], findings.CLASSES_DETAILS)


def crowd_section(study: Study, spec: KnownSpec) -> Iterator[Block]:
    """Yield how often the crowd's label is the known answer; nothing where none is known."""
    found = compare_crowd(study, spec)
    if found is None:
        return
    verdict = findings.crowd_finding(found)
    yield verdict
    if verdict.status is Status.NOT_ENOUGH_DATA:
        return
    caption = "Kappa of the crowd's label with the known answer, with its 95% CI, under each comparison."
    draw = partial(kappa_dots, {name: one.kappa for name, one in found.parts.items()})
    if len(found.parts) == 1:
        caption = "Percent of the items of each known answer that get each label by the crowd."
        axes = ConfusionAxes(found.known.capitalize(), "The crowd says", "items")
        draw = partial(confusion_map, found.whole.confusion, found.options, axes)
    yield Figure("known-answers", (caption, {}), draw)
    yield findings.crowd_table(found)
    if found.whole.ties:
        yield findings.TIES


def labels_section(study: Study, spec: KnownSpec) -> Iterator[Block]:
    """Yield the labels of each method compared with gold, then each rater's and each item's."""
    yield from methods_section(study, spec)
    if has_enough_gold(study, spec):
        yield from by_class_section(study, spec)
        yield from raters_section(study, spec)
    yield from items_section(study, spec)


def has_enough_gold(study: Study, spec: KnownSpec) -> bool:
    """Return True where enough items have gold to compare methods."""
    return count_gold(study, spec).items >= FEWEST_ITEMS


def methods_section(study: Study, spec: KnownSpec) -> Iterator[Block]:
    """Yield which method is right most often: closed methods first, then fitted models, then their intervals.

    Without enough gold it yields how often methods give the same label.
    """
    poll, gold = poll_of(study, spec), count_gold(study, spec)
    if not has_enough_gold(study, spec):
        found = compare_methods(study, spec, AGGREGATED, ())
        yield findings.missing_gold(gold)
        yield findings.same_labels_table(compare_labels(found))
        if any(one.ties_in_all for one in found.labels.values()):
            yield findings.TIES
        return
    if not are_intervals_kept(study, spec):
        yield from _methods(study, compare_methods(study, spec, CLOSED, ()))
        yield Progress("Dawid-Skene, GLAD and intervals")
        yield from _methods(study, compare_methods(study, spec, METHODS, CLOSED))
        yield Progress("Intervals of Dawid-Skene and GLAD")
    found = compare_methods(study, spec)
    yield from _methods(study, found)
    yield from findings.methods_notes(found, study.raters_are_persons)
    yield from findings.methods_warnings(poll, gold, found)


def _methods(study: Study, found: LabelAccuracy) -> Iterator[Block]:
    yield findings.methods_finding(found, study.raters_are_persons)
    accuracy = {findings.method_name(method): one for method, one in found.accuracy.items()}
    caption = "Share of items that get their gold label with its 95% CI, by method, the highest on top."
    yield Figure("labels", (caption, {}), partial(accuracy_dots, accuracy, findings.method_name(ALONE)))
    yield findings.methods_table(found)


def by_class_section(study: Study, spec: KnownSpec) -> Iterator[Block]:
    """Yield which classes a method confuses, and how right each method is on each class."""
    found, poll = compare_methods(study, spec, METHODS, ()), poll_of(study, spec)
    caption = "Percent of the items of each gold class that get each label by {method}."
    cells = found.labels[spec.method].confusion
    draw = partial(confusion_map, cells, poll.options, ConfusionAxes("Gold", "Label", "items"))
    yield Figure("confused-labels", (caption, {"method": spec.method}), draw)
    yield findings.precision_table(poll, found, spec.method)


def raters_section(study: Study, spec: KnownSpec) -> Iterator[Block]:
    """Yield the confusions of one rater, if any is chosen, and the accuracy of all."""
    poll, fit = poll_of(study, spec), fit_raters(study, spec)
    names = poll.rater_names.tolist()
    if spec.rater in names:
        rater, who = names.index(spec.rater), {"rater": spec.rater}
        counted = confusion_of(poll.votes, poll.gold, rater)
        often = counted.sum(axis=0) + counted.sum(axis=1) + fit.met[rater]
        axes = ConfusionAxes("Gold", "Answer", "votes")
        if counted.any():
            caption = "Percent of {rater}'s votes for each class, by the item's gold."
            draw = partial(confusion_map, counted, poll.options, axes, frequency=often)
            yield Figure("counted", (caption, who), draw)
        caption = "Percent of {rater}'s votes for each class, by the class that Dawid-Skene estimates."
        estimated, axes = fit.confusion_where_met(rater), ConfusionAxes("Class by Dawid-Skene", "Answer")
        draw = partial(confusion_map, estimated, poll.options, axes, frequency=often)
        yield Figure("estimated", (caption, who), draw)
    yield findings.raters_table(poll, compare_raters(study, spec), fit)


def items_section(study: Study, spec: KnownSpec) -> Iterator[Block]:
    """Yield each item's label by every method."""
    yield findings.items_table(label_items(study, spec))


def known_method(spec: KnownSpec) -> Method:
    """Return how labels are compared with known answers."""
    told = (
        "An item's label is the option with most votes; the one with most weight, a rater's being the agreement with "
        "the others (r_w, Habibi and Popescu-Belis 2012); or the likeliest under a model of raters' confusions (Dawid "
        "and Skene 1979) or of their ability and the items' difficulty (GLAD, Whitehill et al. 2009). No method sees "
        "the known answers. Seed {seed}."
    )
    sources = ("dawid1979", "whitehill2009", "habibi2012")
    return Method((told, {"seed": spec.bootstrap.seed}), sources, findings.KNOWN_DETAILS)


def labels_card(study: Study) -> list[Block]:
    """Return the accuracy of methods without a fit and without intervals for the overview; the classes without gold."""
    if not count_gold(study, KnownSpec()).items:
        return card_of(classes_section(study, ClassesSpec()))
    if has_enough_gold(study, KnownSpec()):
        return card_of(_methods(study, compare_methods(study, KnownSpec(), CLOSED, ())))
    return [findings.missing_gold(count_gold(study, KnownSpec()))]


def classes_program(study: Study, spec: ClassesSpec) -> str:
    """Return a program that counts the classes without a browser."""
    told = '{"shares": dict(zip(found.options, found.shares.share)), "confused": found.confused}'
    return study_program(study, None, count_classes, spec, [f"results = {told}"])


def known_program(study: Study, spec: KnownSpec) -> str:
    """Return a program that compares labels with known answers without a browser."""
    return study_program(study, None, compare_known, spec, ["results = vars(found)"])
