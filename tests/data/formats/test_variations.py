"""Real files as other people would have saved them: what comes of each without a click, as a table.

A variation that changes nothing is right without a click. One that lacks a column asks for it, or says in a note, or by
a name that means a rating, what was taken instead. None is silently wrong.
"""

import csv
import io
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from data.errors import DataError
from data.formats.readers import recognise
from tests.data.formats.conftest import Save

Rows = list[list[str]]


class Sample(NamedTuple):
    """A real file: its delimiter, rows of its header, and where it says item, rater and answer."""

    delimiter: str
    header: int
    item: str
    rater: str
    answer: str


LONG = {
    "speech_mos_lab_vs_crowd.csv": Sample(",", 1, "item", "rater", "score"),
    "video_mos_nflx_public.csv": Sample(",", 1, "item", "rater", "score"),
    "squality_summary_ratings.csv": Sample(",", 1, "item", "rater", "score"),
    "wmt23_mqm_3raters.csv": Sample(",", 1, "item", "rater", "score"),
    "choice2_sentiment_timed.csv": Sample(",", 1, "item", "rater", "label"),
    "choice4_website_gold.csv": Sample(",", 1, "item", "rater", "label"),
    "pandalm_pairwise_3way.csv": Sample(",", 1, "item", "rater", "choice"),
    "formats/crowdkit_task_worker_label.csv": Sample(",", 1, "task", "worker", "label"),
    "formats/semicolon_separated_speech.csv": Sample(";", 1, "file", "user", "rating"),
}
EXPORTS = {
    "formats/mturk_p808_batch_60.csv": Sample(",", 1, "", "", ""),
    "formats/toloka_assignments.tsv": Sample("\t", 1, "", "", ""),
    "formats/mqm_marot_300.tsv": Sample("\t", 1, "", "", ""),
    "formats/qualtrics_wide_three_header_rows.csv": Sample(",", 3, "", "", ""),
    "formats/wide_items_by_raters.csv": Sample(",", 1, "", "", ""),
}
GERMAN = {
    "item": "Objekt", "rater": "Prüfer", "score": "Bewertung", "label": "Etikett", "group": "Gruppe",
    "system": "Modell", "topic": "Thema", "seconds": "Sekunden", "task": "Aufgabe", "worker": "Bewerter",
    "choice": "Wahl", "measure": "Kriterium", "user": "Nutzer", "file": "Datei", "rating": "Note",
    "condition": "Bedingung", "gold": "richtige Antwort",
}  # fmt: skip


def written(rows: Rows, delimiter: str = ",", encoding: str = "utf-8") -> bytes:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter).writerows(rows)
    return text.getvalue().encode(encoding)


def with_column(rows: Rows, header: int, name: str, cell: Callable[[int], str]) -> Rows:
    """Add one more column."""
    return [[*row, name if at < header else cell(at)] for at, row in enumerate(rows)]


def with_constant(rows: Rows, of: Sample) -> Rows:
    return with_column(rows, of.header, "MaxAssignments", lambda at: "3")


def with_ids(rows: Rows, of: Sample) -> Rows:
    return with_column(rows, of.header, "submission", lambda at: f"{at:08x}{at * 7919 % 1000:03d}")


def with_times(rows: Rows, of: Sample) -> Rows:
    return with_column(rows, of.header, "saved", lambda at: f"2026-03-{1 + at % 28:02d}T10:{at % 60:02d}:00Z")


HARMLESS: dict[str, Callable[[Rows, Sample], bytes]] = {
    "columns in another order, semicolons, and one that says the same everywhere": lambda rows, of: written(
        [row[::-1] for row in with_constant(rows, of)], ";"
    ),
    "tabs, UTF-16, and a column of ids": lambda rows, of: written(with_ids(rows, of), "\t", "utf-16"),
    "pipes, UTF-8 with a mark, and a column of times": lambda rows, of: written(
        with_times(rows, of), "|", "utf-8-sig"
    ),
}
LACKING = {
    **{(name, "item"): "item_id" for name in LONG},
    **{(name, "rater"): "No column names the raters" for name in LONG},
    **{(name, "answer"): "score" for name in LONG},
    ("video_mos_nflx_public.csv", "item"): "The item is made of 'topic', 'system'",
    ("squality_summary_ratings.csv", "item"): "The item is made of 'topic', 'system'",
    ("pandalm_pairwise_3way.csv", "rater"): "rater_id",
    ("speech_mos_lab_vs_crowd.csv", "rater"): "rater_id",
    ("pandalm_pairwise_3way.csv", "answer"): "choice",
    ("squality_summary_ratings.csv", "answer"): '"rank" ranks the options',
    ("wmt23_mqm_3raters.csv", "answer"): '"n_errors" is taken for the rating',
}
"""Canonical column that is asked for where the item, the rater or the answer is missing; or words of the note on what
was taken, or of the refusal."""


