"""Limits on what is imported: told by the check already, before the rows are made, in a sentence with its remedy."""

import gzip
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from data.errors import OverLimit
from data.settings import Settings
from data.store.store import Store

LONG = {"item_id": "item", "rater_id": "rater", "score": "score"}
HEADER = "item,rater,score,extra\n"


def refusal(
    settings: Settings, content: str | bytes, mapping: Mapping[str, object], kind: str = "ratings"
) -> str:
    """Return the error that check and save both raise."""
    file = Path(settings.spool).parent / "ratings.csv"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with Store(settings=settings) as store:
        with pytest.raises(OverLimit) as checked:
            store.check(file, kind, mapping)  # type: ignore[arg-type]
        with pytest.raises(OverLimit) as saved:
            store.add(file, kind, mapping, "too large")  # type: ignore[arg-type]
        assert list(store.spool.folder.iterdir()) == []
    assert str(checked.value) == str(saved.value)
    return str(checked.value)


@pytest.mark.parametrize(
    "row", ["a,b,4,\n", '"a",b,4,\n', "a,b\n", "a\n,b,4,\n", '"a\n",b,4,\n"a,b,4,\n'], ids=repr
)
def test_rows_are_counted_however_they_are_read(settings: Settings, row: str) -> None:
    said = refusal(replace(settings, rows=40), HEADER + row * 50, LONG)
    assert said.startswith("the file has ")
    assert said.endswith("more than the 40 that RATERSCOPE_ROWS allows; split it, for instance by measure")


def test_a_small_file_of_many_cells_is_refused_before_they_become_rows(settings: Settings) -> None:
    """31,200 ratings in less than 2 KB: 390 columns of raters. Once they are rows, the sentence is another one."""
    raters = [f"r{at}" for at in range(390)]
    table = ",".join(["item", *raters]) + "\n" + ("a" + ",1" * 390 + "\n") * 80
    packed = gzip.compress(table.encode())
    assert len(packed) < 2_000
    said = refusal(
        replace(settings, rows=30_000),
        packed,
        {"@form": "rater columns", "item_id": "item", "score": tuple(raters)},
    )
    assert said == (
        "the file has about 80 rows with 390 columns of ratings, "
        "which are more than the 30,000 ratings that "
        "RATERSCOPE_ROWS allows; split it, for instance by item"
    )


def test_empty_cells_of_a_wide_table_do_not_count(settings: Settings, tmp_path: Path) -> None:
    file = tmp_path / "wide.csv"
    file.write_text("item,r1,r2,r3\n" + "a,4, ,\nb,,5,\n" * 5)
    mapping = {"@form": "rater columns", "item_id": "item", "score": ("r1", "r2", "r3")}
    with Store(settings=replace(settings, rows=10)) as store:
        assert store.check(file, "ratings", mapping).kept == 10


@pytest.mark.parametrize(
    ("column", "most", "called"), [("measure", 100, "measures"), ("rater_group", 50, "groups")]
)
def test_measures_and_groups_are_limited(settings: Settings, column: str, most: int, called: str) -> None:
    rows = "".join(f"a{at},b,4,name {at}\n" for at in range(2000))
    assert refusal(settings, HEADER + rows, LONG | {column: "extra"}) == (
        f'the column "extra" names 2,000 different {called}, more than the {most} that one data set may have; '
        f"choose another column for the {called[:-1]} or none, or split the file by it"
    )


def test_columns_of_measures_are_limited(settings: Settings) -> None:
    measures = tuple(f"m{at}" for at in range(150))
    table = ",".join(["item", "rater", *measures]) + "\n" + "a,b" + ",1" * 150 + "\n"
    mapping = {"@form": "measure columns", "item_id": "item", "rater_id": "rater", "score": measures}
    assert "the columns with ratings name 150 different measures" in refusal(settings, table, mapping)


def test_surrogates_are_limited_as_measures_are(settings: Settings) -> None:
    rows = "".join(f"r,e,d,surrogate {at},1\n" for at in range(101))
    mapping = {"rater_id": "r", "event_id": "e", "document_id": "d", "surrogate": "s", "judgment": "j"}
    assert "names 101 different surrogates, more than the 100" in refusal(
        settings, "r,e,d,s,j\n" + rows, mapping, "relevance"
    )


def test_a_plain_table_named_as_if_it_were_packed_is_read(settings: Settings, tmp_path: Path) -> None:
    for name in ("ratings.csv.gz", "ratings.csv.zst", "ratings.gz"):
        file = tmp_path / name
        file.write_text(HEADER + "a,b,4,\n")
        with Store(settings=settings) as store:
            assert store.check(file, "ratings", LONG).kept == 1
            file.write_text(HEADER + "a,b,4,\na\n")
            assert (
                store.check(file, "ratings", LONG).kept,
                store.check(file, "ratings", LONG).set_aside,
            ) == (1, 1)
