# ruff: noqa: S608 - all identifiers are canonical columns or quoted
"""What to know before trusting figures from answers: repeats, judges, authors, what is said in two ways."""

from collections.abc import Iterable

import duckdb

from analysis.values.columns import thousands
from data.importing.warning_signs.wording import (
    Doubt,
    Sign,
    about_repeats,
    first_row,
    has,
    number_of,
    shortened,
)
from data.mapping.plan import Plan


def about_comprehension(cursor: duckdb.DuckDBPyConnection, todo: Plan) -> Iterable[Sign]:
    yield from about_repeats(
        cursor, todo, "answer repeats", "answers repeat", "story, authors, question and judge"
    )
    rows, own, answers, answer = first_row(
        cursor,
        """SELECT count(*), count(*) FILTER (summary_author = question_author), count(DISTINCT answer), min(answer)
        FROM import_rows""",
    )
    if not rows:
        return
    if own:
        yield (
            f"{number_of(own, 'answer is', 'answers are')} to a question of the summary's own author; "
            f"{'it is kept but enters' if own == 1 else 'they are kept but enter'} no figure."
        )
    if answers == 1:
        yield Doubt(f"All answers are {answer}, so nothing can be compared.", f"all answers are {answer}")
    yield from _about_judges(cursor, todo)
    yield from _about_authors(cursor, todo)
    for column, of, called in (
        ("author_kind", ("summary_author",), "author"),
        ("story_type", ("story_id",), "story"),
        ("summary_text", ("story_id", "summary_author"), "summary"),
        ("summary_characters", ("story_id", "summary_author"), "summary"),
        ("summary_words", ("story_id", "summary_author"), "summary"),
    ):
        if todo.has(column):
            yield from _about_contradictions(cursor, column, of, called)


def _about_judges(cursor: duckdb.DuckDBPyConnection, todo: Plan) -> Iterable[Sign]:
    if not todo.has("judge_id"):
        yield "No column names the judges, so nothing can be said about their agreement."
        return
    judges, without, most = first_row(
        cursor,
        """SELECT (SELECT count(DISTINCT judge_id) FROM import_rows), (SELECT count(*) FROM import_rows
            WHERE judge_id IS NULL), (SELECT max(n) FROM (SELECT count(DISTINCT judge_id) AS n FROM import_rows
            GROUP BY story_id, summary_author, question_author, question_id))""",
    )
    if without:
        yield f"{number_of(without, 'answer')} {has(without)} no judge."
    if judges < 2:
        yield "There is only one judge, so nothing can be said about the judges' agreement."
    elif most < 2:
        yield "No answer was judged by more than one judge, so nothing can be said about their agreement."


def _about_authors(cursor: duckdb.DuckDBPyConnection, todo: Plan) -> Iterable[Sign]:
    unasked, example = first_row(
        cursor,
        """SELECT count(*), min(summary_author) FROM (SELECT summary_author FROM import_rows GROUP BY summary_author
            HAVING bool_and(summary_author = question_author))""",
    )
    if unasked:
        yield (
            f"{number_of(unasked, 'author')} wrote summaries that nobody else asked about, for instance "
            f'"{shortened(example)}".'
        )
    askers, example = first_row(
        cursor,
        """SELECT count(*), min(question_author) FROM (SELECT DISTINCT question_author FROM import_rows
            WHERE question_author NOT IN (SELECT summary_author FROM import_rows))""",
    )
    if askers:
        yield (
            f"{number_of(askers, 'author')} asked questions but wrote no summary, for instance "
            f'"{shortened(example)}"; are names written alike in both columns?'
        )
    stories, lonely, example = first_row(
        cursor,
        """SELECT count(*), count(*) FILTER (n = 1), min(story_id) FILTER (n = 1)
        FROM (SELECT story_id, count(DISTINCT summary_author) AS n FROM import_rows GROUP BY story_id)""",
    )
    if stories == 1:
        yield "There is only one story, so no interval can be given."
    if lonely:
        yield (
            f"{number_of(lonely, 'story', 'stories')} of {thousands(stories)} {has(lonely)} a summary by "
            f"only one author, for "
            f'instance "{shortened(example)}".'
        )


def _about_contradictions(
    cursor: duckdb.DuckDBPyConnection, column: str, of: tuple[str, ...], called: str
) -> Iterable[Sign]:
    """What should be said once, and is said in two ways."""
    example = " || ' by ' || ".join(of)
    different, example = first_row(
        cursor,
        f"""SELECT count(*), min({example}) FROM (SELECT {", ".join(of)} FROM import_rows GROUP BY ALL
            HAVING min({column}) <> max({column}))""",
    )
    if different:
        many = {"story": "stories", "summary": "summaries"}.get(called, called + "s")
        yield (
            f"{number_of(different, called, many)} {has(different)} more than one {column}, for instance "
            f'"{shortened(example)}"; the least of them counts.'
        )
