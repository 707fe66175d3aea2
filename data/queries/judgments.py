# ruff: noqa: S608 - all identifiers come from `rows_of` and `quoted`, all values travel as parameters
"""Queries about answers of comprehension studies and judgments of relevance."""

from data.dataset import Dataset
from data.engines.schema import quoted
from data.errors import UnknownName, listed
from data.kinds.answer_words import ANSWERS
from data.queries.named import (
    Statement,
    distinct_names,
    is_included,
    is_no_check,
    number_names,
    register,
    rows_of,
)

NAMES_OF_ANSWERS = {
    "story": ("story_id",),
    "author": ("summary_author", "question_author"),
    "judge": ("judge_id",),
}
"""Entities that have codes, and the columns whose values share these."""
TEXTS = ("question_text", "expected_answer", "found_answer", "summary_text")


@register("comprehension")
def comprehension(dataset: Dataset) -> Statement:
    """Return answers in the file's order: row, and as codes story, summary_author, question_author, question (within
    its story and author), judge (-1 for none) and answer (0 R, 1 P, 2 I, 3 N).

    Codes of stories, authors and judges are places in `comprehension_names`.
    """
    codes = [
        f"{entity}_codes AS ({number_names(distinct_names(dataset, *_stored_columns(dataset, entity)))})"
        for entity in NAMES_OF_ANSWERS
    ]
    judge = "judge_id" if dataset.has("judge_id") else "NULL"
    return Statement(
        f"""
        WITH {", ".join(codes)}, kept AS (
            SELECT "row", story_id, summary_author, question_author, {judge} AS judge_id,
                dense_rank() OVER (ORDER BY story_id, question_author, question_id) - 1 AS question,
                instr('{ANSWERS}', answer) - 1 AS answer
            FROM {rows_of(dataset)} WHERE {is_included(dataset)}
        )
        SELECT "row", story_codes.code AS story, of_summary.code AS summary_author,
            of_question.code AS question_author, question, coalesce(judge_codes.code, -1) AS judge, answer
        FROM kept
            JOIN story_codes ON story_codes.name = story_id
            JOIN author_codes AS of_summary ON of_summary.name = summary_author
            JOIN author_codes AS of_question ON of_question.name = question_author
            LEFT JOIN judge_codes ON judge_codes.name = judge_id
        ORDER BY "row"
        """,
        {},
    )


@register("comprehension")
def comprehension_names(dataset: Dataset, column: str) -> Statement:
    """Return the names of stories, authors or judges, in the order of their codes: name."""
    if column not in NAMES_OF_ANSWERS:
        raise UnknownName(f"`column` must be one of {listed(NAMES_OF_ANSWERS)}; got {column!r}")
    return Statement(distinct_names(dataset, *_stored_columns(dataset, column)), {})


@register("comprehension")
def author_kinds(dataset: Dataset) -> Statement:
    """Return the kind of each author, human or machine, by author: author (name), kind ("" if unknown)."""
    kind = "coalesce(min(author_kind), '')" if dataset.has("author_kind") else "''"
    return Statement(
        f"SELECT summary_author AS author, {kind} AS kind FROM {rows_of(dataset)} "
        "GROUP BY summary_author ORDER BY summary_author",
        {},
    )


@register("comprehension")
def story_types(dataset: Dataset) -> Statement:
    """Return each story's type, in the order of the stories' codes: type ("" for none)."""
    kind = "coalesce(min(story_type), '')" if dataset.has("story_type") else "''"
    return Statement(f"SELECT {kind} AS type FROM {rows_of(dataset)} GROUP BY story_id ORDER BY story_id", {})


@register("comprehension")
def summaries(dataset: Dataset) -> Statement:
    """Return each summary once: story, author (names), characters, words (NaN where not known), text ("" for none)."""
    text = "coalesce(min(summary_text), '')" if dataset.has("summary_text") else "''"
    characters, words = (
        f"min(summary_{unit})::DOUBLE" if dataset.has(f"summary_{unit}") else "NULL::DOUBLE"
        for unit in ("characters", "words")
    )
    return Statement(
        f"""
        WITH told AS (
            SELECT story_id, summary_author, {text} AS text, {characters} AS characters, {words} AS words
            FROM {rows_of(dataset)} WHERE {is_included(dataset)} GROUP BY ALL
        )
        SELECT story_id AS story, summary_author AS author,
            coalesce(characters, CASE WHEN text <> '' THEN length(text) END)::DOUBLE AS characters,
            coalesce(words, CASE WHEN text <> ''
                THEN length(regexp_extract_all(text, '\\S+')) END)::DOUBLE AS words, text
        FROM told ORDER BY story, author
        """,
        {},
    )


