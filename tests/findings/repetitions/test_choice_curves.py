"""What is said of curves of votes: shares of items instead of correlations, and both ways to an answer."""

from dataclasses import replace

import numpy as np

from analysis.repetitions.choice_repetition import ChoiceRepetitionSpec
from analysis.repetitions.fitted_curves import FittedCurves
from analysis.values.votes import Votes
from features.blocks import Status
from findings.repetitions.choice_curves import ALL_VOTES, GOLD, STOPPED, ChoiceView, finding, notes, remarks
from findings.repetitions.choice_tables import compared_answers, one_compared_answer, shown_table
from tests.findings.repetitions.fitted import intervals, of_points, saturating
from tests.findings.studies import said

VIEW = ChoiceView(ChoiceRepetitionSpec(), GOLD, 1.0)
FIRST = saturating("AW vs UI", reference="gold")
SECOND = saturating("KW vs UI", b=0.4, reference="gold")


def short(*shares: float) -> FittedCurves:
    return of_points(np.array(shares), "AW vs UI", reference="gold")


def test_a_knee_is_told_in_shares_of_items() -> None:
    assert said(finding([FIRST], VIEW, intervals(FIRST))) == (
        "At <b>4</b> of 12 votes per item majority gives the gold answer for <b>85 %</b> of the items instead of "
        "90 %: <b>66 %</b> of the per-vote cost saved (79 to 96 % after all, over 50 items, for these workers). The "
        "knee moves with how many votes were collected."
    )


def test_no_saving_is_told_without_a_sure_knee() -> None:
    for known in (None, intervals(FIRST, without_knee=0.2)):
        told = said(finding([FIRST], VIEW, known))
        assert "57 %" in told
        assert "saved" not in told


def test_nothing_is_saved_on_a_single_item() -> None:
    alone = replace(FIRST, curves=replace(FIRST.curves, items=np.full(12, 1)))
    assert said(finding([alone], VIEW)) == (
        "How many votes are enough cannot be told from 1 item: it takes at least 10."
    )


def test_of_several_comparisons_the_one_told_is_named() -> None:
    assert said(finding([FIRST, SECOND], VIEW, intervals(FIRST, SECOND))) == (
        "At <b>5</b> of 12 votes per item on KW vs UI, majority gives the gold answer for <b>82 %</b> of the items "
        "instead of 90 %: <b>58 %</b> of the per-vote cost saved (78 to 95 % after all, over 50 items, for these "
        "workers). Knees lie from <b>4 to 5</b> (2 of 2 comparisons have one). The knee moves with how many votes were "
        "collected."
    )


def test_one_vote_per_item_tells_nothing_of_how_many_are_enough() -> None:
    assert said(finding([short(0.8)], VIEW)) == (
        "With the one vote that every item has, majority gives the gold answer for <b>80.0 %</b> of the items. How "
        "many are enough cannot be told from that."
    )


def test_too_few_votes_for_a_knee_are_told() -> None:
    assert said(finding([short(0.5, 0.6, 0.7)], VIEW)) == (
        "How many votes are enough cannot be told: with one vote per item majority gives the gold answer for "
        "<b>50 %</b> of the items, with 3 for <b>70 %</b> (56 to 81 % over 50 items), and no knee (3 votes are too few "
        "for a knee)."
    )


def test_both_ways_to_an_answer_are_told_side_by_side() -> None:
    table, _ = compared_answers([FIRST], [FIRST], [SECOND])
    sentence = one_compared_answer(table, 12, VIEW)
    assert sentence is not None
    assert said(sentence) == (
        "After 4 of 12 votes per item, majority gives the gold answer for <b>84.6 %</b> of 50 items and PCC-H weights "
        "for <b>77.9 %</b>; after all, 90.0 % and 89.5 %. These are figures of these votes: whether one way would be "
        "better with other items or workers is not worked out here."
    )


def test_notes_tell_what_is_so_by_construction() -> None:
    three_of_two_options = Votes(np.array([0, 0, 1]), np.array([0, 1, 0]), np.array([0, 1, 1]), 2, 2, 2)
    of_gold = [said(note) for note in notes([three_of_two_options], VIEW)]
    assert [text[:16] for text in of_gold] == ["With two options"]
    of_all = [said(note) for note in notes([], ChoiceView(ChoiceRepetitionSpec(), ALL_VOTES, 1.0))]
    assert [text[:30] for text in of_all] == ["Once all its votes are counted"]


def test_remarks_tell_where_the_curve_ends_though_some_items_have_more_votes() -> None:
    uneven = Votes(np.array([0, 0, 0, 1]), np.array([0, 1, 2, 0]), np.array([0, 1, 1, 0]), 2, 3, 2)
    told = [said(remark) for remark in remarks([uneven], [short(0.8)], VIEW, most_items=1)]
    assert (
        "AW vs UI: the curve ends at the fewest votes of an item (1; the most are 3); move the largest number of votes "
        "up to see more." in told
    )
    assert "AW vs UI: the curves rest on 1 items drawn at random (seed 0)." in told


def test_the_table_shows_shares_before_coefficients_and_waits_for_intervals() -> None:
    table, written = shown_table([FIRST], None)
    columns = list(table)
    assert columns[0] == "Comparison"
    assert columns.index("At the knee") < columns.index("a")
    assert table["At the knee, 95 %"].tolist() == ["…"]
    assert written["At the knee"](table["At the knee"][0]) == "84.6 %"


def test_a_knee_without_an_interval_is_uncertain_and_without_a_knee_it_takes_more_votes() -> None:
    alone = replace(FIRST, curves=replace(FIRST.curves, items=np.full(12, 1)))
    assert finding([FIRST], VIEW).status is Status.UNCERTAIN
    for untold in (alone, short(0.8), short(0.5, 0.6, 0.7)):
        assert finding([untold], VIEW).status is Status.NOT_ENOUGH_DATA
    assert not STOPPED.status.concludes
