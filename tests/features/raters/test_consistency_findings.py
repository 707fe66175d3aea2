"""Findings, tables and notes on the consistency of raters, with the numbers that they were given."""

from dataclasses import replace
from math import nan

import numpy as np
import pytest

from analysis.assessors.consistency import CONSTANT, Consistency, OthersAgreement
from analysis.assessors.system_model import RaterFigures, consistency_estimates
from analysis.screening.observer_rejection import P913, Bt500
from analysis.screening.rating_behavior import FailedChecks, Runs
from analysis.screening.subject_model import Bias
from analysis.values.estimate import Estimate
from features.blocks import Note, Status, Table
from features.raters.consistency_results import ConsistencyFound, Screening
from features.raters.consistency_section import (
    known_finding,
    lone_rater_table,
    orders_table,
    raters_table,
    repeats_finding,
    repeats_table,
    screening_notes,
    undefined_notes,
)
from features.raters.ranking import KnownAnswers, RaterRanking, rank_raters
from features.raters.typical_rater_findings import naming_finding
from features.study import Scenario
from features.words import plain, printed
from tests.features.raters_of_studies import compared, panel
from tests.findings_rules import check_findings

RATERS, NOBODY = np.array(["Ann", "Bob", "Cy"]), np.array([], dtype=str)
NO_SET = "no set of identical texts judged more than once"
THREE = np.arange(3)
LAB = KnownAnswers("lab", "r", is_share=False)


def on_texts(*alphas: float) -> Consistency:
    of_each = tuple(
        Estimate(nan, reason=NO_SET) if alpha != alpha else Estimate(alpha, alpha - 0.1, alpha + 0.1, 12)
        for alpha in alphas
    )
    sets = np.array([0 if alpha != alpha else 12 for alpha in alphas])
    return Consistency(np.arange(len(alphas)), of_each, sets, 3 * sets)


def with_others() -> OthersAgreement:
    return OthersAgreement(
        THREE,
        np.array([0.9, 0.25, nan]),
        np.array([0.8, 0.0, nan]),
        np.array([0.95, 0.5, nan]),
        np.array([20, 20, 2]),
        ("", "", "fewer than 3 items shared with others"),
        Estimate(0.61234, 0.5, 0.7, 20),
        np.array([0.55, 0.72, 0.61]),
    )


def screening(**more: object) -> Screening:
    three, counts = np.array([0.1, -0.2, 0.3]), np.array([4, 5, 6])
    no = np.zeros(3, dtype=bool)
    given = {
        "bias": Bias(THREE, three, three - 0.1, three + 0.1, counts),
        "runs": Runs(THREE, counts, np.array([1, 2, 9]), three, np.array([1.0, 0.5, 0.01])),
        "bt500": Bt500(THREE, counts, counts, counts, three, three, np.array([False, True, False])),
        "p913": P913(THREE, three, three, counts, counts, no, counts, ("", "", "")),
        "model": None,
        "speed": None,
        "checks": None,
    }
    return Screening(**(given | more))  # type: ignore[arg-type]  # any of them


def found(*ranked: RaterFigures, **more: object) -> ConsistencyFound:
    """Raters on focus, and on further measures, with the results of screening."""
    of_measures = {("focus", "grammar")[at]: one for at, one in enumerate(ranked)}
    tests = [
        compared(RATERS[one.raters].tolist(), consistency_estimates(one), measure)
        for measure, one in of_measures.items()
    ]
    return ConsistencyFound("crowd", "focus", of_measures, tests, screening(**more))


def column(table: Table, name: str) -> list[str]:
    """Cells of a column as shown."""
    (text,) = zip(*printed((table.frame, table.formats), [name]).rows, strict=True)
    return list(text)


def test_raters_named_are_counted() -> None:
    named = naming_finding([panel(0.0, *[0.7] * 6)], "focus")
    assert plain(named.headline) == "1 of 7 raters is clearly less consistent than the typical rater."


