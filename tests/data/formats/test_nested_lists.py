"""The rows of a JSON file are chosen among its lists of records."""

import csv
import json
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from data.errors import BadMapping, DataError, OverLimit
from data.formats.files import json_records
from data.formats.readers import as_table, sniff
from data.isolation.process import from_json
from data.mapping.proposal import propose
from data.settings import Settings, from_environment
from data.store.store import Store
from data.tables.sniffed import Sniffed

CLIPS: list[dict[str, Any]] = [
    {
        "clip": f"c{clip}",
        "seconds": 1.5 * clip,
        "ratings": [{"rater": rater, "score": 1 + (clip + at) % 5} for at, rater in enumerate("abc")],
        "checks": [{"by": "staff", "passed": clip % 2}],
    }
    for clip in range(1, 7)
]
STUDY = {"version": 2, "people": [{"id": n, "age": 20 + n} for n in range(9)], "clips": CLIPS}


def written(folder: Path, content: object, lines: bool = False) -> Path:
    path = folder / "nested.json"
    records = content if lines and isinstance(content, list) else [content]
    path.write_text("\n".join(map(json.dumps, records)))
    return path


def rows_of(path: Path, chosen: str) -> list[dict[str, str]]:
    """Return the filled cells of each row of the table that a file gives with a list chosen."""
    mapping: Mapping[str, str] = {"@rows": chosen, "@format": ""}
    with (
        tempfile.TemporaryDirectory() as folder,
        as_table(path, Path(folder), mapping, from_environment()) as (text, seen),
    ):
        with text.path.open(newline="") as file:
            table = list(csv.reader(file))[1:]
        return [{name: cell for name, cell in zip(seen.names, row, strict=False) if cell} for row in table]


def test_records_below_many_keys_are_no_endless_list(tmp_path: Path) -> None:
    deep: dict[str, Any] = {"score": 1, "rater": "a"}
    for _ in range(300):
        deep = {key: deep if key == "a" else {"b": {}, "a": 1} for key in "abc"}
    with suppress(DataError):
        sniff(written(tmp_path, {"raters": deep, "clips": {"1": deep}}))


@pytest.mark.parametrize("lines", [True, False])
def test_the_lists_of_a_file_are_offered_and_the_first_is_what_is_read_by_default(
    tmp_path: Path, lines: bool
) -> None:
    path = written(tmp_path, CLIPS, lines)
    [switch] = sniff(path, format="").switches
    assert switch.allowed == (json_records.EACH_RECORD, "ratings", "checks")
    assert switch.reshapes
    by_default = sniff(path, format="")
    chosen = sniff(path, format="", settings={"@rows": json_records.EACH_RECORD})
    assert chosen.names == by_default.names == ("clip", "seconds", "ratings", "checks")


def test_a_row_has_the_fields_of_the_records_around_it(tmp_path: Path) -> None:
    rows = rows_of(written(tmp_path, CLIPS, lines=True), "ratings")
    assert len(rows) == 18
    assert rows[0] == {"clip": "c1", "seconds": "1.5", "rater": "a", "score": "2"}
    assert rows[17] == {"clip": "c6", "seconds": "9.0", "rater": "c", "score": "4"}


def test_an_object_offers_its_lists_and_those_in_their_records(tmp_path: Path) -> None:
    path = written(tmp_path, STUDY)
    [switch] = sniff(path, format="").switches
    assert switch.allowed == ("people", "clips", "clips.ratings", "clips.checks")
    assert rows_of(path, "people")[8] == {"id": "8", "age": "28"}
    assert rows_of(path, "clips.checks")[1] == {"clip": "c2", "seconds": "3.0", "by": "staff", "passed": "0"}


@pytest.mark.parametrize("content", [[{"item": "a", "score": 1}, {"item": "b", "score": 2}],
                                     {"rows": [{"item": "a", "score": 1}, {"item": "b", "score": 2}]}])  # fmt: skip
def test_one_list_is_no_choice(tmp_path: Path, content: object) -> None:
    assert sniff(written(tmp_path, content, lines=True)).switches == ()


def test_names_that_return_keep_the_name_of_their_list(tmp_path: Path) -> None:
    content = [{"id": n, "answers": [{"id": "x", "score": 3}, {"id": "y", "score": n}]} for n in (1, 2)]
    assert rows_of(written(tmp_path, content, lines=True), "answers")[3] == {
        "id": "2",
        "answers.id": "y",
        "score": "2",
    }


