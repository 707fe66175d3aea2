"""Loading: every row of a file is accounted for, values arrive as they are in the file, nothing is silent."""

import csv
import io
import secrets
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data.errors import BadMapping
from data.formats.readers import sniff
from data.importing import cells, judging, staging, typed_reading
from data.importing.report import ImportReport
from data.importing.warning_signs import ratings as ratings_signs
from data.mapping.proposal import propose
from tests.reference.counted import LONG_BY_HAND, REAL, counted, number

MAPPING = {"item_id": "item", "rater_id": "rater", "score": "score"}
HEADER = "item,rater,score\n"
SPEECH = "speech_mos_lab_vs_crowd.csv"


class Loaded:
    def __init__(self, report: ImportReport, names: Sequence[str], rows: list[tuple[Any, ...]]) -> None:
        self.report = report
        self.names = tuple(names)
        self.rows = rows

    def column(self, name: str) -> list[Any]:
        return [row[self.names.index(name)] for row in self.rows]

    @property
    def rejects(self) -> list[tuple[int, str, str, str]]:
        told = self.report.rejects
        return list(
            zip(
                told.line.tolist(),
                told.column.tolist(),
                told.reason.tolist(),
                told.value.tolist(),
                strict=True,
            )
        )


@pytest.fixture
def load(tmp_path: Path):
    """Loads a text, bytes or file and reads back what was stored."""
    folder = tmp_path / "spool"
    folder.mkdir()
    connection = duckdb.connect(config={"threads": 1})

    def run(content: str | bytes | Path, mapping: Mapping[str, Any] = MAPPING) -> Loaded:
        path = folder / "file.csv"
        if isinstance(content, Path):
            content = content.read_bytes()
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        target = (
            folder / f"{secrets.token_hex(16)}.parquet"
        )  # as in the spool: DuckDB remembers files by name
        staged = staging.stage(connection, path, "ratings", mapping, target, "of this")
        if staged.report.kept:
            staged.save(connection, "stored")
        else:
            connection.execute('CREATE TABLE stored ("row" BIGINT)')
        reopened = staging.reopen_staged(target, "ratings", "of this")
        assert reopened is not None
        assert repr(reopened) == repr(staged)
        target.unlink()
        staging.report_path(target).unlink()
        found = connection.execute('SELECT * FROM stored ORDER BY "row"')
        names = [column[0] for column in found.description]
        loaded = Loaded(staged.report, names, found.fetchall())
        connection.execute("DROP TABLE stored")
        assert connection.execute("SELECT table_name FROM duckdb_tables()").fetchall() == []
        assert [each.name for each in folder.iterdir()] == ["file.csv"]
        report = loaded.report
        assert report.kept + report.set_aside == report.rows_read
        assert len(loaded.rows) == (report.kept + report.check_rows if report.kept else 0)
        assert report.rejects.total == report.set_aside - report.check_rows
        assert sum(count for _, _, count in report.reasons) == report.rejects.total
        return loaded

    yield run
    connection.close()


# --- what is kept ------------------------------------------------------------------------------------------


def test_types_and_order_of_the_file(load):
    content = (
        "item,rater,score,group,when,took,check,rater_age,bleu\nb,r1,4,lab,2024-03-04 "
        "10:00:00,1.5,,30,0.25\na,r1,3.5,crowd,2024-03-04T09:00:00,2,trap,30,0.5\nb,r2,-1e1,lab,2024-03-05,,,40,0.25\n"
    )
    mapping = MAPPING | {
        "rater_group": "group",
        "rated_at": "when",
        "seconds": "took",
        "check": "check",
        "rater_age": "rater_age",
        "bleu": "bleu",
    }
    found = load(content, mapping)
    assert found.names == ("row", *mapping)
    assert found.column("row") == [1, 2, 3]
    assert found.column("item_id") == ["b", "a", "b"]
    assert found.column("score") == [4.0, 3.5, -10.0]
    assert found.column("seconds") == [1.5, 2.0, None]
    assert found.column("check") == [None, "trap", None]
    assert found.column("rater_age") == ["30", "30", "40"]
    assert found.column("bleu") == [0.25, 0.5, 0.25]
    assert [str(time) for time in found.column("rated_at")] == [
        "2024-03-04 10:00:00",
        "2024-03-04 09:00:00",
        "2024-03-05 00:00:00",
    ]
    assert (found.report.kept, found.report.check_rows, found.report.set_aside) == (2, 1, 1)


ids = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1).filter(
    lambda text: text.strip() == text
)
any_rows = st.lists(st.tuples(ids, ids, st.floats(-1e75, 1e75)), min_size=1, max_size=20)


