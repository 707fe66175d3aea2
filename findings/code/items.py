"""The program of Items: on which raters disagree, and which may be broken, of one measure."""

from features.program import RATINGS, literal, program
from features.study import Study


def code(study: Study, measure: str) -> str:
    return program(
        study.between_raters,
        [
            "from analysis.items.disagreement import disagreement",
            "from analysis.items.discrimination import discrimination",
            "from analysis.ratings import Ratings",
        ],
        [
            *RATINGS,
            f"given = ratings({literal(measure)}, {literal(study.candidate)})",
            "spread, broken = disagreement(given), discrimination(given)",
            'names = store.query(dataset, "item_names")["name"]',
            "results = {",
            "    str(names[item]): (mean, sd, r)",
            "    for item, mean, sd, r in zip(spread.items, spread.mean, spread.sd, broken.r)",
            "}",
            "for item, (mean, sd, r) in results.items():",
            '    print(f"{item}: MOS {mean}, SD {sd}, r with agreement {r}")',
        ],
    )
