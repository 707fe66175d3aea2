"""Headers in other languages, and headers that say nothing: what stands below them is found all the same."""

import csv
import io
import random
from collections.abc import Mapping
from pathlib import Path

import pytest

from data.formats.readers import sniff
from data.kinds.names import FOREIGN, plain_name
from data.mapping.proposal import Proposal, propose

LANGUAGES: Mapping[str, Mapping[str, str]] = {
    "de": {"item_id": "Objekt", "rater_id": "Prüfer", "score": "Bewertung", "rater_group": "Gruppe", "system": "Modell",
           "topic": "Thema", "seconds": "Sekunden", "condition": "Bedingung"},
    "fr": {"item_id": "Élément", "rater_id": "Évaluateur", "score": "Note", "rater_group": "Groupe",
           "system": "Système", "topic": "Thème", "seconds": "Durée", "condition": "Condition"},
    "es": {"item_id": "Elemento", "rater_id": "Evaluador", "score": "Puntuación", "rater_group": "Grupo",
           "system": "Sistema", "topic": "Tema", "seconds": "Duración", "condition": "Condición"},
    "zh": {"item_id": "样本编号", "rater_id": "评分者", "score": "评分", "rater_group": "组别", "system": "系统",
           "topic": "主题", "seconds": "用时", "condition": "实验条件"},
    "ja": {"item_id": "項目", "rater_id": "評価者", "score": "評価", "rater_group": "グループ", "system": "システム",
           "topic": "トピック", "seconds": "所要時間", "condition": "条件"},
}  # fmt: skip
"""As questionnaires in these languages have them."""


@pytest.fixture
def proposed(tmp_path: Path):
    def look(rows: list[list[object]], header: list[str] | None) -> Proposal:
        text = io.StringIO()
        csv.writer(text).writerows([*([header] if header else []), *rows])
        path = tmp_path / "table"
        path.write_text(text.getvalue(), encoding="utf-8")
        return propose(sniff(path))

    return look


def _ratings(items: list[str], raters: list[str], values: list[str]) -> list[list[object]]:
    dice = random.Random(5)
    return [[item, rater, dice.choice(values)] for item in items for rater in raters]


CLIPS = [f"f1_s{n}_c01" for n in range(20)]
WORKERS = [f"w_{n:03}" for n in range(12)]
POINTS = list("12345")


@pytest.mark.parametrize("language", LANGUAGES)
def test_headers_in_other_languages(proposed, language: str) -> None:
    called = LANGUAGES[language]
    dice = random.Random(2)
    rows = [
        [
            c,
            w,
            dice.randint(1, 5),
            "lab" if at < 6 else "crowd",
            f"sys{n % 4}",
            f"t{n % 5}",
            dice.randint(5, 90),
            n % 2,
        ]
        for n, c in enumerate(CLIPS)
        for at, w in enumerate(WORKERS)
    ]
    mapping = proposed(rows, list(called.values())).mapping
    assert {name: mapping.get(name) for name in called} == dict(called)


@pytest.mark.parametrize(
    ("item", "rater", "label", "gold"),
    [
        ("Aufgabe", "Nutzer", "Etikett", "Goldstandard"),
        ("tâche", "annotateur", "étiquette", "vérité"),
        ("tarea", "anotador", "etiqueta", "respuesta_correcta"),
        ("任务", "标注者", "标签", "真实标签"),
        ("タスク", "ワーカー", "ラベル", "正解"),
    ],
)
def test_labels_in_other_languages(proposed, item: str, rater: str, label: str, gold: str) -> None:
    rows = [
        [*row, "ABC"[int(str(row[0])[4:].split("_")[0]) % 3]] for row in _ratings(CLIPS, WORKERS, list("ABC"))
    ]
    found = proposed(rows, [item, rater, label, gold])
    assert found.kind == "choices"
    wanted = {"item_id": item, "rater_id": rater, "choice": label, "gold": gold}
    assert {name: found.mapping.get(name) for name in wanted} == wanted


