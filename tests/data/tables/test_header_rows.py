"""Header rows: how many there are, what they call the columns, and rows with other cells than the header."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data.errors import UnreadableFile
from data.formats.readers import sniff

GRID = ("fluency / Ann", "fluency / Bob", "focus / Ann", "focus / Bob")
BELOW = "s1,1,2,3,4\ns2,2,3,4,5\ns3,5,5,5,5\n"


@pytest.fixture
def look(tmp_path: Path):
    def run(content: str, header: int | None = None):
        path = tmp_path / "table.csv"
        path.write_text(content, encoding="utf-8")
        return sniff(path, header=header)

    return run


@pytest.mark.parametrize(
    ("content", "rows", "names"),
    [
        (f"item,fluency,,focus,\n,Ann,Bob,Ann,Bob\n{BELOW}", 2, ("item", *GRID)),
        (f",fluency,fluency,focus,focus\nitem,Ann,Bob,Ann,Bob\n{BELOW}", 2, ("item", *GRID)),
        (f",fluency,fluency,focus,focus\nrater,Ann,Bob,Ann,Bob\nitem,,,,\n{BELOW}", 3, ("item", *GRID)),
        (
            "ID,Date,Rate these,,Why?\n,,Clip 1,Clip 2,Open-Ended Response\n"
            "1,2024-01-01,4,NA,x\n2,2024-01-02,5,3,\n3,2024-01-03,4,2,y\n",
            2,
            ("ID", "Date", "Rate these / Clip 1", "Rate these / Clip 2", "Why? / Open-Ended Response"),
        ),
        (
            "scan,label,\n,r1,r2\n" + "".join(f"s{n},{'pos' if n % 2 else 'neg'},pos\n" for n in range(6)),
            2,
            ("scan", "label / r1", "label / r2"),
        ),
    ],
)
def test_names_that_span_columns_make_two_header_rows(look, content, rows, names):
    found = look(content)
    assert (found.header_rows, found.before, found.names) == (rows, rows, names)
    assert found.rows == found.looked_at == content.count("\n") - rows
    assert found.header


@pytest.mark.parametrize(
    "content",
    [
        f"item,fluency,fluency,focus,focus\ns0,NA,n/a,-,4\n{BELOW}",  # missing codes in the first row of data
        f"item,fluency,fluency,focus,focus\ns0,good,good,bad,bad\n{BELOW}",  # the same words twice in a span
        f"item,fluency,fluency,focus,focus\ns0,a,b,c,1\n{BELOW}",  # a number
        f"item,a,b,c,d\nx,Ann,Bob,Ann,Bob\n{BELOW}",  # nothing spans columns
        "item,label,label\ns1,pos,neg\n" + "s2,neg,pos\n" * 6,  # words that return below
        "item,score,,comment\nx,y,z,w\ns1,1,good,2\ns2,2,bad,3\ns3,3,fine,4\n",  # numbers beside words
        "item,score,score\nx,a,b\ns1,1,2\ns2,1,2\n",  # too few rows to tell
        "item,rater,label,,\nq,ann,cat,,\n" + "p,bob,dog,,\n" * 6,
    ],
)
def test_a_first_row_of_data_is_no_header(look, content):
    found = look(content)
    assert (found.header_rows, found.before) == (1, 1)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.sampled_from(["item", "rater", "score", "", "fluency"]), min_size=3, max_size=5),
    st.data(),
)
def test_tables_of_one_kind_of_rows_have_one_header_row(look, header, data):
    """Whatever a header repeats or leaves empty: where the first row of data is like the others, it is data."""
    kinds = [data.draw(st.sampled_from(["number", "word", "id"])) for _ in header]
    cells = {"number": "1 2 3 4 5 NA".split(), "word": ["pos", "neg", "NA", ""]}  # noqa: SIM905
    rows = [
        [f"x{at}" if kind == "id" else data.draw(st.sampled_from(cells[kind])) for kind in kinds]
        for at in range(8)
    ]
    found = look("\n".join(",".join(row) for row in [header, *rows]) + "\n", None)
    assert found.header_rows <= 1


def test_levels_of_headers_are_joined(look):
    content = "a,,b,\nx,,x,y\n1,,,2\n1,2,3,4\n5,6,7,8\n"
    three = look(content, 3)
    assert three.names == ("a / x / 1", "a / x", "b / x", "b / y / 2")
    assert (three.header_rows, three.before, three.rows) == (3, 3, 2)
    assert look(content, True).names == ("a", "column 2", "b", "column 4")
    assert look(content, False).header_rows == 0


def test_header_rows_without_rows_below_are_refused(look):
    with pytest.raises(UnreadableFile, match="this file has a header but no rows"):
        look("a,b\nc,d\n", 2)


def test_three_header_rows_of_qualtrics_stay_one(look):
    content = (
        "ResponseId,Q1_1,Q1_2\nResponse ID,Rate - clip 1,Rate - clip 2\n"
        '"{""ImportId"":""_r""}","{""ImportId"":""1""}","{""ImportId"":""2""}"\nR1,4,5\nR2,3,2\n'
    )
    for header in (1, 2, 3):
        found = look(content, header)
        assert (found.header_rows, found.before) == (1, 3)
        assert found.names == ("ResponseId", "clip 1", "clip 2")


@pytest.mark.parametrize("short", [1, 2, 5])
def test_rows_that_all_end_early_have_empty_last_columns(look, short):
    last = ",".join(f"z{at}" for at in range(short))
    found = look(f"item,rater,score,{last}\na,r,4\nb,r,5\n")
    assert (len(found.columns), found.width, found.short_by) == (3 + short, 3, short)
    assert found.columns[-1].filled == 0
    assert found.columns[2].high == 5
    assert found.broken == ""
    assert any("z0" in problem for problem in found.problems)


@pytest.mark.parametrize(
    "content",
    [
        "item,rater,score,a,b,c,d,e,f\na,r,4\nb,r,5\n",
        "item,rater,score,a\na,r,4\nb,r,5\nc,r,1,x\n",
        "item,rater,score,a\na,r,4\n",
    ],
)
def test_rows_that_end_early_in_another_way_are_broken(look, content):
    found = look(content)
    assert found.short_by == 0
    assert found.broken


def test_the_shared_batch_with_short_rows(shared_data):
    found = sniff(shared_data / "cases" / "mturk_short_rows.csv")
    assert (found.format, found.rows) == ("MTurk batch", 9)
    assert found.columns[0].distinct == 3


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ('"item","score"\n"1","a",4\n"2","a",5\n', ("row name", "item", "score")),
        ('"ann","bob"\n"clip a",4,NA\n"clip b",5,3\n', ("row name", "ann", "bob")),
        ("item,rater,score\na,r,4,fine\na,s,5,\nb,r,1,\n", ("item", "rater", "score", "column 4")),
        ("item,rater,score\na,r,4,fine\nb,r,5,\n", ("item", "rater", "score", "column 4")),
        ("item,rater,score,\na,r,4\nb,r,5\n", ("item", "rater", "score")),
        ("item,rater,score\na,r,4,\nb,r,5,\n", ("item", "rater", "score")),
        ("item,rater,score,\na,r,4,\nb,r,5,\n", ("item", "rater", "score", "column 4")),
    ],
)
def test_a_header_of_one_cell_less_or_more(look, content, names):
    found = look(content)
    assert found.names == names
    assert (found.short_by, found.broken, found.looked_at) == (0, "", content.count("\n") - 1)