@pytest.mark.slow
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(rows=any_rows, end=st.sampled_from(["\n", "\r\n"]), quote_all=st.booleans())
def test_any_texts_survive_as_ids(load, rows, end, quote_all):
    text = io.StringIO(newline="")
    returns = any("\r" in cell for row in rows for cell in row[:2])  # csv itself leaves them unquoted
    quoting = csv.QUOTE_ALL if quote_all or returns else csv.QUOTE_MINIMAL
    writer = csv.writer(text, lineterminator=end, quoting=quoting)
    writer.writerow(["item", "rater", "score"])
    writer.writerows(rows)
    found = load(text.getvalue(), MAPPING | {"@header": "yes"})
    assert found.report.set_aside == 0
    assert list(zip(*(found.column(name) for name in MAPPING), strict=True)) == rows


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a", " a", "b ", "", "é", '"', "c\nd", "\xa0"]),
            st.sampled_from(["r1", "r2", " "]),
            st.sampled_from(["4", " 5", "", "nan", "-inf", "x", "1e400", "3.5", "0x1", "four"]),
            st.sampled_from(["", "trap", "0", "false"]),
        ),
        min_size=1,
        max_size=12,
    ),
    st.booleans(),
)
def test_every_row_is_accounted_for(load, rows, broken):
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([["item", "rater", "score", "check"], *rows])
    if broken:
        writer.writerow(["one", "two", "3", "", "too many"])
    found = load(text.getvalue(), MAPPING | {"check": "check", "@header": "yes"})
    kept, check_rows, rejected = [], 0, int(broken)
    for item, rater, score, check in rows:
        value = number(score)
        if not item.strip() or not rater.strip() or value is None:
            rejected += 1
        elif check in ("", "0", "false"):
            kept.append((item.strip(), rater.strip(), value))
        else:
            check_rows += 1
    report = found.report
    assert (report.kept, report.check_rows, report.rejects.total) == (len(kept), check_rows, rejected)
    if kept:
        stored = zip(*(found.column(name) for name in MAPPING), found.column("check"), strict=True)
        assert [row[:3] for row in stored if row[3] is None] == kept


# --- real files against the csv module ---------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in REAL if name != SPEECH])
def test_real_files_are_counted_as_the_csv_module_counts_them(shared_data, load, name):
    path = shared_data / name
    mapping = LONG_BY_HAND.get(name) or propose(sniff(path, format=""), kind="ratings").mapping
    report = load(path, mapping).report
    assert (report.kept, report.check_rows, report.rejects.total) == counted(path, mapping)


def test_all_real_tables_are_tested(shared_data):
    there = {path.relative_to(shared_data) for path in shared_data.rglob("*.?sv")}
    assert {str(path) for path in there if path.parts[0] != "cases"} == set(REAL)


def test_the_speech_study(shared_data, load):
    path = shared_data / SPEECH
    found = load(path, propose(sniff(path)).mapping)
    assert (found.report.rows_read, found.report.check_rows, found.report.kept) == (22_786, 2_164, 20_622)
    groups = dict.fromkeys(found.column("rater_group"))
    assert list(groups) == ["lab", "crowd_clickworker_de", "crowd_mturk_en", "crowd_mturk_es"]
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert found.column("item_id") == [row["item"] for row in rows]
    assert found.column("score") == [float(row["score"]) for row in rows]
    rejected = sum(row["assignment_status"] == "Rejected" and not row["check"] for row in rows)
    votes = [tuple(row[k] for k in ("item", "rater", "measure", "group")) for row in rows if not row["check"]]
    assert found.report.warnings[:2] == (
        f"{len(votes) - len(set(votes)):,} ratings repeat what the same rater had already rated (same item, "
        "measure and group); all are kept. Where raters are compared, they count once.",
        f"{rejected:,} ratings come from assignments whose status says rejected, returned or timed out; they are kept.",
    )


# --- what is set aside, and why ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "column", "reason", "value"),
    [
        ("a,r,", "score", "the score is empty", ""),
        ("a,r, ", "score", "the score is empty", ""),
        ("a,r,NaN", "score", "the score is not a finite number", "NaN"),
        ("a,r,inf", "score", "the score is not a finite number", "inf"),
        ("a,r,-Infinity", "score", "the score is not a finite number", "-Infinity"),
        ("a,r,1e76", "score", "the score is not between -1e+75 and 1e+75", "1e76"),
        ("a,r,-2e200", "score", "the score is not between -1e+75 and 1e+75", "-2e200"),
        ("a,r,good", "score", "the score is not a number", "good"),
        ("a,r,=1+1", "score", "the score is not a number", "=1+1"),
        (",r,4", "item", "the item is empty", ""),
        ("a,\xa0,4", "rater", "the rater is empty", ""),
        ("a,r", "", "the row has 2 cells where the header has 3", "a,r"),
        ("a", "", "the row has 1 cell where the header has 3", "a"),
        ("a,r,4,5", "", "the row has 4 cells where the header has 3", "a,r,4,5"),
        (
            '"a,r,4',
            "",
            "a quotation mark opens a cell that does not end before the file does",
            '"a,r,4',
        ),
        ("a\0,r,4", "", "the row holds a NUL character, a sign of a damaged file", "a\ufffd,r,4"),
        (
            "x" * 2_000_000 + ",r,4",
            "",
            "the line is longer than 1,048,576 characters",
            "x" * 200,
        ),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else "",
)
def test_reasons(load, row, column, reason, value):
    found = load(f"{HEADER}first,r,1\n{row}\nlast,r,2\n")
    assert found.rejects == [(3, column, reason, value)]
    assert found.column("item_id") == ["first", "last"]
    assert found.report.reasons == ((column, reason, 1),)


