"""Labels with gold: which way to aggregate votes is right more often, and which worker takes what for what."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from analysis.systems import label_accuracy
from analysis.systems.label_accuracy import (
    ALONE,
    CLOSED,
    DAWID_SKENE,
    DRAWS_OF_FITTED,
    FITTED,
    MAJORITY,
    METHODS,
    WEIGHTED,
    AccuracyDraws,
    LabelAccuracy,
    Labels,
)
from analysis.values.estimate import BootstrapSpec
from analysis.workers import dawid_skene, worker_agreement
from analysis.workers.polls import Poll
from charts.systems.labels import accuracy_dots, confusion_map
from features.plotting.figure import Figure
from features.plotting.numbers import count
from features.results import cached, key_of, long_result, result
from features.study import Study
from findings.systems import labels as findings
from findings.systems.labels import AGGREGATED
from panels.workers.polls import chosen_poll
from ui.conclusions import show_finding
from ui.controls import choose_one
from ui.pictures import draw, look
from ui.sampling_controls import draws_control, seed_control
from ui.stages import conclude, show_stages
from ui.tables import show_table
from ui.words import note, say

T = TypeVar("T")
MOST_WORKERS = 2000
"""Workers to choose from; of more, those with most votes."""
EXPLANATION = findings.EXPLANATION
Drawn = dict[str, AccuracyDraws]
"""Accuracies in all draws, by method."""
Stage = tuple[str, Callable[[LabelAccuracy], LabelAccuracy]]


@dataclass(frozen=True)
class Asked:
    """The comparison whose labels were looked at and, where there is gold, how many draws of each method."""

    poll: str
    draws: Mapping[str, int]
    seed: int


ACCURACY = "Accuracy of each method and its difference to majority vote"


def show(study: Study) -> Asked:
    """Finding, accuracies, table, classes, each worker; without gold, how far the methods agree. What was asked."""
    finding = st.empty()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        poll = chosen_poll(study)
        known = _of(study, poll, "gold known", lambda: label_accuracy.gold_known(poll.votes, poll.gold))
        quick, slow = _draws() if known.items else (BootstrapSpec(0), BootstrapSpec(0))
    if not known.items:
        _show_without_gold(study, poll, finding)
        return Asked(poll.name, {}, 0)
    picture, table = st.empty(), st.empty()

    def say_and_draw(compared: LabelAccuracy, stage: str) -> None:
        with finding:
            show_finding(findings.finding(compared))
        draw(
            picture,
            accuracy_dots(compared, look()),
            key=f"label_accuracy {stage}",
            alt="Share of items that get their gold label, by method, with intervals, the highest on top",
        )
        with table:
            show_table(
                *findings.methods_table(compared),
                alt=ACCURACY,
            )

    first, closed, later = _stages(study, poll, quick, slow)
    compared = show_stages(
        f"labels {study.key} {study.candidate} {poll.name}", closed, say_and_draw, *later, first=first
    )
    conclude(
        "labels",
        [],
        notes=findings.notes(compared, study.raters_are_persons),
        remarks=findings.remarks(poll, compared, known),
        shown_above=[(findings.methods_table(compared), ACCURACY)],
        figure=lambda: accuracy_dots(compared, look()),
    )
    _show_classes(poll, compared)
    _show_workers(study, poll)
    _show_items(study, poll)
    draws = {method: spec.draws for method, spec in _specs(poll, quick, slow).items()}
    return Asked(poll.name, draws, quick.seed)


def show_at_a_glance(study: Study, poll: Poll) -> None:
    """Finding and accuracies of the closed methods, without intervals."""
    compared = label_accuracy.compared(_labels(study, poll, (ALONE, MAJORITY, WEIGHTED)))
    show_finding(findings.finding(compared))
    draw(
        st,
        accuracy_dots(compared, look()),
        key="overview_labels",
        alt="Share of items that get their gold label",
    )


def _draws() -> tuple[BootstrapSpec, BootstrapSpec]:
    """How intervals are drawn: of the closed methods, and of the models that are fitted again in each draw."""
    with st.popover("More"):
        draws = draws_control(
            "label_draws",
            fewest=0,
            help="Fewer where there are so many votes that this would take much longer than ten seconds.",
        )
        of_fitted = st.number_input(
            "Draws of fitted models", 0, 5000, DRAWS_OF_FITTED, 50, key="label_model_draws", bind="query-params",
            help="Dawid-Skene and GLAD are fitted again in each draw, which takes its time.",
        )  # fmt: skip
        seed = seed_control("label_seed")
    return BootstrapSpec(draws, seed), BootstrapSpec(int(of_fitted), seed)


def _of(study: Study, poll: Poll, what: str, compute: Callable[[], T]) -> T:
    """A quick result about the poll."""
    return result(_key(study, poll, what), compute)


def _key(study: Study, poll: Poll, what: str, *parts: object) -> str:
    return key_of(study.dataset, f"labels: {what}", study.candidate, poll.name, *parts)


def _stages(
    study: Study, poll: Poll, quick: BootstrapSpec, slow: BootstrapSpec
) -> tuple[str, LabelAccuracy, Sequence[Stage]]:
    """What can be told at once and its name, and what follows: fitted models, then the intervals of either kind.

    With everything in the cache, all of it at once.
    """
    specs = _specs(poll, quick, slow)
    keys = {method: _key(study, poll, f"draws of {method}", spec) for method, spec in specs.items()}
    missing = [method for method in METHODS if specs[method].draws and cached(keys[method]) is None]
    drawn: Drawn = {}

    def without_intervals(methods: Sequence[str]) -> LabelAccuracy:
        return label_accuracy.compared(_labels(study, poll, methods))

    def with_intervals(methods: Sequence[str]) -> LabelAccuracy:
        for method in methods:
            drawn.update(_drawn(study, poll, method, specs[method], keys[method]))
        raters = poll.votes.raters if study.raters_are_persons else None
        return label_accuracy.compared(_labels(study, poll, METHODS), drawn, raters)

    whole: Stage = ("whole", lambda _: with_intervals(FITTED))
    if not missing:
        return "whole", with_intervals((*CLOSED, *FITTED)), []
    later: list[Stage] = [("with intervals of the closed", lambda _: with_intervals(CLOSED)), whole]
    if all(cached(_key(study, poll, method)) is not None for method in FITTED):
        return "with fitted models", without_intervals(METHODS), later
    return (
        "closed",
        without_intervals(CLOSED),
        [("with fitted models", lambda _: without_intervals(METHODS)), *later],
    )


def _specs(poll: Poll, quick: BootstrapSpec, slow: BootstrapSpec) -> dict[str, BootstrapSpec]:
    """How each method's accuracy is drawn: as often as can be made in seconds."""
    return {
        method: replace(spec, draws=label_accuracy.affordable(spec.draws, len(poll.votes), method))
        for method, spec in ((m, slow if m in FITTED else quick) for m in METHODS)
    }


