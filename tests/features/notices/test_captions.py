"""What stands beside what is downloaded: the data that it rests on, and methods as whole sentences."""

import ast
from pathlib import Path

from features.notices.captions import METHODS, caption, size
from tests.features.studies import said, study_of

ROOT = Path(__file__).resolve().parents[2]
OVERVIEW = {"rows": [21600], "items": [50], "raters": [82]}


def calls(*names: str) -> list[ast.Call]:
    """Where pages and panels call functions of these names."""
    return [
        node
        for folder in ("pages", "panels", "features")
        for path in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in names
    ]


def test_every_method_belongs_to_something_that_a_page_gives_away() -> None:
    firsts = [call.args[0] for call in calls("conclude", "downloads", "render")]
    named = {first.value for first in firsts if isinstance(first, ast.Constant)}
    assert set(METHODS) <= named
    assert all(method.endswith((".", ").")) for method in METHODS.values())


def test_no_page_ends_without_a_table_to_take_away() -> None:
    for call in calls("conclude"):
        elsewhere = {keyword.arg for keyword in call.keywords}
        assert "shown_above" in elsewhere or not (
            isinstance(call.args[1], ast.List) and not call.args[1].elts
        )


def test_a_caption_says_what_is_shown_and_what_it_rests_on() -> None:
    assert caption("Systems, the first on top", None, {}) == "Systems, the first on top"
    assert caption("Systems", study_of("focus"), OVERVIEW) == (
        "Systems. a study: 21\u202f600 ratings of 50 items by 82 raters in 2 groups."
    )


def test_the_size_is_told_with_thin_spaces_and_the_number_of_groups() -> None:
    assert said(size(study_of("focus"), OVERVIEW)) == (
        "<b>a study</b>: 21\u202f600 ratings of 50 items by 82 raters in 2 groups."
    )


def test_one_group_is_not_counted() -> None:
    assert said(size(study_of("focus", reference=None), OVERVIEW)).endswith("by 82 raters.")


def test_columns_that_are_no_persons_are_not_counted_as_raters() -> None:
    slots = {"@raters": "slots"}
    assert said(size(study_of("focus", **slots), OVERVIEW)).endswith("ratings of 50 items in 2 groups.")


def test_one_of_each_is_told_in_the_singular() -> None:
    one = {"rows": [1], "items": [1], "raters": [1]}
    assert (
        said(size(study_of("focus", reference=None), one)) == "<b>a study</b>: 1 rating of 1 item by 1 rater."
    )