def test_a_file_that_was_cut_off_is_said_first(load):
    cut = load(HEADER + "a,r,1\nb,r,2\nc,r")
    assert cut.rejects == [
        (4, "", "the file ends in the middle of this row, which has 2 cells where the header has 3", "c,r")
    ]
    assert cut.report.warnings[-1].startswith(
        "The file ends in the middle of a row, in line 4: it was cut off"
    )
    never = load(HEADER + 'a,r,1\n"b,r,2\nc,r,3\n')
    assert never.report.kept == 2
    assert any("A quotation mark in line 3 opens a cell" in warning for warning in never.report.warnings)
    for whole in ("a,r,1\nb,r,2", "a,r\nb,r,2", "a,r,1\nb,r\n"):
        assert not any("cut off" in warning for warning in load(HEADER + whole).report.warnings)


def test_empty_cells_beyond_the_header_are_nothing(load):
    assert load(HEADER + "a,r,4,,\nb,r,5,\n").report.kept == 2


def test_blank_lines_are_no_rows_but_count_as_lines(load):
    found = load("\n" + HEADER + "\na,r,4\n\n\nb,r,x\n")
    assert found.report.rows_read == 2
    assert found.rejects == [(7, "score", "the score is not a number", "x")]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("blank", [0, 1, 7, 5000])
def test_blank_lines_at_the_end_are_nothing(load, monkeypatch, end, blank):
    if blank < 10:  # not worth reading the file a second time
        monkeypatch.setattr(staging, "read_and_judge", None)
    found = load((HEADER + "a,r,4\nb,r,5\n").replace("\n", end) + end * blank)
    assert found.column("score") == [4.0, 5.0]
    assert found.report.rows_read == 2


def test_line_breaks_in_cells_count_as_lines(load):
    found = load(HEADER + '"two\nlines",r,4\nb,r,x\n')
    assert found.column("item_id") == ["two\nlines"]
    assert found.rejects == [(4, "score", "the score is not a number", "x")]


def test_an_empty_group_or_measure_is_set_aside(load):
    mapping = MAPPING | {"rater_group": "group", "measure": "what"}
    found = load("item,rater,score,group,what\na,r,4,,x\na,r,4,lab,\na,r,4,lab,x\n", mapping)
    assert found.rejects == [(2, "group", "the group is empty", ""), (3, "what", "the measure is empty", "")]


def test_nothing_left_is_a_report_but_cannot_be_saved(tmp_path):
    path = tmp_path / "file.csv"
    path.write_text(HEADER + "a,r,good\n")
    with duckdb.connect() as connection:
        staged = staging.stage(connection, path, "ratings", MAPPING, tmp_path / "staged.parquet", "")
        assert staged.report.kept == 0
        with pytest.raises(BadMapping, match="no rating can be kept from this file"):
            staged.save(connection, "stored")


def lying(tmp_path: Path, order: Sequence[int]) -> list[tuple[str, str, int]]:
    """Measure, item and row of items in this order that 3 raters rate on two measures, as they are saved."""
    votes = [f"i{item},r{rater},{rater},{what}\n" for item in order for rater in (1, 2, 3) for what in "ab"]
    path, target = tmp_path / "file.csv", tmp_path / f"{secrets.token_hex(8)}.parquet"
    path.write_text("item,rater,score,what\n" + "".join(votes))
    with duckdb.connect() as connection:
        staging.stage(connection, path, "ratings", MAPPING | {"measure": "what"}, target, "").save(
            connection, "stored"
        )
        return connection.execute('SELECT measure, item_id, "row" FROM stored').fetchall()


def runs(values: Sequence[str]) -> int:
    return 1 + sum(before != after for before, after in pairwise(values))


def test_ratings_of_one_measure_lie_together_in_the_files_order_where_that_has_items_in_turn(tmp_path):
    rows = lying(tmp_path, range(40))
    assert runs([what for what, _, _ in rows]) == 2
    assert [row for what, _, row in rows if what == "a"] == list(range(1, 241, 2))


