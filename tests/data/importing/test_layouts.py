"""Layouts: the same study gives the same rows, whichever way its table is laid out."""

import csv
import io
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data.dataset import Filter
from data.formats.readers import sniff
from data.importing import staging
from data.importing.report import ImportReport
from data.mapping.proposal import propose
from data.store.store import Store

RATINGS = {"item_id": "item", "rater_id": "rater", "score": "score"}
Rows = list[tuple[Any, ...]]


class Loaded(NamedTuple):
    report: ImportReport
    names: tuple[str, ...]
    rows: Rows

    def of(self, *names: str) -> Rows:
        """The stored cells of these columns."""
        places = [self.names.index(name) for name in names]
        return [tuple(row[at] for at in places) for row in self.rows]

    @property
    def rejects(self) -> Rows:
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
    """Loads a table and reads back what was stored."""
    connection = duckdb.connect(config={"threads": 1})

    def run(content: str, mapping: Mapping[str, Any], kind: str = "ratings") -> Loaded:
        path, target = tmp_path / "file.csv", tmp_path / f"{secrets.token_hex(16)}.parquet"
        path.write_text(content, encoding="utf-8")
        staged = staging.stage(connection, path, kind, mapping, target, "")
        found = connection.execute(f'SELECT * FROM {staged.rows} ORDER BY "row"')
        names = tuple(column[0] for column in found.description)
        loaded = Loaded(staged.report, names, found.fetchall())
        report = loaded.report
        assert report.kept + report.set_aside == report.rows_read
        assert len(loaded.rows) == report.kept + report.check_rows
        return loaded

    yield run
    connection.close()


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows([header, *rows])
    return text.getvalue()


# --- items of several columns ------------------------------------------------------------------------------

PARTS = {"item_id": ("doc", "system"), "rater_id": "judge", "score": "score"}
OF_PARTS = "doc,system,judge,score\nd1,a,j1,1\nd1, b ,j1,2\nd1,a,j2,3\nd2,a,j1,4\n"


@pytest.mark.parametrize("thorough", [False, True])
def test_the_parts_of_an_item_are_joined_and_keep_their_roles(load, monkeypatch, thorough):
    if thorough:
        monkeypatch.setattr(staging, "can_read_typed", lambda *_: False)
    found = load(OF_PARTS, PARTS | {"topic": "doc", "system": "system"})
    assert found.of("item_id", "topic", "system", "score") == [
        ("d1 / a", "d1", "a", 1.0),
        ("d1 / b", "d1", "b", 2.0),
        ("d1 / a", "d1", "a", 3.0),
        ("d2 / a", "d2", "a", 4.0),
    ]
    assert found.report.items == 3


def test_parts_without_roles_of_their_own_are_read_fast(load, monkeypatch):
    expected = load(OF_PARTS, PARTS).rows
    monkeypatch.setattr(staging, "read_and_judge", None)
    assert load(OF_PARTS, PARTS).rows == expected


def test_the_empty_part_of_an_item_is_named(load):
    content = "doc,system,judge,score\nd1,a,j1,1\n,a,j1,2\nd1,  ,j1,3\n,,j1,4\n"
    found = load(content, PARTS)
    assert found.rejects == [
        (3, "doc", "the item is empty", ""),
        (4, "system", "the item is empty", ""),
        (5, "doc", "the item is empty", ""),
    ]
    assert found.report.reasons == (("doc", "the item is empty", 2), ("system", "the item is empty", 1))


@pytest.mark.parametrize(
    ("header", "mapping", "expected"),
    [
        (
            "doc,system,ann,bob",
            {"@form": "rater columns", "item_id": ("doc", "system"), "score": ("ann", "bob")},
            [("d1 / a", "ann", 1.0), ("d1 / a", "bob", 2.0)],
        ),
        (
            "doc,system,fluency,focus",
            {
                "@form": "measure columns",
                "item_id": ("system", "doc"),
                "rater_id": "doc",
                "score": ("fluency", "focus"),
            },
            [("a / d1", "d1", 1.0), ("a / d1", "d1", 2.0)],
        ),
    ],
)
def test_wide_forms_have_items_of_several_columns(load, header, mapping, expected):
    assert load(f"{header}\nd1,a,1,2\n", mapping).of("item_id", "rater_id", "score") == expected


