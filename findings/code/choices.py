"""The programs of choices: who is reliable, how many votes are enough, which system is preferred."""

from collections.abc import Sequence

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


def _merged(study: Study) -> list[str]:
    """The line that leaves one vote per rater and item, in a view that merges repeats."""
    merge = study.dataset.merged
    return [f"polls = tuple(poll.one_per_rater({literal(merge)}) for poll in polls)"] if merge else []


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
    return program(
        study,
        [f"from analysis.workers.polls import {wanted}", *imports],
        [
            f'choices = store.query(dataset, "choices"{group})',
            'items = store.query(dataset, "item_names")["name"]',
            'raters = store.query(dataset, "rater_names")["name"]',
            *told,
            *_merged(study),
            *lines,
            *PRINTED,
        ],
    )
