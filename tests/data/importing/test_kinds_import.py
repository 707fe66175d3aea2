"""Contributors of a pyramid and metrics of items: proposed, judged row by row, stored and asked for."""

import csv
import gzip
import io
import math
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data.dataset import Dataset
from data.errors import BadMapping, DataError, UnknownName
from data.formats.readers import sniff
from data.importing.report import ImportReport
from data.kinds.definitions import KINDS
from data.mapping.proposal import propose
from data.samples import Sample
from data.store.store import Store

HEADER = "topic,item_id,scu_id,contributor_text,weight"
CONTRIBUTORS = {name: name for name in HEADER.split(",")}
ROW = "D1,D1-3,7,the dam broke,4"
METRICS = {"item_id": "item", "bleu": "bleu"}


@pytest.fixture
def check(store: Store, tmp_path: Path):
    """Check an import of text or bytes."""

    def run(content: str | bytes, kind: str, mapping: Mapping[str, Any]) -> ImportReport:
        return store.check(_written(tmp_path, content), kind, mapping)

    return run


@pytest.fixture
def add(store: Store, tmp_path: Path):
    """Save some text or bytes as a data set."""

    def run(content: str | bytes, kind: str, mapping: Mapping[str, Any]) -> Dataset:
        return store.add(_written(tmp_path, content), kind, mapping, "table")

    return run


def _written(folder: Path, content: str | bytes, name: str = "table.csv") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def _proposed(folder: Path, content: str):
    return propose(sniff(_written(folder, content)))


def _as_csv(header: list[str], rows: list[tuple[str, ...]]) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()


# --- contributors ----------------------------------------------------------------------------------------------


def test_contributors_are_proposed_by_unit_and_weight(tmp_path):
    content = "Topic,summary,SCU,contributor,weight,assessor,is model\nD1,s1,7,the dam broke,4,A,no\n"
    proposal = _proposed(tmp_path, content)
    assert proposal.kind == "contributors"
    assert proposal.mapping == {
        "topic": "Topic",
        "item_id": "summary",
        "scu_id": "SCU",
        "contributor_text": "contributor",
        "weight": "weight",
        "rater_id": "assessor",
        "is_model": "is model",
    }
    assert proposal.notes == ()


def test_contributors_come_back_in_the_order_of_the_file(store, add):
    content = (
        f"{HEADER},assessor,model\n"
        'D2,s9,12,"the dam, it is said, broke",4,A,yes\n'
        "D1,s1,3,<b>rain</b>,1e0,,\n"
        "D1,s1,3, spaces stay ,2.5,B,no\n"
    )
    dataset = add(content, "contributors", CONTRIBUTORS | {"rater_id": "assessor", "is_model": "model"})
    found = store.query(dataset, "contributors")
    assert list(found) == ["topic", "item", "scu", "text", "weight", "condition", "rater", "is_model"]
    assert found["topic"].tolist() == ["D2", "D1", "D1"]
    assert found["item"].tolist() == ["s9", "s1", "s1"]
    assert found["scu"].tolist() == ["12", "3", "3"]
    assert found["text"].tolist() == ["the dam, it is said, broke", "<b>rain</b>", " spaces stay "]
    assert found["weight"].dtype == np.float64
    assert found["weight"].tolist() == [4.0, 1.0, 2.5]
    assert found["condition"].tolist() == ["", "", ""]
    assert found["rater"].tolist() == ["A", "", "B"]
    assert found["is_model"].tolist() == ["yes", "", "no"]
    assert store.query(dataset, "item_names")["name"].tolist() == ["s1", "s9"]
    assert (dataset.kind, dataset.rows_kept, dataset.rows_set_aside) == ("contributors", 3, 0)


