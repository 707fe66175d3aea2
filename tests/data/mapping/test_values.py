"""Values: words become numbers, spellings one label, gold the labels; proposed, stored, applied, refused."""

import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.errors import BadMapping
from data.formats.readers import sniff
from data.kinds.answer_words import number_in, points_of, positions_of, truth_of
from data.kinds.definitions import kind_named
from data.mapping.values import values_to_map
from data.store.store import Store
from tests.data.formats.conftest import Save
from ui.screens.columns import values_of

_BY_HAND = {
    "ACR": "Bad Poor Fair Good Excellent",
    "very": "very bad/bad/neutral/good/very good",
    "agree": "Strongly disagree/Disagree/Neither agree nor disagree/Agree/Strongly agree",
    "deutsch": "sehr schlecht/schlecht/mittelmäßig/gut/sehr gut",
    "stimme zu": "stimme überhaupt nicht zu/stimme eher nicht zu/teils, teils/stimme eher zu/stimme voll und ganz zu",
    "français": "très mauvais/mauvais/moyen/bon/très bon",
    "d'accord": "pas du tout d'accord/pas d'accord/neutre/d'accord/tout à fait d'accord",
    "español": "muy malo/malo/regular/bueno/muy bueno",
    "de acuerdo": "totalmente en desacuerdo/en desacuerdo/neutral/de acuerdo/totalmente de acuerdo",
    "中文": "很差/差/一般/好/很好",
    "同意": "非常不同意/不同意/中立/同意/非常同意",
    "日本語": "非常に悪い/悪い/普通/良い/非常に良い",
    "そう思う": "全くそう思わない/そう思わない/どちらともいえない/そう思う/非常にそう思う",
}
SCALES = {name: words.split("/" if "/" in words else " ") for name, words in _BY_HAND.items()}
"""From worst to best, as questionnaires have them."""


