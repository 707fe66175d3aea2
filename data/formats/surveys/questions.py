"""What a survey's columns are: questions with several parts, each of which every respondent may have rated."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from data.errors import listed
from data.formats.parts.answers import known_of, share
from data.formats.parts.columns import filled
from data.formats.parts.format import Aside, Canonical, Chosen, Made
from data.formats.parts.table import Cells
from data.reading.columns import is_answer, is_numeric, is_score
from data.tables.sniffed import Switch

PARTS = Switch(
    "@parts",
    "Questions of several parts",
    ("the more numerous are items", "parts are items", "questions are items"),
    "In a survey of clips, either the parts of a question are the clips, or each question is a clip and its parts are "
    "what was judged. The other of the two is the measure.",
    asked=True,
)
UNFINISHED = Switch(
    "@unfinished",
    "Unfinished responses",
    ("set aside", "keep"),
    "Responses of people who did not reach the end.",
)
COLUMNS = ("item", "rater", "answer", "measure", "seconds", "submitted")


@dataclass(frozen=True)
class Cell:
    """A column of answers: its question and the part of it."""

    column: str
    question: str
    part: str


@dataclass(frozen=True)
class Survey:
    """A survey's respondents, one per row: the columns with who, how long and when, and why a row is set aside."""

    rater: str
    seconds: str
    submitted: str
    missing: frozenset[str] = frozenset()


def canonical(
    survey: Survey,
    cells: Sequence[Cell],
    sample: Sequence[Cells],
    all_rows: Iterable[tuple[int, Cells] | Aside],
    chosen: Chosen,
    notes: Sequence[str] = (),
) -> Canonical:
    """One rating for each filled cell of the questions of several parts; single questions are about the rater."""
    told = {
        cell.column: [text for text in filled(sample, cell.column) if text not in survey.missing]
        for cell in cells
    }
    able = [cell for cell in cells if is_answer(told[cell.column]) or _is_constant_number(told[cell.column])]
    together: dict[str, list[str]] = {}
    for cell in cells:
        together.setdefault(cell.question, []).extend(told[cell.column])
    asked = {question for question, answers in together.items() if is_answer(answers)}
    able = [cell for cell in cells if cell in able or (cell.question in asked and told[cell.column])]
    several = {cell.question for cell in able if sum(other.question == cell.question for other in able) > 1}
    rated = [cell for cell in able if cell.question in several]
    scored = {question for question, answers in together.items() if is_score(answers)}
    if not rated:
        rated = [cell for cell in able if is_score(told[cell.column])]
        several = {cell.question for cell in rated}
    elif scored & several:
        rated = [cell for cell in rated if cell.question in scored]
    questions = {cell.question: None for cell in rated}
    parts = {cell.part: None for cell in rated}
    of_questions = chosen[PARTS.name] == "questions are items" or (
        chosen[PARTS.name] == PARTS.allowed[0] and len(questions) > len(parts)
    )
    rated_columns = {cell.column for cell in rated}
    about = {
        cell.column: f"rater_{_plain(cell.question)}"
        for cell in cells
        if cell.column not in rated_columns and told[cell.column] and cell.question not in several
    }
    said = [*notes]
    if rated and len(questions) > 1 and len(parts) > 1:
        meant = ("question is an item", "part") if of_questions else ("part is an item", "question")
        said.append(
            f"{len(questions)} questions of {len(parts)} parts: each {meant[0]}, each {meant[1]} a measure."
        )
    if about:
        said.append(f"Taken for what is known of the rater: {listed(about)}.")
    if survey.seconds:
        said.append("The time of a response is divided evenly over its ratings.")

    def of_row(line: int, row: Cells) -> Iterator[Made]:
        answered = [cell for cell in rated if row[cell.column] and row[cell.column] not in survey.missing]
        if not answered:
            yield Aside(line, rated[0].column if rated else "", "the response holds no rating", "")
        for cell in answered:
            item, measure = (cell.question, cell.part) if of_questions else (cell.part, cell.question)
            yield (
                line,
                {
                    "item": item,
                    "rater": row[survey.rater],
                    "answer": row[cell.column],
                    "measure": measure if len(parts if of_questions else questions) > 1 else "",
                    "seconds": share(row.get(survey.seconds, ""), len(answered)),
                    "submitted": row.get(survey.submitted, ""),
                    **{plain: row[column] for column, plain in about.items()},
                },
            )

    def rows() -> Iterator[Made]:
        for row in all_rows:
            if isinstance(row, Aside):
                yield row
            else:
                yield from of_row(*row)

    columns = (*COLUMNS, *dict.fromkeys(about.values()))
    answers = [text for cell in rated for text in told[cell.column]]
    return Canonical(columns, rows(), known_of(columns, answers), tuple(said))


def _is_constant_number(cells: Sequence[str]) -> bool:
    """Few respondents may all have given the same rating to a part."""
    return bool(cells) and len(set(cells)) == 1 and is_numeric(cells)


def _plain(question: str) -> str:
    return "".join(c if c.isalnum() else "_" for c in question.casefold()).strip("_")[:60] or "question"


def finished(
    rows: Iterable[tuple[int, Cells] | Aside], asides: Mapping[str, tuple[str, frozenset[str]]]
) -> Iterator[tuple[int, Cells] | Aside]:
    """The rows without those whose cell in a column is one of those that set them aside, for a reason."""
    for row in rows:
        if isinstance(row, Aside):
            yield row
            continue
        line, cells = row
        why = next(
            (
                Aside(line, column, reason, cells[column])
                for column, (reason, values) in asides.items()
                if cells[column].casefold() in values
            ),
            None,
        )
        yield why or row