def real(shared_data: Path, name: str, sample: Sample, most: int) -> Rows:
    """The end of a real file, where crowd and lab both are, with its header."""
    with (shared_data / name).open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file, delimiter=sample.delimiter))
    return rows[: sample.header] + rows[sample.header :][-most:]


def votes(save: Save, content: bytes) -> Counter[tuple[str, str, str]]:
    saved = save(content)
    answer = "score" if saved.found.kind == "ratings" else "choice"
    return Counter((row["item_id"], row["rater_id"], _plain(str(row[answer]))) for row in saved.rows)


def _plain(answer: str) -> str:
    try:
        return f"{float(answer):g}"
    except ValueError:
        return answer


@pytest.mark.parametrize("name", LONG)
def test_a_long_table_is_right_however_it_is_written(save: Save, shared_data: Path, name: str) -> None:
    sample = LONG[name]
    rows = real(shared_data, name, sample, 150)
    at = [rows[0].index(column) for column in (sample.item, sample.rater, sample.answer)]
    by_hand = Counter((row[at[0]], row[at[1]], _plain(row[at[2]])) for row in rows[1:])
    german = [[GERMAN.get(column, column) for column in rows[0]], *rows[1:]]
    variation, change = [*HARMLESS.items()][[*LONG].index(name) % len(HARMLESS)]
    assert votes(save, change(rows, sample)) == by_hand, variation
    assert votes(save, written(german, ";", "cp1252")) == by_hand


@pytest.mark.parametrize("name", EXPORTS)
def test_an_export_is_right_however_it_is_written(save: Save, shared_data: Path, name: str) -> None:
    sample = EXPORTS[name]
    rows = real(shared_data, name, sample, 30)
    as_it_is = votes(save, written(rows, sample.delimiter))
    variation, change = [*HARMLESS.items()][[*EXPORTS].index(name) % len(HARMLESS)]
    assert votes(save, change(rows, sample)) == as_it_is, variation


@pytest.mark.parametrize(("name", "missing"), LACKING)
def test_what_is_missing_is_asked_for(save: Save, shared_data: Path, name: str, missing: str) -> None:
    sample = LONG[name]
    rows = real(shared_data, name, sample, 400)
    gone = rows[0].index(getattr(sample, missing))
    content = written([row[:gone] + row[gone + 1 :] for row in rows], sample.delimiter)
    wanted = LACKING[name, missing]
    if wanted in ("item_id", "rater_id", "score", "choice"):
        with pytest.raises(DataError, match=rf"'{wanted}'.* must be mapped"):
            save(content)
    else:
        assert any(wanted in note for note in save(content).found.notes)


# --- records, a matrix without header, and known answers alone ----------------------------------------------------

RECORDS = {
    "formats/labelstudio_export_ratings.json": ("completed_by",),
    "formats/prodigy_choice.jsonl": ("_annotator_id", "_session_id"),
}
"""Exports of records, and the fields that say who annotated."""
Record = dict[str, Any]


def reversed_fields(record: Any) -> Any:
    if isinstance(record, list):
        return [reversed_fields(each) for each in record]
    if isinstance(record, dict):
        return {name: reversed_fields(record[name]) for name in reversed(record)}
    return record


def with_fields(records: list[Record]) -> list[Record]:
    """Add a constant, an id and a time to each record."""
    return [
        record
        | {
            "project": 7,
            "batch": f"{at:08x}{at * 7919 % 1000:03d}",
            "saved": f"2026-03-{1 + at % 28:02d}T10:00:00Z",
        }
        for at, record in enumerate(records)
    ]


