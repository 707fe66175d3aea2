"""Pages that fit a data set, and their names."""

from dataclasses import replace

import pytest

from features.notices import Holding, comparison_title, no_systems, nothing_to_compare
from tests.features.studies import said
from ui.visit.pages import PAGES

ONE, TWO = Holding("ratings", ("amt",)), Holding("ratings", ("experts", "amt"))


def scripts(holding: Holding) -> set[str]:
    return {page.script for page in PAGES if page.elsewhere(holding) is None}


def test_ratings_of_one_group_are_compared_with_nothing_unless_items_have_numbers() -> None:
    assert "crowd_vs_lab.py" not in scripts(ONE)
    assert "agreement.py" in scripts(ONE) & scripts(TWO)
    assert {"crowd_vs_lab.py"} <= scripts(TWO) & scripts(Holding("ratings", ("amt",), numbers=1))
    assert "a second group of raters" in said(nothing_to_compare(ONE) or ("", {}))
    (page,) = (page for page in PAGES if page.script == "crowd_vs_lab.py")
    elsewhere = page.elsewhere(ONE)
    assert elsewhere is not None
    assert elsewhere[1] == "agreement.py"


def test_systems_are_compared_where_there_are_any_and_in_choices() -> None:
    assert "systems.py" not in scripts(ONE)
    assert "systems.py" in scripts(Holding("ratings", ("amt",), has_systems=True))
    assert "system" in said(no_systems(ONE) or ("", {}))


def test_pages_of_metrics_are_listed_where_they_can_answer() -> None:
    pages = {"metrics.py", "pyramid.py", "training.py"}

    def listed(**known: object) -> set[str]:
        holding = Holding("ratings", ("amt",), **known)
        return {page.script for page in PAGES if page.is_open_to(holding)} & pages

    assert listed() == set()
    assert listed(numbers=1) == {"metrics.py"}
    assert listed(has_texts=True, has_references=True) == {"metrics.py"}
    assert listed(joined=frozenset({"metrics"})) == {"metrics.py"}
    assert listed(has_texts=True, joined=frozenset({"contributors"})) == {"pyramid.py"}
    assert listed(has_systems=True, numbers=2, splits=3) == {"metrics.py", "training.py"}
    assert listed(has_systems=True, numbers=2, splits=2) == {"metrics.py"}
    assert pages <= scripts(ONE)  # an address answers for every data set


def test_no_page_sends_a_data_set_to_a_page_that_cannot_show_it() -> None:
    for holding in (ONE, TWO, Holding("choices"), Holding("comprehension"), Holding("relevance")):
        for page in PAGES:
            if (elsewhere := page.elsewhere(holding)) is not None:
                assert elsewhere[1] in scripts(holding)


@pytest.mark.parametrize(
    ("groups", "title"),
    [
        (("crowd", "lab"), "Crowd vs lab"),
        (("experts", "amt"), "Amt vs experts"),
        (("crowd_mturk_en", "lab"), "Crowd_mturk_en vs lab"),
        (("a",), "Groups compared"),
        (("a", "b", "c"), "Groups compared"),
        (("**a**", "b"), "Groups compared"),
        (("[a](http://b)", "b"), "Groups compared"),
        (("a", "__init__"), "Groups compared"),
        (("a", ":smile:"), "Groups compared"),
        (("a", "b" * 40), "Groups compared"),
        (("a" * 0, "b"), "Groups compared"),
    ],
)
def test_two_groups_name_their_page_unless_their_names_are_long_or_not_plain(
    groups: tuple[str, ...], title: str
) -> None:
    assert comparison_title(Holding("ratings", groups)) == title


def test_pages_about_agreement_are_listed_where_some_item_has_two_ratings() -> None:
    once = {page.script for page in PAGES if page.is_open_to(replace(TWO, is_rated_once=True))}
    often = {page.script for page in PAGES if page.is_open_to(TWO)}
    assert often - once == {"agreement.py", "repetitions.py", "standing_in.py", "items.py"}
    assert "distributions.py" in once