def test_ratings_of_one_measure_lie_together_among_some_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr(staging, "ROWS_PER_INSERT", 100)
    rows = lying(tmp_path, range(40))
    assert sorted(row for *_, row in rows) == list(range(1, 241))
    assert [runs([what for what, _, _ in rows[begin : begin + 100]]) for begin in (0, 100, 200)] == [2, 2, 2]


def test_of_items_here_and_there_in_the_file_the_ratings_lie_together(tmp_path):
    rows = lying(tmp_path, [item * 7 % 40 for item in range(40)] * 3)
    assert runs([what for what, _, _ in rows]) == 2
    assert runs([item for _, item, _ in rows]) == 80
    assert sorted(row for *_, row in rows) == list(range(1, 721))


def test_formulas_and_html_stay_what_they_are(load):
    hostile = [
        "=cmd|' /C calc'!A0",
        "<img src=x onerror=alert(1)>",
        "$x$",
        "[a](http://b)",
        "'; DROP TABLE x; --",
    ]
    text = io.StringIO(newline="")
    csv.writer(text).writerows([["item", "rater", "score"], *([each, each, 4] for each in hostile)])
    found = load(text.getvalue())
    assert found.column("item_id") == hostile
    assert found.column("rater_id") == hostile


@pytest.mark.parametrize(
    ("name", "bad_row"),
    [
        *((name, "1,a\n") for name in ("line", "place", "problem", "reason", "value", "c0", "c3", "column")),
        *(("value", bad_row) for bad_row in ("", "1,a,s,x\n")),
    ],
)
def test_column_names_that_the_import_uses_itself(load, name, bad_row):
    found = load(f"{name},item,rater,score\n1,a,r,4\n{bad_row}2,b,r,3\n", MAPPING | {name: name})
    assert found.column(name) == [1.0, 2.0]
    assert found.column("score") == [4.0, 3.0]
    assert [line for line, *_ in found.rejects] == ([3] if bad_row else [])


def test_hostile_column_names(load):
    name = "\"; DROP TABLE stored; -- ' <b>"
    text = io.StringIO(newline="")
    csv.writer(text).writerows([["item", "rater", "score", name], ["a", "r", 4, 1], ["a", "s", 5, 1]])
    found = load(text.getvalue(), MAPPING | {name: name})
    assert found.column(name) == [1.0, 1.0]


def test_all_rejected_rows_can_be_taken_away(tmp_path):
    path = tmp_path / "file.csv"
    path.write_text(
        HEADER + "a,r,1\n" + "".join(f"=a{n},r,-x\n" for n in range(12_000)) + "b,r,+1-1\nc,r,-1e\n"
    )
    with duckdb.connect() as connection:
        content = b"".join(staging.rejects_csv(connection, path, "ratings", MAPPING)).decode()
        report = staging.stage(connection, path, "ratings", MAPPING, tmp_path / "staged.parquet", "").report
        assert report.rejects.total == 12_002
        assert len(report.rejects.line) == 10_000
    rows = list(csv.reader(io.StringIO(content)))
    assert rows[:2] == [
        ["line", "column", "reason", "value"],
        ["3", "score", "the score is not a number", "'-x"],
    ]
    assert rows[-2:] == [
        ["12003", "score", "the score is not a number", "'+1-1"],
        ["12004", "score", "the score is not a number", "'-1e"],
    ]
    assert len(rows) == 12_003


# --- switches ----------------------------------------------------------------------------------------------


def test_decimal_commas(load):
    content = "item;rater;score;took\na;r;3,5;1,25\nb;r;4;2\n"
    found = load(content, MAPPING | {"seconds": "took"})
    assert found.column("score") == [3.5, 4.0]
    assert found.column("seconds") == [1.25, 2.0]
    mixed = load("item;rater;score\na;r;3,5\nb;r;4.5\n", MAPPING | {"@decimal": ","})
    assert mixed.rejects == [(3, "score", "the score is not a number with a decimal comma", "4.5")]
    point = load("item;rater;score\na;r;3,5\nb;r;4.5\n", MAPPING | {"@decimal": "."})
    assert point.rejects == [(2, "score", "the score is not a number", "3,5")]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("4 - good", 4),
        ("4: good", 4),
        ("4 = good", 4),
        ("4. Good", 4),
        ("4 good", 4),
        ("4.5 – gut", 4.5),
        ("-1 (worse)", -1),
        ("3 out of 5", 3),
        ("5", 5),
        ("good", None),
        ("2024-03-04", None),
        ("4good", None),
    ],
)
def test_the_leading_number_on_request(load, text, number):
    found = load(f"item,rater,score\na,r,{text}\nb,r,1\n", MAPPING | {"@scores": "leading number"})
    if number is None:
        assert found.rejects == [(2, "score", "the score does not begin with a number", text)]
    else:
        assert found.column("score") == [number, 1]


STATUS = "item,rater,score,state\na,r,4,Approved\nb,r,5,REJECTED\nc,r,5,rejected\n"


