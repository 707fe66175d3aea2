"""The sentences on two cards differ in what tells the readings apart."""

from data.tables.sniffed import Reading
from features.importing.reading import reading_sentences
from features.words import plain


def reading(raters: int, items: int, layout: str = "one row per rating", **mapping: object) -> Reading:
    kind = "choices" if "choice" in mapping else "ratings"
    entries = {name.replace("at_", "@"): source for name, source in mapping.items()}
    return Reading(kind, layout, entries, 0.5, (), raters, items)  # type: ignore[arg-type]


def told(first: Reading, second: Reading) -> list[str]:
    return [plain(sentence) for sentence in reading_sentences(first, second)]


def test_counts_tell_raters_from_items() -> None:
    assert told(reading(10, 8, score=("a", "b")), reading(8, 10, score=("a", "b"))) == [
        "10 raters rated 8 items.",
        "8 raters rated 10 items.",
    ]


def test_measures_are_counted() -> None:
    first = reading(2, 9, score=("a", "b", "c"), at_form="measure columns")
    assert told(first, reading(6, 9, score="a")) == [
        "2 raters rated 9 items on 3 measures.",
        "6 raters rated 9 items.",
    ]


def test_a_code_that_may_be_a_label_is_what_differs() -> None:
    missing = {"choice": "label", "at_missing": ("NA",)}
    assert told(reading(3, 5, **missing), reading(3, 5, choice="label")) == [
        '3 raters judged 5 items: "NA" means no answer.',
        '3 raters judged 5 items: "NA" is an answer.',
    ]


def test_the_columns_of_the_item_are_what_differs() -> None:
    first = reading(3, 5, item_id=("doc", "system"), score="s")
    assert told(first, reading(3, 5, item_id="segment", score="s")) == [
        '3 raters rated 5 items: the item is "doc / system".',
        '3 raters rated 5 items: the item is "segment".',
    ]


def test_readings_that_differ_in_a_further_column_alone_have_different_sentences() -> None:
    first = reading(3, 5, item_id="doc", score="s", system="model")
    sentences = told(first, reading(3, 5, item_id="doc", score="s", system="version"))
    assert ['"model"' in sentences[0], '"version"' in sentences[1]] == [True, True]


def test_the_column_of_the_choice_is_what_differs() -> None:
    first = reading(3, 5, choice="label")
    assert told(first, reading(3, 5, choice="prediction")) == [
        '3 raters judged 5 items: the choice is "label".',
        '3 raters judged 5 items: the choice is "prediction".',
    ]
