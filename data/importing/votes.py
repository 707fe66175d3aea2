# ruff: noqa: S608 - columns are numbered, numbers are written by `repr`
"""Convert numbers of votes to single ratings, and check the number, mean and standard deviation stated in a file."""

from collections.abc import Sequence
from dataclasses import dataclass

import duckdb

from analysis.values.estimate import thousands
from data.importing.cells import part_sql
from data.kinds.studies import GRADE_COLUMNS
from data.mapping.plan import Plan
from data.reading.votes import TOLERANCE, VoteStatistic, parse_vote_name
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
    VoteStatistic.NUMBER: "number of votes",
    VoteStatistic.MEAN: "mean vote",
    VoteStatistic.SPREAD: "standard deviation of the votes",
}


@dataclass(frozen=True)
class StatedColumn:
    """Column of the file with a statistic of the votes in each row."""

    index: int
    name: str
    statistic: VoteStatistic


def find_stated_columns(sniffed: Sniffed, plan: Plan) -> tuple[StatedColumn, ...]:
    """Return the unused columns named as the number, mean or standard deviation of votes on one measure."""
    if plan.form != GRADE_COLUMNS or any(
        target.name == "measure" and target.names for target in plan.targets
    ):
        return ()
    used = {
        index
        for target in plan.targets
        for index in ([target.source] if isinstance(target.source, int) else [])
    }
    return tuple(
        StatedColumn(index, column.name, statistic)
        for index, column in enumerate(sniffed.columns)
        if index not in {*used, *plan.wide}
        and column.numbers > 0
        and (statistic := parse_vote_name(column.name))
    )


def check_stated_columns(
    cursor: duckdb.DuckDBPyConnection, raw: str, sniffed: Sniffed, plan: Plan, columns: Sequence[StatedColumn]
) -> tuple[list[str], list[str]]:
    """Return sentences on the columns that differ from the votes in the rows `raw`, and on those that agree with them;
    rows without votes are named with the latter."""
    if plan.form != GRADE_COLUMNS:
        return [], []
    score = plan.target("score")
    mapped = {word.casefold(): number for word, number in score.values}
    grades = [mapped.get(name.casefold(), name).replace(",", ".") for name in score.names]
    if not all(map(is_number, grades)):
        return [], []
    counts = [
        f"coalesce({_number_sql(index, plan)}, 0) AS votes{position}"
        for position, index in enumerate(plan.wide)
    ]
    stated = [f"{_number_sql(column.index, plan)} AS stated{column.index}" for column in columns]
    n, total, squares = (
        " + ".join(f"{float(grade) ** power!r} * votes{position}" for position, grade in enumerate(grades))
        for power in (0, 1, 2)
    )
    ctes = f"""WITH numbers AS (SELECT {", ".join(["line", *stated, *counts])} FROM {raw}),
        summed AS (SELECT *, {n} AS n, {total} AS total, {squares} AS squares FROM numbers),
        counted AS (SELECT *, total / nullif(n, 0) AS mean, squares / nullif(n, 0) AS square FROM summed)"""
    agreeing, differing = [], []
    empty = cursor.execute(f"{ctes} SELECT count(*) FROM counted WHERE n = 0").fetchone()
    if empty and empty[0]:
        agreeing.append(f"{thousands(empty[0])} {'row has' if empty[0] == 1 else 'rows have'} no votes.")
    for column in columns:
        cell, spread = f"stated{column.index}", "greatest(square - mean * mean, 0)"
        computed = {
            VoteStatistic.NUMBER: "n",
            VoteStatistic.MEAN: "mean",
            VoteStatistic.SPREAD: f"sqrt({spread})",
        }[column.statistic]
        alternatives = (
            [computed, f"sqrt({spread} * n / nullif(greatest(n - 1, 0), 0))"]
            if column.statistic is VoteStatistic.SPREAD
            else [computed]
        )
        differs = " AND ".join(
            f"coalesce(abs({cell} - {value}) > {TOLERANCE}, TRUE)" for value in alternatives
        )
        rows, mismatches, *example = cursor.execute(
            f"""{ctes} SELECT count(*), count(*) FILTER ({differs}), arg_min({cell}, line) FILTER ({differs}),
                arg_min({computed}, line) FILTER ({differs}), min(line) FILTER ({differs})
            FROM counted WHERE n > 0 AND {cell} IS NOT NULL"""
        ).fetchone() or (0, 0)
        template = f'"{column.name}" is {{}} the {_STATISTIC_NAMES[column.statistic]}'
        if mismatches:
            line = sniffed.place(example[2])
            differing.append(
                f"{template.format('not')} in {thousands(mismatches)} of {thousands(rows)} rows, the first in {line}: "
                f"{example[0]:.6g}, not {example[1]:.6g}. Figures are computed from the votes."
            )
        elif rows:
            agreeing.append(f"{template.format('')} in all rows.".replace("  ", " "))
    return differing, agreeing


def _number_sql(index: int, plan: Plan) -> str:
    """Return SQL for the number in a cell, NULL if there is none."""
    cell = f"replace({part_sql(index)}, ',', '.')" if plan.switches["@decimal"] == "," else part_sql(index)
    return f"CASE WHEN isfinite(try_cast({cell} AS DOUBLE)) THEN try_cast({cell} AS DOUBLE) END"
