"""What leaving out the least reliable quarter of raters would bring each measure."""

from collections.abc import Callable
from dataclasses import replace

from analysis.repetitions.sensitivity import Sensitivity, sensitivity
from features.item_variance import candidate_ratings
from features.results import long_result
from features.study import Study
from findings.repetitions.rating_curves import curves_key, reference_values
from findings.repetitions.settings import Settings
from findings.repetitions.unreliable_raters import HOW_CHOSEN, largest_gain, remarks, unreliable_table
from panels.repetitions.aggregations import SHUFFLES
from ui.conclusions import show_finding
from ui.tables import show_table
from ui.words import note, say, warn


def show(study: Study, chosen: Settings) -> None:
    """Shows each measure's gain, where raters are persons."""
    if not study.raters_are_persons:
        say("Raters are slots in this data set, not persons, so nobody can be called unreliable.")
        return
    sensitivities = _sensitivities(study, chosen)
    if sensitivities is None:
        return
    table, written = unreliable_table(study.measures, sensitivities)
    if (gain := largest_gain(table)) is not None:
        show_finding(gain)
    show_table(
        table,
        written,
        alt="Correlation with everyone and without the least reliable quarter of raters, per measure",
    )
    for remark in remarks(study.measures, sensitivities):
        warn(*remark)
    note(HOW_CHOSEN)


def _sensitivities(study: Study, chosen: Settings) -> tuple[Sensitivity, ...] | None:
    fewer = replace(chosen.spec, shuffles=min(SHUFFLES, chosen.spec.shuffles))

    def compute(on_progress: Callable[[float], object]) -> tuple[Sensitivity, ...]:
        made = []
        for at, measure in enumerate(study.measures):
            made.append(
                sensitivity(candidate_ratings(study, measure), reference_values(study, measure), fewer)
            )
            on_progress((at + 1) / len(study.measures))
        return tuple(made)

    return long_result(curves_key(study, "sensitivity", fewer), "Without unreliable raters", compute)