def without(record: Any, fields: tuple[str, ...]) -> Any:
    if isinstance(record, list):
        return [without(each, fields) for each in record]
    if isinstance(record, dict):
        return {name: without(each, fields) for name, each in record.items() if name not in fields}
    return record


def as_lines(records: list[Record]) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


RECORDS_WRITTEN: dict[str, Callable[[list[Record]], bytes]] = {
    "fields in another order, over many lines": lambda records: json.dumps(
        reversed_fields(records), indent=2
    ).encode(),
    "as lines, UTF-16, with fields more": lambda records: as_lines(with_fields(records)).encode("utf-16"),
    "in one line, UTF-8 with a mark": lambda records: json.dumps(records).encode("utf-8-sig"),
}


def real_records(shared_data: Path, name: str) -> list[Record]:
    text = (shared_data / name).read_text(encoding="utf-8")
    records = json.loads(text) if text.startswith("[") else [json.loads(line) for line in text.splitlines()]
    return list(records[:40])


@pytest.mark.parametrize("name", RECORDS)
def test_records_are_right_however_they_are_written(save: Save, shared_data: Path, name: str) -> None:
    records = real_records(shared_data, name)
    as_it_is = votes(save, as_lines(records).encode())
    for variation, change in RECORDS_WRITTEN.items():
        assert votes(save, change(records)) == as_it_is, variation
    nobody = save(as_lines(without(records, RECORDS[name])).encode())
    assert any("names no rater" in note for note in nobody.found.notes)
    assert {row["rater_id"] for row in nobody.rows} == {"annotator"}


def test_a_matrix_without_header_is_right_however_it_is_written(save: Save, shared_data: Path) -> None:
    name = "formats/item_by_subject_matrix_no_header.csv"
    rows = real(shared_data, name, Sample(",", 0, "", "", ""), 60)

    def scores(content: bytes) -> list[list[float]]:
        items: dict[str, list[float]] = {}
        for row in save(content).rows:
            items.setdefault(row["item_id"], []).append(row["score"])
        return [sorted(of_one) for of_one in items.values()]

    by_hand = [sorted(float(cell) for cell in row if cell != "nan") for row in rows]
    assert scores(written(rows)) == by_hand
    of = Sample(",", 0, "", "", "")
    turned = [row[::-1] for row in rows]
    assert scores(written(turned, ";", "utf-8-sig")) == by_hand
    with_one_more = [sorted([*item, 3.0]) for item in by_hand]  # a rater may give the same score every time
    assert scores(written(with_constant(turned, of), "\t", "utf-16")) == with_one_more
    assert scores(written(with_times(rows, of), "|")) == by_hand
    assert scores(written([row[1:] for row in rows])) == [
        sorted(float(cell) for cell in row[1:] if cell != "nan") for row in rows
    ]
    named = [["Objekt", *(f"Prüfer {at}" for at in range(len(rows[0])))]]
    named += [[f"Datei {at}", *row] for at, row in enumerate(rows)]
    assert scores(written(named, ";", "cp1252")) == by_hand


def test_known_answers_are_reported_however_they_are_written(
    save: Save, shared_data: Path, tmp_path: Path
) -> None:
    of = Sample(",", 1, "", "", "")
    rows = real(shared_data, "formats/crowdkit_ground_truth.csv", of, 150)
    path = tmp_path / "truth"

    def told(content: bytes) -> tuple[str, dict[str, object]]:
        path.write_bytes(content)
        found = recognise(path)
        return found.kind, {name: source for name, source in found.mapping.items() if name[0] != "@"}

    task, label = rows[0]
    for delimiter, encoding in ((";", "utf-8-sig"), ("\t", "utf-16"), ("|", "utf-8")):
        assert told(written([row[::-1] for row in rows], delimiter, encoding)) == (
            "items of choices",
            {"item_id": task, "gold": label},
        )
    german = [["Aufgabe", "richtige Antwort"], *rows[1:]]
    assert told(written(german, ";", "cp1252")) == (
        "items of choices",
        {"item_id": "Aufgabe", "gold": "richtige Antwort"},
    )
    for change in (with_constant, with_ids, with_times):
        assert told(written(change(rows, of))) == ("items of choices", {"item_id": task, "gold": label}), (
            change
        )
    with pytest.raises(DataError, match="only one column"):
        save(written([row[:1] for row in rows]))
