"""First sentence about a file after reading: counts by hand, in the words of its kind."""

import json
import re
from pathlib import Path

import pytest

from data.importing.warning_signs.wording import Unused
from data.kinds.definitions import KINDS
from data.mapping.proposal import propose
from data.store.store import Store
from features.importing.reading import unused_columns, verdict
from features.words import Sentence
from tests.golden.content import numbers_in

TWO_GROUPS = "item,rater,score,group\na,r1,1,lab\nb,r1,2,lab\na,r2,3,crowd\nb,r3,x,crowd\n"
FOUR_GROUPS = "item,rater,score,group\na,r1,1,A\na,r2,2,B\na,r3,3,C\na,r4,3,D\n"
STORIES = "story,summary author,question author,question,answer\ns1,A,B,q1,R\ns2,A,B,q1,P\ns1,B,A,q1,N\n"


def filled(sentence: Sentence) -> str:
    template, values = sentence
    return template.format(**values)


@pytest.mark.parametrize(
    ("content", "counted", "groups"),
    [
        (TWO_GROUPS, [3, 4, 1, 1, 1, 2], ["crowd", "lab"]),
        (FOUR_GROUPS, [4, 4, 4, 4, 1], []),
        (STORIES, [3, 3, 2, 2], []),
        ("item,rouge1\na,0.31\nb,0.42\nc,0.57\n", [3, 3, 3], []),
        ("item,rater,score\na,r1,bad\n", [0, 1, 1], []),
    ],
)
def test_the_verdict_counts_rows_items_and_raters(
    tmp_path: Path, content: str, counted: list[float], groups: list[str]
) -> None:
    """Counted: rows kept and read, those set aside if any, raters (of each group), groups from the fourth, items."""
    file = tmp_path / "table.csv"
    file.write_text(content)
    with Store(str(tmp_path / "store.duckdb")) as store:
        found = propose(store.sniff(file))
        mapping = dict(found.mapping) | {"score": "score"} if found.kind == "ratings" else found.mapping
        report = store.check(file, found.kind, mapping)
    said = filled(verdict(KINDS[found.kind], report))
    assert numbers_in(said) == counted
    assert re.findall("crowd|lab", said) == groups


@pytest.mark.parametrize(
    ("unused", "said"),
    [
        (Unused(), "All columns are used."),
        (Unused(("remark", "Any comments?")), 'Not used: remark and "Any comments?".'),
        (
            Unused(("R3", "R4"), ("R3", "R4"), "numbers", 72, 120, 30, 30),
            "<b>72 of 120 numbers are used; columns R3 and R4 are not</b>.",
        ),
        (
            Unused(("R3", "remark"), ("R3",), "labels", 4_000, 6_000, 2_000, 9_000),
            "<b>4,000 of 6,000 labels are used; column R3 is not</b>, counted in the first 2,000 rows."
            " Not used either: remark.",
        ),
    ],
)
def test_what_is_not_used_is_named_and_counted(unused: Unused, said: str) -> None:
    assert filled(unused_columns(unused)) == said


@pytest.mark.parametrize("header", ["item,r1,r2,r3", "item,rater,score"])
def test_codes_of_missing_answers_are_named_once_with_the_reason(tmp_path: Path, header: str) -> None:
    cells = ["1", "-99", "4", "NA", "5", "2", "-99", "3", "NA"] * 4
    wide = [f"i{at},{','.join(cells[at : at + 3])}" for at in range(0, len(cells), 3)]
    long = [f"i{at // 3},r{at % 3},{cell}" for at, cell in enumerate(cells)]
    file = tmp_path / "table.csv"
    file.write_text("\n".join([header, *(wide if "r3" in header else long)]))
    with Store(str(tmp_path / "store.duckdb")) as store:
        found = propose(store.sniff(file))
        report = store.check(file, found.kind, found.mapping)
    assert (report.kept, report.missing) == (20, 16)
    (why,) = [note for note in found.notes if "-99" in note]
    assert why.index("NA") < why.index("-99") < why.index("far off the scale")
    assert sum("-99" in note for note in report.notes) == ("r3" in header)


def test_the_encoding_and_the_decimal_comma_are_told_once(tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    rows = [f"Gerät {at};{rater};{at % 4},5" for at in range(9) for rater in ("Jörg", "Zoë")]
    file.write_bytes("\n".join(["item;rater;score", *rows]).encode("windows-1252"))
    with Store(str(tmp_path / "store.duckdb")) as store:
        seen = store.sniff(file)
        found = propose(seen)
        report = store.check(file, found.kind, found.mapping)
    told = " ".join(dict.fromkeys([*seen.problems, *found.notes, *report.notes]))
    assert (told.count("Windows-1252"), told.count("decimal comma")) == (1, 1)


def test_lists_without_groups_give_no_column_of_groups(tmp_path: Path) -> None:
    file = tmp_path / "table.json"
    answers = [{"annotator": name, "label": "yes" if name == "kim" else "no"} for name in ("kim", "lee")]
    file.write_text(json.dumps([{"id": f"t{at}", "annotations": answers} for at in range(6)]))
    with Store(str(tmp_path / "store.duckdb")) as store:
        assert store.sniff(file).names == ("item", "rater", "answer")
