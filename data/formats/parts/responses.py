"""The table of the responses that a file holds: one row per answer, whatever the file's own layout."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from data.errors import NoRatings, listed
from data.formats.parts.answers import answers_of, known_of, share
from data.formats.parts.format import ONE_RATER, UNNAMED, Aside, Canonical, Made
from data.formats.parts.table import Cells, Table

TWICE = "the annotation stands in the file twice"
NAMES = (
    "item", "rater", "answer", "measure", "check", "expected", "seconds", "submitted", "status", "assignment", "order",
)  # fmt: skip
"""Columns that a file's own may not be called."""


@dataclass(frozen=True)
class Response:
    """The answers of one rater about one item, by question.

    `expected` are the right answers, by question; `cells` hold what else is known, by column; `seconds` are those of
    all answers together. `told_by` is the column that shows that there is no answer, and what stands there. Of several
    responses with the same `id` the first one counts. The rater is None where the file names nobody.
    """

    item: str
    rater: str | None
    answers: Mapping[str, str]
    cells: Mapping[str, str] = field(default_factory=dict)
    seconds: str | None = None
    expected: Mapping[str, str] = field(default_factory=dict)
    told_by: tuple[str, str] = ("", "")
    id: str = ""


Responses = Callable[[int, Cells], Iterable[Response | Aside]]
"""The responses that a row of a file holds, by its line and its cells."""


def responses_in(table: Table, responses: Responses) -> list[Response]:
    """Return the responses in the first rows."""
    return [each for row in table.first_rows() for each in responses(0, row) if isinstance(each, Response)]


def questions_in(
    table: Table, responses: Responses, else_all: bool = False
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the questions answered by ratings, else those answered by labels, or `else_all`; and sentences about what
    was left out."""
    first = responses_in(table, responses)
    questions = tuple(dict.fromkeys(name for each in first for name in each.answers))
    answers, notes = answers_of(
        [{name: each.answers.get(name, "") for name in questions} for each in first], questions
    )
    return (questions, ()) if else_all and not answers else (answers, notes)


def without_rankings(
    ranked: Sequence[str], questions: Sequence[str], notes: tuple[str, ...]
) -> tuple[str, ...]:
    """Return the notes with one on questions that are answered by rankings.

    Raises
    ------
    NoRatings
        where there are no other questions.
    """
    if ranked and not questions:
        raise NoRatings.but_rankings(ranked)
    return (
        (*notes, f"Rankings are not supported yet and are not taken: {listed(ranked)}.") if ranked else notes
    )


def table_of(
    table: Table,
    responses: Responses,
    questions: Sequence[str] | Mapping[str, str],
    nothing: str,
    open: Sequence[str] = (),
    notes: Sequence[str] = (),
    pairs: bool = False,
) -> Canonical:
    """Return the table of the answers to these questions, which may have other names as measures.

    `nothing` says why a response without any of these answers is set aside; the `open` columns are for their names and
    values to tell. `pairs`: answers choose between two options.
    """
    called = questions if isinstance(questions, Mapping) else {name: name for name in questions}

    def made() -> Iterator[Made]:
        seen: set[str] = set()
        for row in table.all_rows():
            for each in (row,) if isinstance(row, Aside) else responses(*row):
                if isinstance(each, Aside):
                    yield each
                elif each.id in seen:
                    yield Aside(line_of(row), "id", TWICE, each.id)
                else:
                    seen.update([each.id] if each.id else [])
                    yield from _rows(line_of(row), each, called, nothing)

    first = responses_in(table, responses)
    given = (each.answers.get(name, "") for each in first for name in called)
    columns = ("item", "rater", "answer", *(["measure"] if len(called) > 1 else []))
    columns = tuple(dict.fromkeys([*columns, *(name for each in first for name in _columns_of(each)), *open]))
    notes = (*notes, ONE_RATER) if any(each.rater is None for each in first) else tuple(notes)
    return Canonical(columns, made(), known_of(columns, given, open, pairs), notes)


def _columns_of(response: Response) -> Iterator[str]:
    """Yield the columns of what is known of a response besides its answers."""
    if response.expected:
        yield from ("check", "expected")
    if response.seconds is not None:
        yield "seconds"
    yield from response.cells


def line_of(row: tuple[int, Cells] | Aside) -> int:
    """Return the line of the file on which a row begins."""
    return row.line if isinstance(row, Aside) else row[0]


def _rows(line: int, response: Response, called: Mapping[str, str], nothing: str) -> Iterator[Made]:
    answered = [name for name in called if response.answers.get(name)]
    if not answered:
        yield Aside(line, response.told_by[0], nothing, response.told_by[1])
    for name in answered:
        expected = response.expected.get(name, "")
        yield (
            line,
            {
                "item": response.item,
                "rater": UNNAMED if response.rater is None else response.rater,
                "answer": response.answers[name],
                "measure": called[name] if len(called) > 1 else "",
                "seconds": share(response.seconds or "", len(answered)),
                **response.cells,
                **({"check": "gold", "expected": expected} if expected else {}),
            },
        )
