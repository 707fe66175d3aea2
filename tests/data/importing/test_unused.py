"""Columns that a mapping does not use, and those among them that could hold ratings, with their counts by hand."""

from pathlib import Path

import pytest

from data.formats.readers import sniff
from data.importing.warning_signs.wording import Unused, find_unused
from data.kinds.definitions import kind_named
from data.mapping.proposal import propose

RATERS = "clip,R1,R2,R3,R4,remark\na,1,2,,4,x\nb,5,4,3,2,y\nc,2,2,1,,z\n"


def unused(folder: Path, content: str, mapping: dict[str, object], kind: str = "ratings") -> Unused:
    file = folder / "table.csv"
    file.write_text(content)
    return find_unused(sniff(file), kind_named(kind), mapping)  # type: ignore[arg-type]


def test_raters_left_out_are_possible_ratings(tmp_path: Path) -> None:
    found = unused(tmp_path, RATERS, {"item_id": "clip", "score": ("R1", "R2"), "@form": "rater columns"})
    assert found == Unused(("R3", "R4", "remark"), ("R3", "R4"), "numbers", 6, 10, 3, 3)


def test_nothing_is_left_of_a_table_that_is_used_as_a_whole(tmp_path: Path) -> None:
    mapping = {
        "item_id": "clip",
        "score": ("R1", "R2", "R3", "R4"),
        "@form": "rater columns",
        "text": "remark",
    }
    assert unused(tmp_path, RATERS, mapping).columns == ()


def test_a_column_that_is_empty_in_the_first_rows_of_a_long_file_is_named(tmp_path: Path) -> None:
    rows = [f"i{n},r{n % 7},{1 + n % 5},{'late' if n > 2400 else ''}," for n in range(2500)]
    mapping = {"item_id": "item", "rater_id": "rater", "score": "score"}
    found = unused(tmp_path, "\n".join(["item,rater,score,remark,nothing", *rows]), mapping)
    assert (found.columns, found.looked_at, found.rows) == (("remark", "nothing"), 2000, 2500)
    short = unused(tmp_path, "\n".join(["item,rater,score,remark,nothing", *rows[:100]]), mapping)
    assert short.columns == ()


def test_a_severe_rater_is_a_possible_rater(tmp_path: Path) -> None:
    content = "clip,R1,R2,R3\na,1,5,0\nb,5,4,1\nc,2,2,0\n"
    mapping = {"item_id": "clip", "score": ("R1", "R2"), "@form": "rater columns"}
    assert unused(tmp_path, content, mapping).ratings == ("R3",)


def test_words_of_a_scale_are_possible_ratings(tmp_path: Path) -> None:
    words = ["bad", "poor", "fair", "good", "excellent"]
    rows = [f"i{n},{words[n % 5]},{words[(n + 2) % 5]},{words[(3 * n) % 5]}" for n in range(10)]
    mapping = {"item_id": "item", "score": ("R1", "R2"), "@form": "rater columns"}
    found = unused(tmp_path, "\n".join(["item,R1,R2,R3", *rows]), mapping)
    assert (found.ratings, found.used, found.possible) == (("R3",), 20, 30)


@pytest.mark.parametrize("name", ["age", "seconds", "n_errors", "rank", "weight", "order"])
def test_other_numbers_are_named_and_no_possible_ratings(tmp_path: Path, name: str) -> None:
    rows = [f"i{n % 6},r{n // 6},{1 + n % 5},{1 + (2 * n) % 5}" for n in range(24)]
    mapping = {"item_id": "item", "rater_id": "rater", "score": "score"}
    found = unused(tmp_path, "\n".join([f"item,rater,score,{name}", *rows]), mapping)
    assert (found.columns, found.ratings) == ((name,), ())


def test_a_second_measure_is_a_possible_rating_and_what_belongs_to_items_is_not(tmp_path: Path) -> None:
    rows = [f"i{n % 6},r{n // 6},{1 + n % 5},{1 + (2 * n + n // 6) % 5},{n % 6 % 5 + 1}" for n in range(24)]
    mapping = {"item_id": "item", "rater_id": "rater", "score": "fluency"}
    found = unused(tmp_path, "\n".join(["item,rater,fluency,adequacy,clarity", *rows]), mapping)
    assert (found.columns, found.ratings) == (("adequacy", "clarity"), ("adequacy",))


def test_labels_of_another_reader_are_possible_choices(tmp_path: Path) -> None:
    content = "scan,R1,R2,R3\na,pos,neg,pos\nb,neg,neg,neg\nc,pos,pos,\nd,neg,pos,pos\n"
    mapping = {"item_id": "scan", "choice": ("R1", "R2"), "@form": "rater columns"}
    found = unused(tmp_path, content, mapping, "choices")
    assert found == Unused(("R3",), ("R3",), "labels", 8, 11, 4, 4)


def test_no_proposal_of_the_corpus_of_long_tables_leaves_ratings_out() -> None:
    cases = Path(__file__).parents[2] / "corpus" / "cases"
    for name in ("esa_with_repeats.csv", "groups_in_a_column.csv", "mqm.tsv", "measures_side_by_side.csv"):
        seen = sniff(cases / name)
        found = propose(seen)
        assert find_unused(seen, kind_named(found.kind), found.mapping).ratings == (), name
