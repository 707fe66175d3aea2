# ruff: noqa: S608 - columns are numbered, numbers are written by `repr`
"""Convert numbers of votes to single ratings, and check the number, mean and standard deviation stated in a file."""

from collections.abc import Sequence
from dataclasses import dataclass

import duckdb

from analysis.values.estimate import thousands
from data.importing.cells import part_sql
from data.kinds.studies import GRADE_COLUMNS
from data.mapping.plan import Plan
from data.reading.votes import TOLERANCE, Told, parse_vote_name
from data.tables.sniffed import Sniffed, is_number

COUNT_VOTES = """SELECT coalesce(sum(votes), 0) FROM import_judged WHERE "@problem" IS NULL"""
"""SQL for the number of ratings in the judged rows."""
VOTES_AS_ROWS = """(
    SELECT *, row_number() OVER (ORDER BY "@line", md5_number(concat_ws(' ', "@nth", "@place", "@vote"))) AS rowid
    FROM (
        SELECT *, unnest(range(votes::BIGINT)) AS "@vote", "@line" - min("@line") OVER () AS "@nth"
        FROM import_judged WHERE "@problem" IS NULL))"""
"""SQL for the judged rows with a row per vote. The votes of a file's row are in a random order, the same at each
import: in the order of their grades, the first ratings of all items would be the lowest."""
RANDOM_ORDER_NOTE = (
    "Each vote is one rating of an unnamed rater. The votes of a row have no order in the file, so they are put in a "
    "random one."
)
_STATISTIC_NAMES = {
    Told.NUMBER: "number of votes",
    Told.MEAN: "mean vote",
    Told.SPREAD: "standard deviation of the votes",
}


@dataclass(frozen=True)
class StatedColumn:
    """Column of the file with a statistic of the votes in each row."""

    at: int
    name: str
    told: Told


def find_stated_columns(sniffed: Sniffed, todo: Plan) -> tuple[StatedColumn, ...]:
    """Return the unused columns named as the number, mean or standard deviation of votes on one measure."""
    if todo.form != GRADE_COLUMNS or any(
        target.name == "measure" and target.names for target in todo.targets
    ):
        return ()
    used = {
        at for target in todo.targets for at in ([target.source] if isinstance(target.source, int) else [])
    }
    return tuple(
        StatedColumn(at, column.name, told)
        for at, column in enumerate(sniffed.columns)
        if at not in {*used, *todo.wide} and column.numbers > 0 and (told := parse_vote_name(column.name))
    )


def check_stated_columns(
    cursor: duckdb.DuckDBPyConnection, raw: str, sniffed: Sniffed, todo: Plan, columns: Sequence[StatedColumn]
) -> tuple[list[str], list[str]]:
    """Return sentences on the columns that differ from the votes in the rows `raw`, and on those that agree with them;
    rows without votes are named with the latter."""
    if todo.form != GRADE_COLUMNS:
        return [], []
    score = todo.target("score")
    becomes = {found.casefold(): number for found, number in score.values}
    grades = [becomes.get(name.casefold(), name).replace(",", ".") for name in score.names]
    if not all(map(is_number, grades)):
        return [], []
    counts = [f"coalesce({_number(at, todo)}, 0) AS votes{place}" for place, at in enumerate(todo.wide)]
    told = [f"{_number(column.at, todo)} AS told{column.at}" for column in columns]
    n, total, squares = (
        " + ".join(f"{float(grade) ** power!r} * votes{place}" for place, grade in enumerate(grades))
        for power in (0, 1, 2)
    )
    counted = f"""WITH numbers AS (SELECT {", ".join(["line", *told, *counts])} FROM {raw}),
        summed AS (SELECT *, {n} AS n, {total} AS total, {squares} AS squares FROM numbers),
        counted AS (SELECT *, total / nullif(n, 0) AS mean, squares / nullif(n, 0) AS square FROM summed)"""
    agreeing, differing = [], []
    empty = cursor.execute(f"{counted} SELECT count(*) FROM counted WHERE n = 0").fetchone()
    if empty and empty[0]:
        agreeing.append(f"{thousands(empty[0])} {'row has' if empty[0] == 1 else 'rows have'} no votes.")
    for column in columns:
        cell, spread = f"told{column.at}", "greatest(square - mean * mean, 0)"
        of_votes = {Told.NUMBER: "n", Told.MEAN: "mean", Told.SPREAD: f"sqrt({spread})"}[column.told]
        either = (
            [of_votes, f"sqrt({spread} * n / nullif(greatest(n - 1, 0), 0))"]
            if column.told is Told.SPREAD
            else [of_votes]
        )
        off = " AND ".join(f"coalesce(abs({cell} - {each}) > {TOLERANCE}, TRUE)" for each in either)
        rows, wrong, *first = cursor.execute(
            f"""{counted} SELECT count(*), count(*) FILTER ({off}), arg_min({cell}, line) FILTER ({off}),
                arg_min({of_votes}, line) FILTER ({off}), min(line) FILTER ({off})
            FROM counted WHERE n > 0 AND {cell} IS NOT NULL"""
        ).fetchone() or (0, 0)
        what = f'"{column.name}" is {{}} the {_STATISTIC_NAMES[column.told]}'
        if wrong:
            line = sniffed.place(first[2])
            differing.append(
                f"{what.format('not')} in {thousands(wrong)} of {thousands(rows)} rows, the first in {line}: "
                f"{first[0]:.6g}, not {first[1]:.6g}. Figures are computed from the votes."
            )
        elif rows:
            agreeing.append(f"{what.format('')} in all rows.".replace("  ", " "))
    return differing, agreeing


def _number(at: int, todo: Plan) -> str:
    """Return SQL for the number in a cell, NULL if there is none."""
    cell = f"replace({part_sql(at)}, ',', '.')" if todo.switches["@decimal"] == "," else part_sql(at)
    return f"CASE WHEN isfinite(try_cast({cell} AS DOUBLE)) THEN try_cast({cell} AS DOUBLE) END"
