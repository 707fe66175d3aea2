"""Cells and columns of several labels: what they are taken for, what is asked, and how they are stored."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.dataset import Dataset
from data.errors import AmbiguousReading, BadMapping
from data.kinds.label_sets import SEPARATORS, label_names, labels_in, split_labels
from data.reading.label_cells import SetFormat, detect_set_format
from data.store.store import Store

LABELS = ("joy", "anger", "fear")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(str(tmp_path / "s.duckdb")) as opened:
        yield opened


def add(store: Store, folder: Path, text: str, **mapping: str | tuple[str, ...]) -> Dataset:
    file = folder / "sets.csv"
    file.write_text(text, encoding="utf-8")
    if not mapping:
        return store.add(file)
    return store.add(
        file, "label sets", {name.replace("at_", "@"): source for name, source in mapping.items()}
    )


def sets(store: Store, dataset: Dataset) -> list[tuple[str, ...]]:
    names = store.query(dataset, "different_sets")["name"].tolist()
    return [labels_in(names[code]) for code in store.query(dataset, "label_sets")["labels"].tolist()]


@pytest.mark.parametrize(
    ("cells", "found"),
    [
        (["joy; anger", "joy", "anger", "anger; fear", "fear"] * 3, SetFormat(";", True)),
        (["joy|anger", "joy", "anger", "anger|fear", "fear"] * 3, SetFormat("|", True)),
        (["joy, anger", "joy", "anger", "anger, fear", "fear"] * 3, SetFormat(",", True)),
        (['["joy", "anger"]', '["joy"]', "[]"] * 3, SetFormat("list", True)),
        (["['joy', 'anger']", "['joy']"] * 3, SetFormat("list", True)),
        (["joy; anger", "joy; fear", "calm; pride"] * 3, None),  # few of the parts come again
        (["Yes, clearly", "No, never", "Maybe, later"] * 4, None),
        (["I liked it, mostly", "Too long, and dull", "Fine"] * 4, None),
        (["doc1|sysA", "doc1|sysB", "doc2|sysA", "doc2|sysB"] * 3, None),
        (["3,5", "4,0", "2,5", "3,0"] * 3, None),
        (["[3, 4]", "[2, 5]", "[4, 4]"] * 3, None),
        (["joy", "anger"] * 6, None),
    ],
)
def test_cells_are_sets_where_their_parts_come_again(cells: list[str], found: SetFormat | None) -> None:
    assert detect_set_format(cells) == found


@given(
    st.lists(
        st.text("abc '\"\\é", min_size=1, max_size=4).map(str.strip).filter(bool), max_size=4, unique=True
    )
)
def test_a_list_gives_its_labels_back(labels: list[str]) -> None:
    assert split_labels(json.dumps(labels), "list") == tuple(labels)


def test_python_and_sql_read_cells_alike(store: Store, tmp_path: Path) -> None:
    cells = ["b; a", "a;a;c;", ";b", "a", "[]", " é ; a"]
    rows = "\n".join(f'i{at},w,"{cell}"' for at, cell in enumerate(cells))
    found = add(
        store,
        tmp_path,
        f"item,rater,x\n{rows}\n",
        item_id="item",
        rater_id="rater",
        labels="x",
        at_separator=";",
    )
    expected = [tuple(sorted({*(split_labels(cell, ";") or ())})) if cell != "[]" else () for cell in cells]
    assert sets(store, found) == expected


def test_empty_cells_are_asked_about_and_either_answer_is_right(store: Store, tmp_path: Path) -> None:
    cells = ["joy;anger", "", "joy", "anger;fear", "fear", ""] * 2
    rows = [f"i{at // 3},w{at % 3},{cell}" for at, cell in enumerate(cells)]
    text = "\n".join(["item,rater,labels", *rows]) + "\n"
    with pytest.raises(AmbiguousReading):
        add(store, tmp_path, text)
    usual = {"item_id": "item", "rater_id": "rater", "labels": "labels", "at_separator": ";"}
    with pytest.raises(AmbiguousReading) as asked:
        add(store, tmp_path, text.replace(",joy\n", ",none\n"))
    one, other = str(asked.value).split(", or ")
    assert ('missing answers: "none"' in one) != ('missing answers: "none"' in other)
    without = add(store, tmp_path, text, **usual)
    assert (without.rows_kept, without.rows_set_aside) == (8, 4)
    with_empty = add(store, tmp_path, text, **usual, at_empty="no label applies")
    assert with_empty.rows_kept == 12
    assert sets(store, with_empty).count(()) == 4


def test_columns_of_marks_keep_every_row_that_is_clear(store: Store, tmp_path: Path) -> None:
    marks = ["1,0,1", "0,0,0", "TRUE,false,no", ",,", "1,,", "0,,1", "2,0,1", "x,,x"]
    rows = [f"i{at},w,{row}" for at, row in enumerate(marks)]
    columns = tuple(f"tag_{label}" for label in LABELS)
    found = add(
        store,
        tmp_path,
        "\n".join([f"item,rater,{','.join(columns)}", *rows]) + "\n",
        item_id="item",
        rater_id="rater",
        labels=columns,
        at_form="label columns",
    )
    assert sets(store, found) == [("fear", "joy"), (), ("joy",), ("joy",), ("fear", "joy")]
    assert found.rows_set_aside == 3  # nothing said, no mark where others say no, and a number


def test_what_is_no_list_is_set_aside_and_a_second_set_of_a_rater(store: Store, tmp_path: Path) -> None:
    cells = ['["a"]', "a", '["b", "a"]', '{"a": 1}', '[["a"]]', '["c"']
    rows = [f"i{at},w,'{cell}'" for at, cell in enumerate(cells)] + ["i0,w,'[]'"]
    text = "\n".join(["item,rater,x", *rows]).replace('"', '""').replace("'", '"') + "\n"
    found = add(store, tmp_path, text, item_id="item", rater_id="rater", labels="x")
    assert sets(store, found) == [("a",), ("a", "b")]
    assert (found.rows_kept, found.rows_set_aside) == (2, 5)


def test_names_of_label_columns_lose_what_all_begin_with() -> None:
    assert label_names(["label_joy", "label_joyful"]) == ("joy", "joyful")
    assert label_names(["a_1", "b_1"]) == ("a_1", "b_1")
    assert label_names(["x_", "x_y"]) == ("x_", "x_y")


def test_every_separator_can_be_chosen(store: Store, tmp_path: Path) -> None:
    for separator in SEPARATORS[1:]:
        text = f'item,rater,x\ni,w,"a{separator}b"\nj,w,"b"\n'
        found = add(
            store, tmp_path, text, item_id="item", rater_id="rater", labels="x", at_separator=separator
        )
        assert sets(store, found) == [("a", "b"), ("b",)]


def test_gold_in_other_words_is_refused(store: Store, tmp_path: Path) -> None:
    text = "item,rater,x,gold\ni,w,a;b,A;B\nj,w,b,B\n"
    with pytest.raises(BadMapping, match="share no value"):
        add(
            store, tmp_path, text, item_id="item", rater_id="rater", labels="x", gold="gold", at_separator=";"
        )


def test_gold_sets_of_a_second_file_join_by_the_item(store: Store, tmp_path: Path) -> None:
    rows = [f"i{at},w{by},{cell}" for at in range(6) for by, cell in enumerate(("a|b", "b", "a"))]
    dataset = add(store, tmp_path, "\n".join(["item,rater,labels", *rows]) + "\n")
    assert dataset.kind == "label sets"
    truth = tmp_path / "truth.csv"
    truth.write_text("item,gold\n" + "".join(f"i{at},b;a\n" for at in range(5)), encoding="utf-8")
    guess = store.joinable(dataset, truth, store.sniff(truth)).of("items of label sets")
    joined = store.join(dataset, truth, guess.kind, guess.mapping)
    new = store.add(joined.path, joined.kind, joined.mapping, "new", made_from=joined.made_from)
    assert sets(store, new) == sets(store, dataset)
    gold = store.query(new, "label_sets")["gold"]
    names = store.query(new, "different_sets")["name"]
    assert {labels_in(names[code]) for code in gold[gold >= 0].tolist()} == {("a", "b")}
    assert (gold < 0).sum() == 3
