"""Raters that are called like language models: candidates for standing in, rather than the people for whom they would.

The alternative annotator test keeps these in a file of their own, of the same form as that of the annotators.
"""

from collections.abc import Iterator

import duckdb

from data.importing.warning_signs.wording import FEW, shortened
from data.mapping.plan import Plan

_CALLED = (
    r"(?i)(.*/)?((chat)?gpt|llama|mi[sx]tral|qwen|deepseek|llm|candidate|baseline|o[134][ _-](mini|preview|pro))"
    r"([ _.:-]*\d.*|[ _.:/-].*)?"
    r"|(?i)(.*/)?(claude|gemini|gemma|phi|command|grok|falcon|vicuna|alpaca)[ _.:/-]*"
    r"(\d|r\b|v\d|instant|opus|sonnet|haiku|pro|flash|nano|ultra).*"
)


def about_models(cursor: duckdb.DuckDBPyConnection, todo: Plan) -> Iterator[str]:
    if todo.kind.rater != "rater_id" or not todo.has("rater_id"):
        return
    others = cursor.execute(
        "SELECT 1 FROM import_rows WHERE NOT regexp_full_match(rater_id, $called) LIMIT 1",
        {"called": _CALLED},
    ).fetchone()
    if others:
        return
    rows = cursor.execute(
        f"SELECT DISTINCT rater_id FROM import_rows WHERE rater_id IS NOT NULL ORDER BY rater_id LIMIT {FEW}"  # noqa: S608
    ).fetchall()
    if rows:
        names = ", ".join(f'"{shortened(name)}"' for (name,) in rows)
        yield (
            f"Who rated is called like language models ({names}). If these are candidates that are to replace "
            f"people, save the people's {todo.kind.rows} first and add this file to them, as a group of its own."
        )
