"""Findings of Comprehension: status, the numbers of the verdicts and the tables."""

from dataclasses import replace
from math import nan

import numpy as np
import pytest

from analysis.comprehension.answer_shares import shares_by_code, shares_by_pair, shares_by_story_type
from analysis.comprehension.author_differences import MachineLevel, machine_levels
from analysis.comprehension.judge_agreement import judge_agreement
from analysis.comprehension.summary_length import Summaries, length_and_shares
from analysis.values.estimate import BootstrapSpec, Estimate
from features.blocks import Note, Status, Table
from features.comprehension import findings
from features.comprehension.results import AuthorPairs, AuthorsSpec, Judges, Lengths, Machines, Shared
from tests.features.comprehension.asked import CLOSED, NAMES, answers, evidence, said
from tests.features.studies import verdict
from tests.golden.content import numbers_in


def shared(spec: BootstrapSpec = CLOSED, with_machines: bool = False) -> Shared:
    everyone = answers()
    people = shares_by_code(everyone.without_machines((2,)), spec)
    return Shared(shares_by_code(everyone, spec), people, NAMES, [0, 1, 2], [0, 1], (2,), with_machines)


def pairs(with_machines: bool = False, points: float = nan) -> AuthorPairs:
    """All pairs of authors, with intervals of this many points either way."""
    found = shares_by_pair(answers(), CLOSED)
    value = found.levels.value
    levels = replace(found.levels, low=value - points, high=value + points)
    return AuthorPairs(replace(found, levels=levels), NAMES, (2,), with_machines, "R+P")


def test_people_share_more_than_all_with_machines() -> None:
    people = findings.shares_finding(shared())
    assert verdict(people) == (Status.UNCERTAIN, "75%")  # without intervals
    assert "People" in said(people)
    assert {"relevant 50%", "not found 25%", "12 questions", "3 stories"} <= set(evidence(people))
    everyone = findings.shares_finding(shared(with_machines=True))
    assert verdict(everyone)[1:] == ("67%",)
    assert "People" not in said(everyone)


def test_what_is_set_aside_and_who_is_left_out() -> None:
    told = [one.text[1] for one in findings.shares_warnings(shared())]
    assert told == [{"answers": "3 answers"}, {"machines": "M"}]
    alike = [one.text[1] for one in findings.shares_warnings(shared(BootstrapSpec(100)))]
    assert any("stories agree" in str(one.get("why")) for one in alike)


def test_shares_as_tables() -> None:
    overall = findings.overall_table(shared()).frame
    assert overall["Answer"].tolist()[:2] == ["R relevant", "P partially relevant"]
    assert overall["Answers"].tolist() == [6, 3, 0, 3, 9, 9]
    by_author = findings.authors_table(shared()).frame
    assert by_author["Author"].tolist() == ["A", "B", "M", "A", "B"]
    assert by_author["Kind"].tolist() == ["person", "person", "machine", "person", "person"]
    assert by_author["R + P"].tolist() == [1, 0.5, 0.5, 0.5, 1]


def test_types_of_stories_and_what_has_none() -> None:
    rows = [("s", "A", "B", "R"), ("s", "A", "B", "R"), ("t", "A", "B", "R"), ("t", "A", "B", "N")]
    of = replace(
        shared(), types=shares_by_story_type(answers(rows), [0, 1], CLOSED), type_names=["news", "talk"]
    )
    assert evidence(findings.types_finding(of))[:3] == ["50 points", "news 100%", "talk 50%"]
    assert findings.types_finding(of).status is Status.UNCERTAIN
    assert findings.types_table(of.types, of.type_names).frame["R + P"].tolist() == [1, 0.5]
    untyped = replace(
        of, types=shares_by_story_type(answers(rows), [0, -1], CLOSED), type_names=["news"], types_present=2
    )
    assert [note.text[1] for note in findings.types_notes(untyped)] == [
        {"answers": "2 answers"},
        {"most": 1},
    ]


def test_the_verdict_on_pairs_is_on_people_unless_machines_count() -> None:
    highest = findings.authors_finding(pairs())
    assert verdict(highest)[1:] == ("100%",)
    assert {"A", "B"} <= {*highest.headline[1].values()}
    assert set(pairs().estimates) == {("A", "B"), ("B", "A")}
    assert ("M", "A") in pairs(with_machines=True).estimates
    table = findings.author_pairs_table(pairs()).frame
    assert table["Summary of"].tolist() == ["A", "B", "M"]
    assert table["Machine"].tolist() == ["no", "no", "yes"]
    assert table["N"].tolist() == [0, 0.5, 0.5]


