"""How many ratings per item are enough by rules that do not move with the number collected."""

from collections.abc import Sequence

from analysis.repetitions.fitted_curves import FittedCurves
from features.study import Study
from findings.repetitions.knee_table import Intervals
from findings.repetitions.measure_rules import measure_rules
from findings.repetitions.settings import Settings
from findings.repetitions.stopping_rules import WHY_RULES, rules_table, unanswered
from ui.tables import show_table
from ui.words import note, warn


def show(study: Study, chosen: Settings, fitted: Sequence[FittedCurves], intervals: Intervals) -> None:
    """Draws how many ratings per item are enough by each rule."""
    note(WHY_RULES)
    enough = chosen.enough
    by_measure = measure_rules(study, chosen, fitted, intervals)
    show_table(
        *rules_table(by_measure, enough),
        alt="Ratings per item that are enough by each rule, per measure",
    )
    for reason in unanswered(by_measure):
        warn(*reason)