@pytest.mark.parametrize(
    ("row", "column", "reason", "value"),
    [
        (",s,1,x,4", "topic", "the topic is empty", ""),
        ("D, ,1,x,4", "item_id", "the item is empty", ""),
        ("D,s,,x,4", "scu_id", "the content unit is empty", ""),
        ("D,s,1,,4", "contributor_text", "the contributor's text is empty", ""),
        ("D,s,1, \u00a0,4", "contributor_text", "the contributor's text is empty", " \u00a0"),
        ("D,s,1,x,", "weight", "the weight is empty", ""),
        ("D,s,1,x,four", "weight", "the weight is not a number", "four"),
        ("D,s,1,x,nan", "weight", "the weight is not a finite number", "nan"),
        ("D,s,1,x,NaN", "weight", "the weight is not a finite number", "NaN"),
        ("D,s,1,x,inf", "weight", "the weight is not a finite number", "inf"),
        ("D,s,1,x,0", "weight", "the weight is not above 0", "0"),
        ("D,s,1,x,-2", "weight", "the weight is not above 0", "-2"),
        ("D,s,1,x", "", "the row has 4 cells where the header has 5", "D,s,1,x"),
        ("D,s,1,x,4,5", "", "the row has 6 cells where the header has 5", "D,s,1,x,4,5"),
    ],
)
def test_a_contributor_that_cannot_be_used_says_why(check, row, column, reason, value):
    report = check(f"{HEADER}\n{ROW}\n{row}\n", "contributors", CONTRIBUTORS)
    assert (report.rows_read, report.kept, report.set_aside) == (2, 1, 1)
    assert report.reasons == ((column, reason, 1),)
    rejects = report.rejects
    assert (rejects.line.tolist(), rejects.column.tolist(), rejects.value.tolist()) == (
        [3],
        [column],
        [value],
    )


CELLS = st.sampled_from(["", " ", "a", "b", "<i>", "é"])
WEIGHTS = st.sampled_from(["", "1", "2.5", "0", "-1", "nan", "inf", "x", " 3 ", "1e400"])


def _usable(row: tuple[str, ...]) -> bool:
    """The checks in the obvious way."""
    *texts, weight = row
    try:
        number = float(weight)
    except ValueError:
        return False
    return all(text.strip() for text in texts) and math.isfinite(number) and number > 0


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.tuples(CELLS, CELLS, CELLS, CELLS, WEIGHTS), min_size=1, max_size=12))
def test_contributors_are_judged_as_row_by_row(store, check, add, rows):
    content = _as_csv(HEADER.split(","), rows)
    mapping = CONTRIBUTORS | {"@header": "yes"}
    report = check(content, "contributors", mapping)
    kept = [row for row in rows if _usable(row)]
    assert (report.rows_read, report.kept) == (len(rows), len(kept))
    assert report.kept + report.set_aside == report.rows_read
    if not kept:
        with pytest.raises(BadMapping, match="no contributor can be kept from this file"):
            add(content, "contributors", mapping)
        return
    found = store.query(add(content, "contributors", mapping), "contributors")
    assert found["weight"].tolist() == [float(row[4]) for row in kept]
    assert found["text"].tolist() == [row[3] for row in kept]
    assert found["item"].tolist() == [row[1].strip() for row in kept]


def test_a_long_clean_file_takes_the_same_checks(store, add):
    rows = [(f"D{n % 7}", f"D{n % 7}-{n % 50}", str(n), f"words {n}", str(1 + n % 4)) for n in range(3000)]
    dataset = add(_as_csv(HEADER.split(","), rows), "contributors", CONTRIBUTORS)
    found = store.query(dataset, "contributors")
    assert dataset.rows_kept == 3000
    assert found["scu"].tolist() == [row[2] for row in rows]
    assert found["weight"].tolist() == [float(row[4]) for row in rows]