@pytest.mark.parametrize(("points", "status"), [(0.2, Status.CLEAR), (0.3, Status.UNCERTAIN)])
def test_pairs_differ_clearly_where_intervals_do_not_overlap(points: float, status: Status) -> None:
    """100% and 50%: with 30 points either way the intervals meet, with 20 they do not."""
    assert findings.authors_finding(pairs(points=points)).status is status


def test_equal_pairs_and_none() -> None:
    equal = shares_by_pair(answers([("s", "A", "B", "R"), ("s", "B", "A", "R")]), CLOSED)
    found = findings.authors_finding(AuthorPairs(equal, NAMES, (), False, "R+P"))
    assert verdict(found)[1:] == ("100%",)
    alone = shares_by_pair(answers([("s", "A", "A", "R")]), CLOSED)
    nobody = findings.authors_finding(AuthorPairs(alone, NAMES, (), False, "R+P"))
    assert nobody.status is Status.NOT_ENOUGH_DATA


def test_a_pair_has_its_answers_and_both_summaries_of_a_story() -> None:
    texts = {
        "story": np.array(["s", "s", "t"]),
        "question": np.array(["1", "2", "1"]),
        "judge": np.array(["", "", ""]),
        "answer": np.array(["R", "N", "P"]),
        "question_text": np.array(["Who?", "Where?", ""]),
        "expected_answer": np.array(["", "", ""]),
        "found_answer": np.array(["", "", ""]),
    }
    there = {
        "story": np.array([0, 0, 1]),
        "author": np.array([0, 1, 0]),
        "text": np.array(["rain", "sun", ""]),
        "characters": np.array([4.0, 3.0, nan]),
    }
    spec = AuthorsSpec(writer="A", asker="B", story="s")
    blocks = list(findings.pair_blocks(spec, texts, there, ["s", "t"], NAMES))
    (table,) = [block for block in blocks if isinstance(block, Table)]
    assert list(table.frame) == ["Story", "No.", "Question", "Answer"]
    notes = [block.text[1] for block in blocks if isinstance(block, Note)]
    assert [note.get("text") for note in notes][-2:] == ["rain", "sun"]
    assert (notes[0]["answers"], notes[0]["stories"]) == ("3 answers", "2 stories")
    assert notes[1] == {"columns": "expected_answer and found_answer"}
    whole = list(findings.pair_blocks(replace(spec, story=""), texts, there, ["s", "t"], NAMES))
    assert whole[-1].frame["Summary"].tolist() == ["rain"]
    none = there | {"text": np.array(["", "", ""])}
    (_, _, lacking) = findings.pair_blocks(spec, texts, none, ["s", "t"], NAMES)
    assert lacking.text[1] == {"columns": "expected_answer, found_answer and summary_text"}


def of_lengths(across: Estimate, within: Estimate) -> Lengths:
    columns = [0, 0, 0], [0, 1, 2], [10.0, 8.0, 5.0], [60.0, 50.0, 20.0]
    given = length_and_shares(answers(), Summaries(*map(np.array, columns), 3), (2,), CLOSED)
    assert given.people == [0, 1]
    return Lengths(replace(given, over_authors=across, within=within), NAMES, (2,), 1, 4)


@pytest.mark.parametrize(
    ("across", "within", "words", "status"),
    [
        (
            Estimate(0.965, 0.05, 0.999, 4),
            Estimate(0.65, 0.5, 0.8, 204),
            ["longer", "r = 0.65"],
            Status.CLEAR,
        ),
        (
            Estimate(0.1, -0.5, 0.6, 12),
            Estimate(-0.3, -0.5, -0.1, 150),
            ["shorter", "r = −0.30"],
            Status.CLEAR,
        ),
        (
            Estimate(0.1, -0.5, 0.6, 12),
            Estimate(0.2, -0.1, 0.5, 9),
            ["longer", "not clearly"],
            Status.UNCERTAIN,
        ),
        (
            Estimate(0.965, 0.05, 0.999, 4),
            Estimate(nan, reason="one story"),
            ["Authors", "longer", "r = 0.96"],
            Status.UNCERTAIN,
        ),
        (
            Estimate(nan, reason="there are 2"),
            Estimate(nan, reason="one story"),
            [],
            Status.NOT_ENOUGH_DATA,
        ),
    ],
)
def test_length_matters_where_the_interval_within_stories_excludes_0(
    across: Estimate, within: Estimate, words: list[str], status: Status
) -> None:
    found = findings.length_finding(of_lengths(across, within))
    assert found.status is status
    assert [word for word in words if word not in said(found)] == []


def test_few_authors_are_called_too_few() -> None:
    found = findings.length_finding(
        of_lengths(Estimate(0.965, 0.05, 0.999, 4), Estimate(0.65, 0.5, 0.8, 204))
    )
    assert numbers_in(evidence(found)[-1]) == [4, 0.96, 0.05, 1]
    assert "too few" in evidence(found)[-1]


