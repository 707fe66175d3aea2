"""What can be asked of a study of choices: of all its systems, of any two, or of its labels."""

from typing import Protocol

from features.polls import is_pairs, polls
from features.study import Study
from panels.systems import against_known, classes, preference, scale
from panels.systems.scale import TWO

ALL = "All systems"
CLASSES = "Classes"
GOLD = "Against known answers"


class Panel(Protocol):
    """One question's part of the page."""

    EXPLANATION: str

    def show(self, study: Study) -> None:
        """Draws it."""


def systems_compared(study: Study) -> int:
    """How many systems were compared with another."""
    return len({system for poll in polls(study) for system in (poll.first, poll.second)})


def questions(study: Study) -> dict[str, Panel]:
    """The panels that answer, the first of them shown unless another is asked for."""
    if not is_pairs(study):
        return {CLASSES: classes, GOLD: against_known}
    of_pairs: dict[str, Panel] = {TWO: preference}
    if systems_compared(study) > 2:
        of_pairs = {ALL: scale, **of_pairs}
    known = study.whole.has("gold") or study.whole.has("expert")
    return of_pairs | ({GOLD: against_known} if known else {})
