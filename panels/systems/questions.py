"""What can be asked of a study of choices: of all its systems, of any two, or of its labels."""

from typing import Protocol

from features.polls import is_pairs
from features.study import Study
from features.systems.scale_results import count_compared_systems
from panels.systems import preference

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
    """Return the panels that answer, None where the page draws a section; the first is shown by default."""
    if not is_pairs(study):
        return {CLASSES: None, GOLD: None}
    of_pairs: dict[str, Panel | None] = {TWO: preference}
    if count_compared_systems(study) > 2:
        of_pairs = {ALL: None, **of_pairs}
    known = study.whole.has("gold") or study.whole.has("expert")
    return of_pairs | ({GOLD: None} if known else {})
