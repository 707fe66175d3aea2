"""The program of the page that compares groups: candidate against reference, per measure."""

from analysis.comparison.comparison import ComparisonSpec
from features.program import PRINTED, RATINGS, literal, program
from features.study import Study


def code(study: Study, spec: ComparisonSpec) -> str:
    once = ", tuple(merged(measure))" if _merged(study) else ""
    return program(
        study,
        [
            "from analysis.comparison import Belonging, ComparisonSpec, compare",
            "from analysis.estimate import BootstrapSpec",
            "from analysis.ratings import Ratings",
        ],
        [
            *RATINGS,
            *_merged(study),
            f"spec = {literal(spec)}",
            'belonging = Belonging(**store.query(dataset, "belonging"))',
            *_reference(study),
            "results = {}",
            f"for measure in {literal(list(study.measures))}:",
            f"    candidate = ratings(measure, {literal(study.candidate)})",
            f"    results[measure] = compare(candidate, reference(measure), spec, None, belonging{once})",
            *PRINTED,
        ],
    )


def _merged(study: Study) -> list[str]:
    """Both groups with one rating per rater and item, where a rater rated an item more than once."""
    if study.reference is None or study.merge is None:
        return []
    return [
        "def merged(measure):",
        f"    of = dataset.merging_repeats({literal(study.merge)})",
        f"    for group in {literal((study.candidate, study.reference))}:",
        '        rows = store.query(of, "ratings", measure=measure, group=group)',
        '        yield Ratings(rows["item"], rows["rater"], rows["score"], rows["order"])',
        "",
    ]


def _reference(study: Study) -> list[str]:
    if study.reference is not None:
        return ["def reference(measure):", f"    return ratings(measure, {literal(study.reference)})", ""]
    return [
        "def reference(measure):",
        f'    rows = store.query(dataset, "item_numbers", column={literal(study.reference_column)})',
        '    return dict(zip(rows["item"].tolist(), rows["value"].tolist()))',
        "",
    ]