def test_the_table_of_lengths_has_the_authors_of_summaries() -> None:
    of = of_lengths(Estimate(0.5), Estimate(0.5))
    table = findings.length_table(of).frame
    assert table["Author"].tolist() == NAMES
    assert table["Characters"].tolist() == [60, 50, 20]
    assert table["Found"].tolist() == [1, 0.5, 0.5]
    assert next(findings.length_notes(of)).text[1] == {
        "unknown": "1",
        "summaries": "4 summaries",
    }


def of_judges(answered: str = "RRNNRNNN") -> Judges:
    rows = [("s", "A", "B", each) for each in answered]
    agreement = judge_agreement(answers(rows, ["x"] * 4 + ["y"] * 4), CLOSED)
    return Judges(agreement, ["x", "y"], [0, 1], False)


def test_judges_agree_clearly_where_the_interval_excludes_0() -> None:
    found = of_judges()
    alpha = found.agreement.alpha["binary"]
    assert findings.judges_finding(found).status is Status.UNCERTAIN
    drawn = replace(alpha, low=alpha.value - 0.1, high=alpha.value + 0.1)
    clear = replace(found.agreement, alpha={**found.agreement.alpha, "binary": drawn})
    verdict = findings.judges_finding(replace(found, agreement=clear))
    assert verdict.status is Status.CLEAR
    assert verdict.headline[1]["alpha"] == f"{alpha.value:.2f}"
    assert "R + P 25% by y, 50% by x" in evidence(verdict)
    assert findings.judge_pairs_table(found).frame["Equal answers"].tolist() == [0.75]
    assert findings.judges_table(found).frame["R + P"].tolist() == [0.5, 0.25]


def test_excluded_judges_are_in_no_table() -> None:
    found = replace(of_judges(), present=[0])
    assert findings.judges_table(found).frame["Judge"].tolist() == ["x"]


def test_one_judge_is_not_enough() -> None:
    assert findings.too_few_judges(["Ann"]).headline[1] == {"n": 1}
    assert findings.too_few_judges([]).next_step is not None
    assert findings.too_few_judges([]).status is Status.NOT_ENOUGH_DATA


def level(ratio: Estimate, low: float, high: float) -> MachineLevel:
    share = {name: Estimate(0.5) for name in ("R", "P", "I", "N", "R+P", "found")}
    return MachineLevel(share, share, ratio, Estimate(0.1, low, high), 2, 3, 1)


def test_a_machine_is_compared_with_people_on_the_same_questions() -> None:
    rows = [("s", wrote, "B", each) for wrote, given in (("A", "RRRN"), ("M", "RRNN")) for each in given]
    found = Machines(machine_levels(answers(rows), (2,), CLOSED), NAMES)
    assert "with 67%" in said(findings.machines_finding(found)).replace("<b>", "")
    assert "R + P 50%, people 75%" in evidence(findings.machines_finding(found))
    table = findings.machines_table(found).frame
    assert table["Machine: R + P"].tolist() == [0.5]
    assert table["Difference of R + P"].tolist() == [-0.25]


def test_of_several_machines_the_best_and_the_lowest_are_named() -> None:
    found = Machines(
        {
            0: level(Estimate(0.9, 0.8, 1.1, 20), -0.1, 0.2),
            1: level(Estimate(0.4, 0.2, 0.5, 20), 0.1, 0.2),
            2: level(Estimate(nan, reason="no pair"), 0.1, 0.2),
        },
        NAMES,
    )
    verdict = findings.machines_finding(found)
    assert (verdict.headline[1]["name"], verdict.headline[1]["ratio"]) == ("A", "90%")
    assert evidence(verdict)[-1] == "lowest: B 40% (20–50%)"
    assert findings.machines_table(found).frame["Why"].tolist() == ["", "", "no pair"]


@pytest.mark.parametrize(
    ("ratio", "low", "high", "status"),
    [
        (Estimate(0.9, 0.8, 1.1, 20), 0.05, 0.2, Status.CLEAR),
        (Estimate(0.9, 0.8, 1.1, 20), -0.1, 0.2, Status.UNCERTAIN),
        (Estimate(0.9, n=20), nan, nan, Status.UNCERTAIN),
        (Estimate(nan, reason="no pair"), 0.1, 0.2, Status.NOT_ENOUGH_DATA),
    ],
)
def test_a_machine_differs_clearly_where_the_interval_excludes_0(
    ratio: Estimate, low: float, high: float, status: Status
) -> None:
    assert findings.machines_finding(Machines({0: level(ratio, low, high)}, NAMES)).status is status