def test_rejected_assignments(load):
    mapping = MAPPING | {"status": "state"}
    kept = load(STATUS, mapping)
    assert kept.report.kept == 3
    assert (
        "2 ratings come from assignments whose status says rejected, returned or timed out; they are kept."
        in kept.report.warnings
    )
    aside = load(STATUS, mapping | {"@rejected": "set aside"})
    assert aside.rejects == [
        (3, "state", "the assignment was rejected, returned or timed out", "REJECTED"),
        (4, "state", "the assignment was rejected, returned or timed out", "rejected"),
    ]


def test_repeated_votes(load):
    rows = ["a,r,4,x,", "a,r,5,x,", "a,r,1,y,", "a,r,2,x,trap", "a,r,2,x,trap", "b,r,3,x,", "a,r,3,x,"]
    content = "\n".join(["item,rater,score,what,check", *rows])
    mapping = MAPPING | {"measure": "what", "check": "check"}
    kept = load(content, mapping)
    assert kept.report.warnings[0] == (
        "2 ratings repeat what the same rater had already rated (same item, measure and group); all are kept. "
        "Where raters are compared, they count once."
    )
    aside = load(content, mapping | {"@duplicates": "set aside"})
    assert aside.rejects == [
        (3, "rater", "the same rater has rated this item before", "r"),
        (8, "rater", "the same rater has rated this item before", "r"),
    ]
    assert aside.report.check_rows == 2
    assert aside.column("score") == [4, 1, 2, 2, 3]


def test_a_check_that_says_no_is_none(load):
    content = "item,rater,score,gold\na,r,4,0\na,r,4,FALSE\na,r,4,no\na,r,4,1\na,r,4,trap\n"
    found = load(content, MAPPING | {"check": "gold"})
    assert found.report.check_rows == 2
    assert found.column("check") == [None, None, None, "1", "trap"]


def test_white_space_around_ids_goes_and_is_said(load):
    found = load(HEADER + " a ,\tr\xa0, 4 \na\u3000,r,5\nin between,r,5\n")
    assert found.column("item_id") == ["a", "a", "in between"]
    assert found.column("rater_id") == ["r", "r", "r"]
    assert found.report.notes[1:] == (
        "Read as UTF-8 with commas between columns and a decimal point. Ids are kept as they are; only "
        "white space around them is removed.",
    )


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["2018-02-09T07:51:16.507Z", "2018-02-09T07:51:17Z"], "2018-02-09 07:51:16.507000"),
        (["Mon Jul 06 11:27:25 PDT 2020", "Tue Jul 07 08:49:40 PDT 2020"], "2020-07-06 11:27:25"),
        (["1593423000", "1593423001.5"], "2020-06-29 09:30:00"),
        (["1593423000000", "1593423000500"], "2020-06-29 09:30:00"),
        (["03/04/2024 10:00", "03/25/2024 11:00"], "2024-03-04 10:00:00"),
        (["03/04/2024 10:00", "25/04/2024 11:00"], "2024-04-03 10:00:00"),
        (["04.03.2024", "25.03.2024"], "2024-03-04 00:00:00"),
        (["03/04/2024 1:02:03 PM", "03/25/2024 1:02:03 AM"], "2024-03-04 13:02:03"),
    ],
)
def test_times_as_people_write_them(load, texts, expected):
    content = "item,rater,score,when\n" + "".join(f"a,r{n},4,{text}\n" for n, text in enumerate(texts))
    found = load(content, MAPPING | {"rated_at": "when"})
    assert str(found.column("rated_at")[0]) == expected
    assert None not in found.column("rated_at")


def test_optional_cells_that_cannot_be_read_do_not_cost_the_rating(load):
    content = "item,rater,score,took,when\na,r,4,n/a,yesterday\nb,r,5,12,2024-03-04\nc,r,5,inf,\n"
    found = load(content, MAPPING | {"seconds": "took", "rated_at": "when"})
    assert found.report.kept == 3
    assert found.column("seconds") == [None, 12.0, None]
    assert found.report.warnings[-2:] == (
        '2 cells of "took" could not be read as a number and are left empty, the first in line 2: "n/a".',
        '1 cell of "when" could not be read as a time and is left empty, the first in line 2: "yesterday".',
    )


# --- wide forms --------------------------------------------------------------------------------------------


def test_one_column_per_rater(load):
    found = load(
        "item,anna,bert\na,4,\nb,x,5\n,1,2\n",
        {"item_id": "item", "score": ("anna", "bert"), "@form": "rater columns"},
    )
    assert list(
        zip(found.column("item_id"), found.column("rater_id"), found.column("score"), strict=True)
    ) == [
        ("a", "anna", 4.0),
        ("b", "bert", 5.0),
    ]
    assert found.rejects == [
        (3, "anna", "the score is not a number", "x"),
        (4, "item", "the item is empty", ""),
        (4, "item", "the item is empty", ""),
    ]
    assert found.report.rows_read == 5
    assert "Each filled cell of 2 columns is one rating; 1 is empty: no rating." in found.report.notes


