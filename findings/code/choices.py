"""The programs of choices: who is reliable, how many votes are enough, which system is preferred, which label right."""

from collections.abc import Mapping, Sequence

from analysis.systems.preference import PreferenceSpec
from analysis.values.estimate import BootstrapSpec
from features.polls import is_pairs, polls
from features.program import PRINTED, literal, program
from features.results import LARGEST_BOOTSTRAP
from features.study import ALL_GROUPS, Study
from findings.repetitions.choice_curves import ChoiceView
from findings.repetitions.knee_table import SHUFFLES

_TRUTH = {"gold": "poll.gold", "expert": "poll.expert"}
_SAMPLE = [
    f"    if votes.items > {LARGEST_BOOTSTRAP}:  # of very many items a sample, those with a known answer first",
    "        places = np.random.default_rng(0).permutation(votes.items)",
    "        if truth is not None:",
    '            places = places[np.argsort(truth[places] < 0, kind="stable")]',
    f"        kept = np.isin(votes.item, places[:{LARGEST_BOOTSTRAP}])",
    "        votes, order = votes.of(kept), order[kept]",
]


def workers(study: Study, poll: str | None, known: str) -> str:
    """`poll` is the comparison, None for all together; `known` whose answers the workers' are held against."""
    one = [*_one(poll or ""), "poll_of_item = np.zeros(poll.votes.items, dtype=np.int64)"]
    every = ["poll, poll_of_item = pooled(polls, raters)"]
    answers = f"poll.known({literal(known)})" if known else "None"
    return _polled(
        study,
        [
            "import numpy as np",
            "from analysis.workers.polls import pooled",
            "from analysis.workers.reliability_intervals import with_intervals",
            "from analysis.workers.worker_ranking import rank_workers",
        ],
        [
            *(every if poll is None else one),
            f"ranked = rank_workers(poll.votes, {answers}, poll.seconds, poll_of_item)",
            f"ranked = with_intervals(ranked, poll.votes, poll_of_item, raters_are_persons={study.raters_are_persons})",
            "results = {str(name): r for name, r in zip(poll.rater_names, ranked.r)}",
        ],
    )


def repetitions(study: Study, view: ChoiceView, bootstrap: BootstrapSpec) -> str:
    """Per comparison: simulated curves, their fit, the knee and its interval."""
    truth = next((of for word, of in _TRUTH.items() if word in view.against), "None")
    many = any(poll.votes.items > LARGEST_BOOTSTRAP for poll in polls(study))
    return _polled(
        study,
        [
            *(["import numpy as np"] if many else []),
            "from analysis.estimate import BootstrapSpec",
            "from analysis.repetitions.choice_repetition import ChoiceRepetitionSpec, resampled_curves, simulate",
            "from analysis.repetitions.fitted_curves import fit_curves",
            "from analysis.repetitions.knee_intervals import knee_interval",
        ],
        [
            f"spec = {literal(view.spec)}",
            f"bootstrap, sensitivity = {literal(bootstrap)}, {view.sensitivity}",
            "curves, draws = [], []",
            "for poll in polls:",
            f"    votes, truth, order = poll.votes, {truth}, poll.order",
            *(_SAMPLE if many else []),
            "    curves.append(simulate(votes, truth, spec, order))",
            f"    persons = {study.raters_are_persons}",
            f"    draws.append(resampled_curves(votes, truth, spec, bootstrap, {SHUFFLES}, persons))",
            "fitted = fit_curves([poll.name for poll in polls], curves, sensitivity)",
            "results = {}",
            "for one, drawn in zip(fitted, draws):",
            "    ends = knee_interval(one.curves, drawn, sensitivity, bootstrap.level, shares=True)",
            '    results[one.measure] = {"fitted": one, "knee": one.knee, "interval": ends.knee}',
        ],
    )


def preference(study: Study, poll: str, spec: PreferenceSpec) -> str:
    """Which of two systems is preferred, by every method."""
    return _polled(
        study,
        ["from analysis.systems.preference import PreferenceSpec, preference"],
        [
            *_one(poll),
            f"spec = {literal(spec)}",
            "found = preference(poll.votes, poll.both_lists, spec, "
            f"raters_are_persons={study.raters_are_persons})",
            "results = dict(found.shares)",
        ],
    )


def classes(study: Study) -> str:
    """How common each class is, and which are taken for one another."""
    return _polled(
        study,
        ["from analysis.systems.crowd_labels import class_shares"],
        [
            "poll = polls[0]",
            "found = class_shares(poll.votes)",
            'results = {"shares": dict(zip(poll.options, found.share)), "all about it": found}',
            "for option, others in zip(poll.options, found.together):",
            "    if others.sum():",
            '        results["others say", option] = dict(zip(poll.options, others / others.sum()))',
        ],
    )