def test_an_item_of_a_long_text_and_another_column_gets_an_id(load):
    long = "word " * 300
    found = load(
        table(["doc", "text", "judge", "score"], [["d1", long, "j", 1], ["d1", "short", "j", 2]]),
        PARTS | {"item_id": ("doc", "text")},
    )
    (first, text), (second, none) = found.of("item_id", "text")
    assert first.startswith("d1 / word word")
    assert len(first) < 100
    assert (text, second, none) == (f"d1 / {long.strip()}", "d1 / short", None)


@pytest.mark.parametrize("thorough", [False, True])
def test_choices_have_items_of_several_columns(load, monkeypatch, thorough):
    if thorough:
        monkeypatch.setattr(staging, "can_read_typed", lambda *_: False)
    mapping = {"item_id": ("doc", "system"), "rater_id": "judge", "choice": "score"}
    assert load(OF_PARTS, mapping, "choices").of("item_id", "choice")[:2] == [
        ("d1 / a", "1"),
        ("d1 / b", "2"),
    ]


def test_repeats_of_a_joined_item_are_set_aside(load):
    found = load(OF_PARTS + "d1,a,j1,5\n", PARTS | {"@duplicates": "set aside"})
    assert found.rejects == [(6, "judge", "the same rater has rated this item before", "j1")]


# --- names of columns --------------------------------------------------------------------------------------


def test_one_column_per_rater_and_measure(load):
    mapping = {
        "@form": "rater columns",
        "item_id": "item",
        "score": ("A_flu", "B_flu", "A_foc", "B_foc"),
        "@names rater_id": ("Ann", "Bob", "Ann", "Bob"),
        "@names measure": ("fluency", "fluency", "focus", "focus"),
    }
    found = load("item,A_flu,B_flu,A_foc,B_foc\ns1,1,2,3,\ns2,5,x,5,5\n", mapping)
    assert found.of("item_id", "rater_id", "measure", "score") == [
        ("s1", "Ann", "fluency", 1.0),
        ("s1", "Bob", "fluency", 2.0),
        ("s1", "Ann", "focus", 3.0),
        ("s2", "Ann", "fluency", 5.0),
        ("s2", "Ann", "focus", 5.0),
        ("s2", "Bob", "focus", 5.0),
    ]
    assert found.rejects == [(3, "B_flu", "the score is not a number", "x")]


def test_columns_are_called_by_their_own_name_where_only_their_measure_is_reported(load):
    mapping = {
        "@form": "rater columns",
        "item_id": "item",
        "score": ("ann", "bob"),
        "@names measure": ("fluency", "focus"),
        "@names rater_group": ("lab", "crowd"),
    }
    assert load("item,ann,bob\ns1,1,2\n", mapping).of("rater_id", "measure", "rater_group", "score") == [
        ("ann", "fluency", "lab", 1.0),
        ("bob", "focus", "crowd", 2.0),
    ]


def test_names_of_columns_are_trimmed_and_may_become_others(load):
    mapping = {
        "@form": "item columns",
        "rater_id": "who",
        "score": ("q1", "q2"),
        "@names item_id": (" clip 1 ", "clip 2"),
        "@names system": ("x", "y"),
        "@values system": ("x", "codec x"),
    }
    assert load("who,q1,q2\nann,4,5\n", mapping).of("item_id", "system") == [
        ("clip 1", "codec x"),
        ("clip 2", "y"),
    ]