def test_one_column_per_measure(load):
    found = load(
        "item,rater,OUTPUT:fluency,OUTPUT:adequacy,sec fluency,sec adequacy\na,r,4,5,10,20\n",
        {
            "item_id": "item",
            "rater_id": "rater",
            "score": ("OUTPUT:fluency", "OUTPUT:adequacy"),
            "seconds": ("sec fluency", "sec adequacy"),
            "@form": "measure columns",
        },
    )
    assert found.column("measure") == ["fluency", "adequacy"]
    assert found.column("score") == [4.0, 5.0]
    assert found.column("seconds") == [10.0, 20.0]


def test_one_column_per_item_and_pairs_of_columns(load):
    mapping = {"rater_id": "who", "score": ("v1", "v2"), "@form": "item columns"}
    assert load("who,v1,v2\nanna,4,5\nbert,1,2\n", mapping).column("item_id") == ["v1", "v2", "v1", "v2"]
    pairs = load(
        "who,i1,s1,i2,s2\nanna,a,4,b,5\n", mapping | {"item_id": ("i1", "i2"), "score": ("s1", "s2")}
    )
    assert list(zip(pairs.column("item_id"), pairs.column("score"), strict=True)) == [("a", 4.0), ("b", 5.0)]


def test_a_matrix_without_header(shared_data, load):
    path = shared_data / "formats" / "item_by_subject_matrix_no_header.csv"
    found = load(path, propose(sniff(path)).mapping)
    assert found.column("item_id")[:27] == ["row 1"] * 26 + ["row 2"]
    assert found.column("rater_id")[:2] == ["column 1", "column 2"]
    cells = [cell for line in path.read_text().splitlines() for cell in line.split(",")]
    assert cells.count("nan") == 1
    assert (len(found.column("score")), found.rejects) == (len(cells) - 1, [])


# --- the two ways agree ------------------------------------------------------------------------------------


def test_the_fast_and_the_thorough_way_store_the_same(shared_data, load, monkeypatch):
    path = shared_data / "squality_summary_ratings.csv"
    mapping = propose(sniff(path)).mapping
    fast = load(path, mapping)
    monkeypatch.setattr(staging, "can_read_typed", lambda *_: False)
    thorough = load(path, mapping)
    assert thorough.rows == fast.rows
    assert thorough.report.warnings == fast.report.warnings
    broken = path.read_bytes() + b"only,two\n"
    repaired = load(broken, mapping)
    assert repaired.rows == fast.rows
    assert repaired.rejects == [(2_702, "", "the row has 2 cells where the header has 7", "only,two")]


@pytest.mark.parametrize(
    ("further", "ways"),
    [
        ("", 1),
        ("once,more,5,2\n", 1),
        (" spaced,rater,5,2\n", 2),
        ("item,rater,none,2\n", 2),
        ("late,more,5,soon\n", 2),
    ],
)
@pytest.mark.parametrize("seconds", ["rating", "assignment"])
def test_what_was_read_may_wait_packed(load, monkeypatch, further, ways, seconds):
    """Repeats, missing cells, a row that only the thorough way can judge, and a cell that is left empty; the folder
    holds nothing more after."""
    rows = [f"item {at % 40},rater {at % 7},{1 + at % 5},{at // 3 or ''}" for at in range(300)]
    content = "item,rater,score,seconds\n" + "\n".join(rows) + "\n" + further
    mapping = MAPPING | {"seconds": "seconds", "@seconds": seconds}
    expected = load(content, mapping)
    read: list[Path | None] = []
    as_it_was = cells.store_rows

    def watched(cursor, rows, packed, values=None):
        read.append(packed)
        as_it_was(cursor, rows, packed, values)

    for way in (typed_reading, judging):
        monkeypatch.setattr(way, "store_rows", watched)
    monkeypatch.setattr(staging, "MIN_PACKED_ROWS", 10)
    found = load(content, mapping)
    assert [packed is not None for packed in read] == [seconds == "rating"] * ways
    assert (found.names, found.rows) == (expected.names, expected.rows)
    assert repr(found.report) == repr(expected.report)
    assert "repeat" in " ".join(found.report.warnings)


def test_repeated_ratings_are_counted_part_by_part_and_told_where_there_are_none(load, monkeypatch):
    rows = [f"item {at % 40},rater {at % 7},{1 + at % 5}" for at in range(280)]
    alone = load(HEADER + "\n".join(rows))
    twice = load(HEADER + "\n".join([*rows, *rows[:9]]))
    assert (alone.report.unrepeated, twice.report.unrepeated) == (True, False)
    monkeypatch.setattr(ratings_signs, "ROWS_PER_PASS", 50)
    for whole, content in ((alone, rows), (twice, [*rows, *rows[:9]])):
        assert load(HEADER + "\n".join(content)).report.warnings == whole.report.warnings
    assert "9 ratings repeat" in " ".join(twice.report.warnings)


