"""How far judges agree, in whole sentences with their numbers."""

from analysis.comprehension.judge_agreement import judge_agreement
from findings.comprehension import judges
from tests.findings.comprehension.asked import CLOSED, answers, told


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
