"""The first ratings under a mapping are those that the whole file's import saves."""

from pathlib import Path
from shutil import copy

import duckdb
import pytest

from data.errors import BadMapping, DataError
from data.formats.readers import sniff
from data.importing.staging import preview, stage
from data.mapping.proposal import propose

CASES = Path(__file__).parents[2] / "corpus" / "cases"
FILES = sorted(
    path for path in CASES.iterdir() if path.suffix in (".csv", ".tsv", ".json", ".jsonl", ".xlsx", ".zip")
)[::4]


def previewed(path: Path, mapping: dict[str, object]) -> tuple[tuple[str, ...], ...]:
    return preview(sniff(path), "ratings", mapping).rows  # type: ignore[arg-type]


def test_first_rows_are_those_that_the_import_saves(
    tmp_path: Path, connection: duckdb.DuckDBPyConnection
) -> None:
    """Compare a file of each kind, layout and format, of every fourth in the corpus that is read without a question."""
    compared = set[object]()
    for at, file in enumerate(FILES):
        path = Path(copy(file, tmp_path))  # a file is read beside where it lies
        try:
            seen = sniff(path)
            found = propose(seen)
            layout = found.kind, found.mapping.get("@form"), path.suffix
            if layout in compared:
                continue
            with connection.cursor() as cursor:
                staged = stage(cursor, path, found.kind, found.mapping, tmp_path / f"{at}.parquet", "-")
                first = preview(seen, found.kind, found.mapping, 3)
                columns = ", ".join(f"coalesce({name}::VARCHAR, '')" for name in first.columns)
                rows = cursor.execute(f"SELECT {columns} FROM {staged.rows} ORDER BY row").fetchall()
        except DataError:
            continue
        whole = [tuple(_shown(cell) for cell in row) for row in rows]
        assert [tuple(map(_shown, row)) for row in first.rows] == whole[: len(first.rows)], path.name
        assert first.rows, path.name
        compared.add(layout)
    assert len(compared) > 20


def _shown(cell: str) -> str:
    """A cell as a look at the file keeps it."""
    return " ".join(cell[:80].split()).removesuffix(".0")


def test_item_of_two_columns_and_words_that_become_numbers(tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    file.write_text("doc,system,rater,score\nd1,a,r1,good\nd1,b,r1,poor\n")
    mapping = {
        "item_id": ("doc", "system"),
        "rater_id": "rater",
        "score": "score",
        "system": "system",
        "@values score": ("poor", "2", "good", "4"),
    }
    assert previewed(file, mapping) == (("d1 / a", "r1", "a", "4"), ("d1 / b", "r1", "b", "2"))


def test_a_mapping_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    file.write_text("item,rater,score\na,r,1\nb,r,2\n")
    with pytest.raises(BadMapping):
        previewed(file, {"item_id": "item", "score": "score"})


def test_seven_hundred_columns_are_previewed(tmp_path: Path) -> None:
    """Each column takes memory while the engine reads: with that of small tables, a page failed."""
    raters = [f"rater_{number}" for number in range(699)]
    rows = [[f"item {item}", *(str(1 + (item + number) % 5) for number in range(699))] for item in range(6)]
    path = tmp_path / "wide.csv"
    path.write_text("".join(",".join(row) + "\n" for row in [["item", *raters], *rows]), encoding="utf-8")
    seen = sniff(path)
    found = propose(seen)
    shown = preview(seen, found.kind, found.mapping)
    assert dict(zip(shown.columns, shown.rows[0], strict=True)) == {
        "item_id": "item 0",
        "rater_id": "rater_0",
        "score": "1",
    }
