"""What Distributions says: medians by group, and how many measures lie higher."""

from analysis.distributions.distribution import Description, describe_means
from findings.distributions.descriptions import finding, remarks, sizes_table, table
from tests.findings.studies import said, study_of


def mos(*values: float) -> Description:
    return describe_means(values, [4] * len(values), 4)


def test_groups_are_told_apart_by_their_medians() -> None:
    described = [
        ("focus", "crowd", mos(3, 4, 5)),
        ("focus", "lab", mos(2.5, 3.5, 4.5)),
        ("grammar", "crowd", mos(1, 2, 3)),
        ("grammar", "lab", mos(3, 4, 5)),
    ]
    assert said(finding(study_of("focus", "grammar"), described)) == (
        "The median item MOS of crowd lies above that of lab on <b>1 of 2</b> measures; they are furthest apart on "
        "grammar: <b>2.00</b> against <b>4.00</b>."
    )


def test_one_group_is_told_with_its_spread() -> None:
    sentence = finding(study_of("focus", reference=None), [("focus", "crowd", mos(1, 2, 3))])
    assert said(sentence) == (
        "Half of the items have a MOS above <b>2.00</b> for focus; the items' SD is 1.00 (3 items, 12 ratings)."
    )


def test_groups_without_a_shared_measure_are_told_so() -> None:
    described = [("focus", "crowd", mos(1, 2, 3)), ("grammar", "lab", mos(1, 2, 3))]
    sentence = finding(study_of("focus", "grammar"), described)
    assert said(sentence) == "No measure has ratings of both crowd and lab."


def test_each_reason_is_told_once_with_all_it_holds_for() -> None:
    described = [("focus", "crowd", mos(1, 2, 3)), ("grammar", "crowd", mos(1, 2, 4))]
    assert [said(remark) for remark in remarks(described)] == [
        "Undefined for focus (crowd) and grammar (crowd): a p of normality needs at least 8 items; there are 3."
    ]


def test_the_table_writes_a_range_of_ratings_per_item_only_where_there_is_one() -> None:
    uneven = describe_means([1, 2, 3], [2, 4, 9], 9)
    rows, written = table([("focus", "crowd", mos(1, 2, 3)), ("focus", "lab", uneven)])
    assert rows["Ratings per item"].tolist() == ["4", "2 to 9 (median 4)"]
    assert written["Median"](rows["Median"][0]) == "2.00"


def test_sizes_are_told_per_measure_and_group() -> None:
    cells = {
        "measure": ["focus", "focus"],
        "group": ["crowd", "lab"],
        "ratings": [21600, 40],
        "items": [900, 10],
        "raters": [80, 4],
        "ratings_per_item_min": [24, 3],
        "ratings_per_item_max": [24, 5],
    }
    rows, written = sizes_table(cells)
    assert rows["Per item"].tolist() == ["24", "3 to 5"]
    assert written["Ratings"](21600) == "21\u2009600"