names = st.lists(st.sampled_from(["a", "b b", "ü", "0", "x/y"]), min_size=1, max_size=3, unique=True)


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(items=names, raters=names, measures=names, data=st.data())
def test_every_layout_of_a_study_gives_the_same_rows(load, items, raters, measures, data):
    scores = {
        (item, rater, measure): data.draw(st.sampled_from(["", "1", "2.5", "NA"]))
        for item in items
        for rater in raters
        for measure in measures
    }
    expected = sorted((*key, float(score)) for key, score in scores.items() if score not in ("", "NA"))
    grid = [(rater, measure) for rater in raters for measure in measures]
    of_items = [(item, measure) for item in items for measure in measures]
    by_number = [f"c{at}" for at in range(max(len(grid), len(of_items)))]
    long = table(["item", "rater", "measure", "score"], [[*key, score] for key, score in scores.items()])
    by_rater = table(
        ["item", *by_number[: len(grid)]],
        [[item, *(scores[item, rater, measure] for rater, measure in grid)] for item in items],
    )
    by_item = table(
        ["rater", *by_number[: len(of_items)]],
        [[rater, *(scores[item, rater, measure] for item, measure in of_items)] for rater in raters],
    )
    by_measure = table(
        ["item", "rater", *(f"m{at}" for at in range(len(measures)))],
        [[i, r, *(scores[i, r, measure] for measure in measures)] for i in items for r in raters],
    )
    common: dict[str, Any] = {"@missing": ("NA",), "@header": "yes"}
    layouts: list[tuple[str, dict[str, Any]]] = [
        (long, RATINGS | {"measure": "measure"}),
        (
            by_rater,
            {
                "@form": "rater columns",
                "item_id": "item",
                "score": tuple(by_number[: len(grid)]),
                "@names rater_id": tuple(rater for rater, _ in grid),
                "@names measure": tuple(measure for _, measure in grid),
            },
        ),
        (
            by_item,
            {
                "@form": "item columns",
                "rater_id": "rater",
                "score": tuple(by_number[: len(of_items)]),
                "@names item_id": tuple(item for item, _ in of_items),
                "@names measure": tuple(measure for _, measure in of_items),
            },
        ),
        (
            by_measure,
            {
                "@form": "measure columns",
                "item_id": "item",
                "rater_id": "rater",
                "score": tuple(f"m{at}" for at in range(len(measures))),
                "@names measure": tuple(measures),
            },
        ),
    ]
    coded = sum(score == "NA" for score in scores.values())
    for content, mapping in layouts:
        found = load(content, mapping | common)
        assert sorted(found.of("item_id", "rater_id", "measure", "score")) == expected
        assert found.report.missing == coded


def test_wide_files_together_keep_the_names_of_their_columns(store: Store, tmp_path: Path):
    """Each file has columns of other raters, which are empty in the rows of the other one."""
    raters = {"lab.csv": ("ann", "bea"), "web.csv": ("ben", "cleo")}
    files = []
    for shift, (name, people) in enumerate(raters.items()):
        columns = [f"{rater}_{measure}" for rater in people for measure in ("fluency", "focus")]
        rows = [
            [f"s{at}", *(str((at * (by + 2) + shift + by * by) % 5 + 1) for by in range(4))]
            for at in range(8)
        ]
        if name == "web.csv":
            rows[2][1] = rows[5][3] = "NA"
        path = tmp_path / name
        path.write_text("\n".join(map(",".join, [["item", *columns], *rows])) + "\n")
        files.append(path)
    together = store.spool.keep_as_archive([(path.name, path) for path in files])
    found = propose(store.sniff(together))
    assert found.mapping["@names rater_id"] == tuple(
        rater for people in raters.values() for rater in people for _ in range(2)
    )
    assert (found.mapping["item_id"], found.mapping["rater_group"]) == ("item", "from file")
    report = store.check(together, found.kind, found.mapping)
    assert (report.kept, report.missing, report.raters) == (62, 2, 4)
    store.spool.discard(together)


# --- missing codes -----------------------------------------------------------------------------------------


def test_missing_codes_are_empty_cells_of_a_wide_form(load):
    mapping = {
        "@form": "rater columns",
        "item_id": "item",
        "score": ("a", "b"),
        "@missing": ("n/a", "-99", "*"),
    }
    found = load("item,a,b\ns1,4, N/A \ns2,-99.0,5\ns3,*,\ns4,-9,x\n", mapping)
    assert found.of("item_id", "rater_id", "score") == [("s1", "a", 4.0), ("s2", "b", 5.0), ("s4", "a", -9.0)]
    assert found.rejects == [(5, "b", "the score is not a number", "x")]
    assert (found.report.rows_read, found.report.missing) == (4, 3)
    assert any(
        '4 are empty or hold a missing code ("n/a", "-99", "*")' in note for note in found.report.notes
    )


