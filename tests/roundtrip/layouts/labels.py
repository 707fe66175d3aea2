"""Layouts of labels and of choices between two systems."""

from tests.roundtrip.layouts.long import finish
from tests.roundtrip.noise import Noise, Rows, Written
from tests.roundtrip.studies import Study

NAMES = (
    ("task", "worker", "label"),
    ("question", "worker", "answer"),
    ("item", "annotator", "category"),
    ("text_id", "rater", "choice"),
)


def rows(study: Study) -> Written:
    """Write one row per label."""
    noise = Noise(study, "label rows")
    head: list[object] = [*NAMES[int(noise.draw.integers(len(NAMES)))]]
    cells: Rows = [
        [study.items[at], study.raters[who], study.values[level]]
        for (at, who, _), level in study.levels.items()
    ]
    return finish(noise, head, cells)


def rater_columns(study: Study) -> Written:
    """Write one row per item with a column of labels for each rater."""
    noise = Noise(study, "label columns")
    missing = noise.missing()
    head: list[object] = [noise.header("item"), *study.raters]
    cells: Rows = [
        [name, *(noise.cell(at, who, 0, missing) for who in range(len(study.raters)))]
        for at, name in enumerate(study.items)
    ]
    noise.extra_columns(head, cells, per="item")
    decided_by = "" if missing else "the names of raters"  # a code may be a label
    return Written({"study.csv": noise.table([head], cells)}, tuple(noise.used), decided_by)


def survey(study: Study) -> Written:
    """Write one row per respondent with a question for each item."""
    noise = Noise(study, "label survey")
    missing = noise.missing()
    head: list[object] = [noise.header("rater"), *(f"Which label fits {name}?" for name in study.items)]
    cells: Rows = [
        [name, *(noise.cell(at, who, 0, missing) for at in range(len(study.items)))]
        for who, name in enumerate(study.raters)
    ]
    noise.extra_columns(head, cells, per="rater")
    decided_by = "" if missing else "the questions"
    return Written({"survey.csv": noise.table([head], cells)}, tuple(noise.used), decided_by)


def question_columns(study: Study) -> Written:
    """Write one row per item and rater with a column for each question."""
    noise = Noise(study, "label questions")
    head: list[object] = [noise.header("item"), noise.header("rater"), *study.measures]
    cells: Rows = [
        [item, rater, *(noise.cell(at, who, what) for what in range(len(study.measures)))]
        for at, item in enumerate(study.items)
        for who, rater in enumerate(study.raters)
        if any((at, who, what) in study.levels for what in range(len(study.measures)))
    ]
    return finish(noise, head, cells, rater=1)


def survey_questions(study: Study) -> Written:
    """Write one row per respondent with a column for each item and question."""
    noise = Noise(study, "label survey questions")
    head: list[object] = [noise.header("rater")]
    head += [f"{item} [{question}]" for item in study.items for question in study.measures]
    cells: Rows = [
        [
            name,
            *(
                noise.cell(at, who, what)
                for at in range(len(study.items))
                for what in range(len(study.measures))
            ),
        ]
        for who, name in enumerate(study.raters)
    ]
    return Written({"survey.csv": noise.table([head], cells)}, tuple(noise.used), "the full grid of headers")


def pairs(study: Study) -> Written:
    """Write one row per choice between two systems."""
    noise = Noise(study, "pairs")
    names = (
        ("option_a", "option_b", "choice"),
        ("model_a", "model_b", "winner"),
        ("system_a", "system_b", "preference"),
    )
    first, second, choice = names[int(noise.draw.integers(len(names)))]
    by_name = noise.happens("winner by name", 0.3)
    sides = {"choice": ("A", "B"), "winner": ("model_a", "model_b"), "preference": ("A", "B")}[choice]
    head: list[object] = [noise.header("item"), noise.header("rater"), first, second, choice]
    cells: Rows = [
        [
            study.items[at],
            study.raters[who],
            *study.options[at],
            study.options[at][level] if by_name else sides[level],
        ]
        for (at, who, _), level in study.levels.items()
    ]
    if noise.happens("weights", 0.3):
        head.append("weight")
        for row in cells:
            row.append(round(0.2 + float(noise.draw.gamma(2, 0.4)), 2))
    return finish(noise, head, cells)
