"""The table of the responses that a file holds: one row per answer, whatever the file's own layout."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime

from data.errors import listed
from data.formats.parts.cells import are_sets, as_label, as_set, filled, labels_of
from data.formats.parts.format import ONE_RATER, UNNAMED, Aside, Canonical, Cells, Made, Table
from data.kinds.definitions import KINDS
from data.reading.columns import column_of, is_answer, is_score
from data.tables.sniffed import Known, Switch, begins_with_number, is_number

_MEANT = {"item": "item_id", "rater": "rater_id", "group": "rater_group", "submitted": "rated_at"}
_MEANT_BY = {
    "ratings": {**_MEANT, "answer": "score"},
    "choices": {**_MEANT, "answer": "choice", "measure": "design", "expected": "gold"},
    "label sets": {**_MEANT, "answer": "labels", "measure": "design", "expected": "gold"},
}
"""Canonical columns of the common names of formats, by kind; other names stand for the canonical columns of the same
name."""
_MEANT_RANKED = {
    "item": "item_id", "rater": "rater_id", "option": "option", "answer": "rank", "seconds": "seconds",
    "submitted": "rated_at", "status": "status",
}  # fmt: skip
"""Columns of rankings, of which no others are taken."""


SEVERAL = Switch(
    "@several",
    "Several answers in a row are",
    ("measures of one item", "items of their own"),
    "Either one thing was judged in several ways (fluency, adequacy), or several things in one way (the first image, "
    "the second).",
    asked=True,
)
_HIGHEST, _FEW = 100, 3
"""Ends of a scale of ratings, and of measures that begin alike."""
_BEST = re.compile(r"(?<![a-z])best(?![a-z])")
_ALL_ANSWERS = "all answers"
"""The one measure of answers that are items of their own."""


def items_of_answers(canonical: Canonical) -> Canonical:
    """Return the table with each answer as a separate item, named by the row's item and the answer."""

    def as_separate_item(row: Made) -> Made:
        if isinstance(row, Aside) or not row[1].get("measure"):
            return row
        line, cells = row
        return line, {**cells, "item": f"{cells['item']}__{cells['measure']}", "measure": _ALL_ANSWERS}

    return replace(canonical, rows=map(as_separate_item, canonical.rows))


