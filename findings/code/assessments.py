"""What programs on assessors and systems begin with: everyone's ratings by codes, and who goes by which rule.

Nobody is left out on opening: the lines themselves say who goes.
"""

from collections.abc import Sequence

from features.program import PRINTED, literal, program
from features.study import Scenario, Study

_RULE = [
    "",
    "def rule_for(rated):",
    "    alike = judged.condition.max(initial=-1) == rated.condition.max(initial=-1)",
    "    alike = alike and judged.has_topics == rated.has_topics",
    "    return (rule, judged, by_hand) if alike else None",
    "",
]


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


def rule(study: Study, scenario: Scenario) -> tuple[list[str], list[str]]:
    """Imports and lines that bind `rule_for(rated)`: the rule by which draws choose anew whom to leave out, or None."""
    if scenario.rule is None:
        return [], ["def rule_for(rated):", "    return None", ""]
    compares = study.merge is not None and not scenario.rule.looks_at_repeats
    return ["from analysis.assessors.exclusion_rules import ExclusionRule"], [
        f"rule, by_hand = {literal(scenario.rule)}, {scenario.by_hand}",
        f"judged = assessments({literal(scenario.judged_on)}{', merged' if compares else ''})",
        *_RULE,
    ]


PLAIN_WITHOUT_TOPICS = [
    "",
    "def spec_for(rated):",
    "    # without topics each item is of one system: there is nothing for a model to share",
    '    return spec if rated.has_topics else replace(spec, method="plain")',
    "",
]
"""`spec_for(rated)` of a ranking; wants `dataclasses.replace`."""