def _drawn(study: Study, poll: Poll, method: str, spec: BootstrapSpec, key: str) -> Drawn:
    """One method's accuracy in all draws; nothing without draws and while stopped."""
    if not spec.draws:
        return {}
    values = long_result(
        key,
        f"Intervals of {method}",
        lambda on_progress: label_accuracy.accuracy_draws(
            poll.votes, poll.gold, method, spec, study.raters_are_persons, on_progress
        ),
    )
    return {} if values is None else {method: values}


def _labels(study: Study, poll: Poll, methods: Sequence[str]) -> Mapping[str, Labels]:
    """Each method's labels, in that order."""

    def compute(method: str) -> Labels:
        posterior = _skene(study, poll).posterior if method == DAWID_SKENE else None
        return label_accuracy.labelled(poll.votes, poll.gold, method, posterior)

    return {method: _of(study, poll, method, partial(compute, method)) for method in methods}


def _skene(study: Study, poll: Poll) -> dawid_skene.DawidSkeneFit:
    return _of(study, poll, "Dawid-Skene fit", lambda: dawid_skene.fit_votes(poll.votes))


def _show_classes(poll: Poll, compared: LabelAccuracy) -> None:
    """What is taken for what by one method, and how all of them do on each class."""
    st.header("By class")
    method = st.selectbox("Labels by", AGGREGATED, key="label_method", bind="query-params", width=320)

    def figure() -> Figure:
        return confusion_map(compared.labels[method].confusion, poll.options, look(), "items", "Label")

    draw(
        st,
        figure(),
        key="label_confusion",
        alt=f"Share of each gold class that gets each label by {method}",
    )
    table = findings.classes_table(poll, compared)
    conclude("label-classes", [(table, "Precision and recall by class and method")], most=13, figure=figure)