def test_a_list_that_the_file_does_not_have_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadMapping, match="each record of the file"):
        sniff(written(tmp_path, CLIPS, lines=True), settings={"@rows": "votes"})


@pytest.mark.parametrize("chosen", ["marks", "marks.again"])
def test_texts_that_repeat_beyond_measure_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chosen: str
) -> None:
    """The text stands around the first list, or around the second."""
    monkeypatch.setattr("data.tables.text._GROWN_FROM", 1000)
    monkeypatch.setattr("data.tables.text._GROWTH", 2)
    text = {"text": "long " * 200}
    marks = [{"mark": 1}] * 50
    content = [text | {"marks": marks}] if chosen == "marks" else [{"marks": [text | {"again": marks}]}]
    path = written(tmp_path, content * 3, lines=True)
    with pytest.raises(OverLimit, match="repeat"):
        sniff(path, settings={"@rows": chosen})


def test_records_nested_to_the_limit_end_in_a_table_or_a_sentence(tmp_path: Path) -> None:
    for depth in range(850, 1000, 10):
        path = tmp_path / "deep.json"
        nested = "[" * depth + "]" * depth
        records = [
            f'{{"clip": "c{n}", "deep": {nested}, "marks": [{{"mark": {n}}}, {{"mark": 2}}]}}' for n in (1, 2)
        ]
        path.write_text("\n".join(records))
        try:
            sniff(path, settings={"@rows": "marks"})
        except DataError:
            continue


def test_records_without_the_list_are_set_aside_and_counted(tmp_path: Path) -> None:
    content = [*CLIPS, {"clip": "c7", "seconds": 1.0, "ratings": []}, {"clip": "c8", "ratings": "none"}]
    path = written(tmp_path, content, lines=True)
    mapping = propose(sniff(path, settings={"@rows": "ratings"})).mapping
    assert mapping["@rows"] == "ratings"
    with Store(
        settings=Settings(database=f"{tmp_path}/r.duckdb", spool=tmp_path / "spool", threads=1)
    ) as store:
        report = store.check(path, "ratings", mapping)
    assert (report.kept, report.set_aside) == (18, 2)


def test_settings_come_through_the_process_that_reads(tmp_path: Path) -> None:
    seen = sniff(written(tmp_path, STUDY), settings={"@rows": "clips.ratings"})
    told = from_json(Sniffed, json.loads(json.dumps(asdict(seen))))
    assert repr(told) == repr(seen)
    assert told.settings == (("@rows", "clips.ratings"),)


NAMES = some.sampled_from(["a", "b", "c"])
LEAVES = some.dictionaries(NAMES, some.integers(0, 9), min_size=1, max_size=3)
RECORDS = some.lists(
    some.tuples(LEAVES, some.lists(some.tuples(LEAVES, some.lists(LEAVES, min_size=1, max_size=3)),
                                   min_size=1, max_size=3)),
    min_size=1, max_size=4,
)  # fmt: skip


@settings(max_examples=20, deadline=None)
@given(RECORDS)
def test_rows_two_lists_deep_are_those_of_nested_loops(records: list[Any]) -> None:
    """Fields of the three levels are named apart, so that the rows can be told by hand."""
    told, wanted = [], []
    for outer, middles in records:
        told.append({f"o{name}": value for name, value in outer.items()} | {"list": []})
        for middle, inners in middles:
            told[-1]["list"].append({f"m{name}": value for name, value in middle.items()} | {"inner": inners})
            wanted += [
                {f"o{name}": str(value) for name, value in outer.items()}
                | {f"m{name}": str(value) for name, value in middle.items()}
                | {name: str(value) for name, value in inner.items()}
                for inner in inners
            ]
    with tempfile.TemporaryDirectory() as folder:
        assert rows_of(written(Path(folder), {"all": told}), "all.list.inner") == wanted


def test_answers_may_be_an_object_in_some_rows_and_a_list_of_objects_in_others(tmp_path: Path) -> None:
    scores: list[dict[str, Any]] = [{s: {"ann_1": at % 5, "ann_2": 3} for s in "AB"} for at in range(12)]
    scores[5]["B"] = [scores[5]["B"]]
    rows = [{"clip": f"c{at}", "scores": by_system} for at, by_system in enumerate(scores)]
    with suppress(DataError):
        sniff(written(tmp_path, rows, lines=True))