def test_missing_codes_set_rows_of_the_long_form_aside(load):
    content = "item,rater,score\ns1,r,4\ns1,q,-99\ns2,r,-99.00\ns2,q,na\n,r,NA\ns3,r,99\n"
    found = load(content, RATINGS | {"@missing": ("-99", "NA")})
    assert found.of("item_id", "score") == [("s1", 4.0), ("s3", 99.0)]
    reason = "the score is a missing code"
    assert found.report.reasons == (("score", reason, 3), ("item", "the item is empty", 1))
    assert [value for *_, value in found.rejects] == ["-99", "-99.00", "na", ""]
    assert found.report.missing == 4


@pytest.mark.parametrize("code", ["-99", "5.0", "NA"])
def test_the_fast_way_sees_missing_codes_and_stays_fast_without(load, monkeypatch, code):
    content = "item,rater,score\ns1,r,4\ns2,r,5\ns3,q,3\n"
    mapping = RATINGS | {"@missing": (code,)}
    thorough = load(content, mapping)
    assert thorough.report.kept == (2 if code == "5.0" else 3)
    if code != "5.0":
        monkeypatch.setattr(staging, "read_and_judge", None)
        assert load(content, mapping).rows == thorough.rows


def test_missing_codes_with_a_decimal_comma(load):
    found = load("item;rater;score\ns1;r;3,5\ns2;r;-9,0\n", RATINGS | {"@missing": ("-9",)})
    assert found.of("score") == [(3.5,)]
    assert found.report.missing == 1


def test_missing_labels(load):
    mapping = {"item_id": "item", "rater_id": "rater", "choice": "label", "@missing": ("?", "skip")}
    found = load("item,rater,label\ns1,r,cat\ns1,q,?\ns2,r,SKIP\ns2,q,dog\n", mapping, "choices")
    assert found.of("choice") == [("cat",), ("dog",)]
    assert found.report.reasons == (("label", "the choice is a missing code", 2),)


def test_a_code_is_missing_before_values_become_others(load):
    mapping = RATINGS | {"@values score": ("good", "5", "-", "1"), "@missing": ("-",)}
    found = load("item,rater,score\ns1,r,good\ns2,r,-\n", mapping)
    assert found.of("score") == [(5.0,)]
    assert found.report.missing == 1


# --- choices side by side ----------------------------------------------------------------------------------

CHOICES = [("s1", "ann", "pos"), ("s1", "bob", "neg"), ("s2", "ann", "ind"), ("s2", "bob", "pos")]


@pytest.mark.parametrize(
    ("content", "mapping"),
    [
        (
            "item,ann,bob\ns1,pos,neg\ns2,ind,pos\n",
            {"@form": "rater columns", "item_id": "item", "choice": ("ann", "bob")},
        ),
        (
            "rater,s1,s2\nann,pos,ind\nbob,neg,pos\n",
            {"@form": "item columns", "rater_id": "rater", "choice": ("s1", "s2")},
        ),
        (
            "item,rater,label\ns1,ann,pos\ns1,bob,neg\ns2,ann,ind\ns2,bob,pos\n",
            {"item_id": "item", "rater_id": "rater", "choice": "label"},
        ),
    ],
)
def test_labels_are_the_same_in_every_layout(load, content, mapping):
    found = load(content, mapping, "choices")
    assert sorted(found.of("item_id", "rater_id", "choice")) == CHOICES
    assert (found.report.items, found.report.raters, found.report.warnings) == (2, 2, ())


def test_one_column_per_question(load):
    mapping = {
        "@form": "measure columns",
        "item_id": "item",
        "rater_id": "rater",
        "choice": ("better", "clearer"),
        "option_a": "a",
        "option_b": "b",
    }
    content = "item,rater,a,b,better,clearer\ns1,ann,x,y,A,both\ns1,bob,y,x,,second\ns2,ann,x,y,z,y\n"
    found = load(content, mapping, "choices")
    assert found.of("item_id", "rater_id", "design", "choice") == [
        ("s1", "ann", "better", "A"),
        ("s1", "ann", "clearer", "both"),
        ("s1", "bob", "clearer", "second"),
        ("s2", "ann", "clearer", "y"),
    ]
    assert found.rejects == [
        (4, "better", "the choice is none of the two options, both, neither or a tie", "z")
    ]


