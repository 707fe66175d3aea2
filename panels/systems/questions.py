"""What can be asked of a study of choices: of all its systems, of any two, or of its labels."""

from typing import Protocol

from features.polls import is_pairs
from features.study import Study
from features.systems.scale_results import count_compared_systems
from panels.systems import against_known, classes, preference

ALL = "All systems"
TWO = "Any two systems"
CLASSES = "Classes"
GOLD = "Against known answers"


class Panel(Protocol):
    """One question's part of the page."""

    EXPLANATION: str

    def show(self, study: Study) -> None:
        """Draws it."""


def questions(study: Study) -> dict[str, Panel | None]:
    """The panels that answer, the first of them shown unless another is asked for; None for a section."""
    if not is_pairs(study):
        return {CLASSES: classes, GOLD: against_known}
    of_pairs: dict[str, Panel | None] = {TWO: preference}
    if count_compared_systems(study) > 2:
        of_pairs = {ALL: None, **of_pairs}
    known = study.whole.has("gold") or study.whole.has("expert")
    return of_pairs | ({GOLD: against_known} if known else {})