def _table(column: str, words: Sequence[str], items: int = 12, gold: Sequence[str] = ()) -> str:
    """Each rater goes through the words from another start; gold is the word of the item's number."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["item", "rater", column, *(["gold"] if gold else [])])
    for item in range(items):
        for rater in range(4):
            word = words[(item + rater * (1 + item % 3)) % len(words)]
            writer.writerow([f"i{item}", f"r{rater}", word, *([gold[item % len(gold)]] if gold else [])])
    return text.getvalue()


def _scores(content: str, column: str, points: Mapping[str, float]) -> Counter[tuple[str, str, float]]:
    rows = csv.DictReader(io.StringIO(content))
    return Counter((row["item"], row["rater"], points[row[column]]) for row in rows)


@pytest.mark.parametrize(
    ("name", "column"),
    [
        *((name, "label") for name in SCALES),
        *((next(iter(SCALES)), column) for column in ("score", "answer")),
    ],
)
def test_words_of_a_scale_are_its_points(save: Save, name: str, column: str) -> None:
    content = _table(column, SCALES[name])
    saved = save(content)
    assert saved.found.kind == "ratings"
    points = {word: float(at) for at, word in enumerate(SCALES[name], start=1)}
    stored = Counter((row["item_id"], row["rater_id"], row["score"]) for row in saved.rows)
    assert stored == _scores(content, column, points)
    assert any("The ratings are words" in note for note in saved.found.notes)


@pytest.mark.parametrize(
    "words",
    [
        ["1 - very bad", "2", "3", "4", "5 - excellent"],
        ["1 (very bad)", "2", "3", "4", "5 (excellent)"],
        ["very bad (1)", "bad (2)", "fair (3)", "good (4)", "excellent (5)"],
        ["1: schlecht", "2: dürftig", "3: ordentlich", "4: gut", "5: ausgezeichnet"],
    ],
)
def test_scales_told_by_their_ends(save: Save, words: list[str]) -> None:
    content = _table("rating", words)
    saved = save(content)
    points = {word: float(at) for at, word in enumerate(words, start=1)}
    stored = Counter((row["item_id"], row["rater_id"], row["score"]) for row in saved.rows)
    assert stored == _scores(content, "rating", points)


def test_words_side_by_side_are_points_too(save: Save) -> None:
    words = SCALES["ACR"]
    lines = [f"i{n},{words[n % 5]},{words[n * 2 % 5]},{words[n * 3 % 5]}" for n in range(10)]
    saved = save("\n".join(["item,anna,bert,carl", *lines]) + "\n")
    assert saved.found.mapping["@form"] == "rater columns"
    by_rater = {
        rater: [row["score"] for row in saved.rows if row["rater_id"] == rater]
        for rater in ("anna", "bert", "carl")
    }
    assert by_rater["anna"] == [1 + n % 5 for n in range(10)]
    assert by_rater["carl"] == [1 + n * 3 % 5 for n in range(10)]


def test_words_in_any_case_and_those_that_are_none_set_aside_by_name(save: Save) -> None:
    content = (
        _table("score", SCALES["ACR"]) + "i1,r9,EXCELLENT\ni2,r9,don't know\ni3,r9,don't know\ni4,r9,?\n"
    )
    saved = save(content)
    assert [row["score"] for row in saved.rows if row["rater_id"] == "r9"] == [5.0]
    assert (saved.report.kept, saved.report.set_aside) == (49, 3)
    said = '2 rows are set aside because what stands there becomes no number: "don\'t know" (2).'
    assert any(warning.startswith(said) for warning in saved.report.warnings)


@pytest.mark.parametrize(
    ("labels", "gold", "same"),
    [
        (["negative", "neutral", "positive"], ["0", "1", "2"], ["negative", "neutral", "positive"]),
        (["negative", "positive"], ["0", "1"], ["negative", "positive"]),
        (["no", "yes"], ["0", "1"], ["no", "yes"]),
        (["nein", "ja"], ["FALSE", "TRUE"], ["nein", "ja"]),
        (["0", "1"], ["no", "yes"], ["0", "1"]),
        (["cat", "dog"], ["Cat", "Dog"], ["cat", "dog"]),
        (["1", "2"], ["1.0", "2.0"], ["1", "2"]),
    ],
)
def test_gold_in_other_words_becomes_the_labels(
    save: Save, labels: list[str], gold: list[str], same: list[str]
) -> None:
    saved = save(_table("label", labels, gold=gold))
    assert saved.found.kind == "choices"
    told = {int(row["item_id"][1:]): row["gold"] for row in saved.rows}
    assert told == {item: same[item % len(same)] for item in range(12)}


def test_spellings_of_yes_and_no_are_two_labels(save: Save) -> None:
    saved = save(_table("label", ["yes", "ja", "Nein", "yes", "no", "no"], gold=["yes", "no"]))
    assert {row["choice"] for row in saved.rows} == {"yes", "no"}
    assert {row["gold"] for row in saved.rows} == {"yes", "no"}


def test_labels_that_need_nothing_are_left_alone(save: Save) -> None:
    for labels in (["yes", "no"], ["G", "P", "R", "X"], ["0", "1"]):
        saved = save(_table("label", labels, gold=labels))
        assert not [name for name in saved.found.mapping if name.startswith("@values")]


def test_labels_without_number_share_what_they_share(store: Store, tmp_path: Path) -> None:
    """Gold is the last of 1,500 labels."""
    rows = [
        f"i{at},r{of},l{at:04}," + (f"l{at:04}" if at >= 1450 else "") for at in range(1500) for of in (1, 2)
    ]
    path = tmp_path / "many.csv"
    path.write_text("\n".join(["item,rater,label,gold", *rows]) + "\n")
    mapping = {"item_id": "item", "rater_id": "rater", "choice": "label", "gold": "gold"}
    assert store.check(path, "choices", mapping).kept == 3000


def test_gold_that_shares_no_value_stops_the_import_until_it_is_mapped(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text(_table("label", ["cat", "dog", "bird"], gold=["0", "1", "2"]))
    mapping = {"item_id": "item", "rater_id": "rater", "choice": "label", "gold": "gold"}
    said = (
        "the labels ('bird', 'cat', 'dog') and the gold answers ('0', '1', '2') share no value; say which label each "
        "gold answer is (the table of values, or '@values gold' in the mapping), or leave the gold column out"
    )
    for bring in (store.check, store.add):
        with pytest.raises(BadMapping) as raised:
            bring(path, "choices", mapping)
        assert str(raised.value) == said
    mapped = mapping | {"@values gold": ("0", "cat", "1", "dog", "2", "bird")}
    assert store.check(path, "choices", mapped).kept == 48
    saved = store.add(path, "choices", mapped)
    assert dict(store.get(saved.id).mapping) == mapped
    other = store.add(path, "choices", mapped | {"@values gold": ("0", "dog", "1", "cat", "2", "bird")})
    assert saved.sha256 != other.sha256


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"@values score": ("Good",)}, "'@values score' must list values and what each becomes"),
        ({"@values score": "Good"}, "'@values score' must list values and what each becomes"),
        ({"@values score": ("Good", "four")}, "'@values score': 'Good' must become a number; got 'four'"),
        ({"@values score": ("Good", " ")}, "'@values score' has a value that is empty or no text"),
        ({"@values score": ("G\0od", "4")}, "'@values score' has a value that is empty or no text"),
        ({"@values system": ("a", "b")}, "'@values system' says what values become of a column that is not"),
        ({"@values score": ("a", "1") * 501}, "at most 500 pairs"),
    ],
)
def test_entries_that_do_not_fit_say_why(store: Store, tmp_path: Path, entry: dict, message: str) -> None:
    path = tmp_path / "words.csv"
    path.write_text(_table("score", SCALES["ACR"]))
    with pytest.raises(BadMapping, match="@values") as raised:
        store.check(path, "ratings", {"item_id": "item", "rater_id": "rater", "score": "score"} | entry)
    assert message in str(raised.value)


def test_mapped_numbers_go_with_a_decimal_comma(save: Save) -> None:
    saved = save(
        "item;rater;score\n" + "".join(f"i{n};r{n % 3};{n % 5},5\n" for n in range(20)) + "i;r;Good\n"
    )
    assert saved.report.kept == 20
    mapped = save(
        "item;rater;score\n" + "".join(f"i{n};r{n % 3};{n % 5},5\n" for n in range(20)) + "i;r;Good\n",
        **{"values score": ("Good", "4.5")},
    )
    assert [row["score"] for row in mapped.rows if row["item_id"] == "i"] == [4.5]


def test_hostile_values_are_text(save: Save) -> None:
    worst = ["'; DROP TABLE import_rows; --", "<img onerror=alert(1)>", "Bad", "Fair", "Good"]
    content = _table("score", [worst[0], *(worst[2:] * 7)[:19], worst[1]])  # each of the first two in one row
    entry = tuple(text for at, word in enumerate(worst) for text in (word, str(at)))
    saved = save(content, **{"values score": entry})
    assert Counter(row["score"] for row in saved.rows) == Counter(
        float(worst.index(row["score"])) for row in csv.DictReader(io.StringIO(content))
    )


@given(st.lists(st.text(max_size=12), max_size=8))
def test_any_words_give_distinct_points_or_none(words: list[str]) -> None:
    points = points_of(words)
    assert set(points) <= set(words)
    assert all(1 <= int(point) <= 7 for point in points.values())
    assert not points or len(set(points.values())) >= 3


@pytest.mark.parametrize(
    "words", [["good", "bad"], ["cat", "dog", "bird"], ["negative", "neutral", "positive"], ["A"]]
)
def test_what_is_no_scale_has_no_points(words: list[str]) -> None:
    assert points_of(words) == {}


@pytest.mark.parametrize(
    ("words", "places"),
    [
        (["positive", "neg"], {"positive": 1, "neg": 0}),
        (["positive", "neutral", "negative"], {"positive": 2, "neutral": 1, "negative": 0}),
        (["neutral", "negative"], {}),
        (["-1", "1", "0"], {"-1": 0, "1": 2, "0": 1}),
        (["1", "3"], {}),
        ([], {}),
    ],
)
def test_places_are_found_for_all_words_or_none(words: list[str], places: Mapping[str, int]) -> None:
    assert positions_of(words) == places


def test_what_is_no_number_to_the_import_is_a_word(save: Save) -> None:
    saved = save(_table("score", ["1", "2", "3", "nan"]))
    assert saved.found.mapping["@missing"] == ("nan",)
    assert (saved.report.kept, saved.report.set_aside) == (36, 12)


def test_numbers_in_words_and_words_for_yes() -> None:
    assert [number_in(text) for text in ("good (4)", "4,5 good", "1 of 5", "good")] == ["4", "4.5", "", ""]
    assert [truth_of(word) for word in ("Ja", "はい", "non", "1", "perhaps")] == [
        True,
        True,
        False,
        None,
        None,
    ]


def test_cleared_cells_and_added_rows_of_the_table() -> None:
    rows = [
        {"Value as found": "Good", "How often": 3, "Becomes": " 4 "},
        {"Value as found": "?", "How often": 1, "Becomes": None},
        {"Value as found": None, "How often": None, "Becomes": "1"},
    ]
    assert [(value.found, value.becomes) for value in values_of(rows)] == [("Good", "4"), ("?", "")]


FOUR = {
    "agree": "strongly disagree/disagree/agree/strongly agree",
    "satisfied": "very dissatisfied/dissatisfied/satisfied/very satisfied",
    "stimme zu": "stimme überhaupt nicht zu/stimme eher nicht zu/stimme eher zu/stimme voll und ganz zu",
    "同意": "非常不同意/不同意/同意/非常同意",
}


@pytest.mark.parametrize("name", FOUR)
def test_four_answers_without_a_middle_are_one_to_four(save: Save, name: str) -> None:
    """As questionnaires of four points are counted; 1, 2, 4 and 5 would stretch the step that nobody asked for."""
    words = FOUR[name].split("/")
    content = _table("answer", words)
    saved = save(content)
    points = {word: float(at) for at, word in enumerate(words, start=1)}
    stored = Counter((row["item_id"], row["rater_id"], row["score"]) for row in saved.rows)
    assert stored == _scores(content, "answer", points)
    assert any("taken for a scale without one" in note for note in saved.found.notes)


def test_one_neutral_answer_makes_it_a_scale_of_five(save: Save) -> None:
    saved = save(_table("answer", FOUR["agree"].split("/")) + "i1,r9,neutral\n")
    assert sorted({row["score"] for row in saved.rows}) == [1, 2, 3, 4, 5]
    assert not any("without one" in note for note in saved.found.notes)


def test_a_scale_of_quality_is_five_points_though_nobody_said_fair(save: Save) -> None:
    """ITU-T P.800 has five grades, and fair is one of them."""
    saved = save(_table("score", ["Bad", "Poor", "Good", "Excellent"]))
    assert sorted({row["score"] for row in saved.rows}) == [1, 2, 4, 5]


# --- gold that fits nothing -----------------------------------------------------------------------------------------


def _judgments(gold: Sequence[str]) -> str:
    return "rater,event,document,surrogate,judgment,gold\n" + "".join(
        f"r{rater},e{document % 3},d{document},{surrogate},{(rater + document) % 2},{gold[document % len(gold)]}\n"
        for rater in range(4)
        for document in range(9)
        for surrogate in ("Full Text", "Headline")
    )


def test_graded_gold_is_relevant_above_0_and_told(save: Save) -> None:
    saved = save(_judgments(["0", "1", "2"]))
    by_document = {row["document_id"]: row["gold"] for row in saved.rows}
    assert by_document == {f"d{document}": float(document % 3 > 0) for document in range(9)}
    assert any('"2" is read as 1' in note for note in saved.found.notes)
    assert not saved.report.doubtful


def _pairs(gold: Sequence[str]) -> str:
    return "item,rater,option_a,option_b,choice,gold\n" + "".join(
        f"i{item},r{rater},gpt,llama,{'AB'[(item + rater) % 2]},{gold[item % len(gold)]}\n"
        for rater in range(4)
        for item in range(9)
    )


def _expected(gold: Sequence[str]) -> str:
    return "item,rater,score,expected\n" + "".join(
        f"i{item},r{rater},{1 + (item + rater) % 5},{gold[item % len(gold)]}\n"
        for rater in range(4)
        for item in range(9)
    )


@pytest.mark.parametrize(
    ("content", "doubts"),
    [
        (_judgments(["spam", "ham"]), ("no gold judgment says relevant or not relevant",)),
        (_judgments(["spam", "relevant"]), ()),
        (_pairs(["x", "y"]), ("the gold answer is none of the options in any row",)),
        (_pairs(["x", "gpt"]), ()),
        (_expected(["97", "-1"]), ("no expected answer lies between the least and the greatest score",)),
        (_expected(["so so"]), ("no expected answer lies between the least and the greatest score",)),
        (_expected(["97", "5"]), ()),
        (_expected(["5 - excellent"]), ()),
    ],
)
def test_gold_that_fits_nothing_is_said_with_every_finding(
    save: Save, content: str, doubts: tuple[str, ...]
) -> None:
    assert save(content).report.doubtful == doubts


def test_missing_codes_are_no_words_of_a_scale(tmp_path: Path) -> None:
    path = tmp_path / "words.csv"
    path.write_text(_table("score", ["bad", "poor", "fair", "good", "excellent", "refused"]))
    mapping = {"item_id": "item", "rater_id": "rater", "score": "score"}
    kind, seen = kind_named("ratings"), sniff(path)
    assert "refused" in {value.found for value in values_to_map(seen, kind, mapping)["score"]}
    values = values_to_map(seen, kind, mapping | {"@missing": ("Refused",)})["score"]
    assert {value.found: value.becomes for value in values} == {
        word: str(at) for at, word in enumerate(["bad", "poor", "fair", "good", "excellent"], start=1)
    }
