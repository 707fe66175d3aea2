"""Both ways to an answer at the same number of votes, so that they can be compared without switching."""

from collections.abc import Sequence
from dataclasses import replace

from analysis.repetitions.fitted_curves import FittedCurves
from analysis.workers.polls import Poll
from features.study import Study
from findings.repetitions.choice_curves import ChoiceView
from findings.repetitions.choice_tables import (
    OF_THESE_VOTES,
    compared_answers,
    each_against_its_own,
    one_compared_answer,
)
from findings.repetitions.vote_curves import fitted_votes
from ui.conclusions import show_finding
from ui.tables import show_table
from ui.words import note


def show(study: Study, polls: Sequence[Poll], view: ChoiceView, fitted: Sequence[FittedCurves]) -> None:
    """Majority and PCC-H weights side by side: a sentence for one comparison, a table for several."""
    by_majority = view.spec.weights == "majority"
    other_view = replace(view, spec=replace(view.spec, weights="PCC-H" if by_majority else "majority"))
    other = fitted_votes(study, polls, other_view)
    if other is None:
        return
    table, written = compared_answers(fitted, *((fitted, other) if by_majority else (other, fitted)))
    if len(table) > 1:
        show_table(
            table,
            written,
            alt="Share of items by majority and by PCC-H weights, at the knee and after all votes",
        )
        note(*OF_THESE_VOTES)
    elif (found := one_compared_answer(table, fitted[0].curves.repetitions, view)) is not None:
        show_finding(found)
    if (remark := each_against_its_own(view)) is not None:
        note(*remark)