@register("comprehension")
def comprehension_texts(
    dataset: Dataset, summary_author: str, question_author: str, story: str | None = None
) -> Statement:
    """Return the questions of a summary author and a question author on a story in the file's order, as texts: story,
    question, judge, answer, question_text, expected_answer, found_answer, summary_text ("" for none)."""
    texts = ", ".join(
        f"coalesce({column}, '') AS {column}" if dataset.has(column) else f"'' AS {column}"
        for column in TEXTS
    )
    judge = "coalesce(judge_id, '')" if dataset.has("judge_id") else "''"
    story_condition = "" if story is None else " AND story_id = $story"
    return Statement(
        f"""
        SELECT story_id AS story, question_id AS question, {judge} AS judge, answer, {texts}
        FROM {rows_of(dataset)}
        WHERE {is_included(dataset)} AND summary_author = $summary_author
            AND question_author = $question_author{story_condition}
        ORDER BY "row"
        """,
        {"summary_author": summary_author, "question_author": question_author}
        | ({} if story is None else {"story": story}),
    )


def _stored_columns(dataset: Dataset, entity: str) -> tuple[str, ...]:
    return tuple(column for column in NAMES_OF_ANSWERS[entity] if dataset.has(column))


NAMES = {
    "rater": "rater_id",
    "event": "event_id",
    "surrogate": "surrogate",
    "session": "session",
    "presentation": "presentation",
    "order_label": "order_label",
}
"""Names that have separate codes, and their columns; a document's code counts the documents of all events."""


@register("relevance")
def judgments(dataset: Dataset) -> Statement:
    """Return judgments in the file's order: as codes, -1 for none, rater, event, document (within its event),
    surrogate, session, presentation and order_label; judgment, gold and seconds (NaN where not known); and order.

    Codes are places in `judgment_names`.
    """
    existing = {name: column for name, column in NAMES.items() if dataset.has(column)}
    codes = [f"{name}_codes AS ({number_names(_names(dataset, name))})" for name in existing]
    joins = " ".join(
        f"LEFT JOIN {name}_codes ON {name}_codes.name = kept.{column}" for name, column in existing.items()
    )
    code_columns = ", ".join(
        f"coalesce({name}_codes.code, -1) AS {name}" if name in existing else f"-1 AS {name}"
        for name in NAMES
    )
    gold, seconds = (
        f"{column}::DOUBLE" if dataset.has(column) else "NULL::DOUBLE" for column in ("gold", "seconds")
    )
    return Statement(
        f"""
        WITH {", ".join(codes)}, document_codes AS (
            SELECT event_id, document_id, row_number() OVER (ORDER BY event_id, document_id) - 1 AS code
            FROM (SELECT DISTINCT event_id, document_id FROM {rows_of(dataset)} WHERE {is_no_check(dataset)})
        ), kept AS (
            SELECT "row", {", ".join(existing.values())}, document_id, judgment::DOUBLE AS judgment, {gold} AS gold,
                {seconds} AS seconds
            FROM {rows_of(dataset)} WHERE {is_included(dataset)}
        )
        SELECT {code_columns}, document_codes.code AS document, judgment, gold, seconds, "row"::DOUBLE AS "order"
        FROM kept JOIN document_codes USING (event_id, document_id) {joins} ORDER BY "row"
        """,
        {},
    )


@register("relevance")
def judgment_names(dataset: Dataset, column: str) -> Statement:
    """Return the names of "rater", "event", "document", "surrogate", "session", "presentation" or "order_label", in the
    order of their codes: name."""
    if column == "document":
        return Statement(
            f"SELECT document_id AS name FROM (SELECT DISTINCT event_id, document_id FROM {rows_of(dataset)} "
            f"WHERE {is_no_check(dataset)}) ORDER BY event_id, document_id",
            {},
        )
    if column not in NAMES:
        raise UnknownName(f"`column` must be one of {listed([*NAMES, 'document'])}; got {column!r}")
    return Statement(_names(dataset, column), {})


@register("relevance")
def surrogate_numbers(dataset: Dataset, column: str) -> Statement:
    """Return the values of a metric of the surrogates, without missing ones, by names: event, document, surrogate,
    value."""
    numbers = dataset.named("item number")
    if column not in numbers:
        raise UnknownName(f"there is no numeric column {column!r}; there are {listed(numbers) or 'none'}")
    return Statement(
        f"""
        SELECT event_id AS event, document_id AS document, surrogate, avg({quoted(column)})::DOUBLE AS value
        FROM {rows_of(dataset)} WHERE {is_included(dataset)} AND {quoted(column)} IS NOT NULL
        GROUP BY ALL ORDER BY ALL
        """,
        {},
    )


def _names(dataset: Dataset, name: str) -> str:
    column = NAMES[name]
    return distinct_names(dataset, *([column] if dataset.has(column) else []))
