"""What can be asked before a study, those first that fit the open data set."""

from collections.abc import Callable
from typing import Protocol

from features.polls import is_pairs
from features.study import Study
from panels.planning import apart, best, enough, labels, precise, preference


class Panel(Protocol):
    """One question's part of the page."""

    EXPLANATION: str

    def show(self, study: Study) -> Callable[[], str] | None:
        """Draws it; gives what writes its program, where it has one."""


def questions(study: Study) -> dict[str, Panel]:
    """The panels that answer, the first of them shown unless another is asked for."""
    of_ratings: dict[str, Panel] = {
        "Which systems can be told apart?": apart,
        "How precise?": precise,
        "Best use of a budget": best,
    }
    of_choices: dict[str, Panel] = {"Is one preferred?": preference, "Are labels right?": labels}
    if study.holds_choices and not is_pairs(study):
        of_choices = dict(reversed(of_choices.items()))
    if not study.holds_choices:
        of_ratings["Is it enough already?"] = enough
    return of_choices | of_ratings if study.holds_choices else of_ratings | of_choices
