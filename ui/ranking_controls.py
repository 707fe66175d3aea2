"""Controls of rankings of systems by their scores, which several pages share."""

from analysis.assessors.exclusion import Method
from features.study import Study
from ui.controls import choose_one, choose_value

METHODS: dict[str, Method] = {
    "the additive model where cells are missing": "automatic",
    "the additive model": "additive",
    "the plain mean over topics": "plain",
}


def choose_measure(study: Study) -> str:
    """Draw the choice of the measure that ranks, where there are several."""
    if len(study.measures) == 1:
        return study.measures[0]
    return choose_one("Ranked by", study.measures, key="ranked_by", width=320)


def choose_method() -> Method:
    """Draw the choice of how a system's score is made from its cells."""
    help = (
        "Without some raters, systems may miss different topics; a plain mean then mixes the topics' difficulty into "
        "the systems. The model (system + topic) does not."
    )
    return choose_value("A system's score is", METHODS, key="method", help=help)
