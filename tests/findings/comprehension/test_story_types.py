"""Types of stories, in whole sentences with their numbers."""

from analysis.comprehension.answer_shares import by_story_type
from findings.comprehension import story_types
from tests.findings.comprehension.asked import CLOSED, answers, told


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