# --- warnings and notes ------------------------------------------------------------------------------------


def ratings(*rows: str) -> str:
    return "item,rater,score,group\n" + "".join(f"{row}\n" for row in rows)


GROUPS = MAPPING | {"rater_group": "group"}


def test_scores_outside_the_scale_of_all_others(load):
    rows = [f"i{n},r{n % 7},{1 + n % 5},lab" for n in range(500)]
    warnings = load(ratings(*rows, "i1,r8,50,lab", "i2,r8,0,lab"), GROUPS).report.warnings
    assert '2 scores of "score" lie outside 1 to 5, the scale of all others: 0, 50.' in warnings
    assert not any("scale" in warning for warning in load(ratings(*rows), GROUPS).report.warnings)


def test_penalties_have_no_scale(shared_data, load):
    path = shared_data / "wmt23_mqm_3raters.csv"
    warnings = load(path, propose(sniff(path)).mapping).report.warnings
    assert not any("scale" in warning for warning in warnings)


def test_groups_that_share_no_item(load):
    rows = ["a,r,4,lab", "b,r2,4,lab", "a,r3,4,crowd", "c,r4,3,other", "d,r4,5,other"]
    assert (
        'None of the 2 items of the group "other" was rated by another group.'
        in load(ratings(*rows), GROUPS).report.warnings
    )


def test_one_group_and_one_rater(load):
    assert load(HEADER + "a,r,4\nb,r,5\na,r,4\n").report.warnings == (
        "1 rating repeats what the same rater had already rated (same item, measure and group); all are kept. "
        "Where raters are compared, they count once.",
        "There is only one rater, so nothing can be said about agreement or repetitions.",
    )


def test_that_there_is_one_group_is_a_note(load):
    report = load(HEADER + "a,r,4\na,s,5\nb,r,4\nb,s,3\n").report
    assert report.warnings == ()
    assert report.notes[0].startswith("All ratings belong to one group.")


def test_items_are_counted_once_whatever_their_measures(load):
    rows = ["a,r,4,x", "a,r,4,y", "b,s,2,x", "b,s,1,y", "c,s,3,x", "c,r,1,x"]
    report = load(
        "item,rater,score,measure\n" + "\n".join(rows) + "\n", MAPPING | {"measure": "measure"}
    ).report
    assert "2 of 3 items have only one rating of a measure." in report.warnings


def test_raters(load):
    rows = [f"i{n},steady,3,lab" for n in range(5)] + ["i1,once,4,lab", "i1,both,4,lab", "i2,both,5,crowd"]
    warnings = load(ratings(*rows), GROUPS).report.warnings
    assert warnings == (
        "3 of 5 items have only one rating of a measure.",
        "1 rater of 3 rated only one item.",
        '1 rater gave the same score every time in 5 or more ratings, for instance "steady".',
        "1 rater id occurs in more than one group; are they the same persons?",
    )


@pytest.mark.parametrize(
    ("rows", "doubts"),
    [
        (["a,r,4", "a,s,3", "b,r,5", "b,s,2"], ()),
        (["a,r,4", "a,r,3", "b,r,5", "b,s,2"], ()),
        (["a,r,4", "a,r,3", "b,r,5", "b,r,2"], ("50% of the ratings repeat an item and a rater",)),
        (["a,r,4", "a,s,3", "b,r,5", "c,r,2"], ("67% of the items have only one rating",)),
        (["a,r,4", "b,s,3"], ("all items have only one rating",)),
        (["a,r,3", "a,s,3", "b,r,3", "b,s,3"], ('all scores of "score" are 3',)),
    ],
)
def test_what_every_finding_has_to_say(load, rows, doubts):
    """Shares by hand: two of four ratings repeat; two of three items stand alone."""
    report = load(HEADER + "\n".join(rows) + "\n").report
    assert report.doubtful == doubts
    assert len(report.warnings) >= len(doubts)


def test_rounds_repeat_on_purpose(load):
    rows = "item,rater,score,{}\na,r,4,1\na,r,3,2\nb,r,5,1\nb,r,2,2\n"
    for name, doubts in (("round", 0), ("codec", 1)):
        report = load(rows.format(name), MAPPING | {"condition": name}).report
        assert len(report.doubtful) == doubts
        assert any("2 ratings repeat" in each for each in report.warnings)


def test_items_of_systems_may_have_one_rating_each(load):
    rows = "item,rater,score,system\na,r,1,x\nb,s,3,x\nc,r,4,y\nd,s,5,y\n"
    report = load(rows, MAPPING | {"system": "system"}).report
    assert report.doubtful == ()
    assert "All 4 items have only one rating of a measure." in report.warnings


