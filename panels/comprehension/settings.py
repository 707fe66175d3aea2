"""What all panels on comprehension share: which authors are machines, how intervals are drawn, and the two steps in
which figures come: closed at once, with intervals when they are drawn."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from analysis.comprehension.answers import Answers
from analysis.values.estimate import BootstrapSpec, Estimate
from charts.parts.numbers import count, percent, share
from findings.study import Study
from panels.comprehension import answers
from panels.parts.pictures import let_it_be_drawn
from panels.parts.progress import long_result
from panels.parts.sampling_controls import draws_control, seed_control
from panels.parts.shelf import key_of, result, shelved

DRAWS = 1000


@dataclass(frozen=True)
class Settings:
    """Codes of the authors that are machines, whether the file says so, and how intervals are drawn."""

    machines: tuple[int, ...]
    in_the_file: bool
    bootstrap: BootstrapSpec


def settings(study: Study, machines_in_front: bool = False) -> Settings:
    """The rarely used controls; which authors are machines is asked where the file does not say it."""
    told = answers.machines(study)
    if machines_in_front and not told:
        chosen = _machines(study)
    with st.popover("More"):
        draws = draws_control("comprehension_draws", DRAWS, fewest=0)
        seed = seed_control("comprehension_seed")
        if not told and not machines_in_front:
            chosen = _machines(study)
    return Settings(told or chosen, bool(told), BootstrapSpec(draws, seed))


def _machines(study: Study) -> tuple[int, ...]:
    """The authors of summaries that the visitor says are machines."""
    names = answers.names(study, "author").tolist()
    chosen = st.multiselect(
        "Which authors are machines",
        [names[code] for code in writers(answers.answers(study))],
        key="machines",
        bind="query-params",
        placeholder="None",
        width=320,
        help="Their summaries are held against those by people, and stay out of the level that people share. In the "
        "file: a column author_kind that says machine.",
    )
    return tuple(at for at, name in enumerate(names) if name in chosen)


def steps(
    study: Study,
    label: str,
    compute: Callable[[BootstrapSpec, Any], Any],
    bootstrap: BootstrapSpec,
    *parts: object,
) -> Iterator[Any]:
    """The closed figures, then those with intervals, unless these are at hand; `compute(spec, on_progress)`."""
    key = key_of(study.dataset, f"comprehension: {label}", *parts, bootstrap)
    if bootstrap.draws == 0 or shelved(key) is None:
        closed = BootstrapSpec(0)
        yield result(
            key_of(study.dataset, f"comprehension: {label}", *parts, closed), lambda: compute(closed, None)
        )
        let_it_be_drawn(f"comprehension {study.key} {label} {parts}")
    if bootstrap.draws:
        found = long_result(key, label, lambda on_progress: compute(bootstrap, on_progress))
        if found is not None:
            yield found


def writers(answers: Answers) -> list[int]:
    """Codes of the authors of summaries."""
    return np.unique(answers.summary_author).tolist()


def askers(answers: Answers) -> list[int]:
    """Codes of the authors of questions."""
    return np.unique(answers.question_author).tolist()


def among_people(answers: Answers, machines: Collection[int]) -> Answers:
    """The answers of people's summaries to people's questions."""
    if not machines:
        return answers
    both = answers.summary_author, answers.question_author
    return answers.where(~np.isin(both, list(machines)).any(axis=0))


def told(e: Estimate, digits: int = 0) -> str:
    """A share with its interval, for a sentence.

    >>> told(Estimate(0.61, 0.571, 0.652)), told(Estimate(0.61))
    ('61 % (57 to 65 %)', '61 %')
    """
    between = percent(e, digits)
    return share(e.value, digits) + ("" if between == "–" else f" ({between})")


def counted(number: int, one: str, several: str | None = None) -> str:
    """A number with its word.

    >>> counted(1, "story", "stories"), counted(3, "judge")
    ('1 story', '3 judges')
    """
    return f"{count(number)} {one if number == 1 else several or one + 's'}"