def test_foreign_names_are_written_as_names_are_compared() -> None:
    for names in FOREIGN.values():
        assert [plain_name(name) for name in names] == names


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
@pytest.mark.parametrize("headed", [True, False])
@pytest.mark.parametrize(
    ("items", "raters"),
    [
        (CLIPS, WORKERS),
        ([f"img_{n}" for n in range(9)], [f"A{n}B{n}C{n}D{n}E{n}F{n}Z" for n in range(1, 10)]),
        ([f"{n}.wav" for n in range(9)], [f"subj_{n}" for n in range(30)]),
        ([str(n) for n in range(100, 140)], [f"annotator{n}" for n in range(8)]),
    ],
    ids=["few workers", "Mechanical Turk", "more subjects than items", "numbered items"],
)
def test_headers_that_say_nothing(proposed, items, raters, headed: bool, order) -> None:
    rows = [[row[at] for at in order] for row in _ratings(items, raters, POINTS)]
    names = ["col1", "col2", "col3"] if headed else ["column 1", "column 2", "column 3"]
    found = proposed(rows, names if headed else None)
    assert found.kind == "ratings"
    wanted = dict(
        zip(("item_id", "rater_id", "score"), (names[order.index(at)] for at in range(3)), strict=True)
    )
    assert {name: found.mapping.get(name) for name in wanted} == wanted
    assert any("No header names the items and raters" in note for note in found.notes)


def test_labels_below_headers_that_say_nothing(proposed) -> None:
    found = proposed(_ratings(CLIPS, WORKERS, ["cat", "dog", "bird"]), ["a1", "a2", "a3"])
    assert (found.kind, found.mapping["choice"]) == ("choices", "a3")


def test_attributes_and_constants_are_no_ratings_below_silent_headers(proposed) -> None:
    rows = [
        [c, w, s, n % 3, WORKERS.index(w) % 2, 7, 1_600_000_000 + n]
        for n, (c, w, s) in enumerate(_ratings(CLIPS, WORKERS, POINTS))
    ]
    for row in rows:
        row[3] = CLIPS.index(str(row[0])) % 3  # the same for an item
    mapping = proposed(rows, ["x", "y", "z", "u", "v", "w0", "t0"]).mapping
    assert (mapping["item_id"], mapping["rater_id"], mapping["score"]) == ("x", "y", "z")


def test_nothing_is_made_up_where_no_columns_cross(proposed) -> None:
    found = proposed([[f"text {n}", n * 7 % 5] for n in range(40)], ["x", "y"])
    assert "item_id" not in found.mapping
    assert any("No column was recognized as the item" in note for note in found.notes)


@pytest.mark.parametrize("called", ["own_domain", "x7", "expert"])
@pytest.mark.parametrize("of", ["item", "rater"])
def test_marks_of_items_or_raters_are_no_ratings(proposed, called: str, of: str) -> None:
    rows = [
        [c, w, s, (CLIPS.index(str(c)) if of == "item" else WORKERS.index(str(w))) % 2]
        for c, w, s in _ratings(CLIPS, WORKERS, POINTS)
    ]
    mapping = proposed(rows, ["clip", "worker", "quality", called]).mapping
    assert mapping["score"] == "quality"
    assert called not in (mapping.get("choice"), mapping.get("check"), mapping.get("measure"))


@pytest.mark.parametrize(
    ("called", "canonical"), [("round", "condition"), ("turn", "condition"), ("split", "split")]
)
def test_conditions_and_splits_are_kept(proposed, called: str, canonical: str) -> None:
    rows = [[*row, CLIPS.index(str(row[0])) % 2] for row in _ratings(CLIPS, WORKERS, POINTS)]
    assert proposed(rows, ["clip", "worker", "quality", called]).mapping[canonical] == called


@pytest.mark.parametrize(
    ("name", "item", "rater"),
    [
        ("speech_mos_lab_vs_crowd.csv", 0, 1),
        ("squality_summary_ratings.csv", 0, 1),
        ("wmt23_mqm_3raters.csv", 0, 1),
        ("choice2_sentiment_timed.csv", 0, 1),
        ("choice4_website_gold.csv", 0, 1),
        ("pandalm_pairwise_3way.csv", 0, 1),
        ("formats/crowdkit_task_worker_label.csv", 0, 1),
    ],
)
def test_real_files_below_silent_headers_are_right_or_asked_about(
    proposed, shared_data: Path, name: str, item: int, rater: int
) -> None:
    with (shared_data / name).open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))[-1500:]
    mapping = proposed(rows, [f"col{n}" for n in range(len(rows[0]))]).mapping
    found = (mapping.get("item_id"), mapping.get("rater_id"))
    assert found in ((None, None), (f"col{item}", f"col{rater}"))
