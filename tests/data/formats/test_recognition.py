"""Every format by its real sample: recognised, converted as by hand, and saved without a word from the user."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from data.errors import BadMapping
from data.formats.readers import recognise, sniff
from data.store.store import Store
from tests.data.formats.conftest import Save
from tests.reference.platforms import BY_HAND, TABLES, Vote

REAL = {
    "formats/mturk_p808_batch_60.csv": ("MTurk batch", "ratings"),
    "formats/toloka_assignments.tsv": ("Toloka TSV", "ratings"),
    "formats/mqm_marot_300.tsv": ("MQM TSV", "ratings"),
    "formats/qualtrics_wide_three_header_rows.csv": ("Qualtrics", "ratings"),
    "formats/labelstudio_export_ratings.json": ("Label Studio JSON", "ratings"),
    "formats/prodigy_choice.jsonl": ("Prodigy", "choices"),
    "formats/crowdkit_task_worker_label.csv": ("crowd-kit", "choices"),
    "formats/crowdkit_ground_truth.csv": ("gold answers", "items of choices"),
    "formats/wide_items_by_raters.csv": ("ids of several parts", "ratings"),
    "formats/item_by_subject_matrix_no_header.csv": ("item x rater matrix", "ratings"),
    "speech_mos_lab_vs_crowd.csv": ("long table", "ratings"),
    "pandalm_pairwise_3way.csv": ("long table", "choices"),
}
EXPORTS = [name for name, (format, _) in REAL.items() if format in BY_HAND]


@pytest.mark.parametrize("name", REAL)
def test_real_files_are_recognised(shared_data: Path, name: str) -> None:
    found = recognise(shared_data / name)
    assert (found.format, found.kind) == REAL[name]


@pytest.mark.parametrize("name", EXPORTS)
def test_real_exports_are_converted_as_by_hand(save: Save, shared_data: Path, name: str) -> None:
    path = shared_data / name
    by_hand = BY_HAND[REAL[name][0]](path)
    saved = save(path)
    score = "score" if saved.found.kind == "ratings" else "choice"
    stored = [
        (row["item_id"], row["rater_id"], str(row[score]), row.get("measure") or "", row.get("check") or "")
        for row in saved.rows
    ]
    assert Counter(stored) == Counter(
        (vote.item, vote.rater, _number(vote.score), vote.measure, vote.check) for vote in by_hand
    )
    assert saved.report.kept == sum(not vote.check for vote in by_hand)
    for row, vote in zip(saved.rows, by_hand, strict=True):
        if vote.seconds == vote.seconds:
            assert row["seconds"] == pytest.approx(vote.seconds, rel=1e-5)


@pytest.mark.parametrize("name", TABLES)
def test_items_raters_ratings_per_item_and_means_are_those_counted_by_hand(
    save: Save, shared_data: Path, name: str
) -> None:
    path = shared_data / "formats" / name
    votes = TABLES[name](path)
    saved = save(path)
    answer = "score" if saved.found.kind == "ratings" else "choice"
    assert len({row["rater_id"] for row in saved.kept}) == len({vote.rater for vote in votes})
    told, expected = (
        _by_item((row["item_id"], row[answer]) for row in saved.kept),
        _by_item((vote.item, vote.score) for vote in votes),
    )
    assert {item: len(answers) for item, answers in told.items()} == {
        item: len(answers) for item, answers in expected.items()
    }
    for item, answers in expected.items():
        assert _mean(told[item]) == pytest.approx(_mean(answers), rel=1e-12)


def _by_item(votes: Iterable[tuple[str, object]]) -> dict[str, list[str]]:
    answers: dict[str, list[str]] = {}
    for item, answer in votes:
        answers.setdefault(item, []).append(str(answer))
    return answers


def _mean(answers: list[str]) -> float:
    return sum(map(float, answers)) / len(answers)


def test_every_real_file_is_converted_by_hand(shared_data: Path) -> None:
    files = {f"formats/{path.name}" for path in (shared_data / "formats").iterdir()}
    tables = {f"formats/{name}" for name in TABLES}
    assert files == {*EXPORTS, *tables, "formats/crowdkit_ground_truth.csv"}


def _number(score: str) -> str:
    try:
        return str(float(score))
    except ValueError:
        return score


def test_the_speech_batch_has_45_clips_2_traps_and_2_gold_questions(save: Save, shared_data: Path) -> None:
    saved = save(shared_data / "formats" / "mturk_p808_batch_60.csv")
    assert len({row["item_id"] for row in saved.kept}) == 45
    checks = {(row["item_id"], row["check"], row["expected"]) for row in saved.rows if row["check"]}
    assert sorted((check, expected) for _, check, expected in checks) == [
        ("gold", "5.0"),
        ("gold", "5.0"),
        ("trap", "1.0"),
        ("trap", "5.0"),
    ]
    assert len({row["rater_id"] for row in saved.rows}) == 31
    genders = {(row["rater_id"], row["rater_gender"]) for row in saved.rows}
    assert len(genders) == 31
    assert Counter(gender for _, gender in genders) == {None: 16, "F": 9, "M": 6}


def test_a_file_is_saved_without_kind_and_mapping(store: Store, shared_data: Path) -> None:
    saved = store.add(shared_data / "formats" / "mturk_p808_batch_60.csv", name="speech")
    assert (saved.kind, saved.name, saved.rows_kept, saved.rows_set_aside) == ("ratings", "speech", 900, 120)
    assert saved.mapping["@format"] == "MTurk batch"


def test_a_format_can_be_overruled(shared_data: Path) -> None:
    path = shared_data / "formats" / "toloka_assignments.tsv"
    assert sniff(path).names[0] == "item"
    assert sniff(path, format="").names[0] == "INPUT:item_id"
    assert sniff(path, header=True).names[0] == "INPUT:item_id"
    with pytest.raises(BadMapping, match="@format must be one of"):
        sniff(path, format="Tolokia")


def test_hand_conversions_see_the_whole_file(shared_data: Path) -> None:
    votes = BY_HAND["MTurk batch"](shared_data / "formats" / "mturk_p808_batch_60.csv")
    assert isinstance(votes[0], Vote)
    assert (len(votes), len({vote.item for vote in votes})) == (60 * 17, 49)


PROLIFIC = "Submission id,Participant id,Status,Started at,Time taken,Total approvals,Age,Sex\n" + "".join(
    f"s{n},{n:024x},{'RETURNED' if n == 3 else 'APPROVED'},2024-01-01T10:00:00Z,{300 + n},{3 * n},{20 + n},"
    f"{'Female' if n % 2 else 'Male'}\n"
    for n in range(20)
)
WORKERS = "worker,age,years_of_experience,country\n" + "".join(
    f"w{n},{20 + n},{n % 4},DE\n" for n in range(9)
)


@pytest.mark.parametrize(
    ("content", "number", "about"),
    [
        (None, 807, "gold answers of 807 items"),
        ("item,gold\n" + "".join(f"i{n},{'cat' if n % 2 else 'dog'}\n" for n in range(9)), 9, "9 items"),
        (PROLIFIC, 20, "20 raters and what is known about them"),
        (WORKERS, 9, "9 raters and what is known about them"),
    ],
)
def test_what_has_no_rating_is_sent_to_the_study_that_it_tells_about(
    save: Save, store: Store, shared_data: Path, tmp_path: Path, content: str | None, number: int, about: str
) -> None:
    path = shared_data / "formats" / "crowdkit_ground_truth.csv"
    if content is not None:
        path = tmp_path / "told"
        path.write_text(content)
    (note,) = recognise(path).notes
    assert about in note
    assert "then add this one to it" in note
    with pytest.raises(BadMapping, match=about):
        store.add(path)
    saved = save(path)
    assert len(saved.rows) == number
    assert not {"score", "choice"} & set(saved.rows[0])


def test_a_row_per_rater_with_ratings_of_several_items_is_a_study(save: Save) -> None:
    rows = [f"w{n},{20 + n},{1 + n % 5},{1 + n * 2 % 5},{1 + n * 3 % 5}\n" for n in range(9)]
    saved = save("worker,age,clip 1,clip 2,clip 3\n" + "".join(rows))
    assert len(saved.rows) == 27
    assert {row["item_id"] for row in saved.rows} == {"clip 1", "clip 2", "clip 3"}
    assert [row["rater_age"] for row in saved.rows[:3]] == ["20"] * 3
