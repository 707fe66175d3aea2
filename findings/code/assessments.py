"""What programs on assessors and systems begin with: everyone's ratings by codes, and who goes by which rule.

Nobody is left out on opening: the lines themselves say who goes.
"""

from collections.abc import Sequence

from features.program import PRINTED, literal, program
from features.study import Study


def assessed(study: Study, imports: Sequence[str], lines: Sequence[str]) -> str:
    """A program whose lines may ask for `assessments(measure)`, `raters` and `labels(column)`."""
    given, of = [], "dataset"
    if study.merge is not None:
        given, of = [f"merged = dataset.merging_repeats({literal(study.merge)})", ""], "of"
    return program(
        study,
        ["from analysis.assessors.assessments import Assessments", *imports],
        [
            *given,
            f"def assessments(measure{', of=dataset' if given else ''}):",
            f'    rows = store.query({of}, "assessments", measure=measure, group={literal(study.candidate)})',
            "    return Assessments(measure, **rows)",
            "",
            "def labels(column):",
            '    return store.query(dataset, "labels", column=column)["name"]',
            "",
            'raters = store.query(dataset, "rater_names")["name"].tolist()',
            *lines,
            *PRINTED,
        ],
        everyone=True,
    )


def left_out(names: Sequence[str]) -> str:
    """The line that binds the codes of who is left out."""
    return f"without = [raters.index(name) for name in {literal(tuple(names))}]"
