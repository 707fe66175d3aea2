"""What is said of cross comprehension, in whole sentences with their numbers."""

from math import nan

import numpy as np
import pytest

from analysis.comprehension.answer_shares import by_pair, by_story_type, coded_shares
from analysis.comprehension.answers import Answers, coded
from analysis.comprehension.judge_agreement import judge_agreement
from analysis.comprehension.length_and_found import LengthAndFound, length_and_found
from analysis.comprehension.machine_summaries import MachineLevel, machine_levels
from analysis.values.estimate import BootstrapSpec, Estimate
from findings.comprehension import judges, length, machine, matrix, shares, story_types
from findings.words import Sentence

CLOSED = BootstrapSpec(draws=0)
NAMES = ["A", "B", "M"]
ROWS = [
    (story, wrote, asked, answer)
    for story in "stu"
    for wrote, asked, answer in (
        ("A", "B", "R"),
        ("A", "B", "P"),
        ("B", "A", "R"),
        ("B", "A", "N"),
        ("M", "A", "R"),
        ("M", "A", "N"),
        ("A", "A", "R"),
    )
]


def answers(rows: list[tuple[str, str, str, str]] = ROWS, judge: list[str] | None = None) -> Answers:
    return coded(*(list(column) for column in zip(*rows, strict=True)), judge=judge)[0]


def told(sentence: Sentence) -> str:
    template, values = sentence
    return template.replace("<b>", "").replace("</b>", "").format_map(values)


def shared(spec: BootstrapSpec = CLOSED, with_machines: bool = False) -> shares.Shared:
    everyone = answers()
    people = coded_shares(everyone.among_people((2,)), spec)
    return shares.Shared(coded_shares(everyone, spec), people, NAMES, [0, 1, 2], [0, 1], (2,), with_machines)


def test_how_much_is_shared_with_and_without_machines() -> None:
    assert told(shares.finding_of(shared())) == (
        "People's summaries share 75 % of what others found important: relevant or partially relevant (relevant "
        "alone: 50 %); 25 % was not found."
    )
    assert told(shares.finding_of(shared(with_machines=True))).startswith(
        "Summaries share 67 % of what others"
    )
    assert "All stories agree, so that resampling them shows no spread." in map(
        told, shares.remarks(shared(BootstrapSpec(100)))
    )


def test_what_the_shares_rest_on_and_who_is_left_out() -> None:
    (note,) = map(told, shares.notes(shared()))
    assert note == "12 questions put to summaries of 3 stories, 1 judge. Lines stand at the level of all."
    assert list(map(told, shares.remarks(shared()))) == [
        "3 answers to an author's own questions set aside: a summary is never asked its author's own.",
        "Machines are left out of all but their own bars: M.",
    ]


def test_shares_as_tables() -> None:
    overall, _ = shares.overall_table(shared().shown.overall)
    assert overall["Answer"].tolist()[:2] == ["R relevant", "P partially relevant"]
    assert overall["Answers"].tolist() == [6, 3, 0, 3, 9, 9]
    by_author, _ = shares.authors_table(shared())
    assert by_author["Author"].tolist() == ["A", "B", "M", "A", "B"]
    assert by_author["Kind"].tolist() == ["person", "person", "machine", "person", "person"]
    assert by_author["R + P"].tolist() == [1, 0.5, 0.5, 0.5, 1]


def test_types_of_stories_and_what_has_none() -> None:
    rows = [("s", "A", "B", "R"), ("s", "A", "B", "R"), ("t", "A", "B", "R"), ("t", "A", "B", "N")]
    by_type = by_story_type(answers(rows), [0, 1], CLOSED)
    assert told(story_types.finding_of(by_type, ["news", "talk"])) == (
        "Of stories of type news summaries share 100 %, of type talk 50 %: 50 points."
    )
    differences, _ = story_types.differences_table(by_type, ["news", "talk"])
    assert differences["R + P"].tolist() == ["50 points"]
    assert differences["Stories"].tolist() == ["1 and 1"]
    without = by_story_type(answers(rows), [0, -1], CLOSED)
    assert list(map(told, story_types.notes(without, ["news"], 2))) == [
        "2 answers about stories without a type.",
        "The 1 types with most stories.",
    ]


