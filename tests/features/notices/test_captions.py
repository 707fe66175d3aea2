"""Captions of what is downloaded, and the size of the data that it is based on."""

from features.notices import caption, size
from tests.features.studies import said, study_of

OVERVIEW = {"rows": [21600], "items": [50], "raters": [82]}


def test_a_caption_says_what_is_shown_and_what_it_rests_on() -> None:
    assert caption("Systems, the first on top", None, {}) == "Systems, the first on top"
    assert caption("Systems", study_of("focus"), OVERVIEW) == (
        "Systems. a study: 21,600 ratings of 50 items by 82 raters in 2 groups."
    )


def test_the_size_is_reported_with_thin_spaces_and_the_number_of_groups() -> None:
    assert said(size(study_of("focus"), OVERVIEW)) == (
        "<b>a study</b>: 21,600 ratings of 50 items by 82 raters in 2 groups."
    )


def test_one_group_is_not_counted() -> None:
    assert said(size(study_of("focus", reference=None), OVERVIEW)).endswith("by 82 raters.")


def test_columns_that_are_no_persons_are_not_counted_as_raters() -> None:
    slots = {"@raters": "slots"}
    assert said(size(study_of("focus", **slots), OVERVIEW)).endswith("ratings of 50 items in 2 groups.")


def test_one_of_each_is_reported_in_the_singular() -> None:
    one = {"rows": [1], "items": [1], "raters": [1]}
    assert (
        said(size(study_of("focus", reference=None), one)) == "<b>a study</b>: 1 rating of 1 item by 1 rater."
    )