def test_the_headline_is_on_the_measure_shown_and_names_those_of_other_measures() -> None:
    measures = [panel(0.0, *[0.7] * 6), panel(*[0.7] * 6, 0.0, measure="grammar")]
    for shown, here, elsewhere in (("focus", "Rater a", "g"), ("grammar", "Rater g", "a")):
        finding = naming_finding(measures, shown)
        assert plain(finding.headline).startswith("1 of 7 raters")
        assert plain(finding.headline).endswith(f"on {shown}.")
        assert plain(finding.evidence).startswith(here)
        assert plain(finding.evidence).endswith(f"on other measures: {elsewhere}")
    null = [panel(*[0.7] * 7), panel(*[0.7] * 6, 0.0, measure="grammar")]
    finding = naming_finding(null, "focus")
    assert finding.status is Status.UNCERTAIN
    assert plain(finding.evidence).endswith("on other measures: g")


def test_the_table_begins_with_the_least_consistent_and_has_the_results_of_rules() -> None:
    checks = FailedChecks(*(np.array([one]) for one in (2, 4, 1, 0, 0.25, 0.1, 0.5)))
    scenario = Scenario("picked by hand", (1,), ("Bob",))
    table = raters_table(found(with_others(), checks=checks), RATERS, NOBODY, scenario)
    assert column(table, "Rater") == ["Bob", "Ann", "Cy"]
    assert column(table, "Excluded") == ["yes", "", ""]
    assert column(table, "r with the others") == ["0.250 (0.000 to 0.500)", "0.900 (0.800 to 0.950)", "–"]
    assert column(table, "BT.500") == ["reject", "", ""]
    assert column(table, "Bias") == [
        "−0.200 (−0.300 to −0.100)",
        "0.100 (0.000 to 0.200)",
        "0.300 (0.200 to 0.400)",
    ]
    assert column(table, "Failed checks") == ["–", "–", "25.0%"]
    assert column(table, "Alpha without") == ["0.720", "0.550", "0.610"]
    everyone = raters_table(found(with_others()), RATERS, NOBODY, Scenario())
    assert "Excluded" not in everyone.frame


def test_a_column_that_is_empty_is_not_shown_at_first() -> None:
    shown = raters_table(found(with_others()), RATERS, NOBODY, Scenario()).columns_at_first_sight
    assert "BT.500" in shown
    assert "P.913" not in shown
    assert "Typical rater" not in shown


def test_a_lone_rater_gets_no_columns_and_notes_that_need_others() -> None:
    lone = compared(["Ann"], [Estimate(nan, reason="fewer than 3 items shared with others")])
    finding = naming_finding([lone], "focus")
    assert finding.status is Status.NOT_ENOUGH_DATA
    assert finding.next_step is not None
    check_findings([finding])
    ranking = RaterRanking(rank_raters(lone, [""]), lone, "r")
    assert ranking.is_lone
    screening = found(with_others()).screening
    assert screening is not None
    table = lone_rater_table(screening, RATERS)
    assert list(table.frame) == ["Rater", "Ratings", "Longest run", "Chance of the run"]
    assert table.columns_at_first_sight == list(table.frame)


def test_verdicts_stand_in_the_table_with_their_adjusted_p() -> None:
    seven = [Estimate(0.0, n=50), *[Estimate(0.7, n=50)] * 6]
    raters = rank_raters(compared(list("abcdefg"), seven), [""] * 7)
    assert (raters[0].name, raters[0].verdict, raters[0].mark) == ("a", "clearly below", "clearly below")
    assert raters[0].p < 0.05
    assert {one.verdict for one in raters[1:]} == {""}


def test_splits_have_columns() -> None:
    whole = on_texts(0.5, 0.6, 0.7)
    split = replace(whole, by_split={1: on_texts(0.1, nan)})
    table = raters_table(found(split), RATERS, np.array(["2010", "2011"]), Scenario())
    assert column(table, "Alpha, 2011") == ["0.100", "–", "–"]


