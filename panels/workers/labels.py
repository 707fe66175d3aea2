"""Labels with gold: which way to aggregate votes is right more often, and which worker takes what for what."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.workers import dawid_skene, label_accuracy
from analysis.workers.label_accuracy import (
    ALONE,
    DAWID_SKENE,
    DRAWS,
    DRAWS_OF_FITTED,
    FITTED,
    MAJORITY,
    METHODS,
    WEIGHTED,
    Gold,
    LabelAccuracy,
    Labels,
)
from analysis.workers.polls import Poll
from charts.parts.numbers import count, decimal, share
from charts.workers.labels import accuracy_dots, confusion_map
from findings.study import Study
from findings.words import Sentence, listed
from panels.parts.downloads import downloads
from panels.parts.pictures import draw, let_it_be_drawn, look
from panels.parts.progress import long_result
from panels.parts.sampling_controls import draws_control, seed_control
from panels.parts.shelf import key_of, result, shelved
from panels.parts.tables import show_table
from panels.parts.words import note, say, warn
from panels.workers.polls import chosen_poll

PENDING = "…"
AGGREGATED = tuple(method for method in METHODS if method != ALONE)
CLOSED = (MAJORITY, WEIGHTED, ALONE)
MOST_WORKERS = 2000
"""Workers to choose from; of more, those with most votes."""
_PERCENT = partial(share, digits=1)
_NAMES = {MAJORITY: "Majority vote", WEIGHTED: "The r_w-weighted vote"}


def _items(number: int) -> str:
    return "1 item" if number == 1 else f"{count(number)} items"


def _points(difference: float) -> str:
    return ("+" if difference > 0 else "") + decimal(100 * difference, 1)


def show(study: Study) -> None:
    """Finding, accuracies, table, classes, each worker; without gold, how far the methods agree."""
    finding = st.empty()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        poll = chosen_poll(study)
        known = _of(study, poll, "gold known", lambda: label_accuracy.gold_known(poll.votes, poll.gold))
        quick, slow = _draws() if known.items else (BootstrapSpec(0), BootstrapSpec(0))
    if not known.items:
        _show_without_gold(study, poll, finding)
        return
    picture, table = st.empty(), st.empty()
    for step, found in enumerate(_steps(study, poll, quick, slow)):
        _draw(finding, picture, table, found, step)
        if step == 0:
            let_it_be_drawn(f"labels {study.key} {study.candidate} {poll.name}")
    for template, values in _notes(study, poll, found):
        note(template, **values)
    for template, values in remarks(poll, found, known):
        warn(template, **values)
    downloads("labels", lambda: methods_table(found), lambda: accuracy_dots(found, look()))
    _show_classes(poll, found)
    _show_workers(study, poll)
    _show_items(study, poll)


def _draws() -> tuple[BootstrapSpec, BootstrapSpec]:
    """How intervals are drawn: of the closed methods, and of the models that are fitted again in each draw."""
    with st.popover("More"):
        draws = draws_control(
            "label_draws",
            DRAWS,
            fewest=0,
            help="Fewer where there are so many votes that this would take much longer than ten seconds.",
        )
        of_fitted = st.number_input(
            "Draws of fitted models", 0, 5000, DRAWS_OF_FITTED, 50, key="label_model_draws", bind="query-params",
            help="Dawid-Skene and GLAD are fitted again in each draw, which takes its time.",
        )  # fmt: skip
        seed = seed_control("label_seed")
    return BootstrapSpec(draws, seed), BootstrapSpec(int(of_fitted), seed)


def _of(study: Study, poll: Poll, what: str, compute: Callable[[], Any], *parts: object) -> Any:
    """A quick result about the poll."""
    return result(_key(study, poll, what, *parts), compute)


def _key(study: Study, poll: Poll, what: str, *parts: object) -> str:
    return key_of(study.dataset, f"labels: {what}", study.candidate, poll.name, *parts)


def _steps(study: Study, poll: Poll, quick: BootstrapSpec, slow: BootstrapSpec) -> Iterator[LabelAccuracy]:
    """What is found so far, quick methods first; with everything on the shelf, all of it at once."""
    specs = {
        method: replace(spec, draws=label_accuracy.affordable(spec.draws, len(poll.votes), method))
        for method, spec in ((m, slow if m in FITTED else quick) for m in METHODS)
    }
    keys = {method: _key(study, poll, f"draws of {method}", spec) for method, spec in specs.items()}
    missing = [method for method in METHODS if specs[method].draws and shelved(keys[method]) is None]
    labels = {method: _labels(study, poll, method) for method in CLOSED}
    if missing and any(shelved(_key(study, poll, method)) is None for method in FITTED):
        yield label_accuracy.compared(labels)
    labels = {
        method: labels[method] if method in labels else _labels(study, poll, method) for method in METHODS
    }
    if missing:
        yield label_accuracy.compared(labels)
    drawn = {}
    raters = poll.votes.raters if study.raters_are_persons else None
    for method in (*CLOSED, *FITTED):
        if specs[method].draws:
            values = long_result(
                keys[method],
                f"Intervals of {method}",
                lambda on_progress, method=method: label_accuracy.accuracy_draws(
                    poll.votes, poll.gold, method, specs[method], study.raters_are_persons, on_progress
                ),
            )
            drawn |= {} if values is None else {method: values}
        if method in missing and method == CLOSED[-1]:
            yield label_accuracy.compared(labels, drawn, raters)
    yield label_accuracy.compared(labels, drawn, raters)


def _labels(study: Study, poll: Poll, method: str) -> Labels:
    def compute() -> Labels:
        posterior = _skene(study, poll).posterior if method == DAWID_SKENE else None
        return label_accuracy.labelled(poll.votes, poll.gold, method, posterior)

    return _of(study, poll, method, compute)


def _skene(study: Study, poll: Poll) -> dawid_skene.DawidSkeneFit:
    return _of(study, poll, "Dawid-Skene fit", lambda: dawid_skene.fit_votes(poll.votes))


def _draw(finding: Any, picture: Any, table: Any, found: LabelAccuracy, step: int) -> None:
    with finding:
        template, values = finding_of(found)
        say(template, **values)
    draw(
        picture,
        accuracy_dots(found, look()),
        key=f"label_accuracy {step}",
        alt="Share of items that get their gold label, by method, with intervals, the highest on top",
    )
    with table:
        show_table(methods_table(found), {"Ties": count, "Items": count, "Accuracy": _PERCENT, _APART: _points},
                   alt="Accuracy of each method and its difference to majority vote")  # fmt: skip


_APART = "Points over majority"


def finding_of(found: LabelAccuracy) -> Sentence:
    """Which method is right most often, and how far ahead of majority vote it is."""
    told = {method: e for method, e in found.accuracy.items() if method != ALONE}
    best = max(told, key=lambda method: told[method].value)
    values: dict[str, object] = {
        "best": _NAMES.get(best, best),
        "accuracy": share(told[best].value),
        "n": count(told[best].n),
        "alone": share(found.accuracy[ALONE].value),
        "majority": share(told[MAJORITY].value),
    }
    sentence = "<b>{best}</b> gets <b>{accuracy}</b> of {n} items with gold right"
    if told[best].value == told[MAJORITY].value:
        values |= {"best": _NAMES[MAJORITY]}
        others = [method for method in told if method != MAJORITY]
        sentence += ", and no other method more" if others else ""
    else:
        apart = found.difference[best]
        values |= {"apart": decimal(100 * apart.value, 1)}
        sentence += ", {apart} points more than majority vote"
        if not np.isnan(apart.low):
            values |= {"between": _between(apart, 100)}
            chance = ": this may be chance" if apart.low <= 0 else ""
            sentence += f" ({{between}}{chance})"
    as_good = [method for method in told if told[method].value == told[best].value and method != best]
    if as_good and best != MAJORITY:
        values |= {"as_good": listed(as_good)}
        sentence += ", as many as {as_good}"
    return sentence + "; one worker alone gets {alone}.", values


def methods_table(found: LabelAccuracy) -> pd.DataFrame:
    """One row per method, the most accurate first."""
    rows = []
    for method, e in sorted(found.accuracy.items(), key=lambda pair: -pair[1].value):
        apart = found.difference.get(method)
        pending = not found.draws[method]
        rows.append(
            {
                "Method": method,
                "Accuracy": e.value,
                "Accuracy, 95 %": PENDING if pending else _percents(e),
                _APART: 0.0 if apart is None else apart.value,
                f"{_APART}, 95 %": "" if apart is None else PENDING if pending else _between(apart, 100),
                "Items": e.n,
                "Ties": found.labels[method].ties,
            }
        )
    return pd.DataFrame(rows)


def _percents(e: Estimate) -> str:
    return "–" if np.isnan(e.low) else f"{share(e.low, 1)} to {share(e.high, 1)}"


def _between(e: Estimate, times: float) -> str:
    return "–" if np.isnan(e.low) else f"{decimal(times * e.low, 1)} to {decimal(times * e.high, 1)}"


def _notes(study: Study, poll: Poll, found: LabelAccuracy) -> list[Sentence]:
    made = {method: draws for method, draws in found.draws.items() if draws}
    told: list[Sentence] = []
    if made:
        per = sorted(set(made.values()), reverse=True)
        what = [f"{count(draws)} for {listed([m for m in made if made[m] == draws])}" for draws in per]
        told.append(
            (
                "Draws of {units}: {what}. Every draw fits everything again; differences are paired. Intervals are "
                "cautious.",
                {
                    "units": "items and workers" if study.raters_are_persons else "items",
                    "what": "; ".join(what),
                },
            )
        )
    ties = {m: labels.ties for m, labels in found.labels.items() if labels.ties and m != ALONE}
    if ties:
        told.append(
            (
                "Ties: {ties}. An item whose best options tie counts 1 divided by their number if gold is among them: "
                "what breaking ties at random gives on average.",
                {"ties": "; ".join(f"{_items(n)} under {method}" for method, n in ties.items())},
            )
        )
    return told


def remarks(poll: Poll, found: LabelAccuracy, known: Gold) -> list[Sentence]:
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
    bare = [method for method in found.labels if not found.draws[method]]
    if bare:
        told.append(("No intervals for {methods}.", {"methods": listed(bare, 5)}))
    return told


def _show_classes(poll: Poll, found: LabelAccuracy) -> None:
    """What is taken for what by one method, and how all of them do on each class."""
    st.subheader("By class")
    method = st.selectbox("Labels by", AGGREGATED, key="label_method", bind="query-params", width=320)
    labels = found.labels[method]
    draw(
        st,
        confusion_map(labels.confusion, poll.options, look(), "items", "Label"),
        key="label_confusion",
        alt=f"Share of each gold class that gets each label by {method}",
    )
    table = classes_table(poll, found)
    written = {name: _PERCENT for name in table if name.startswith(("Precision", "Recall"))}
    show_table(
        table, written | {"Items with gold": count}, alt="Precision and recall by class and method", most=13
    )
    downloads(
        "label-classes",
        lambda: table,
        lambda: confusion_map(labels.confusion, poll.options, look(), "items", "Label"),
    )


def classes_table(poll: Poll, found: LabelAccuracy) -> pd.DataFrame:
    """Precision and recall of each class under each method; undefined where nothing got or has that label."""
    columns: dict[str, Any] = {
        "Class": list(poll.options),
        "Items with gold": found.labels[MAJORITY].confusion.sum(axis=1),
    }
    for method in AGGREGATED:
        columns[f"Precision, {method}"] = found.labels[method].precision
        columns[f"Recall, {method}"] = found.labels[method].recall
    return pd.DataFrame(columns)


def _show_workers(study: Study, poll: Poll) -> None:
    """One worker's confusion, counted against gold and as Dawid-Skene estimates it, and the table of all."""
    st.subheader("Each worker")
    fit = _skene(study, poll)
    given = poll.votes.per_rater
    most = np.argsort(-given, kind="stable")[:MOST_WORKERS]
    by_name = {str(poll.rater_names[code]): int(code) for code in np.sort(most)}
    chosen = st.selectbox(
        "Worker" if len(most) == len(given) else f"Worker (the {count(MOST_WORKERS)} with most votes)",
        list(by_name),
        key="worker",
        bind="query-params",
        width=320,
    )
    worker = by_name[chosen]
    counted = label_accuracy.confusion_of(poll.votes, poll.gold, worker)
    estimated = np.where(fit.met[worker][:, None] > 0, fit.confusion[worker], np.nan)
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
                say("No votes on items with gold.")
                continue
            picture = confusion_map(cells, poll.options, look(), unit, rows=rows, frequency=often)
            draw(st, picture, key=f"worker_confusion {title}", alt=alt)
    table = workers_table(study, poll, fit)
    show_table(
        table,
        {
            **dict.fromkeys(("Accuracy", "Dawid-Skene accuracy"), _PERCENT),
            **dict.fromkeys(("Votes", "Items with gold"), count),
        },
        alt="Each worker's accuracy against gold and as Dawid-Skene estimates it",
        most=10,
    )
    note(
        "Intervals are Wilson's over the worker's items with gold. Dawid-Skene has not seen gold: where the two agree, "
        "it would have found the worker's mistakes without."
    )
    downloads("workers-against-gold", lambda: table)


