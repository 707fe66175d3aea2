"""The open study's polls: one for each pair of systems under one design, or one of labels, cached."""

from dataclasses import replace

from analysis.values.types import Codes
from analysis.workers import polls as polls_module
from analysis.workers.polls import Choices, Names, Poll
from features.results import key_of, query, result
from features.study import ALL_GROUPS, Study


def is_pairs(study: Study) -> bool:
    """True where systems were compared in pairs; otherwise labels were given."""
    return study.whole.has("option_a", "option_b")


def polls(study: Study) -> tuple[Poll, ...]:
    """Every pair of systems under every design, or all labels as one."""
    return result(key_of(study.dataset, "polls", study.candidate), lambda: _polls(study))


def pooled(study: Study) -> tuple[Poll, Codes]:
    """All polls as one, and each item's poll."""
    return result(
        key_of(study.dataset, "pooled", study.candidate),
        lambda: polls_module.pooled(polls(study), query(study.dataset, "rater_names")["name"]),
    )


def count_compared_systems(study: Study) -> int:
    """Return how many systems were compared with another."""
    return len({system for poll in polls(study) for system in (poll.first, poll.second)})


def by_design(study: Study) -> tuple[Poll, ...]:
    """The polls, labels too apart by the design that they were given under."""
    if is_pairs(study) or not study.whole.has("design"):
        return polls(study)
    return result(
        key_of(study.dataset, "labels by design", study.candidate), lambda: _labels_by_design(study)
    )


def _merged(study: Study, found: tuple[Poll, ...]) -> tuple[Poll, ...]:
    """Return the polls with one vote per rater and item where the view merges repeats."""
    merge = study.dataset.merged
    return found if merge is None else tuple(poll.one_per_rater(merge) for poll in found)


def _labels_by_design(study: Study) -> tuple[Poll, ...]:
    choices, labels, items, raters = _choices(study)
    made = []
    for code, name in enumerate(query(study.dataset, "designs")["name"].tolist()):
        part = {column: values[choices["design"] == code] for column, values in choices.items()}
        made += [
            replace(poll, name=name, design=name)
            for poll in polls_module.of_labels(part, labels, items, raters)
        ]
    return _merged(study, tuple(made))


def _polls(study: Study) -> tuple[Poll, ...]:
    choices, labels, items, raters = _choices(study)
    if not is_pairs(study):
        return _merged(study, polls_module.of_labels(choices, labels, items, raters))
    systems = query(study.dataset, "options")["name"].tolist()
    designs = query(study.dataset, "designs")["name"].tolist()
    return _merged(study, polls_module.of_pairs(choices, systems, designs, items, raters))


def _choices(study: Study) -> tuple[Choices, list[str], Names, Names]:
    """The rows, and the names of labels, items and raters by code."""
    chosen = {} if study.candidate == ALL_GROUPS else {"group": study.candidate}
    labels = [] if is_pairs(study) else query(study.dataset, "answers")["name"].tolist()
    return (
        query(study.dataset, "choices", **chosen),
        labels,
        query(study.dataset, "item_names")["name"],
        query(study.dataset, "rater_names")["name"],
    )