def test_each_measure_has_its_own_order_of_raters() -> None:
    # Owczarzak et al. 2012, Table 1: A, E and G on Readability and Pyramid
    of = found(on_texts(0.801, 0.519, 0.867), on_texts(0.931, nan, 0.975))
    table = orders_table(of, np.array(["A", "E", "G"]))
    assert table.fold
    assert column(table, "focus") == ["G 0.867", "A 0.801", "E 0.519"]
    assert column(table, "grammar") == ["G 0.975", "A 0.931", ""]


def test_alpha_with_everyone_is_reported_where_there_are_no_texts() -> None:
    (note,) = screening_notes(found(with_others()))
    assert "alpha is 0.612." in plain(note.text)
    assert not list(screening_notes(found(on_texts(0.5))))


def test_alpha_of_raters_with_themselves_has_a_row_per_measure_and_rater() -> None:
    table = repeats_table({"focus": on_texts(0.2, 0.4)}, RATERS, "Own repeats")
    assert column(table, "Rater") == ["Ann", "Bob"]
    assert column(table, "Alpha") == ["0.20 (0.10 to 0.30)", "0.40 (0.30 to 0.50)"]


def test_a_rater_who_drifts_between_repeats_is_named_beside_the_finding() -> None:
    three = np.array(["Ann", "Bob", "Cem"])
    (apart,) = repeats_finding({"focus": on_texts(0.8, 0.3, 0.75)}, three)
    assert plain(apart.headline).startswith("Rater Bob is least consistent")
    assert apart.status is Status.NOT_TESTED
    assert "median rater 0.75" in plain(apart.evidence)
    assert "noise and drift both lower it" in plain(apart.evidence)
    assert check_findings([apart]) is None
    for alike in ((0.8, 0.7, 0.75), (0.8, 0.3), (nan, nan, 0.3)):
        assert not list(repeats_finding({"focus": on_texts(*alike)}, three))


def ranking(*figures: Estimate, known: tuple[float, ...] = ()) -> RaterRanking:
    tests = compared([f"r{at}" for at in range(len(figures))], figures)
    of_known = [Estimate(value, n=9) for value in known] if known else None
    answers = LAB if known else None
    return RaterRanking(rank_raters(tests, [""] * len(figures), of_known), tests, "r", known=answers)


def test_each_reason_is_reported_once_and_raters_with_few_items_are_counted() -> None:
    none, few, enough = Estimate(nan, reason=NO_SET), Estimate(0.5, n=3), Estimate(0.5, n=30)
    other = Estimate(nan, reason="one item")
    told = [plain(note.text) for note in undefined_notes(ranking(none, none, few, enough, enough, other))]
    assert told[:2] == [f"r0 and r1: undefined, {NO_SET}.", "r5: undefined, one item."]
    assert "1 rater of 6" in told[2]
    constant = undefined_notes(ranking(Estimate(nan, reason=CONSTANT), enough, enough))
    assert [plain(note.text) for note in constant] == [f"r0: undefined, {CONSTANT}."]
    assert isinstance(constant[0], Note)


@pytest.mark.parametrize(("turned", "word"), [(1, "more"), (-1, "less")])
def test_agreement_with_the_reference_is_compared_over_raters(turned: int, word: str) -> None:
    values = np.linspace(0.1, 0.9, 30)
    figures = [Estimate(value, n=20) for value in values.tolist()]
    known = tuple((turned * np.roll(values.reshape(15, 2), 1, 1).ravel()).tolist())
    alike = known_finding(ranking(*figures, known=known), LAB)
    assert plain(alike.headline) == f"Raters closer to lab also agree {word} with the others."
    assert alike.status is Status.CLEAR


def test_a_few_raters_leave_agreement_with_the_reference_unclear_or_undefined() -> None:
    three = [Estimate(value, n=20) for value in (0.2, 0.5, 0.8)]
    unclear = known_finding(ranking(*three, known=(0.1, 0.3, 0.2)), LAB)
    assert unclear.status is Status.UNCERTAIN
    assert "ρ = 0.50 · 3 raters" in plain(unclear.evidence)
    few = known_finding(ranking(*three[:2], known=(0.1, 0.3)), LAB)
    assert few.status is Status.NOT_ENOUGH_DATA