def workers_table(study: Study, poll: Poll, fit: dawid_skene.DawidSkeneFit) -> pd.DataFrame:
    """One row per worker, those with most items with gold first."""
    found = _of(study, poll, "workers", lambda: label_accuracy.against_gold(poll.votes, poll.gold))
    table = pd.DataFrame(
        {
            "Worker": poll.rater_names,
            "Votes": poll.votes.per_rater,
            "Items with gold": found.items,
            "Accuracy": found.accuracy,
            "Accuracy, 95 %": [
                _percents(Estimate(0.0, low, high))
                for low, high in zip(found.low.tolist(), found.high.tolist(), strict=True)
            ],
            "Dawid-Skene accuracy": fit.accuracy,
        }
    )
    return table.sort_values(["Items with gold", "Accuracy"], ascending=False, ignore_index=True)


def _show_items(study: Study, poll: Poll) -> None:
    """Each item's labels, those on which the methods differ first."""
    st.subheader("Each item")
    labels = {method: _labels(study, poll, method) for method in AGGREGATED}
    table = _of(study, poll, "items", lambda: labels_table(poll, labels))
    differ = int((table[list(AGGREGATED)].nunique(axis=1) > 1).sum())
    note(
        "The methods differ on {some} of {items}, shown first.", some=count(differ), items=_items(len(table))
    )
    show_table(table, {"Votes": count}, alt="Each item's label by every method", most=10)
    downloads("aggregated-labels", lambda: table)


