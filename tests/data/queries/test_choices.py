"""The queries about choices: positions and names of systems become sides, labels become codes, files keep order."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from data.dataset import Dataset, Filter
from data.errors import UnknownName
from data.store.store import Store

PAIRS = """item,rater,choice,option_a,option_b,design,expert,group,seconds
f1,w2,A,UI,AW,2-choice,UI,x,5
f1,w1,AW,UI,AW,2-choice,UI,x,6
f2,w1,second,AW,UI,4-choice,neither,y,7
f2,w2,Both,AW,UI,4-choice,neither,y,
f3,w1,neither,KW,UI,4-choice,,y,9
f3,w2,tie,KW,UI,,,y,9
"""
LABELS = """item,rater,label,gold
i1,a,cat,cat
i2,a,dog,fox
i1,b,dog,cat
"""


@pytest.fixture
def add(store: Store, tmp_path: Path) -> Callable[..., Dataset]:
    def add_(text: str, **mapping: str) -> Dataset:
        file = tmp_path / "choices.csv"
        file.write_text(text, encoding="utf-8")
        return store.add(file, "choices", mapping, "choices")

    return add_


@pytest.fixture
def pairs(add: Callable[..., Dataset]) -> Dataset:
    return add(
        PAIRS,
        item_id="item",
        rater_id="rater",
        choice="choice",
        option_a="option_a",
        option_b="option_b",
        design="design",
        expert="expert",
        rater_group="group",
        seconds="seconds",
    )


def test_a_choice_between_two_systems_is_reported_by_its_side(store: Store, pairs: Dataset) -> None:
    found = store.query(pairs, "choices")
    assert found["item"].tolist() == [0, 0, 1, 1, 2, 2]
    assert found["rater"].tolist() == [1, 0, 0, 1, 0, 1]
    assert found["choice"].tolist() == [0, 1, 1, 2, 3, 4]
    assert found["expert"].tolist() == [0, 0, 3, 3, -1, -1]
    assert found["gold"].tolist() == [-1] * 6
    systems = store.query(pairs, "options")["name"].tolist()
    assert systems == ["AW", "KW", "UI"]
    assert [systems[at] for at in found["first"]] == ["UI", "UI", "AW", "AW", "KW", "KW"]
    assert [systems[at] for at in found["second"]] == ["AW", "AW", "UI", "UI", "UI", "UI"]
    assert store.query(pairs, "designs")["name"].tolist() == ["2-choice", "4-choice"]
    assert found["design"].tolist() == [0, 0, 1, 1, 1, -1]
    assert np.isnan(found["seconds"][3])
    assert found["seconds"][0] == 5
    assert found["order"].tolist() == [1, 2, 3, 4, 5, 6]


def test_one_group_keeps_the_codes_of_all(store: Store, pairs: Dataset) -> None:
    found = store.query(pairs, "choices", group="y")
    assert found["item"].tolist() == [1, 1, 2, 2]
    assert found["choice"].tolist() == [1, 2, 3, 4]


def test_leaving_out_a_rater_leaves_systems_and_designs_their_places(store: Store, pairs: Dataset) -> None:
    view = pairs.leaving_out(("w2",))
    assert store.query(view, "choices")["choice"].tolist() == [1, 1, 3]
    assert store.query(view, "options")["name"].tolist() == ["AW", "KW", "UI"]


@pytest.mark.parametrize(
    ("systems", "kept"), [(("AW", "UI"), [0, 1, 1, 2]), (("KW",), [3, 4]), (("AW", "KW"), [])]
)
def test_comparisons_of_some_systems_have_both_sides_among_them(
    store: Store, pairs: Dataset, systems: tuple[str, ...], kept: list[int]
) -> None:
    view = pairs.keeping((Filter("system", systems),))
    assert store.query(view, "choices")["choice"].tolist() == kept
    assert store.query(view, "names_to_filter", column="system")["name"].tolist() == ["AW", "KW", "UI"]


def test_labels_are_places_among_all_labels_chosen_or_right(
    store: Store, add: Callable[..., Dataset]
) -> None:
    labels = add(LABELS, item_id="item", rater_id="rater", choice="label", gold="gold")
    found = store.query(labels, "choices")
    assert store.query(labels, "answers")["name"].tolist() == ["cat", "dog", "fox"]
    assert found["choice"].tolist() == [0, 1, 1]
    assert found["gold"].tolist() == [0, 2, 0]
    assert found["first"].tolist() == found["second"].tolist() == found["design"].tolist() == [-1] * 3


def test_choices_have_no_scores(store: Store, pairs: Dataset) -> None:
    size = store.query(pairs, "overview")
    assert (size["rows"][0], size["items"][0], size["raters"][0]) == (6, 3, 2)
    assert np.isnan(size["score_min"]).all()
    with pytest.raises(UnknownName, match="asks for ratings; this data set holds choices"):
        store.query(pairs, "score_counts", measure="score")


def test_numbers_of_options_are_those_of_the_choices_asked_for(
    store: Store, add: Callable[..., Dataset]
) -> None:
    text = PAIRS.replace("seconds\n", "seconds,length_a,length_b\n")
    head, *lines = text.splitlines()
    rows = [f"{line},{10 * n},{n}" for n, line in enumerate(lines)]
    dataset = add(
        "\n".join([head, *rows]) + "\n",
        item_id="item",
        rater_id="rater",
        choice="choice",
        option_a="option_a",
        option_b="option_b",
        rater_group="group",
        length_a="length_a",
        length_b="length_b",
    )
    assert dataset.option_numbers == ("length",)
    assert store.query(dataset, "option_numbers", told="length", group="y")["first"].tolist() == [
        20,
        30,
        40,
        50,
    ]
    without = dataset.leaving_out(("w1",))
    assert store.query(without, "option_numbers", told="length")["second"].tolist() == [0, 3, 5]
    assert len(store.query(without, "choices")["item"]) == 3
    with pytest.raises(UnknownName, match="there are 'length'"):
        store.query(dataset, "option_numbers", told="words")