@pytest.mark.parametrize(
    ("rows", "warning"),
    [
        (
            ["D1,s1,7,a,4", "D1,s1,7,b,3", "D2,s2,7,c,2", "D2,s2,8,c,2"],
            '1 content unit has more than one weight, for instance "7" of topic "D1"; a unit should have one.',
        ),
        (
            ["D1,s1,7,a,4", "D1,s1,8,b,3", "D1,s2,8,c,3"],
            "1 item of 2 has only one contributor.",
        ),
        (
            ["D1,s1,7,a,4", "D1,s1,8,b,1.5"],
            "1 weight is no whole number, for instance 1.5; a weight usually counts model summaries.",
        ),
        (
            ["D1,s1,7,a,4", "D2,s1,8,b,1"],
            '1 item occurs in more than one topic, for instance "s1"; an item should be one summary of one '
            "topic.",
        ),
        (
            ["D1,s1,7,a,4", "D1,s1,7,a,4", "D1,s1,7,a,4"],
            "2 contributors repeat an earlier row word for word; all are kept.",
        ),
    ],
)
def test_what_a_pyramid_should_not_hold_is_warned_of(check, rows, warning):
    report = check("\n".join([HEADER, *rows]) + "\n", "contributors", CONTRIBUTORS)
    assert report.warnings == (warning,)
    assert report.kept == len(rows)


def test_a_unit_may_weigh_differently_under_two_conditions(check):
    content = f"{HEADER},part\nD1,s1,7,a,4,main\nD1,s1,8,a,4,main\nD1,s2,7,b,3,update\nD1,s2,8,b,3,update\n"
    assert check(content, "contributors", CONTRIBUTORS | {"condition": "part"}).warnings == ()


def test_contributors_take_no_further_columns_and_no_switches_of_ratings(check):
    content = f"{HEADER},bleu\n{ROW},1\n"
    with pytest.raises(BadMapping, match="a table of contributors has no column 'bleu'; it has 'topic', "):
        check(content, "contributors", CONTRIBUTORS | {"bleu": "bleu"})
    with pytest.raises(BadMapping, match="a switch must be one of '@decimal', '@header'; got '@duplicates'"):
        check(content, "contributors", CONTRIBUTORS | {"@duplicates": "set aside"})
    with pytest.raises(BadMapping, match="'item_id' cannot be named by its row"):
        check(content, "contributors", CONTRIBUTORS | {"item_id": "@row"})


def test_contributors_of_another_kind_are_reported(store, add):
    dataset = add("item,bleu\na,0.25\n", "metrics", METRICS)
    with pytest.raises(UnknownName, match="asks for contributors; this data set holds metrics"):
        store.query(dataset, "contributors")


@pytest.mark.parametrize("query", ["overview", "cells", "rater_names"])
def test_questions_about_ratings_are_refused_by_other_kinds(store, add, query):
    dataset = add(f"{HEADER}\n{ROW}\n", "contributors", CONTRIBUTORS)
    with pytest.raises(UnknownName, match=r"asks for ratings.*; this data set holds contributors"):
        store.query(dataset, query)


# --- metrics ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "columns"),
    [
        ("item,rouge1,rouge2\na,0.317,0.2\nb,0.5,0.113\n", ("rouge1", "rouge2")),
        ("clip;PSNR;VMAF\na;31,72;88,013\nb;29,04;71,5\n", ("PSNR", "VMAF")),
        ("doc_id,words\na,350\nb,20\n", ("words",)),
        ("item,bleu\n" + "".join(f"i{n},{n / 7:.3f}\n" for n in range(9)) + "i9,NaN\n", ("bleu",)),
        ("item,rater_agreement\na,0.317\nb,0.5\n", ("rater_agreement",)),
    ],
)
def test_metrics_are_proposed_where_each_item_has_one_row_of_numbers(tmp_path, content, columns):
    proposal = _proposed(tmp_path, content)
    assert proposal.kind == "metrics"
    assert [name for name in proposal.mapping if name[0] != "@"] == ["item_id", *columns]