def test_the_pairs_with_the_highest_and_the_lowest_share() -> None:
    pairs = by_pair(answers(), CLOSED)
    assert told(matrix.finding_of(pairs, NAMES, "R+P")) == (
        "R + P is highest where summaries of A meet questions of B: 100 %; lowest where summaries of B meet questions "
        "of A: 50 %."
    )
    table, _ = matrix.pairs_table(pairs, NAMES)
    assert table["Summary of"].tolist() == ["A", "B", "M"]
    assert table["Questions of"].tolist() == ["B", "A", "A"]
    assert table["N"].tolist() == [0, 0.5, 0.5]
    equal = by_pair(answers([("s", "A", "B", "R"), ("s", "B", "A", "R")]), CLOSED)
    assert (
        told(matrix.finding_of(equal, NAMES, "R+P")) == "R + P is 100 % for every pair of authors that met."
    )


def test_answers_of_a_pair_in_words_and_the_columns_that_lack() -> None:
    texts = {
        "story": np.array(["s", "s", "t"]),
        "question": np.array(["1", "2", "1"]),
        "judge": np.array(["", "", ""]),
        "answer": np.array(["R", "N", "P"]),
        "question_text": np.array(["Who?", "Where?", ""]),
        "expected_answer": np.array(["", "", ""]),
        "found_answer": np.array(["", "", ""]),
    }
    assert told(matrix.answers_note(texts, "B")) == "3 answers of B on 2 stories."
    assert list(matrix.answers_table(texts)[0]) == ["Story", "No.", "Question", "Answer"]
    (lacking,) = matrix.columns_lacking(texts)
    assert told(lacking) == "Columns of the file that would show more here: expected_answer, found_answer."


def test_both_summaries_of_a_story_stand_side_by_side() -> None:
    table = matrix.summaries_table(
        np.array(["s", "s", "t"]),
        np.array(["A", "B", "A"]),
        np.array(["rain", "sun", ""]),
        np.array([4.0, 3.0, nan]),
        ("A", "B"),
    )
    assert list(map(told, matrix.side_by_side(table, "s", "A", "B"))) == [
        "A, who wrote the summary that was asked: rain",
        "B, who asked: sun",
    ]
    assert matrix.summaries_by(table, "A")[0]["Summary"].tolist() == ["rain"]


def lengths(over_authors: Estimate, within: Estimate) -> LengthAndFound:
    closed = length_and_found(
        answers(),
        answers().among_people((2,)),
        np.array([0, 0, 0]),
        np.array([0, 1, 2]),
        np.array([10.0, 8.0, 5.0]),
        np.array([60.0, 50.0, 20.0]),
        3,
        (2,),
        CLOSED,
    )
    assert closed.people == [0, 1]
    return LengthAndFound(closed.levels, closed.table, over_authors, within, closed.people)


@pytest.mark.parametrize(
    ("over_authors", "within", "said"),
    [
        (
            Estimate(0.965, 0.05, 0.999, 4),
            Estimate(0.3, 0.1, 0.5, 150),
            "Authors with longer summaries answer more: r = 0.96 (0.05 to 1.00) over 4 authors, which are few: any "
            "correlation from 0.05 to 1.00 would fit. Of summaries of the same story the longer ones answer more: "
            "r = 0.30 (0.10 to 0.50) over 150.",
        ),
        (
            Estimate(0.1, -0.5, 0.6, 12),
            Estimate(nan, reason="no story has two summaries"),
            "Whether authors with longer summaries answer more remains open: r = 0.10 (−0.50 to 0.60) over 12 authors. "
            "Within stories it is undefined: no story has two summaries.",
        ),
        (
            Estimate(nan, reason="there are 2"),
            Estimate(-0.2, n=9),
            "No correlation of length with what is found over authors: there are 2. Of summaries of the same story "
            "length and what is found go together like this: r = −0.20 over 9.",
        ),
    ],
)
def test_what_length_has_to_do_with_it(over_authors: Estimate, within: Estimate, said: str) -> None:
    assert told(length.finding_of(lengths(over_authors, within))) == said