def against_known(
    study: Study, known: str, labelled: str, draws: Mapping[str, int], seed: int, methods: Sequence[str]
) -> str:
    """The crowd's labels against the known answers, and which way to a label is right more often.

    `known` are gold's or an expert's answers, "" for none; `labelled` is the comparison whose labels are looked at,
    "" for none, with the `draws` of each method where there is gold; `methods` are those held against each other
    where there is none.
    """
    imports, lines = [], ["results = {}"]
    if known:
        imports += [
            "from analysis.systems.crowd_labels import crowd_against",
            "from analysis.workers.polls import pooled",
        ]
        lines += [
            "whole, _ = pooled(polls, raters)",
            *_by_design(study),
            f'results["crowd"] = crowd_against(whole.votes, whole.known({literal(known)}))',
            "for part in parts:",
            f"    if (part.known({literal(known)}) >= 0).any():",
            f'        results["crowd", part.name] = crowd_against(part.votes, part.known({literal(known)}))',
        ]
    if labelled:
        imports.append("from analysis.systems import label_accuracy")
        lines += [*_one(labelled), *(_accuracies(study, draws, seed) if draws else _alike(methods))]
    if draws:
        imports += [
            "from analysis.estimate import BootstrapSpec",
            "from analysis.workers import dawid_skene",
            "from analysis.workers.worker_agreement import against_gold",
        ]
    return _polled(study, imports, lines)


def _accuracies(study: Study, draws: Mapping[str, int], seed: int) -> list[str]:
    persons = study.raters_are_persons
    return [
        f"draws = {literal(dict(draws))}",
        "labels, drawn = {}, {}",
        "for method, so_many in draws.items():",
        "    labels[method] = label_accuracy.labelled(poll.votes, poll.gold, method)",
        "    if so_many:",
        f"        spec = BootstrapSpec(so_many, {seed})",
        "        drawn[method] = label_accuracy.accuracy_draws(",
        f"            poll.votes, poll.gold, method, spec, {persons}",
        "        )",
        f"persons = {'poll.votes.raters' if persons else 'None'}",
        'results["labels"] = label_accuracy.compared(labels, drawn, persons)',
        'results["workers"] = against_gold(poll.votes, poll.gold)',
        'results["Dawid-Skene"] = dawid_skene.fit_votes(poll.votes)',
    ]


def _alike(methods: Sequence[str]) -> list[str]:
    return [
        "labels = {",
        "    method: label_accuracy.labelled(poll.votes, poll.gold, method)",
        f"    for method in {literal(list(methods))}",
        "}",
        'results["alike"] = label_accuracy.same_label(labels)',
    ]


def _by_design(study: Study) -> list[str]:
    """The polls, labels too apart by the design that they were given under."""
    if is_pairs(study) or not study.whole.has("design"):
        return ["parts = polls"]
    return [
        "parts = []",
        'for code, name in enumerate(store.query(dataset, "designs")["name"].tolist()):',
        '    here = {column: values[choices["design"] == code] for column, values in choices.items()}',
        "    parts += [replace(poll, name=name) for poll in of_labels(here, labels, items, raters)]",
    ]


def _one(poll: str) -> list[str]:
    return [f"poll = next(each for each in polls if each.name == {literal(poll)})"]


def _polled(study: Study, imports: Sequence[str], lines: Sequence[str]) -> str:
    """A program whose lines may ask for `polls`, `raters` and `items`."""
    group = "" if study.candidate == ALL_GROUPS else f", group={literal(study.candidate)}"
    told = [
        'labels = store.query(dataset, "answers")["name"].tolist()',
        "polls = of_labels(choices, labels, items, raters)",
    ]
    if is_pairs(study):
        told = [
            'systems = store.query(dataset, "options")["name"].tolist()',
            'designs = store.query(dataset, "designs")["name"].tolist()',
            "polls = of_pairs(choices, systems, designs, items, raters)",
        ]
    wanted = "of_pairs" if is_pairs(study) else "of_labels"
    if any("replace(" in line for line in lines):
        imports = [*imports, "from dataclasses import replace"]
    return program(
        study,
        [f"from analysis.workers.polls import {wanted}", *imports],
        [
            f'choices = store.query(dataset, "choices"{group})',
            'items = store.query(dataset, "item_names")["name"]',
            'raters = store.query(dataset, "rater_names")["name"]',
            *told,
            *lines,
            *PRINTED,
        ],
    )
