# ruff: noqa: S608 - all identifiers are canonical columns or quoted
"""Warnings about answers of comprehension studies, and about judgments of relevance."""

from collections.abc import Iterable

import duckdb

from analysis.values.estimate import thousands
from data.importing.warning_signs.wording import (
    Doubt,
    Remark,
    WarningSign,
    count_of,
    first_row,
    has,
    short_name,
    warn_of_rejected,
    warn_of_repeated_rows,
)
from data.kinds.kind import FULL_TEXT
from data.mapping.plan import Plan


def about_comprehension(cursor: duckdb.DuckDBPyConnection, plan: Plan) -> Iterable[WarningSign]:
    yield from warn_of_repeated_rows(
        cursor, plan, "answer repeats", "answers repeat", "story, authors, question and judge"
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
            f"{count_of(own, 'answer is', 'answers are')} to a question of the summary's own author; "
            f"{'it is kept but enters' if own == 1 else 'they are kept but enter'} no figure."
        )
    if answers == 1:
        yield Doubt(f"All answers are {answer}, so nothing can be compared.", f"all answers are {answer}")
    yield from _about_judges(cursor, plan)
    yield from _about_authors(cursor, plan)
    for column, key, noun in (
        ("author_kind", ("summary_author",), "author"),
        ("story_type", ("story_id",), "story"),
        ("summary_text", ("story_id", "summary_author"), "summary"),
        ("summary_characters", ("story_id", "summary_author"), "summary"),
        ("summary_words", ("story_id", "summary_author"), "summary"),
    ):
        if plan.has(column):
            yield from _about_contradictions(cursor, column, key, noun)


def _about_judges(cursor: duckdb.DuckDBPyConnection, plan: Plan) -> Iterable[WarningSign]:
    if not plan.has("judge_id"):
        yield "No column names the judges, so nothing can be said about their agreement."
        return
    judges, without_judge, max_judges = first_row(
        cursor,
        """SELECT (SELECT count(DISTINCT judge_id) FROM import_rows), (SELECT count(*) FROM import_rows
            WHERE judge_id IS NULL), (SELECT max(n) FROM (SELECT count(DISTINCT judge_id) AS n FROM import_rows
            GROUP BY story_id, summary_author, question_author, question_id))""",
    )
    if without_judge:
        yield f"{count_of(without_judge, 'answer')} {has(without_judge)} no judge."
    if judges < 2:
        yield "There is only one judge, so nothing can be said about the judges' agreement."
    elif max_judges < 2:
        yield "No answer was judged by more than one judge, so nothing can be said about their agreement."


def _about_authors(cursor: duckdb.DuckDBPyConnection, plan: Plan) -> Iterable[WarningSign]:
    unasked, example = first_row(
        cursor,
        """SELECT count(*), min(summary_author) FROM (SELECT summary_author FROM import_rows GROUP BY summary_author
            HAVING bool_and(summary_author = question_author))""",
    )
    if unasked:
        yield (
            f"{count_of(unasked, 'author')} wrote summaries that nobody else asked about, for instance "
            f'"{short_name(example)}".'
        )
    askers, example = first_row(
        cursor,
        """SELECT count(*), min(question_author) FROM (SELECT DISTINCT question_author FROM import_rows
            WHERE question_author NOT IN (SELECT summary_author FROM import_rows))""",
    )
    if askers:
        yield (
            f"{count_of(askers, 'author')} asked questions but wrote no summary, for instance "
            f'"{short_name(example)}"; are names written alike in both columns?'
        )
    stories, single, example = first_row(
        cursor,
        """SELECT count(*), count(*) FILTER (n = 1), min(story_id) FILTER (n = 1)
        FROM (SELECT story_id, count(DISTINCT summary_author) AS n FROM import_rows GROUP BY story_id)""",
    )
    if stories == 1:
        yield "There is only one story, so no interval can be given."
    if single:
        yield (
            f"{count_of(single, 'story', 'stories')} of {thousands(stories)} {has(single)} a summary by "
            f"only one author, for "
            f'instance "{short_name(example)}".'
        )


def _about_contradictions(
    cursor: duckdb.DuckDBPyConnection, column: str, key: tuple[str, ...], noun: str
) -> Iterable[WarningSign]:
    """Return warnings about values that contradict each other."""
    example = " || ' by ' || ".join(key)
    different, example = first_row(
        cursor,
        f"""SELECT count(*), min({example}) FROM (SELECT {", ".join(key)} FROM import_rows GROUP BY ALL
            HAVING min({column}) <> max({column}))""",
    )
    if different:
        plural = {"story": "stories", "summary": "summaries"}.get(noun, noun + "s")
        yield (
            f"{count_of(different, noun, plural)} {has(different)} more than one {column}, for instance "
            f'"{short_name(example)}"; the least of them counts.'
        )


