"""The program of Items: on which raters disagree, and which may be broken, of one measure."""

from features.program import RATINGS, literal, program
from features.study import Study


def code(study: Study, measure: str) -> str:
    asked, mean, merged = f"{literal(measure)}, {literal(study.candidate)}", "spread.mean", []
    if study.merge is not None:
        mean = "means"
        merged = [
            "means = given.mos().means",
            f"dataset = dataset.merging_repeats({literal(study.merge)})",
            f"given = ratings({asked})",
        ]
    return program(
        study,
        [
            "from analysis.items.disagreement import disagreement",
            "from analysis.items.discrimination import discrimination",
            "from analysis.ratings import Ratings",
        ],
        [
            *RATINGS,
            f"given = ratings({asked})",
            *merged,
            "spread, broken = disagreement(given), discrimination(given)",
            'names = store.query(dataset, "item_names")["name"]',
            "results = {",
            "    str(names[item]): (mean, sd, r)",
            f"    for item, mean, sd, r in zip(spread.items, {mean}, spread.sd, broken.r)",
            "}",
            "for item, (mean, sd, r) in results.items():",
            '    print(f"{item}: MOS {mean}, SD {sd}, r with agreement {r}")',
        ],
    )