def answers_of(rows: Sequence[Cells], names: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the columns that hold ratings, else those that hold labels, and sentences about what was left out."""
    answers_by_column = {name: [cell for cell in filled(rows, name) if labels_of(cell)] for name in names}
    answerable = [
        name for name in names if is_answer(answers_by_column[name]) or are_sets(answers_by_column[name])
    ]
    scored = [name for name in answerable if is_score(filled(rows, name))]
    counts = _event_counts(rows, scored)
    scored, answerable = (
        [name for name in columns if name not in counts] for columns in (scored, answerable)
    )
    chosen = tuple(scored or _without_worst(answerable))
    unused = [name for name in names if name not in chosen and filled(rows, name)]
    notes = []
    if len(chosen) > 1:
        meaning = "measure" if scored else "question"
        notes.append(f"{len(chosen)} columns of answers ({listed(chosen)}) are taken for one {meaning} each.")
    if unused:
        notes.append(f"Not taken for ratings: {listed(unused)}.")
    return chosen, tuple(notes)


def _event_counts(rows: Sequence[Cells], names: Sequence[str]) -> list[str]:
    """Return the names of columns that count events: some go beyond a scale, and they and others begin alike."""
    prefixes = {
        name.partition("_")[0]
        for name in names
        if (column := column_of("", 0, filled(rows, name))).in_steps and max(column.points) > _HIGHEST
    }
    columns = [name for name in names if name.partition("_")[0] in prefixes]
    return columns if len(columns) > _FEW else []


def _without_worst(names: Sequence[str]) -> list[str]:
    """Return the names of the best option where those of the worst, such as worst_coh, say the same of two options; of
    answers beside them, none chooses an option."""
    name_by_ending = {name.casefold().rpartition(".")[2]: name for name in names}
    best = [
        name
        for ending, name in name_by_ending.items()
        if _BEST.search(ending) and _BEST.sub("worst", ending) in name_by_ending
    ]
    return best or list(names)


def known_mapping(
    columns: Sequence[str], answers: Iterable[str], open: Sequence[str] = (), pairs: bool = False
) -> Known:
    """Return the meaning of the columns of a format's table, if these are its answers; the `open` ones are for their
    names and values to tell. Answers that choose between two options (`pairs`) are no scores, even where they are
    numbers."""
    filled_answers = [answer for answer in answers if answer]
    kind = (
        "label sets"
        if are_sets(filled_answers) and not pairs
        else "choices"
        if pairs or not is_score(filled_answers)
        else "ratings"
    )
    mapping: dict[str, str | tuple[str, ...]] = {}
    for column in columns:
        means = _MEANT_BY[kind].get(column, column)
        if column not in open and (KINDS[kind].column(means) or means.startswith("rater_")):
            mapping[means] = column
    if kind == "ratings" and any(begins_with_number(cell) for cell in set(filled_answers)):
        mapping["@scores"] = "leading number"
    return Known(kind, mapping, tuple(open))


def share(seconds: str, answers: int) -> str:
    """Return the seconds of one answer among several; empty where they are unknown."""
    return f"{float(seconds) / answers:.6g}" if is_number(seconds) and answers > 0 else ""


def seconds_of(milliseconds: str) -> str:
    """Return milliseconds in seconds; "" where there is no number."""
    return share(milliseconds, 1000)


def seconds_in_page(
    table: Table, page: Sequence[str], started: str, ended: str, answers: Sequence[str]
) -> Callable[[Cells], str]:
    """Return a function that gives the seconds of all answers in a row: their part of the time of the page, or of the
    assignment, that rows which agree in `page` have in common."""
    counts: Counter[tuple[str, ...]] = Counter()
    if {*page, started, ended} <= {*table.names}:
        for row in table.all_rows():
            if not isinstance(row, Aside):
                counts[tuple(row[1][name] for name in page)] += len(filled([row[1]], *answers))

    def seconds(row: Cells) -> str:
        answers_in_page = counts[tuple(row.get(name, "") for name in page)]
        for parse in (datetime.fromisoformat, lambda time: datetime.strptime(time, "%m/%d/%Y %H:%M:%S")):
            with suppress(ValueError, TypeError, KeyError):
                duration = parse(row[ended]) - parse(row[started])
                return (
                    str(duration.total_seconds() * len(filled([row], *answers)) / answers_in_page)
                    if answers_in_page
                    else ""
                )
        return ""

    return seconds


TWICE = "the annotation stands in the file twice"
NAMES = (
    "item", "rater", "answer", "measure", "check", "expected", "seconds", "submitted", "status", "assignment", "order",
)  # fmt: skip
"""Columns that a file's own may not be called."""


@dataclass(frozen=True)
class Response:
    """The answers of one rater about one item, by question.

    `expected` are the right answers, by question; `cells` hold what else is known, by column; `seconds` are those of
    all answers together. `ranks` are the options of each question that was answered by a ranking, with their ranks.
    `no_answer_cell` is the column that shows that there is no answer, and what stands there. Of several
    responses with the same `id` the first one counts. The rater is None where the file names nobody.
    """

    item: str
    rater: str | None
    answers: Mapping[str, str]
    cells: Mapping[str, str] = field(default_factory=dict)
    seconds: str | None = None
    expected: Mapping[str, str] = field(default_factory=dict)
    no_answer_cell: tuple[str, str] = ("", "")
    id: str = ""
    ranks: Mapping[str, Sequence[tuple[str, str]]] = field(default_factory=dict)


Responses = Callable[[int, Cells], Iterable[Response | Aside]]
"""The responses that a row of a file holds, by its line and its cells."""


def responses_in(table: Table, responses: Responses) -> list[Response]:
    """Return the responses in the first rows."""
    return [
        response for row in table.head for response in responses(0, row) if isinstance(response, Response)
    ]


def table_of_questions(
    table: Table,
    responses: Responses,
    no_answer: str,
    open: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> Canonical:
    """Return the table of the questions answered by ratings, else those answered by labels, else all; of rankings where
    there are no other answers."""
    first = responses_in(table, responses)
    questions = tuple(dict.fromkeys(name for response in first for name in response.answers))
    answers_of_responses = [
        {name: response.answers.get(name, "") for name in questions} for response in first
    ]
    answers, columns = answers_of(answers_of_responses, questions)
    ranked = sorted({question for response in first for question in response.ranks})
    if ranked and not questions:
        return rankings_of(table, responses, ranked, no_answer, open, notes)
    columns = columns if answers else ()
    if ranked:
        columns = (*columns, f"Rankings are not taken together with other answers: {listed(ranked)}.")
    return table_of(table, responses, answers or questions, no_answer, open, (*columns, *notes))


def rankings_of(
    table: Table,
    responses: Responses,
    questions: Sequence[str],
    no_answer: str,
    open: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> Canonical:
    """Return the table of the rankings that these questions were answered by; with several, each is a task."""

    def ranked_options(response: Response) -> list[Response]:
        """Return a response to each ranked option, whose answer is its rank."""
        has_several = len(questions) > 1
        return [
            replace(
                response,
                item=f"{response.item} / {name}" if has_several else response.item,
                answers={"rank": rank},
                cells={"option": option, **response.cells},
                id=f"{response.id} {name} {option}" if response.id else "",
            )
            for name in questions
            for option, rank in response.ranks.get(name, ())
        ]

    def ranked(line: int, row: Cells) -> Iterator[Response | Aside]:
        for response in responses(line, row):
            yield from (
                [response]
                if isinstance(response, Aside)
                else ranked_options(response) or [replace(response, answers={})]
            )

    canonical = table_of(table, ranked, ["rank"], no_answer, open, notes)
    mapping = {means: column for column, means in _MEANT_RANKED.items() if column in canonical.columns}
    return replace(canonical, known=Known("rankings", mapping, tuple(open)))


def table_of(
    table: Table,
    responses: Responses,
    questions: Sequence[str] | Mapping[str, str],
    no_answer: str,
    open: Sequence[str] = (),
    notes: Sequence[str] = (),
    pairs: bool = False,
) -> Canonical:
    """Return the table of the answers to these questions, which may have other names as measures.

    `no_answer` says why a response without any of these answers is set aside; the `open` columns are for their names
    and values to tell. `pairs`: answers choose between two options.
    """
    measures = questions if isinstance(questions, Mapping) else {name: name for name in questions}

    seen_ids: set[str] = set()

    def convert_row(line: int, row: Cells) -> Iterator[Made]:
        for response in responses(line, row):
            if isinstance(response, Aside):
                yield response
            elif response.id in seen_ids:
                yield Aside(line, "id", TWICE, response.id)
            else:
                seen_ids.update([response.id] if response.id else [])
                yield from _rows(line, response, measures, no_answer, as_answer)

    first = responses_in(table, responses)
    first_answers = [response.answers.get(name, "") for response in first for name in measures]
    as_answer = as_set if are_sets(first_answers) and not pairs else as_label
    names = ["item", "rater", "answer", *(["measure"] if len(measures) > 1 else [])]
    for response in first:
        names += ["check", "expected"] if response.expected else []
        names += [*(["seconds"] if response.seconds is not None else []), *response.cells]
    columns = tuple(dict.fromkeys([*names, *open]))
    notes = (*notes, ONE_RATER) if any(response.rater is None for response in first) else tuple(notes)
    return Canonical(
        columns, table.convert(convert_row), known_mapping(columns, first_answers, open, pairs), notes
    )


def _rows(
    line: int,
    response: Response,
    measures: Mapping[str, str],
    no_answer: str,
    as_answer: Callable[[str], str],
) -> Iterator[Made]:
    answers = {name: as_answer(response.answers.get(name, "")) for name in measures}
    answered = [name for name in measures if answers[name]]
    if not answered:
        yield Aside(line, response.no_answer_cell[0], no_answer, response.no_answer_cell[1])
    for name in answered:
        expected = as_answer(response.expected.get(name, ""))
        yield (
            line,
            {
                "item": response.item,
                "rater": UNNAMED if response.rater is None else response.rater,
                "answer": answers[name],
                "measure": measures[name] if len(measures) > 1 else "",
                "seconds": share(response.seconds or "", len(answered)),
                **response.cells,
                **({"check": "gold", "expected": expected} if expected else {}),
            },
        )