def test_a_wide_table_of_labels_is_stored_queried_and_filtered(store: Store, tmp_path: Path):
    path = tmp_path / "labels.csv"
    path.write_text("scan,r1,r2,r3\ns1,pos,neg,pos\ns2,ind,ind,pos\ns3,neg,neg,neg\n")
    mapping: dict[str, Any] = {
        "@form": "rater columns",
        "item_id": "scan",
        "choice": ("r1", "r2", "r3"),
        "@names design": ("one", "one", "two"),
    }
    dataset = store.add(path, "choices", mapping)
    assert store.get(dataset.id).mapping == mapping
    assert len(store.query(dataset, "choices")["choice"]) == 9
    one = dataset.keeping((Filter("design", ("two",)),))
    assert len(store.query(one, "choices")["choice"]) == 3
    again = store.add(path, "choices", store.get(dataset.id).mapping)
    assert again.sha256 == dataset.sha256


# --- rows and ratings without names ------------------------------------------------------------------------


def test_each_row_is_a_respondent(load):
    mapping = {"@form": "item columns", "rater_id": "@row", "score": ("q1", "q2")}
    found = load("q1,q2\n4,5\n,3\n", mapping)
    assert found.of("rater_id", "item_id", "score") == [
        ("row 1", "q1", 4.0),
        ("row 1", "q2", 5.0),
        ("row 2", "q2", 3.0),
    ]
    assert found.report.raters == 2
    labels = load(
        "q1,q2\na,b\n", {"@form": "item columns", "rater_id": "@row", "choice": ("q1", "q2")}, "choices"
    )
    assert labels.of("rater_id", "choice") == [("row 1", "a"), ("row 1", "b")]


SLOTS = {"item_id": "clip", "rater_id": "@slot", "score": "score"}


def test_ratings_of_nobody_are_numbered_within_their_item_in_the_files_order(load):
    content = "clip,what,group,score,check\nb,x,lab,1,\na,x,lab,2,\nb,x,lab,3,\nb,y,lab,4,\nb,x,lab,bad,\n"
    content += "b,x,crowd,5,\nb,x,lab,6,trap\nb,x,lab,7,\n"
    mapping = SLOTS | {"measure": "what", "rater_group": "group", "check": "check"}
    found = load(content, mapping)
    assert found.of("row", "rater_id", "score") == [
        (1, "slot 1", 1.0),
        (2, "slot 1", 2.0),
        (3, "slot 2", 3.0),
        (4, "slot 1", 4.0),
        (5, "slot 1", 5.0),
        (6, "slot 1", 6.0),
        (7, "slot 3", 7.0),
    ]
    assert (found.report.raters, found.report.unrepeated) == (0, True)


def test_numbered_ratings_stay_in_the_files_order(load, monkeypatch):
    rows = [[f"clip {at * 7 % 100}", 1 + at % 5] for at in range(1000)]
    for packed in (False, True):
        if packed:
            monkeypatch.setattr(staging, "MIN_PACKED_ROWS", 10)
        found = load(table(["clip", "score"], rows), SLOTS | {"@duplicates": "set aside"})
        assert found.of("item_id", "score") == [(item, float(score)) for item, score in rows]
        assert found.of("rater_id") == [(f"slot {1 + at // 100}",) for at in range(1000)]


def test_choices_of_nobody_are_numbered_within_their_pair(load):
    mapping = {"item_id": "q", "rater_id": "@slot", "choice": "won", "option_a": "a", "option_b": "b"}
    found = load("q,a,b,won\n1,x,y,x\n1,y,x,x\n1,x,z,z\n", mapping, "choices")
    assert found.of("rater_id") == [("slot 1",), ("slot 2",), ("slot 1",)]


