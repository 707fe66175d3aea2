"""The program of choices: who is reliable."""

from collections.abc import Sequence

from features.polls import is_pairs
from features.program import PRINTED, literal, program
from features.study import ALL_GROUPS, Study


def workers(study: Study, poll: str | None, known: str) -> str:
    """`poll` is the comparison, None for all together; `known` whose answers the workers' are held against."""
    one = [*_one(poll or ""), "poll_of_item = np.zeros(poll.votes.items, dtype=np.int64)"]
    every = ["poll, poll_of_item = pooled(polls, raters)"]
    answers = f"poll.known({literal(known)})" if known else "None"
    return _polled(
        study.between_raters,
        [
            "import numpy as np",
            "from analysis.raters.naming import FEWEST_VOTES_ABOVE, compare_with_typical, name_raters, pooled_variance",
            "from analysis.workers.polls import pooled",
            "from analysis.workers.reliability_changes import reliability_changes",
            "from analysis.workers.reliability_intervals import with_intervals",
            "from analysis.workers.worker_ranking import rank_workers",
        ],
        [
            *(every if poll is None else one),
            f"ranked = rank_workers(poll.votes, {answers}, poll.seconds, poll_of_item)",
            f"ranked = with_intervals(ranked, poll.votes, poll_of_item, raters_are_persons={study.raters_are_persons})",
            "results = {str(name): r for name, r in zip(poll.rater_names, ranked.r)}",
            "r, items = [one.value for one in ranked.r], [one.n for one in ranked.r]",
            "changes = reliability_changes(poll.votes, r, items, poll_of_item)",
            "variance = pooled_variance(changes)",
            "compared = compare_with_typical(changes.z, changes.units, variance, FEWEST_VOTES_ABOVE)",
            'results["typical rater"] = name_raters([compared])[0]',
        ],
    )


def _one(poll: str) -> list[str]:
    return [f"poll = next(each for each in polls if each.name == {literal(poll)})"]


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
