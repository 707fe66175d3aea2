"""How far judges agree."""

from pages import _answers
from pages._study import Study
from pages._words import say


def show(study: Study) -> None:
    """The number of answers."""
    say("{answers} answers.", answers=len(_answers.answers(study)))


EXPLANATION = "Source: Kolluru and Gotoh 2005, sections 4 to 6."