@pytest.mark.parametrize(
    "content",
    [
        "item,rater,bleu\na,r,0.317\nb,r,0.5\n",
        "item,score\na,0.317\nb,0.5\n",
        "item,mos,bleu\na,4,0.317\nb,3,0.5\n",
        "item,r1,r2\na,3.17,4\nb,2,4.25\n",
        "item,rater 1,rater 2\na,3.17,4\nb,2,4.25\n",
        "item,anna,bert\na,3.5,4\nb,2,4.5\n",
        "item,bleu\na,0.317\na,0.5\n",
        "item,bleu,comment\na,0.317,fine\nb,0.5,bad\n",
        "name,bleu\na,0.317\nb,0.5\n",
    ],
)
def test_whatever_may_be_ratings_is_proposed_as_ratings(tmp_path, content):
    assert _proposed(tmp_path, content).kind == "ratings"


def test_metrics_join_by_the_names_of_items(store, add):
    dataset = add("item,bleu,psnr\nc,0.5,\na,0.25,30\nb,,31\n", "metrics", METRICS | {"psnr": "psnr"})
    assert dataset.named("item number") == ("bleu", "psnr")
    names = store.query(dataset, "item_names")["name"]
    for column, expected in (("bleu", {"a": 0.25, "c": 0.5}), ("psnr", {"a": 30.0, "b": 31.0})):
        found = store.query(dataset, "item_numbers", column=column)
        assert dict(zip(names[found["item"]].tolist(), found["value"].tolist(), strict=True)) == expected


def test_of_an_item_that_is_repeated_the_first_row_is_kept(store, check, add):
    content = "item,bleu,psnr\na,0.25,30\nb,0.5,31\na,0.25,30\n a ,0.25,29\nb,,31\n"
    mapping = METRICS | {"psnr": "psnr"}
    report = check(content, "metrics", mapping)
    assert (report.rows_read, report.kept, report.set_aside) == (5, 2, 3)
    assert report.reasons == (
        ("item", "the item has a row already, with other numbers", 2),
        ("item", "the item has a row already, with the same numbers", 1),
    )
    assert report.rejects.line.tolist() == [4, 5, 6]
    found = store.query(add(content, "metrics", mapping), "item_numbers", column="bleu")
    assert found["value"].tolist() == [0.25, 0.5]


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(["a", "b", "c", ""]), st.sampled_from(["1", "2", "", "x", "inf"])),
        min_size=1,
        max_size=12,
    )
)
def test_metrics_are_kept_as_a_dictionary_would_keep_them(store, check, add, rows):
    first: dict[str, str] = {}
    for item, number in rows:
        if item:
            first.setdefault(item, number)
    numbers = {item: float(number) for item, number in first.items() if number in ("1", "2")}
    content = _as_csv(["item", "bleu"], rows)
    mapping = METRICS | {"@header": "yes"}
    if first and not numbers:
        with pytest.raises(BadMapping, match="no row that can be kept has a number in 'bleu'"):
            check(content, "metrics", mapping)
        return
    report = check(content, "metrics", mapping)
    assert (report.rows_read, report.kept) == (len(rows), len(first))
    if first:
        dataset = add(content, "metrics", mapping)
        names = store.query(dataset, "item_names")["name"]
        found = store.query(dataset, "item_numbers", column="bleu")
        assert dict(zip(names[found["item"]].tolist(), found["value"].tolist(), strict=True)) == numbers


def test_numbers_that_cannot_be_read_are_reported_and_left_empty(check):
    report = check("item,bleu\na,0.25\nb,NaN\nc,n/a\n", "metrics", METRICS)
    assert report.kept == 3
    assert report.warnings == (
        '"bleu" is the same for all items, so no correlation with it is defined.',
        '2 items of 3 have no "bleu".',
        '2 cells of "bleu" could not be read as a number and are left empty, the first in line 3: "NaN".',
    )