def test_raters_of_a_data_set_without_names_are_no_persons(store: Store, tmp_path: Path):
    path = tmp_path / "mos.csv"
    path.write_text("clip,score\na,1\na,2\nb,3\nb,4\n")
    dataset = store.add(path, "ratings", SLOTS)
    assert not dataset.raters_are_persons
    further = tmp_path / "more.csv"
    further.write_text("clip,score\nc,1\nc,2\n")
    joined = store.join(dataset, further, "ratings", SLOTS)
    assert joined.mapping["@raters"] == "slots"
    assert joined.report.kept == 6


# --- header rows -------------------------------------------------------------------------------------------


def test_two_header_rows_are_imported_by_their_levels(load):
    content = "item,fluency,,focus,\n,Ann,Bob,Ann,Bob\ns1,1,2,3,4\ns2,2,3,4,5\ns3,5,5,5,5\n"
    columns = ("fluency / Ann", "fluency / Bob", "focus / Ann", "focus / Bob")
    mapping = {
        "@form": "rater columns",
        "item_id": "item",
        "score": columns,
        "@names rater_id": ("Ann", "Bob", "Ann", "Bob"),
        "@names measure": ("fluency", "fluency", "focus", "focus"),
    }
    for header in ({}, {"@header": "2"}):
        found = load(content, mapping | header)
        assert found.report.kept == 12
        assert found.of("item_id", "rater_id", "measure", "score")[:2] == [
            ("s1", "Ann", "fluency", 1.0),
            ("s1", "Bob", "fluency", 2.0),
        ]


def test_merged_cells_of_a_workbook_are_two_header_rows(store: Store, tmp_path: Path):
    book = openpyxl.Workbook()
    sheet = book.active
    for row in (["item", "fluency", None], [None, "Ann", "Bob"], ["s1", 1, 2], ["s2", 2, 3], ["s3", 5, 5]):
        sheet.append(row)
    sheet.merge_cells("B1:C1")
    path = tmp_path / "grid.xlsx"
    book.save(path)
    seen = store.sniff(path)
    assert (seen.header_rows, seen.names) == (2, ("item", "fluency / Ann", "fluency / Bob"))
    mapping = {
        "@form": "rater columns",
        "item_id": "item",
        "score": seen.names[1:],
        "@names rater_id": ("Ann", "Bob"),
    }
    report = store.check(path, "ratings", mapping)
    assert (report.kept, report.set_aside, report.items, report.raters) == (6, 0, 3, 2)


def test_columns_without_cells_are_empty(load):
    content = "item,rater,score,approve,reject\ns1,r1,4\ns1,r2,5\ns2,r1,3\n"
    expected = [("s1", "r1", 4.0), ("s1", "r2", 5.0), ("s2", "r1", 3.0)]
    assert load(content, RATINGS).of(*RATINGS) == expected
    with_empty = load(content, RATINGS | {"status": "reject"})
    assert with_empty.of(*RATINGS, "status") == [(*row, None) for row in expected]


def test_a_later_row_may_have_cells_for_the_last_columns(load):
    short = "".join(f"s{at},r1,4\n" for at in range(2100))
    content = f"item,rater,score,approve,reject\n{short}s1,r2,5,,Rejected\ns2,r2,5,x\n"
    found = load(content, RATINGS | {"status": "reject"})
    assert found.report.kept == 2101
    assert found.of("rater_id", "status")[-1] == ("r2", "Rejected")
    assert found.rejects == [(2103, "", "the row has 4 cells where the header has 3", "s2,r2,5,x")]


def test_a_batch_whose_rows_end_early_is_kept(store: Store, shared_data: Path):
    report = store.check(
        shared_data / "cases" / "mturk_short_rows.csv",
        "ratings",
        propose(sniff(shared_data / "cases" / "mturk_short_rows.csv")).mapping,
    )
    assert (report.kept, report.set_aside, report.items, report.raters) == (9, 0, 3, 3)


def test_row_names_of_r_and_trailing_separators(load):
    r = load('"item","rater","score"\n"1","s1","r1",4\n"2","s1","r2",5\n', RATINGS)
    assert r.of(*RATINGS) == [("s1", "r1", 4.0), ("s1", "r2", 5.0)]
    trailing = load("item,rater,score,\ns1,r1,4\ns1,r2,5\n", RATINGS)
    assert trailing.of(*RATINGS) == [("s1", "r1", 4.0), ("s1", "r2", 5.0)]
