"""Mechanical Turk's other ways to write answers: JSON in one cell, and true or false for every option."""

import csv
import io
import json
import random
from collections.abc import Mapping, Sequence

import pytest

from tests.data.formats.conftest import Save

ENVELOPE = [
    "HITId",
    "HITTypeId",
    "AssignmentId",
    "WorkerId",
    "AssignmentStatus",
    "WorkTimeInSeconds",
    "Input.image",
]
_dice = random.Random(8)
VOTES = [(f"img{n}.png", f"A{w}XXXXXXXXXXX", _dice.randint(1, 5)) for n in range(8) for w in range(4)]


def _batch(names: Sequence[str], answers: Sequence[Mapping[str, object]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, [*ENVELOPE, *names])
    writer.writeheader()
    for at, ((item, worker, _), told) in enumerate(zip(VOTES, answers, strict=True)):
        row = dict(zip(ENVELOPE, [f"H{item}", "T", f"B{at}", worker, "Approved", 20 + at, item], strict=True))
        writer.writerow(row | told)
    return text.getvalue()


def _expected(words: Sequence[str] = ()) -> list[tuple[str, str, object]]:
    return [(item, worker, words[score - 1] if words else float(score)) for item, worker, score in VOTES]


@pytest.mark.parametrize(
    "told",
    [
        lambda score: [{"quality": score}],
        lambda score: [{"quality": str(score)}],
        lambda score: [{"quality": {str(n): n == score for n in range(1, 6)}}],
        lambda score: [{"quality": {"label": str(score)}}],
    ],
    ids=["number", "text", "options", "label"],
)
def test_answers_in_a_cell_of_json(save: Save, told) -> None:
    answers = [{"Answer.taskAnswers": json.dumps(told(score))} for *_, score in VOTES]
    saved = save(_batch(["Answer.taskAnswers"], answers))
    assert (saved.found.format, saved.found.kind) == ("MTurk batch", "ratings")
    assert [(row["item_id"], row["rater_id"], row["score"]) for row in saved.rows] == _expected()


@pytest.mark.parametrize("name", ["Answer.{}", "Answer.quality.{}", "Answer.{}.true", "Answer.quality.{}.on"])
@pytest.mark.parametrize(("yes", "no"), [("true", "false"), ("TRUE", "")])
def test_a_column_for_every_option(save: Save, name: str, yes: str, no: str) -> None:
    columns = [name.format(n) for n in range(1, 6)]
    answers = [
        {column: yes if at == score else no for at, column in enumerate(columns, start=1)}
        for *_, score in VOTES
    ]
    saved = save(_batch(columns, answers))
    assert [(row["item_id"], row["rater_id"], row["score"]) for row in saved.rows] == _expected()


def test_words_for_options(save: Save) -> None:
    words = ["cat", "dog", "bird", "fish", "none"]
    answers = [
        {f"Answer.{word}.true": str(words[score - 1] == word).lower() for word in words}
        for *_, score in VOTES
    ]
    saved = save(_batch([f"Answer.{word}.true" for word in words], answers))
    assert saved.found.kind == "choices"
    assert [(row["item_id"], row["rater_id"], row["choice"]) for row in saved.rows] == _expected(words)


def test_broken_and_hostile_json_is_set_aside_and_counted(save: Save) -> None:
    answers = [{"Answer.taskAnswers": json.dumps([{"quality": score}])} for *_, score in VOTES]
    for at, broken in enumerate(
        ['[{"quality": ', "[" * 5000, "null", '[{"quality": {"1": true, "2": true}}]']
    ):
        answers[at] = {"Answer.taskAnswers": broken}
    saved = save(_batch(["Answer.taskAnswers"], answers))
    assert (saved.report.kept, saved.report.set_aside) == (len(VOTES) - 4, 4)
    assert {reason for _, reason, _ in saved.report.reasons} == {"the assignment holds no rating"}


def test_rankings_of_rejected_assignments_are_named_and_can_be_set_aside(save: Save) -> None:
    columns = ["Answer.rank_cello", "Answer.rank_flute", "Answer.rank_harp"]
    answers = []
    for _ in VOTES:
        ranks = _dice.sample([1, 2, 3], 3)
        answers.append({"AssignmentStatus": "Approved", **dict(zip(columns, ranks, strict=True))})
    answers[0]["AssignmentStatus"] = answers[5]["AssignmentStatus"] = "Rejected"
    saved = save(_batch(columns, answers))
    assert (saved.found.kind, len(saved.rows)) == ("rankings", 3 * len(VOTES))
    assert any("6 ranks" in warning and "rejected" in warning for warning in map(str, saved.report.warnings))
    saved = save(_batch(columns, answers), rejected="set aside")
    assert len(saved.rows) == 3 * len(VOTES) - 6


def test_a_rank_that_stands_twice_counts_once(save: Save) -> None:
    columns = [*(f"Input.image_{n}" for n in (1, 2, 3)), *(f"Answer.rank_{n}" for n in (1, 2, 3))]
    answers = []
    for at, _ in enumerate(VOTES):
        images = [f"{model}_{at}.png" for model in ("dalle", "imagen", "sdxl")]
        answers.append(dict(zip(columns, [*images, *_dice.sample([1, 2, 3], 3)], strict=True)))
    once = _batch(columns, answers)
    lines = [f"{line},{line.rpartition(',')[2]}" for line in once.splitlines()]
    saved = save("\n".join(lines))
    assert (saved.found.kind, len(saved.rows)) == ("rankings", 3 * len(VOTES))
    assert saved.rows == save(once).rows