def test_a_metric_that_is_the_same_everywhere_is_warned_of(check):
    assert check("item,bleu\na,1\nb,1\n", "metrics", METRICS).warnings == (
        '"bleu" is the same for all items, so no correlation with it is defined.',
    )


def test_a_column_without_numbers_is_not_stored_beside_one_with(store, check, add):
    content = "item,bleu,comment\na,0.25,fine\nb,0.5,bad\n"
    mapping = METRICS | {"comment": "comment"}
    assert '"comment" holds no number; it is not stored.' in check(content, "metrics", mapping).notes
    assert add(content, "metrics", mapping).named("item number") == ("bleu",)


def test_metrics_without_a_number_are_reported(tmp_path, check):
    content = "item,comment\na,fine\nb,bad\n"
    with pytest.raises(BadMapping) as raised:
        check(content, "metrics", {"item_id": "item"})
    assert str(raised.value) == (
        "a table of metrics needs at least one column of numbers besides 'item_id'; choose one of the file's "
        "columns: 'item', 'comment'"
    )
    with pytest.raises(BadMapping, match="no row that can be kept has a number in 'comment'"):
        check(content, "metrics", {"item_id": "item", "comment": "comment"})
    proposal = propose(sniff(_written(tmp_path, content)), "metrics")
    assert proposal.notes == ("No further column holds numbers; choose at least one.",)


@pytest.mark.parametrize("name", ["Item_ID", "row", "check"])
def test_a_metric_may_not_be_called_like_a_column_of_ours(check, name):
    with pytest.raises(BadMapping, match="a further column cannot be stored as"):
        check("item,bleu\na,0.25\n", "metrics", {"item_id": "item", name: "bleu"})


# --- files of any shape ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["contributors", "metrics"])
def test_broken_files_of_any_kind_are_reported_in_words(check, kind):
    for content in ("", f"{HEADER}\n", "one column\nx\n", b"\x00\x01\x02" * 100):
        with pytest.raises(DataError):
            check(content, kind, {})


def test_windows_1252_semicolons_decimal_commas_and_gzip(store, tmp_path):
    content = "Thema;Text;scu;words;weight\nD1;Küche;7;für später;2,5\nD1;Küche;8;naïve;3\n"
    path = tmp_path / "table.csv.gz"
    path.write_bytes(gzip.compress(content.encode("cp1252")))
    proposal = propose(sniff(path))
    assert proposal.kind == "contributors"
    mapping = dict(proposal.mapping) | {"topic": "Thema", "item_id": "Text", "contributor_text": "words"}
    dataset = store.add(path, "contributors", mapping, "table")
    found = store.query(dataset, "contributors")
    assert found["item"].tolist() == ["Küche", "Küche"]
    assert found["text"].tolist() == ["für später", "naïve"]
    assert found["weight"].tolist() == [2.5, 3.0]


def test_rejected_rows_can_be_downloaded(store, tmp_path):
    path = _written(tmp_path, f"{HEADER}\n{ROW}\nD,s,1,x,=1+1\n")
    text = b"".join(store.rejects_csv(path, "contributors", CONTRIBUTORS)).decode()
    assert list(csv.reader(io.StringIO(text))) == [
        ["line", "column", "reason", "value"],
        ["3", "weight", "the weight is not a number", "'=1+1"],
    ]


def test_a_sample_may_be_of_any_kind_that_can_be_imported(store):
    table = {name: np.array(["1", "2"]) for name in CONTRIBUTORS}
    sample = Sample(
        "sample-pyramid", "Pyramid", "contributors", MappingProxyType(CONTRIBUTORS), "1", lambda: table
    )
    dataset = store.ensure_samples((sample,))["sample-pyramid"]
    assert dataset.kind == "contributors"
    assert store.query(dataset, "contributors")["weight"].tolist() == [1.0, 2.0]


def test_every_kind_that_can_be_imported_says_what_it_is_for():
    for kind in KINDS.values():
        assert kind.study or kind.used