def about_relevance(cursor: duckdb.DuckDBPyConnection, plan: Plan) -> Iterable[WarningSign]:
    columns = "rater, event, document, surrogate, session and presentation"
    yield from warn_of_repeated_rows(cursor, plan, "judgment repeats", "judgments repeat", columns)
    yield from warn_of_rejected(cursor, plan, "judgment comes", "judgments come")
    raters, events, surrogates, judgments, judgment = first_row(
        cursor,
        """SELECT count(DISTINCT rater_id), count(DISTINCT event_id), count(DISTINCT surrogate),
            count(DISTINCT judgment), min(judgment) FROM import_rows""",
    )
    if not raters:
        return
    if raters == 1:
        yield "There is only one rater, so nothing can be said about agreement between raters."
    if events == 1:
        yield "There is only one event, so intervals tell nothing of other events."
    if surrogates == 1:
        yield "There is only one surrogate, so there is nothing to compare it with."
    if judgments == 1:
        label = "relevant" if judgment else "not relevant"
        yield Doubt(
            f"All judgments say {label}, so no agreement beyond chance is defined.",
            f"all judgments say {label}",
        )
    else:
        yield from _about_constant_raters(cursor)
    yield from _about_full_texts(cursor)
    if plan.has("gold"):
        yield from _about_gold(cursor)
    if any(plan.kind.role(target.name) == "rater attribute" for target in plan.targets):
        yield Remark(
            "Attributes of raters are kept and stand in downloads; no figure on Relevance uses them."
        )


def _about_constant_raters(cursor: duckdb.DuckDBPyConnection) -> Iterable[WarningSign]:
    constant, rater, judgment = first_row(
        cursor,
        """SELECT count(*), min(rater_id), arg_min(judgment, rater_id) FROM (
            SELECT rater_id, min(judgment) AS judgment FROM import_rows GROUP BY rater_id
            HAVING min(judgment) = max(judgment) AND count(*) >= 5)""",
    )
    if constant:
        yield (
            f"{count_of(constant, 'rater')} judged the same every time in 5 or more judgments, for instance "
            f'"{short_name(rater)}": {"relevant" if judgment else "not relevant"}.'
        )


def _about_full_texts(cursor: duckdb.DuckDBPyConnection) -> Iterable[WarningSign]:
    """Warn if there are no full texts, which are recognized by their name."""
    normalized = "regexp_replace(lower(surrogate), '[^\\p{L}\\p{N}]', '', 'g')"
    words = ", ".join(f"'{word}'" for word in FULL_TEXT)
    (full_text,) = first_row(
        cursor,
        f"""SELECT arg_min(surrogate, list_position([{words}], {normalized}))
        FROM (SELECT DISTINCT surrogate FROM import_rows) WHERE {normalized} IN ({words})""",
    )
    if full_text is None:
        yield (
            "No surrogate is called full text; agreement with raters' own judgments needs one, which can be chosen on "
            "the page."
        )
        return
    raters, without_full_text, example = first_row(
        cursor,
        """SELECT count(*), count(*) FILTER (NOT has), min(rater_id) FILTER (NOT has) FROM (
            SELECT rater_id, bool_or(surrogate = ?) AS has FROM import_rows GROUP BY rater_id)""",
        [full_text],
    )
    if without_full_text:
        yield (
            f"{count_of(without_full_text, 'rater')} of {thousands(raters)} {has(without_full_text)} no judgment of a "
            f"full text, for instance "
            f'"{short_name(example)}".'
        )
    others, unmatched = first_row(
        cursor,
        """SELECT count(*), count(*) FILTER (NOT has) FROM (
            SELECT surrogate, bool_or(surrogate = $1) OVER (PARTITION BY rater_id, event_id, document_id) AS has
            FROM import_rows) WHERE surrogate <> $1""",
        [full_text],
    )
    if unmatched:
        yield (
            f"{count_of(unmatched, 'judgment')} of {thousands(others)} of surrogates {has(unmatched)} no "
            f"judgment of the document's "
            "full text by the same rater."
        )


def _about_gold(cursor: duckdb.DuckDBPyConnection) -> Iterable[WarningSign]:
    documents, known, differing, example = first_row(
        cursor,
        """SELECT count(*), count(low), count(*) FILTER (low <> high),
            min(document_id || ' of ' || event_id) FILTER (low <> high)
        FROM (SELECT event_id, document_id, min(gold) AS low, max(gold) AS high FROM import_rows GROUP BY ALL)""",
    )
    if not known:
        yield Doubt(
            "No gold judgment says relevant or not relevant, so nothing can be held against it.",
            "no gold judgment says relevant or not relevant",
        )
    elif known < documents:
        yield f"The gold judgment is known for {thousands(known)} of {count_of(documents, 'document')}."
    if differing:
        yield (
            f"{count_of(differing, 'document')} {has(differing)} more than one gold judgment, for instance "
            f'"{short_name(example)}".'
        )
