# ruff: noqa: S608 - the only names in statements are ours and `table_of`; values are parameters
"""The catalogue's rows of each data set, as statements on a cursor; `datasets` puts them in transactions.

All that belongs to one data set is inserted and removed here, so that nothing of it can be forgotten.
"""

import json
import re
from datetime import UTC, datetime
from typing import Any

import duckdb

from data.dataset import Column, Dataset
from data.engines.schema import table_of
from data.errors import NotFound
from data.store import links, sums

_COLUMNS = (
    *("id", "kind", "name", '"columns"', "mapping", "sha256", "rows_kept", "rows_set_aside", "created"),
    *("workspace", "replaces", "used", "summed"),
)
_OF_DATASETS = ", ".join(f"datasets.{column}" for column in _COLUMNS)
_ID = re.compile(r"[0-9a-f]{32}")


def dataset_of(cursor: duckdb.DuckDBPyConnection, id: str) -> Dataset:
    """The data set with this id."""
    rows = _ID.fullmatch(id) and _selected(cursor, "WHERE id = $id", {"id": id})
    if not rows:
        raise NotFound("there is no such data set")
    return rows[0]


def of_workspace(cursor: duckdb.DuckDBPyConnection, workspace: str) -> list[Dataset]:
    """A workspace's data sets, the newest first."""
    return _selected(cursor, "WHERE workspace = $workspace", {"workspace": workspace})


def by_key(cursor: duckdb.DuckDBPyConnection, key: str) -> Dataset | None:
    """The data set that a key leads to now."""
    found = led_to(cursor, key)
    return found[0] if found else None


def led_to(cursor: duckdb.DuckDBPyConnection, key: str) -> tuple[Dataset, datetime | None] | None:
    """The data set that a key leads to now, and when that ends: one and the same statement whatever the key."""
    row = cursor.execute(
        f"SELECT {_OF_DATASETS}, links.expires FROM datasets JOIN links ON links.dataset = datasets.id "
        f"WHERE links.digest = $digest AND {links.ALIVE} ORDER BY datasets.created DESC, datasets.id LIMIT 1",
        {"digest": links.digest(key), "now": links.now()},
    ).fetchone()
    return (_dataset(row[:-1]), row[-1]) if row else None


def insert(cursor: duckdb.DuckDBPyConnection, dataset: Dataset, sample_version: str | None) -> None:
    columns = json.dumps([[column.name, column.role] for column in dataset.columns])
    cursor.execute(
        f"INSERT INTO datasets ({', '.join(_COLUMNS)}, sample_version) "
        f"VALUES ({', '.join('?' * (len(_COLUMNS) + 1))})",
        [
            dataset.id,
            dataset.kind,
            dataset.name,
            columns,
            json.dumps(dict(dataset.mapping)),
            dataset.sha256,
            dataset.rows_kept,
            dataset.rows_set_aside,
            links.stamp(dataset.created),
            dataset.workspace,
            dataset.replaces,
            links.stamp(dataset.used),
            dataset.summed or None,
            sample_version,
        ],
    )


def sample_version(cursor: duckdb.DuckDBPyConnection, id: str) -> str | None:
    """Return which version of a built-in study this data set is; None for all others."""
    row = cursor.execute("SELECT sample_version FROM datasets WHERE id = ?", [id]).fetchone()
    return None if row is None else row[0]


def rename(cursor: duckdb.DuckDBPyConnection, id: str, name: str) -> None:
    cursor.execute("UPDATE datasets SET name = ? WHERE id = ?", [name, id])


def move(cursor: duckdb.DuckDBPyConnection, workspace: str, to: str) -> int:
    """All of one workspace's data sets become another's; returns how many."""
    moved = len(of_workspace(cursor, workspace))
    cursor.execute("UPDATE datasets SET workspace = ? WHERE workspace = ?", [to, workspace])
    return moved


def remove(cursor: duckdb.DuckDBPyConnection, id: str) -> None:
    """Removes a data set and all that belongs to it; of a chain of versions the others stay linked."""
    gone = dataset_of(cursor, id)
    cursor.execute("UPDATE datasets SET replaces = ? WHERE replaces = ?", [gone.replaces, id])
    cursor.execute(f"DROP TABLE {table_of(id)}")
    if gone.summed:
        sums.drop(cursor, id)
    cursor.execute("DELETE FROM datasets WHERE id = ?", [id])
    cursor.execute("DELETE FROM links WHERE dataset = ?", [id])
    cursor.execute("DELETE FROM reports WHERE dataset = ?", [id])
    cursor.execute("DELETE FROM kept_views WHERE dataset = ?", [id])


def _selected(cursor: duckdb.DuckDBPyConnection, where: str, values: dict[str, object]) -> list[Dataset]:
    rows = cursor.execute(
        f"SELECT {_OF_DATASETS} FROM datasets {where} ORDER BY datasets.created DESC, datasets.id", values
    ).fetchall()
    return [_dataset(row) for row in rows]


def _dataset(row: tuple[Any, ...]) -> Dataset:
    told = dict(zip((name.strip('"') for name in _COLUMNS), row, strict=True))
    told["columns"] = tuple(Column(*column) for column in json.loads(told["columns"]))
    sources = json.loads(told["mapping"]).items()
    told["mapping"] = {name: tuple(of) if isinstance(of, list) else of for name, of in sources}
    told |= {name: told[name].replace(tzinfo=UTC) for name in ("created", "used")}
    return Dataset(**told | {"summed": bool(told["summed"])})