def _show_workers(study: Study, poll: Poll) -> None:
    """One worker's confusion, counted against gold and as Dawid-Skene estimates it, and the table of all."""
    st.header("Each worker")
    fit = _skene(study, poll)
    worker = _chosen_worker(poll)
    counted = worker_agreement.confusion_of(poll.votes, poll.gold, worker)
    estimated = fit.confusion_where_met(worker)
    often = counted.sum(axis=0) + counted.sum(axis=1) + fit.met[worker]
    sides = (
        ("Against gold", counted, "votes", "Gold", "Votes of the worker by gold class and answer, counted"),
        (
            "Estimated by Dawid-Skene",
            estimated,
            "",
            "Class",
            "The worker's answers by class, as Dawid-Skene estimates them",
        ),
    )
    for column, (title, cells, unit, rows, alt) in zip(st.columns(2), sides, strict=True):
        with column:
            note("<b>{title}</b>", title=title)
            if np.nansum(cells) == 0:
                say(*findings.NO_VOTES_ON_GOLD)
                continue
            picture = confusion_map(cells, poll.options, look(), unit, rows=rows, frequency=often)
            draw(st, picture, key=f"worker_confusion {title}", alt=alt)
    against_gold = _of(study, poll, "workers", lambda: worker_agreement.against_gold(poll.votes, poll.gold))
    table = findings.workers_table(poll, against_gold, fit)
    conclude(
        "workers-against-gold",
        [(table, "Each worker's accuracy against gold and as Dawid-Skene estimates it")],
        most=10,
        notes=[findings.HOW_WORKERS_ARE_HELD_AGAINST_GOLD],
    )


def _chosen_worker(poll: Poll) -> int:
    """The code of the worker to look at."""
    given = poll.votes.per_rater
    most = np.argsort(-given, kind="stable")[:MOST_WORKERS]
    by_name = {str(poll.rater_names[code]): int(code) for code in np.sort(most)}
    chosen = choose_one(
        "Worker" if len(most) == len(given) else f"Worker (the {count(MOST_WORKERS)} with most votes)",
        list(by_name),
        key="worker",
        width=320,
    )
    return by_name[chosen]


def _show_items(study: Study, poll: Poll) -> None:
    """Each item's labels, those on which the methods differ first."""
    st.header("Each item")
    labels = _labels(study, poll, AGGREGATED)
    table = _of(study, poll, "items", lambda: findings.labels_table(poll, labels))
    conclude(
        "aggregated-labels",
        [(table, "Each item's label by every method")],
        most=10,
        notes=[findings.items_differ(table[0])],
    )


def _show_without_gold(study: Study, poll: Poll, finding: DeltaGenerator) -> None:
    """Which column would tell what is right, and how far the methods agree, which needs none."""
    with finding:
        say(*findings.NO_GOLD)
    labels = _labels(study, poll, AGGREGATED)
    table = findings.same_labels_table(label_accuracy.same_label(labels))
    conclude(
        "methods-agree",
        [(table, "Share of items to which two methods give the same label")],
        notes=findings.ties_in_all(labels),
    )
    _show_items(study, poll)