def test_the_table_of_lengths_has_the_authors_of_summaries() -> None:
    table, _ = length.authors_table(lengths(Estimate(0.5), Estimate(0.5)), NAMES)
    assert table["Author"].tolist() == NAMES
    assert table["Characters"].tolist() == [60, 50, 20]
    assert table["Found"].tolist() == [1, 0.5, 0.5]
    assert list(map(told, length.remarks((2,), 1, 4))) == [
        "1 of 4 summaries have no known length and count in no length.",
        "Machines are hollow diamonds and stay out of both correlations.",
    ]


def test_how_far_judges_agree_and_what_they_move() -> None:
    rows = [("s", "A", "B", each) for each in "RRNNRNNN"]
    agreement = judge_agreement(answers(rows, ["x"] * 4 + ["y"] * 4), CLOSED)
    alpha = f"{agreement.alpha['binary'].value:.2f}"
    assert told(judges.finding_of(agreement, ["x", "y"])) == (
        f"On whether an answer is at least partially relevant, the 2 judges agree at alpha = {alpha} over 4 questions; "
        "alone y would say that summaries share 25 %, x 50 %: the judge moves the level by 25 points."
    )
    table, _ = judges.pairs_table(agreement, ["x", "y"])
    assert table["Equal answers"].tolist() == [0.75]
    assert judges.judges_table(agreement, ["x", "y"])[0]["R + P"].tolist() == [0.5, 0.25]


def test_one_judge_gets_the_next_step() -> None:
    assert told(judges.one_judge(["Ann"])) == (
        "One judge, Ann, judged all answers: how far the figures depend on the judge cannot be told. Let a second "
        "judge judge the same questions, or some of them, and upload both with a column judge_id."
    )


def test_machines_beside_people() -> None:
    rows = [("s", wrote, "B", each) for wrote, given in (("A", "RRRN"), ("M", "RRNN")) for each in given]
    levels = machine_levels(answers(rows), (2,), CLOSED)
    assert told(machine.finding_of(levels, NAMES)) == (
        "M reaches 67 % of the human level: its summaries answer 50 % of the same 4 questions at least partially "
        "relevantly, people's 75 %."
    )
    table, _ = machine.machines_table(levels, NAMES)
    assert table["Machine: R + P"].tolist() == [0.5]
    assert table["Difference of R + P"].tolist() == ["−25 points"]


def test_of_several_machines_the_best_and_the_least_are_named() -> None:
    def level(ratio: Estimate, low: float, high: float) -> MachineLevel:
        share = {name: Estimate(0.5) for name in ("R", "P", "I", "N", "R+P", "found")}
        return MachineLevel(share, share, ratio, Estimate(0.1, low, high), 2, 3, 1)

    levels = {
        0: level(Estimate(0.9, 0.8, 1.1, 20), -0.1, 0.2),
        1: level(Estimate(0.4, 0.2, 0.5, 20), 0.1, 0.2),
        2: level(Estimate(nan, reason="no pair"), 0.1, 0.2),
    }
    said = told(machine.finding_of(levels, NAMES))
    assert said.startswith("A reaches 90 % (80 to 110 %) of the human level")
    assert said.endswith("; the difference may be chance; B reaches 40 % (20 to 50 %).")
    assert list(map(told, machine.remarks(levels, NAMES)))[-1] == (
        "Undefined for M: no question with a person's answer beside the machine's."
    )