def labels_table(poll: Poll, labels: Mapping[str, Labels]) -> pd.DataFrame:
    """Each item's label by every method, tied ones joined; items on which methods differ come first."""
    names = np.array([*poll.options, ""], dtype=object)
    votes = poll.votes.per_item
    columns: dict[str, Any] = {"Item": poll.item_names, "Votes": votes, "Gold": names[poll.gold]}
    for method, found in labels.items():
        told = names[found.shares.argmax(axis=1)]
        for item in np.flatnonzero(found.shares.max(axis=1) < 1):
            told[item] = " = ".join(names[np.flatnonzero(found.shares[item] > 0)])
        columns[method] = told
    table = pd.DataFrame(columns)
    differ = table[list(labels)].nunique(axis=1) > 1
    return table.loc[(~differ).sort_values(kind="stable").index].reset_index(drop=True)


def _show_without_gold(study: Study, poll: Poll, finding: Any) -> None:
    """Which column would tell what is right, and how far the methods agree, which needs none."""
    with finding:
        say(
            "No item here has a known answer, so nobody can say how often labels are right. On the <b>Data</b> page, "
            "map the column with the true answers to <b>gold</b>. What can be shown is how far the methods agree:"
        )
    labels = {method: _labels(study, poll, method) for method in AGGREGATED}
    same = label_accuracy.same_label(labels)
    table = pd.DataFrame(
        [
            {"Method": one, "And": other, "Items with the same label": e.value, "Items": e.n}
            for (one, other), e in same.items()
        ]
    )
    show_table(
        table,
        {"Items with the same label": _PERCENT, "Items": count},
        alt="Share of items to which two methods give the same label",
    )
    tied: Sequence[str] = [
        f"{_items(found.ties_in_all)} under {method}" for method, found in labels.items() if found.ties_in_all
    ]
    if tied:
        note("Ties: {ties}; broken at random by each method, on average.", ties="; ".join(tied))
    downloads("methods-agree", lambda: table)
    _show_items(study, poll)


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
Student's *t* for as many units as there are workers or items, whichever are fewer. Differences are paired over the
same draws: *t* standard deviations of the draws to both sides. Both tend
to be too wide: in simulated studies they covered the truth 93 to 100 of 100 times.

**Precision** of a class: of the items that get its label, the share that has it as gold; **recall**: of the items
that have it as gold, the share that gets its label. Ties count in parts.

**Each worker**: votes on items with gold, counted, beside the confusion matrix of Dawid-Skene, whose rows are the
classes it takes for true. Intervals of a worker's accuracy are Wilson's, with items as units.

Sources: Habibi and Popescu-Belis 2012, section 5; Dawid and Skene 1979; Whitehill et al. 2009; Owen 2007; Wilson
1927; Dean and Pagano 2015.
"""
