"""The program of Standing in: each candidate's test, its advantage with interval, and of ratings how many raters it is
worth, its order and its level.
"""

from collections.abc import Sequence
from dataclasses import replace

from features.program import PRINTED, RATINGS, literal, program
from features.study import Study
from findings.standing_in.answers import systems_and_designs
from findings.standing_in.candidates import Asked, Standing
from findings.standing_in.reference import raters_of_others
from findings.standing_in.standings import Candidate

_OF_GROUP = [
    "def of_group(group, rater=None):",
    "    answers = given(group)",
    "    its = slice(None) if rater is None else answers.rater == raters.index(rater)",
    "    return group_values(answers.item[its], answers.score[its], score)",
    "",
]
_OF_NUMBERS = [
    "def of_column(column):",
    '    rows = store.query(dataset, "item_numbers", column=column)',
    '    return dict(zip(rows["item"].tolist(), rows["value"].tolist()))',
    "",
]
_OF_CHOICES = [
    "def answers_of(group):",
    '    return chosen(store.query(dataset, "choices", group=group), systems, designs)',
    "",
]
_EVERY_ANSWER = [
    "def given(group):",
    "    answers = answers_of(group)",
    "    return Ratings(answers.item, answers.rater, answers.answer.astype(float))",
    "",
]
_ONE_PER_RATER = [
    "def given(group):",
    "    answers = answers_of(group)",
    "    answer = answers.answer.astype(float)",
    '    order = store.query(dataset, "choices", group=group)["order"]',
    "    kept = standing_votes(answers.item, answers.rater, answer, order, dataset.merged)",
    "    return Ratings(answers.item[kept], answers.rater[kept], answer[kept])",
    "",
]
_KNOWN_ANSWERS = [
    "def of_column(column):",
    "    found = {}",
    "    for answers in map(answers_of, groups):",
    "        there = answers.known[column] >= 0",
    "        found.update(zip(answers.item[there].tolist(), answers.known[column][there].tolist()))",
    "    return found",
    "",
]


def code(study: Study, asked: Asked, candidates: Sequence[Candidate], standings: Sequence[Standing]) -> str:
    """`standings` say who was tested, and as what: as it is, or put on the scale of the ratings."""
    imports = [
        "from analysis.ratings import Ratings",
        "from analysis.standing_in import alternative_annotator_test, group_values",
    ]
    on_scale = [one.name for one in standings if one.rescaled and one.test is not None]
    tested = [one.name for one in standings if one.test is not None]
    lines = [
        f"score = {literal(asked.score)}",
        f"epsilon, q, fewest = {asked.epsilon}, {asked.q}, {asked.fewest}",
        f"scope = {literal(asked.scope)}",
        'raters = store.query(dataset, "rater_names")["name"].tolist()',
        *(_given_choices(study) if study.holds_choices else _given_ratings(asked)),
        *_OF_GROUP,
        *(_KNOWN_ANSWERS if study.holds_choices else _OF_NUMBERS),
        f"reference = given({literal(asked.reference)})",
        "candidates = {",
        *(f"    {literal(one.name)}: {_values(study, asked, one)}," for one in candidates),
        "}",
        "results = {name: {} for name in candidates}",
        f"for name in {literal(tested)}:",
        "    values = candidates[name]",
    ]
    if on_scale:
        imports.append("from analysis.standing_in import on_the_scale_of")
        lines += [
            f"    if name in {literal(on_scale)}:",
            "        values = on_the_scale_of(reference, values)",
        ]
    lines += [
        "    answers = reference.rater, reference.item, reference.score",
        "    settings = score, epsilon, q, fewest",
        '    results[name]["test"] = alternative_annotator_test(*answers, values, *settings, scope=scope)',
    ]
    if study.holds_choices:
        imports.append("from analysis.replacing_raters.chosen import chosen")
        if study.dataset.merged:
            imports.append("from analysis.values.repeats import standing_votes")
    else:
        imports += [
            "from analysis.comparison import Belonging, ComparisonSpec, compare",
            "from analysis.estimate import BootstrapSpec",
            "from analysis.standing_in import effective_number_of_raters",
        ]
        lines += _order_and_level(asked, candidates, standings)
    return program(study, imports, [*lines, *PRINTED])


def _given_ratings(asked: Asked) -> list[str]:
    return [
        *RATINGS,
        "def given(group):",
        f"    return ratings({literal(asked.measure)}, group)",
        "",
    ]


def _given_choices(study: Study) -> list[str]:
    systems, designs = systems_and_designs(study)
    return [
        f"systems, designs = {systems}, {designs}",
        f"groups = {literal(list(study.groups))}",
        "",
        *_OF_CHOICES,
        *(_ONE_PER_RATER if study.dataset.merged else _EVERY_ANSWER),
    ]


def _values(study: Study, asked: Asked, one: Candidate) -> str:
    if one.kind == "column":
        return f"of_column({literal(one.source)})"
    if one.kind == "group":
        return f"of_group({literal(one.source)})"
    group, _ = raters_of_others(study, asked.measure, asked.reference)[one.source]
    return f"of_group({literal(group)}, {literal(one.source)})"


def _order_and_level(
    asked: Asked, candidates: Sequence[Candidate], standings: Sequence[Standing]
) -> list[str]:
    """A group as the candidate, anybody else as the reference, with the margin of the reference group's ratings."""
    groups = [one.name for one in candidates if one.kind == "group"]
    margins = {
        one.name: one.compared.spec.margin for one in standings if one.name not in groups and one.compared
    }
    lines = [
        f"spec = {literal(asked.spec)}",
        'belonging = Belonging(**store.query(dataset, "belonging"))',
        "for name, values in candidates.items():",
        '    results[name]["worth"] = effective_number_of_raters(reference, values, scope=scope)',
        f"for name in {literal(groups)}:",
        '    results[name]["compared"] = compare(given(name), reference, spec, None, belonging)',
    ]
    if margins:
        held = replace(asked.spec, margin=next(iter(margins.values())))
        lines += [
            f"spec = {literal(held)}",
            f"for name in {literal(list(margins))}:",
            '    results[name]["compared"] = compare(reference, candidates[name], spec, None, belonging)',
        ]
    return lines
