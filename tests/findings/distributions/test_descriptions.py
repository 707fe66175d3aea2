"""What Distributions says: medians by group, and how many measures lie higher."""

from analysis.distributions.distribution import Description, describe_means
from features.blocks import Status
from findings.distributions.descriptions import finding, remarks, sizes_table, table
from tests.findings.studies import said, study_of


def mos(*values: float) -> Description:
    return describe_means(values, [4] * len(values), 4)


TENS = range(10)


def test_groups_are_told_apart_by_their_medians() -> None:
    described = [
        ("focus", "crowd", mos(*(3.5 + at / 10 for at in TENS))),
        ("focus", "lab", mos(*(3 + at / 10 for at in TENS))),
        ("grammar", "crowd", mos(*(1.55 + at / 10 for at in TENS))),
        ("grammar", "lab", mos(*(3.55 + at / 10 for at in TENS))),
    ]
    assert said(finding(study_of("focus", "grammar"), described)) == (
        "The median item MOS of crowd lies above that of lab on <b>1 of 2 measures</b>; they are furthest apart on "
        "grammar: <b>2.00</b> against <b>4.00</b> (10 items and 10). Whether that is more than chance is for Crowd vs "
        "lab to say."
    )


def test_of_one_measure_it_is_told_which_group_lies_higher() -> None:
    high, low = mos(*(3.5 + at / 10 for at in TENS)), mos(*(3 + at / 10 for at in TENS))
    for ours, theirs, told in ((high, low, "above"), (low, high, "below")):
        described = [("focus", "crowd", ours), ("focus", "lab", theirs)]
        assert said(finding(study_of("focus"), described)).startswith(
            f"The median item MOS of crowd lies {told} that of lab on focus: <b>"
        )


def test_equal_medians_are_not_told_as_apart() -> None:
    described = [("focus", group, mos(*[3.0] * 12)) for group in ("crowd", "lab")]
    assert said(finding(study_of("focus"), described)) == (
        "The median item MOS of crowd and lab is the same on focus."
    )


def test_three_items_do_not_tell_which_group_lies_higher() -> None:
    described = [("focus", "crowd", mos(3, 4, 5)), ("focus", "lab", mos(1, 2, 3))]
    assert said(finding(study_of("focus"), described)) == (
        "Whether crowd or lab lies higher cannot be told from 3 items: it takes at least 10."
    )


def test_one_group_is_told_with_its_spread() -> None:
    study = study_of("focus", reference=None)
    assert said(finding(study, [("focus", "crowd", mos(*(1 + at / 10 for at in range(11))))])) == (
        "Half of the items have a MOS above <b>1.50</b> for focus; the items' SD is 0.33 (11 items, 44 ratings)."
    )
    for end, median in (("highest", 5.0), ("lowest", 0.0)):
        assert said(
            finding(study, [("focus", "crowd", mos(*[median] * 8, *[2.5 + at / 10 for at in range(4)]))])
        ).startswith(
            f"Half of the items or more have the {end} MOS of all for focus, <b>{median:.2f}</b>; the items' SD is "
        )
    assert said(finding(study, [("focus", "crowd", mos(*[3.0] * 12))])) == (
        "All 12 items have the same MOS for focus, 3.00 (48 ratings)."
    )
    assert said(finding(study, [("focus", "crowd", mos(2.0))])) == (
        "Where the items of focus lie cannot be told from 1 item with 4 ratings: it takes at least 10."
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
    assert written["Ratings"](21600) == "21\u202f600"


def test_medians_without_a_test_are_uncertain_and_few_items_not_enough() -> None:
    high, low, few = mos(*(3.5 + at / 10 for at in TENS)), mos(*(3 + at / 10 for at in TENS)), mos(3, 4)

    def status(ours: Description, theirs: Description, measure: str = "focus") -> Status:
        described = [("focus", "crowd", ours), (measure, "lab", theirs)]
        return finding(study_of("focus", "grammar"), described).status

    assert status(high, low) is Status.UNCERTAIN
    assert status(low, low) is Status.UNCERTAIN
    assert status(high, few) is Status.NOT_ENOUGH_DATA
    assert status(high, low, "grammar") is Status.NOT_ENOUGH_DATA
    alone = study_of("focus", reference=None)
    assert finding(alone, [("focus", "crowd", few)]).status is Status.NOT_ENOUGH_DATA
    assert finding(alone, [("focus", "crowd", mos(*[3.0] * 12))]).status is Status.CLEAR