def test_raters_whose_names_differ_in_capital_letters_are_doubted(load):
    rows = [f"i{k},{who},{k % 5 + 1},lab" for k in range(4) for who in (("anna", "Anna")[k % 2], "Ben")]
    said = 'raters such as "Anna" and "anna" differ only in capital letters'
    assert load(ratings(*rows)).report.doubtful == (said,)
    assert load(ratings(*map(str.casefold, rows))).report.doubtful == ()


def test_a_group_without_shared_items_and_scores_outside_the_scale_are_in_doubt(load):
    rows = ["a,r,1,lab", "a,r3,5,lab", "a,r2,4,crowd", "c,r4,3,other", "c,r5,5,other"]
    assert load(ratings(*rows), GROUPS).report.doubtful == (
        'no item of the group "other" was rated by another group',
    )
    scores = "".join(f"i{n % 10},r{n // 10},{1 + n % 5}\n" for n in range(200)) + "i0,s,-99\n"
    assert load(HEADER + scores).report.doubtful == ('1 score of "score" lies outside 1 to 5',)


@pytest.mark.parametrize("step", [7, 7.5])
def test_a_lone_extreme_of_an_open_ended_scale_is_in_doubt(load, step):
    scores = [f"i{n % 20},r{n // 20},{step * (1 + n % 13)}" for n in range(80)]
    assert load("\n".join([HEADER.strip(), *scores, ""])).report.doubtful == ()
    found = load("\n".join([HEADER.strip(), *scores, "i1,r9,38000", ""])).report.doubtful
    assert found == ('one score of "score", 38,000, makes up 99% of the variance',)


def test_numbers_far_off_all_others_are_in_doubt(load):
    scores = [f"i{n % 5},r{n // 5},{1 + n % 4 if n % 6 else -99}" for n in range(30)]
    report = load(HEADER + "\n".join(scores) + "\n").report
    assert report.doubtful == ('5 scores of "score" lie far off all others',)


def test_columns_of_possible_ratings_that_are_not_used_are_in_doubt(load):
    rows = "".join(f"i{n},{1 + n % 5},{5 - n % 5},{1 + 2 * n % 5}\n" for n in range(6))
    mapping = {"item_id": "item", "score": ("R1", "R2"), "@form": "rater columns"}
    report = load("item,R1,R2,R3\n" + rows, mapping).report
    assert report.doubtful == ('the column "R3", which could hold ratings, is not used',)
    whole = mapping | {"score": ("R1", "R2", "R3")}
    assert load("item,R1,R2,R3\n" + rows, whole).report.doubtful == ()


def test_raters_that_no_header_names_are_in_doubt_unless_chosen_by_hand(load):
    rows = [f"c{at % 12}.wav,worker {at // 12},{1 + (at * 3 + at // 12) % 5}" for at in range(96)]
    content = "\n".join(["what,who,points", *rows]) + "\n"
    guessed = load(content, {"item_id": "what", "rater_id": "who", "score": "points"}).report
    assert guessed.doubtful == ("the items and raters were guessed by the values",)
    chosen = load(content, {"item_id": "who", "rater_id": "what", "score": "points"}).report
    assert chosen.doubtful == ()


def test_slots_are_no_raters_to_warn_about(load):
    mapping = {"item_id": "item", "score": ("slot1", "slot2"), "@form": "rater columns", "@raters": "slots"}
    assert load("item,slot1,slot2\na,4,4\nb,4,4\nc,4,3\n", mapping).report.warnings == ()


def test_items_of_several_systems(load):
    found = load(
        "item,rater,score,system\na,r,4,x\na,r,5,y\nb,r,5,y\nb,s,5,y\n", MAPPING | {"system": "system"}
    )
    assert (
        "1 item comes from more than one system; their ratings are averaged together. An item should be one "
        "system's "
        "output." in found.report.warnings
    )


def test_numbers_that_differ_within_items_are_left_out_and_said(load):
    content = "item,rater,score,bleu,place\na,r,4,0.5,1\na,s,5,0.5,2\nb,r,5,0.25,1\n"
    found = load(content, MAPPING | {"bleu": "bleu", "place": "place"})
    assert found.names == ("row", "item_id", "rater_id", "score", "bleu")
    assert (
        found.report.notes[-1]
        == '"place" differs within items, so it is no number of the item; it is not stored.'
    )


def test_check_rows_enter_no_warning(load):
    found = load(
        "item,rater,score,check\na,r,4,\na,r,4,trap\na,r,4,trap\na,s,3,\nb,s,3,\nb,r,99,trap\n",
        MAPPING | {"check": "check"},
    )
    assert not any("repeat" in warning or "outside" in warning for warning in found.report.warnings)
