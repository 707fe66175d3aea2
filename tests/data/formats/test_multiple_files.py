"""Several files, or sheets of a workbook, as one study: rows counted once, and misfits reported."""

import csv
import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from data.engines.schema import table_of
from data.errors import BadMapping, DataError, OverLimit, UnreadableFile
from data.formats.multiple_files import parts_of
from data.formats.readers import Recognised, recognise, sniff
from data.importing.spool import Spool
from data.mapping.proposal import propose
from data.settings import Settings
from data.store.store import Store

CROWD, LAB = [f"w{at}" for at in range(6)], [f"l{at}" for at in range(6)]
Row = tuple[str, str, str]


def ratings(raters: list[str], items: int = 10, shift: int = 0) -> list[Row]:
    return [
        (f"clip {item}", rater, str((item * (at + 2) + shift) % 5 + 1))
        for item in range(items)
        for at, rater in enumerate(raters)
    ]


def table(rows: list[Row], header: str = "item,rater,score", delimiter: str = ",", end: str = "") -> str:
    lines = [header.replace(",", delimiter), *(delimiter.join(row) + end for row in rows)]
    return "\n".join(lines) + "\n"


def matrix(raters: list[str], header: bool = True) -> str:
    lines = [["clip", *raters]] if header else []
    for item in range(20):
        cells = [str(min(5, item % 5 + 1 + (item * 7 + at * at) % 3 // 2)) for at, _ in enumerate(raters)]
        lines.append([f"c{item}", *cells] if header else cells)
    return "\n".join(map(",".join, lines)) + "\n"


def of_one(shift: int, header: str = "item,score", words: tuple[str, ...] = ()) -> str:
    values = words or ("1", "2", "3", "4", "5")
    return (
        "\n".join([header, *(f"i{at},{values[(at * 7 + shift) % len(values)]}" for at in range(12))]) + "\n"
    )


@pytest.fixture
def packed(tmp_path: Path) -> Callable[..., Path]:
    def pack(**files: str | bytes) -> Path:
        path = tmp_path / "together.zip"
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in files.items():
                archive.writestr(name, content)
        return path

    return pack


@pytest.fixture
def written(tmp_path: Path) -> Callable[..., list[Path]]:
    def write(**files: str | bytes) -> list[Path]:
        paths = [tmp_path / name for name in files]
        for path, content in zip(paths, files.values(), strict=True):
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return paths

    return write


Packed = Callable[..., Path]
Written = Callable[..., list[Path]]


def role(found: Recognised) -> str | None:
    return next((name for name, source in found.mapping.items() if source == "from file"), None)


# --- what the files are to each other -------------------------------------------------------------------------------

DOCUMENTED = {
    "other raters are groups": (
        {"mos_crowd.csv": table(ratings(CROWD)), "mos_lab.csv": table(ratings(LAB))},
        "rater_group",
    ),
    "other raters in columns are groups": (
        {"crowd.csv": matrix(CROWD), "lab.csv": matrix(LAB)},
        "rater_group",
    ),
    "columns without names are nobody in particular": (
        {"lab1.csv": matrix(CROWD, False), "lab2.csv": matrix(LAB, False)},
        "rater_group",
    ),
    "the same raters and items are measures": (
        {"fluency.csv": table(ratings(CROWD)), "adequacy.csv": table(ratings(CROWD, shift=2))},
        "measure",
    ),
    "numbered exports are batches": (
        {"Batch_1.csv": table(ratings(CROWD)), "Batch_2.csv": table(ratings(LAB))},
        None,
    ),
    "a file of ratings for each rater": (
        {"anna.csv": of_one(0), "ben.csv": of_one(1), "eva.csv": of_one(3)},
        "rater_id",
    ),
    "a file of labels for each rater": (
        {f"{name}.csv": of_one(at, "item,label", ("cat", "dog")) for at, name in enumerate(("anna", "ben"))},
        "rater_id",
    ),
    "one rater in each, who is named": (
        {f"{name}.csv": table(ratings([name], 12)) for name in ("p01", "p02", "p03")},
        None,
    ),
    "a folder above the row of each rater": (
        {
            f"{group}/{name}.csv": f"rater,clip_1,clip_2,clip_3\n{name},{at % 5 + 1},{at % 4 + 1},{at % 3 + 1}\n"
            for at, name in enumerate(("anna", "ben", "eva", "ida"))
            for group in ["lab" if at < 2 else "crowd"]
        },
        "rater_group",
    ),
    "some raters in both, other items": (
        {
            "may.csv": table(ratings(CROWD)),
            "june.csv": table([(f"new {item}", rater, score) for item, rater, score in ratings(CROWD)]),
        },
        None,
    ),
}


@pytest.mark.parametrize(("files", "expected"), DOCUMENTED.values(), ids=DOCUMENTED)
def test_what_files_share_says_what_they_are(
    packed: Packed, files: dict[str, str], expected: str | None
) -> None:
    assert role(recognise(packed(**files))) == expected


def test_sheets_are_groups_like_files(tmp_path: Path) -> None:
    path = tmp_path / "book.xlsx"
    columns = ["item", "rater", "score"]
    with pd.ExcelWriter(path) as writer:
        for name, raters in (("crowd", CROWD), ("lab", LAB)):
            pd.DataFrame(ratings(raters), columns=columns).astype({"score": int}).to_excel(
                writer, sheet_name=name, index=False
            )
        pd.DataFrame({"code": ["x"], "meaning": ["y"]}).to_excel(writer, sheet_name="legend", index=False)
    found = recognise(path)
    assert found.mapping["rater_group"] == "sheet"
    assert any("left out: 'legend'" in note for note in found.notes)


def test_what_a_name_stands_for_may_be_told(store: Store, written: Written) -> None:
    files = written(**{"a.csv": table(ratings(CROWD)), "b.csv": table(ratings(LAB))})
    mapping = {"item_id": "item", "rater_id": "rater", "score": "score", "rater_group": "from file"}
    told = store.add(files, "ratings", mapping | {"@files": ("the crowd", "our lab")}, "told")
    assert set(store.query(told, "cells")["group"].tolist()) == {"the crowd", "our lab"}
    plain = store.add(files, "ratings", mapping, "plain")
    assert set(store.query(plain, "cells")["group"].tolist()) == {"a", "b"}
    assert told.sha256 != plain.sha256
    with pytest.raises(BadMapping, match="each of the 2 files"):
        store.add(files, "ratings", mapping | {"@files": ("only one",)}, "wrong")


@pytest.mark.parametrize(
    ("names", "parts"),
    [
        (["crowd.csv", "lab.csv"], ("crowd", "lab")),
        (["x.csv", "x.csv"], ("1: x.csv", "2: x.csv")),
        (["1.csv", "2.csv"], ("1", "2")),
        (["...", "???"], ("1: ...", "2: ???")),
        (["mos v1.2 crowd.csv.gz", "mos v1.2 lab.csv.gz"], ("crowd", "lab")),
        (["实验室.csv", "众包.csv"], ("实验室", "众包")),
        (["out\\crowd\\r.csv", "out\\lab\\r.csv"], ("crowd", "lab")),
    ],
)
def test_what_differs_between_names(names: list[str], parts: tuple[str, ...]) -> None:
    assert parts_of(names) == parts


# --- nothing is lost or misread -------------------------------------------------------------------------------------


def test_a_study_in_four_files_is_the_study_in_one(store: Store, shared_data: Path, written: Written) -> None:
    with (shared_data / "speech_mos_lab_vs_crowd.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))[::10]

    def as_csv(names: list[str], rows: list[dict[str, str]]) -> str:
        out = io.StringIO()
        writer = csv.DictWriter(out, names, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
        return out.getvalue()

    names = [name for name in rows[0] if name != "group"]
    pieces = {
        f"speech {group}.csv": as_csv(names, [row for row in rows if row["group"] == group])
        for group in dict.fromkeys(row["group"] for row in rows)
    }
    assert len(pieces) == 4
    one = store.add(*written(**{"speech.csv": as_csv(list(rows[0]), rows)}))
    several = store.add(written(**pieces))
    assert (several.rows_kept, several.rows_set_aside) == (one.rows_kept, one.rows_set_aside)
    held = []
    for dataset, group in ((one, "rater_group"), (several, "replace(rater_group, ' ', '_')")):
        with store._database.cursor() as cursor:
            held.append(
                cursor.execute(
                    f"SELECT item_id, rater_id, score, {group}, measure FROM {table_of(dataset.id)} ORDER BY ALL"
                ).fetchall()
            )
    assert held[0] == held[1]


def test_each_file_is_read_in_its_own_way(store: Store, written: Written) -> None:
    lab = table(ratings(LAB), "clip,listener,vote", ";", ",5")
    files = written(**{"crowd.csv": table(ratings(CROWD)), "lab.csv": "\ufeff" + lab})
    dataset = store.add(files)
    with store._database.cursor() as cursor:
        held = cursor.execute(
            f'SELECT item_id, rater_id, score, rater_group FROM {table_of(dataset.id)} ORDER BY "row"'
        ).fetchall()
    assert held == [
        *((item, rater, float(score), "crowd") for item, rater, score in ratings(CROWD)),
        *((item, rater, float(score) + 0.5, "lab") for item, rater, score in ratings(LAB)),
    ]
    report = store.report(dataset.id)
    assert report is not None
    assert report["files"] == ["crowd.csv", "lab.csv"]
    assert any('In lab.csv, "clip" is read as "item"' in note for note in report["notes"])


def test_a_column_of_one_file_is_empty_in_the_others(store: Store, written: Written) -> None:
    timed = [(*row, str(2 + at % 9)) for at, row in enumerate(ratings(LAB))]
    lab = "score,item,rater,seconds\n" + "".join(f"{s},{i},{r},{t}\n" for i, r, s, t in timed)
    dataset = store.add(written(**{"crowd.csv": table(ratings(CROWD)), "lab.csv": lab}))
    with store._database.cursor() as cursor:
        held = cursor.execute(
            f"SELECT rater_group, count(*), count(seconds), sum(score) FROM {table_of(dataset.id)} "
            "GROUP BY 1 ORDER BY 1"
        ).fetchall()
    total = [sum(float(row[2]) for row in ratings(raters)) for raters in (CROWD, LAB)]
    assert held == [("crowd", 60, 0, total[0]), ("lab", 60, 60, total[1])]


def test_rows_without_item_names_are_the_same_items(store: Store, written: Written) -> None:
    dataset = store.add(
        written(**{"lab1.csv": matrix(CROWD, False), "lab2.csv": matrix(LAB, False)}), name="labs"
    )
    assert dataset.rows_kept == 2 * 20 * 6
    report = store.report(dataset.id)
    assert report is not None
    assert not report["doubts"]
    assert any("same row of each file is taken for the same item" in note for note in report["notes"])


def test_what_is_set_aside_is_reported_by_its_line_and_file(store: Store, written: Written) -> None:
    files = written(
        **{"crowd.csv": table(ratings(CROWD)), "lab.csv": table([*ratings(LAB), ("clip 1", "l9", "?")])}
    )
    report = store.report(store.add(files).id)
    assert report is not None
    (reject,) = report["rejects"]
    assert (reject["file"], reject["line"]) == ("lab.csv", 62)
    path = store.spool.keep_as_archive([(file.name, file) for file in files])
    rejects = b"".join(store.rejects_csv(path, "ratings", propose(store.sniff(path)).mapping)).decode()
    assert rejects.splitlines()[0] == "file,line,column,reason,value"
    assert rejects.splitlines()[1].startswith("lab.csv,62,score,")


@pytest.mark.storage
def test_a_server_reads_them_as_a_notebook_does(settings: Settings, store: Store, packed: Packed) -> None:
    path = packed(**{"crowd.csv": table(ratings(CROWD)), "lab.csv": table(ratings(LAB))})
    with Store(settings=settings, isolated=True) as server:
        seen = [server.sniff(path), store.sniff(path)]
    assert propose(seen[0]) == propose(seen[1])
    assert (seen[0].parts, seen[0].files) == (seen[1].parts, seen[1].files)


# --- what does not fit ----------------------------------------------------------------------------------------------


def metric(name: str) -> str:
    return f"item,{name}\n" + "".join(f"i{at},{at * 1.37}\n" for at in range(9))


TOLOKA = "INPUT:clip\tOUTPUT:vote\tASSIGNMENT:worker_id\tASSIGNMENT:assignment_id\nx\t3\tw\ta1\ny\t4\tw\ta2\n"
REFUSED = {
    "another kind": (
        {"ratings.csv": table(ratings(CROWD)), "pesq.csv": metric("pesq")},
        '"pesq.csv" holds metrics, "ratings.csv" holds ratings:',
    ),
    "another layout": (
        {"long.csv": table(ratings(CROWD)), "wide.csv": matrix(LAB)},
        '"wide.csv" has a column for each rater, "long.csv" has one row per rating:',
    ),
    "a column less": (
        {"a.csv": table(ratings(CROWD)), "b.csv": "item,score,x\ni1,3,2\ni2,4,2\n"},
        "\"b.csv\" has no column for the rater (its columns: 'item', 'score', 'x'), \"a.csv\" has \"rater\":",
    ),
    "other numbers": (
        {f"{name}.csv": metric(name) for name in ("bleu", "chrf")},
        "\"chrf.csv\" has 'item', 'chrf', \"bleu.csv\" has 'item', 'bleu':",
    ),
    "no table": ({"a.csv": table(ratings(CROWD)), "notes.txt": "see a.csv"}, '"notes.txt": there is only one column'),
    "nothing": ({"a.csv": table(ratings(CROWD)), "b.csv": ""}, '"b.csv": this file is empty. Correct it, or leave it'),
    "another format": (
        {"a.csv": table(ratings(CROWD)), "b.csv": TOLOKA},
        '"b.csv" is Toloka',
    ),
    "too many": ({f"{at}.csv": "a,b\n1,2\n" for at in range(101)}, "these are 101 files; at most 100"),
}  # fmt: skip


@pytest.mark.parametrize(("files", "said"), REFUSED.values(), ids=REFUSED)
def test_what_does_not_fit_is_named(packed: Packed, files: dict[str, str], said: str) -> None:
    with pytest.raises(DataError) as raised:
        recognise(packed(**files))
    assert said in str(raised.value)


def test_limits_hold_for_all_together(
    settings: Settings, written: Written, packed: Packed, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {f"{name}.csv": table(ratings([f"{name}{at}" for at in range(100)])) for name in ("crowd", "lab")}
    paths = written(**files)
    small = Spool(replace(settings, upload_size=20_000))
    with pytest.raises(OverLimit, match=r"together the files are larger than the .* RATERSCOPE_UPLOAD_SIZE"):
        small.keep_as_archive([(path.name, path) for path in paths])
    monkeypatch.setenv("RATERSCOPE_ROWS", "1500")
    with pytest.raises(OverLimit, match="RATERSCOPE_ROWS"):
        recognise(packed(**files))
    monkeypatch.setenv("RATERSCOPE_LIMITS", '{"unpacked_size": "1 MB"}')
    with pytest.raises(OverLimit, match="more than the 1 MB"):
        recognise(packed(**{"a.csv": bytes(600_000), "b.csv": bytes(600_000)}))


def test_files_wait_as_one_under_the_same_bytes_each_time(settings: Settings, written: Written) -> None:
    spool = Spool(settings)
    paths = written(**{"crowd.csv": table(ratings(CROWD)), "lab.csv": table(ratings(LAB))})
    names = ["ratings.csv", "ratings.csv"]
    kept = [spool.keep_as_archive(list(zip(names, paths, strict=True))) for _ in range(2)]
    assert kept[0].read_bytes() == kept[1].read_bytes()
    with zipfile.ZipFile(kept[0]) as archive:
        assert archive.namelist() == ["ratings.csv", "ratings.csv (2)"]
    for waiting in kept:
        spool.discard(waiting)
        assert not waiting.exists()


def test_hostile_names_lead_nowhere(packed: Packed, tmp_path: Path) -> None:
    rows = table(ratings(CROWD))
    found = recognise(packed(**{"../../etc/crowd.csv": rows, "<b>lab</b>.csv": table(ratings(LAB))}))
    assert found.mapping["rater_group"] == "from file"
    assert not list(tmp_path.parent.glob("**/etc"))
    locked = bytearray(packed(**{"a.csv": rows, "b.csv": rows}).read_bytes())
    for start in (
        at for at in range(len(locked) - 4) if bytes(locked[at : at + 4]) in (b"PK\x01\x02", b"PK\x03\x04")
    ):
        locked[start + (8 if locked[start + 2] == 1 else 6)] |= 1
    path = tmp_path / "locked.zip"
    path.write_bytes(locked)
    with pytest.raises(UnreadableFile, match="locked with a password"):
        recognise(path)


# --- names that say two things, and files without a rating ----------------------------------------------------------


def plain_matrix(columns: list[str], shift: int) -> str:
    rows = [
        ",".join([f"s{at}", *(str((at * (by + 1) + shift) % 5 + 1) for by, _ in enumerate(columns))])
        for at in range(12)
    ]
    return "\n".join([",".join(["item", *columns]), *rows]) + "\n"


def test_names_of_files_may_say_measure_and_group(store: Store, written: Written) -> None:
    columns = [f"j{at}" for at in range(1, 5)]
    names = [(measure, group) for measure in ("OQ", "GR", "SI") for group in ("crowd", "lab")]
    files = {f"{m}_{g}.csv": plain_matrix(columns, at) for at, (m, g) in enumerate(names)}
    dataset = store.add(written(**files))
    with store._database.cursor() as cursor:
        held = cursor.execute(
            f"SELECT measure, rater_group, count(*), count(DISTINCT item_id), count(DISTINCT rater_id), sum(score) "
            f"FROM {table_of(dataset.id)} GROUP BY ALL ORDER BY ALL"
        ).fetchall()
    sums = {
        (m, g): sum((at * (by + 1) + shift) % 5 + 1 for at in range(12) for by in range(4))
        for shift, (m, g) in enumerate(names)
    }
    assert held == [(m, g, 48, 12, 4, sums[m, g]) for m, g in sorted(names)]
    assert dataset.mapping["@raters"] == "slots"


def test_groups_of_persons_stay_persons(packed: Packed) -> None:
    files = {
        f"{measure}_{group}.csv": plain_matrix([f"{group}{at}" for at in range(3)], shift)
        for shift, measure in enumerate(("clear", "loud"))
        for group in ("siteA", "siteB")
    }
    found = recognise(packed(**files))
    assert (found.mapping["measure"], found.mapping["rater_group"]) == (
        "measure from file",
        "group from file",
    )
    assert "@raters" not in found.mapping


@pytest.mark.parametrize(
    ("names", "mapped"),
    [
        (["fluency_anna", "fluency_ben", "focus_anna", "focus_ben"], {"measure", "rater_id"}),
        (["anna_fluency", "ben_fluency", "anna_focus", "ben_focus"], {"measure", "rater_id"}),
        (["fluency_anna", "fluency_ben", "focus_anna"], set()),
        (["x_anna", "x_ben", "y_anna", "y_ben"], set()),
    ],
)
def test_names_of_files_may_say_measure_and_rater(packed: Packed, names: list[str], mapped: set[str]) -> None:
    found = recognise(packed(**{f"{name}.csv": of_one(at) for at, name in enumerate(names)}))
    two = {
        role
        for role, source in found.mapping.items()
        if str(source).endswith("from file") and source != "from file"
    }
    assert two == mapped


def test_files_of_respondents_may_have_other_items(packed: Packed) -> None:
    files = {
        f"{group}.csv": "\n".join(
            [
                ",".join(["rater", *(f"clip{first + at}.wav" for at in range(4))]),
                *(
                    f"{group} {by},{by % 5 + 1},{2 * by % 5 + 1},{3 * by % 5 + 1},{by % 3 + 1}"
                    for by in range(8)
                ),
            ]
        )
        for group, first in (("crowd", 0), ("lab", 3))
    }
    found = recognise(packed(**files))
    assert (found.mapping["rater_id"], found.mapping["@form"]) == ("rater", "item columns")
    assert found.mapping["score"] == tuple(f"clip{at}.wav" for at in range(7))


@pytest.mark.parametrize(
    ("names", "roles", "slots"),
    [
        (["OQ_crowd", "OQ_lab", "SI_crowd", "SI_lab"], {"measure", "rater_group"}, True),
        (["fluency_anna", "fluency_ben", "focus_anna", "focus_ben"], {"measure", "rater_id"}, False),
    ],
)
def test_names_of_sheets_say_what_names_of_files_say(
    tmp_path: Path, names: list[str], roles: set[str], slots: bool
) -> None:
    """Columns that stand in the sheets of both groups are slots, as they are in files."""
    path = tmp_path / "book.xlsx"
    with pd.ExcelWriter(path) as writer:
        for shift, name in enumerate(names):
            text = plain_matrix([f"j{at}" for at in range(1, 5)], shift) if slots else of_one(shift)
            pd.read_csv(io.StringIO(text)).to_excel(writer, sheet_name=name, index=False)
    mapping = recognise(path).mapping
    assert {role for role, source in mapping.items() if str(source).endswith("from sheet")} == roles
    assert (mapping.get("@raters") == "slots") == slots


def doccano(first: int, *labels: str) -> str:
    return "".join(
        json.dumps(
            {
                "id": first + at,
                "text": f"text {first + at}",
                "label": [label] if label else [],
                "Comments": [],
            }
        )
        + "\n"
        for at, label in enumerate(labels)
    )


def test_the_files_of_a_doccano_archive_are_its_raters(store: Store, written: Written) -> None:
    files = {
        "alice.jsonl": doccano(1, "cat", "dog", "cat", ""),
        "bob.jsonl": doccano(1, "cat", "cat", "cat", "dog"),
        "unknown.jsonl": doccano(9, "", "", ""),
    }
    dataset = store.add(written(**files))
    assert (dataset.kind, dataset.rows_kept, dataset.rows_set_aside) == ("choices", 7, 4)
    with store._database.cursor() as cursor:
        held = cursor.execute(
            f'SELECT rater_id, item_id, choice FROM {table_of(dataset.id)} ORDER BY "row"'
        ).fetchall()
    assert held == [
        *(("alice", str(at), label) for at, label in enumerate(("cat", "dog", "cat"), start=1)),
        *(("bob", str(at), label) for at, label in enumerate(("cat", "cat", "cat", "dog"), start=1)),
    ]
    report = store.report(dataset.id)
    assert report is not None
    assert [(reject["file"], reject["line"]) for reject in report["rejects"]] == [
        ("alice.jsonl", 4),
        *(("unknown.jsonl", line) for line in (1, 2, 3)),
    ]
    assert any("unknown.jsonl holds no rating" in note for note in report["notes"])


def test_one_experiment_file_per_participant(packed: Packed) -> None:
    files = {
        f"p{by}.csv": "trial_type,trial_index,rt,response,stimulus\n"
        + "".join(f"audio-slider-response,{at},900,{(at * 7 + by) % 50},{at}.wav\n" for at in range(5))
        for by in range(3)
    }
    found = recognise(packed(**files))
    assert (found.format, found.mapping["rater_id"]) == ("jsPsych", "from file")


def test_sheets_that_lack_a_column_or_order_them_otherwise_are_read(tmp_path: Path) -> None:
    path = tmp_path / "book.xlsx"
    columns = ["item", "rater", "score", "comment"]
    orders = {"GOLD": columns, "M1": columns[::-1], "M2": columns[:3], "M3": ["Item ", *columns[1:]]}
    with pd.ExcelWriter(path) as writer:
        for shift, (name, order) in enumerate(orders.items()):
            frame = pd.DataFrame([(*row, "so") for row in ratings(CROWD, shift=shift)], columns=columns)
            frame["score"] = frame["score"].astype(int)
            frame["Item "] = frame["item"]
            frame[order].to_excel(writer, sheet_name=name, index=False)
        pd.DataFrame().to_excel(writer, sheet_name="Sheet5", index=False)
        pd.DataFrame(columns=columns).to_excel(writer, sheet_name="codes", index=False)
        pd.DataFrame({"code": ["x"], "meaning": ["y"]}).to_excel(writer, sheet_name="legend", index=False)
    found = recognise(path)
    assert any("left out: 'Sheet5', 'codes'" in note for note in found.notes)
    assert any("left out: 'legend'" in note for note in found.notes)
    seen = sniff(path)
    assert seen.parts[0].values == tuple(orders)
    assert seen.rows == 4 * len(ratings(CROWD))
    assert "expected" not in found.mapping
    assert "gold" not in found.mapping


@pytest.mark.parametrize(
    ("names", "raters", "meant"),
    [
        (("crowd", "lab"), "apart", {"rater_id": "rater", "rater_group": "from file", "item_id": "task"}),
        (("fluency", "adequacy"), "same", {"rater_id": "rater", "item_id": ("task", "from file")}),
        (("batch 1", "batch 2"), "other tasks", {"rater_id": "rater", "item_id": "task"}),
        (("P1", "P2"), "none", {"rater_id": "from file", "item_id": "task"}),
        (
            ("fluency_anna", "fluency_bob", "adequacy_anna", "adequacy_bob"),
            "none",
            {"rater_id": "rater from file", "item_id": ("task", "measure from file")},
        ),
    ],
)
def test_names_of_files_of_rankings_say_groups_raters_or_tasks(
    packed: Packed, names: tuple[str, ...], raters: str, meant: dict[str, object]
) -> None:
    files = {}
    for at, name in enumerate(names):
        head = "task,b,a,c" if raters == "none" else "task,rater,b,a,c"
        rows = [head]
        for task in range(6):
            called = f"t{task + 10 * at if raters == 'other tasks' else task}"
            for rater in range(1 if raters == "none" else 3):
                ranks = ("1,2,3", "3,1,2", "2,3,1", "2,1,3")[(task + rater + at) % 4]
                who = f"r{rater + 10 * at if raters == 'apart' else rater}"
                rows.append(f"{called},{ranks}" if raters == "none" else f"{called},{who},{ranks}")
        files[f"{name}.csv"] = "\n".join(rows) + "\n"
    found = recognise(packed(**files))
    assert found.kind == "rankings"
    roles = ("item_id", "rater_id", "rater_group")
    assert {role: found.mapping[role] for role in roles if role in found.mapping} == meant
