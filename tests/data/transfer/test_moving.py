"""Back up, restore, migrate: all comes back equal, killed ones go on, and a folder that was touched is refused."""

import csv
import hashlib
import json
import os
import shutil
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

import duckdb
import pytest

from data.__main__ import main
from data.engines import schema
from data.engines.schema import table_of
from data.errors import DataError, OverLimit
from data.importing.spool import Spool
from data.samples import SAMPLES
from data.settings import Settings
from data.store.store import Store
from data.transfer import interchange, moving
from data.transfer.moving import TransferResult
from tests.data.conftest import EVERY_ENGINE

pytestmark = pytest.mark.storage

WriteCsv = Callable[..., Path]
ROOT = Path(__file__).parents[3]
HEADER = ("item", "rater", "score", "group", "rater_note")
MAPPING = {
    "item_id": "item",
    "rater_id": "rater",
    "score": "score",
    "rater_group": "group",
    "rater_note": "rater_note",
}


def rows_of(seed: int, rows: int = 40) -> list[tuple[object, ...]]:
    return [
        (f"é{at // 4}", f"r{at % 4}", (at * seed) % 7 if at % 9 else "none", "lab", ["", "–", "a;b"][at % 3])
        for at in range(rows)
    ]


def settings_of(folder: Path) -> Settings:
    return Settings(database=str(folder / "test.duckdb"), spool=folder / "spool", threads=2)


def fill(store: Store, folder: Path) -> None:
    """Four data sets with all that can belong to one, and a built-in study beside them."""

    def add(seed: int, name: str, replaces: str | None = None) -> str:
        file = folder / f"{seed}.csv"
        with file.open("w", encoding="utf-8", newline="") as opened:
            csv.writer(opened).writerows([HEADER, *rows_of(seed)])
        return store.add(file, "ratings", MAPPING, name, "browser:1", replaces).id

    first, second, third = (add(seed, f"Study {seed} – é") for seed in (2, 3, 5))
    newer = add(11, "Newer", replaces=third)
    store.add_link(first, "Für Anna", "/repetitions?shuffles=10&x=ä", datetime.now(UTC) + timedelta(days=3))
    revoked = store.add_link(first, "revoked")
    store.revoke_link(first, revoked.key)
    store.keep_view(first, "Für Anna", "/repetitions?shuffles=10&x=ä", "Was ist hier?", shared=True)
    store.keep_view(third, "mine", "/overview")
    store.link(second)
    store.take_over("browser:1", "person:2")
    store.rename(newer, "Renamed")
    with store._database.transaction() as cursor:
        cursor.execute("UPDATE datasets SET used = '2026-01-02' WHERE id = ?", [second])
        for row, score in enumerate(("'nan'", "'infinity'", "'-infinity'", "'-0.0'", "1e-320", "0.1"), 1):
            cursor.execute(f"UPDATE {table_of(second)} SET score = {score} WHERE row = {row + 1}")
        cursor.execute(f"UPDATE {table_of(second)} SET item_id = 'x' || chr(0) || 'y' WHERE row = 9")
        cursor.execute(f"UPDATE {table_of(second)} SET rater_note = '' WHERE row = 11")
    store.ensure_samples(SAMPLES[3:4])


@pytest.fixture(scope="module")
def once_filled(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """A file that nobody may change."""
    folder = tmp_path_factory.mktemp("once")
    with Store(settings=settings_of(folder)) as store:
        fill(store, folder)
        return store.settings


@pytest.fixture
def filled(once_filled: Settings, settings: Settings, tmp_path: Path) -> Iterator[Store]:
    """A file is a copy, which is made in less time; a lake is filled."""
    in_file = settings.database.endswith(".duckdb")
    if in_file:
        Path(settings.database).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(once_filled.database, settings.database)
    with Store(settings=settings) as store:
        if not in_file:
            fill(store, tmp_path)
        yield store


@pytest.fixture(scope="module")
def once_kept(once_filled: Settings, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A back-up that nobody may change, and what was in the store."""
    folder = tmp_path_factory.mktemp("kept")
    with Store(settings=once_filled) as store:
        moving.back_up(store, folder)
        return folder, all_of(store)


def all_of(store: Store) -> dict[str, Any]:
    """Everything a store holds but the built-in studies, as text: so that what is not a number equals itself."""
    with store._database.cursor() as cursor:
        samples = [
            row[0]
            for row in cursor.execute("SELECT id FROM datasets WHERE sample_version IS NOT NULL").fetchall()
        ]
        held: dict[str, Any] = {}
        for table, key in (
            ("datasets", "id"),
            ("links", "dataset"),
            ("reports", "dataset"),
            ("kept_views", "dataset"),
        ):
            held[table] = [
                repr(row)
                for row in cursor.execute(
                    f"SELECT * FROM {table} WHERE NOT list_contains(?, {key}) ORDER BY ALL", [samples]
                ).fetchall()
            ]
        ids = [row[0] for row in cursor.execute("SELECT id FROM datasets").fetchall()]
        for id in ids:
            if id not in samples:
                described = cursor.execute(f"DESCRIBE {table_of(id)}").fetchall()
                held[id] = [
                    [row[:2] for row in described],
                    *(
                        repr(row)
                        for row in cursor.execute(f"SELECT * FROM {table_of(id)} ORDER BY row").fetchall()
                    ),
                ]
    return held


def ids_of(store: Store) -> set[str]:
    return {dataset.id for dataset in store.datasets("person:2")}


# --- in and out ------------------------------------------------------------------------------------------------


@EVERY_ENGINE
def test_all_that_belongs_to_a_data_set_comes_back_equal(filled: Store, tmp_path: Path) -> None:
    told: list[str] = []
    assert moving.back_up(filled, tmp_path / "kept", told.append) == TransferResult(4, 0)
    assert [line[:6] for line in told] == ["1 of 4", "2 of 4", "3 of 4", "4 of 4"]
    with Store(settings=settings_of(tmp_path / "new")) as new:
        assert moving.restore(tmp_path / "kept", new, told.append) == TransferResult(4, 0)
        assert all_of(new) == all_of(filled)
        rows = repr([held for name, held in all_of(new).items() if len(name) == 32])
        for special in ("nan", "inf", "-inf", "-0.0", "1e-320", "x\\\\x00y", "''", "None"):
            assert special in rows, "the test lost what it is about"
        assert len(all_of(new)["links"]) == 4 + 2
        key = filled.links(next(iter(ids_of(filled))))[0].key
        assert new.by_key(key) == filled.by_key(key) is not None
        for sample in SAMPLES:
            assert new.by_key(sample.key) is None, "built-in studies are made by each server"


def test_a_migration_brings_everything_and_changes_nothing_at_its_source(
    filled: Store, tmp_path: Path
) -> None:
    before = all_of(filled)
    with Store(settings=settings_of(tmp_path / "new")) as new:
        assert moving.migrate(filled, new) == TransferResult(4, 0)
        assert all_of(new) == before
        assert moving.migrate(filled, new) == TransferResult(0, 4)
        assert all_of(new) == before
        assert list(new.spool.folder.iterdir()) == []
    assert all_of(filled) == before
    assert list(filled.spool.folder.iterdir()) == []


def test_a_file_moves_to_a_lake_and_back(filled: Store, tmp_path: Path, kept_s3_settings: Settings) -> None:
    before = all_of(filled)
    (first, *_) = moving._list_ids(filled)
    with Store(settings=kept_s3_settings) as lake:
        told: list[str] = []

        def break_off(sentence: str) -> None:
            told.append(sentence)
            if len(told) == 2:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            moving.migrate(filled, lake, break_off)
        assert moving.migrate(filled, lake) == TransferResult(2, 2)
        assert all_of(lake) == before
        answers = [store.query(store.get(first), "cells") for store in (lake, filled)]
        assert {name: array.tolist() for name, array in answers[0].items()} == {
            name: array.tolist() for name, array in answers[1].items()
        }
        with Store(settings=settings_of(tmp_path / "back")) as back:
            assert moving.migrate(lake, back) == TransferResult(4, 0)
            assert all_of(back) == before


def test_a_restored_store_can_be_backed_up_and_used_like_the_first(
    filled: Store, tmp_path: Path, write_csv: WriteCsv
) -> None:
    moving.back_up(filled, tmp_path / "kept")
    with Store(settings=settings_of(tmp_path / "new")) as new:
        moving.restore(tmp_path / "kept", new)
        (first, *_) = sorted(ids_of(new))
        new.delete(first)
        new.add(write_csv(HEADER, rows_of(2)), "ratings", MAPPING, "More", "person:2")
        moving.back_up(new, tmp_path / "kept again")
        with Store(settings=settings_of(tmp_path / "third")) as third:
            moving.restore(tmp_path / "kept again", third)
            assert all_of(third) == all_of(new)


def test_every_column_of_the_catalogue_is_carried(store: Store) -> None:
    made = {
        "datasets": {"sample_version", "summed"},
        "links": {"dataset", "digest"},
        "reports": {"dataset"},
        "kept_views": {"dataset"},
    }
    forms = {
        "datasets": interchange._DATASET,
        "links": interchange._LINK,
        "reports": interchange._REPORT,
        "kept_views": interchange._KEPT_VIEW,
    }
    with store._database.cursor() as cursor:
        for table, form in forms.items():
            columns = {row[0] for row in cursor.execute(f"DESCRIBE {table}").fetchall()}
            assert columns == form.keys() | made[table]
    assert len(schema.NEW_CATALOGUE) == len(forms) + 1, "another table is not carried"


@pytest.mark.parametrize(
    ("name", "kind", "mapping", "query", "parameters"),
    [
        (
            "speech_mos_lab_vs_crowd.csv",
            "ratings",
            {
                "item_id": "item",
                "rater_id": "rater",
                "rater_group": "group",
                "measure": "measure",
                "score": "score",
                "check": "check",
            },
            "item_pairs",
            {"measure": "overall_quality", "candidate": "crowd", "reference": "lab"},
        ),
        (
            "pandalm_pairwise_3way.csv",
            "choices",
            {
                "item_id": "item",
                "rater_id": "rater",
                "choice": "choice",
                "option_a": "option_a",
                "option_b": "option_b",
            },
            "overview",
            {},
        ),
    ],
)
def test_real_studies_answer_the_same_after_a_migration(
    store: Store,
    tmp_path: Path,
    shared_data: Path,
    name: str,
    kind: str,
    mapping: dict[str, str],
    query: str,
    parameters: dict[str, str],
) -> None:
    with (shared_data / name).open(encoding="utf-8") as whole, (tmp_path / name).open("w") as first:
        first.write(next(whole))
        first.writelines(islice(whole, 0, None, 11))  # rows of both groups
    saved = store.add(tmp_path / name, kind, mapping, name, "w")
    if query == "item_pairs":
        groups = store.query(saved, "cells")["group"].tolist()
        lab = next(group for group in groups if "lab" in group)
        parameters = parameters | {
            "reference": lab,
            "candidate": next(group for group in groups if group != lab),
        }
    with Store(settings=settings_of(tmp_path / "new")) as new:
        moving.migrate(store, new)
        assert new.get(saved.id) == saved
        expected = store.query(saved, query, **parameters)
        found = new.query(saved, query, **parameters)
        assert found.keys() == expected.keys()
        for array in expected:
            assert found[array].tolist() == pytest.approx(expected[array].tolist(), nan_ok=True)
        assert all_of(new) == all_of(store)


def test_a_database_is_not_moved_into_itself(store: Store) -> None:
    with Store(settings=store.settings) as same, pytest.raises(DataError, match="the same database"):
        moving.migrate(store, same)


def test_an_empty_store_gives_an_empty_back_up(store: Store, tmp_path: Path) -> None:
    assert moving.back_up(store, tmp_path / "kept") == TransferResult(0, 0)
    assert moving.restore(tmp_path / "kept", store) == TransferResult(0, 0)


# --- the folder ------------------------------------------------------------------------------------------------


def test_only_the_owner_can_read_a_back_up(filled: Store, tmp_path: Path) -> None:
    moving.back_up(filled, tmp_path / "kept")
    assert stat.S_IMODE((tmp_path / "kept").stat().st_mode) == 0o700
    files = list((tmp_path / "kept").iterdir())
    assert len(files) == 4 * 2 + 2
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}


def test_a_second_back_up_writes_only_what_is_new(filled: Store, tmp_path: Path, write_csv: WriteCsv) -> None:
    kept = tmp_path / "kept"
    moving.back_up(filled, kept)
    before = {file.name: file.stat().st_ino for file in kept.glob("*.parquet")}
    added = filled.add(write_csv(HEADER, rows_of(13)), "ratings", MAPPING, "Later", "person:2")
    (first, *_) = ids_of(filled)
    filled.add_link(first, "new")
    assert moving.back_up(filled, kept) == TransferResult(1, 4)
    after = {file.name: file.stat().st_ino for file in kept.glob("*.parquet")}
    assert before.items() <= after.items()
    (new,) = after.keys() - before.keys()
    assert new.startswith(added.id)
    assert len(list(kept.glob("*.json"))) == 5 + 1, "what no longer counts is cleared away"
    with Store(settings=settings_of(tmp_path / "new")) as restored:
        moving.restore(kept, restored)
        assert all_of(restored) == all_of(filled)


def test_what_was_deleted_stays_in_the_folder_until_it_is_pruned_and_is_not_restored(
    filled: Store, tmp_path: Path
) -> None:
    kept = tmp_path / "kept"
    moving.back_up(filled, kept)
    gone = sorted(ids_of(filled))[0]
    filled.delete(gone)
    assert moving.back_up(filled, kept) == TransferResult(0, 3, unused=(gone,))
    with Store(settings=settings_of(tmp_path / "new")) as restored:
        assert moving.restore(kept, restored) == TransferResult(3, 0)
        assert all_of(restored) == all_of(filled)
    (kept / "somebody's.txt").write_text("not ours")
    assert moving.back_up(filled, kept, prune=True) == TransferResult(0, 3)
    assert not list(kept.glob(f"{gone}*"))
    assert (kept / "somebody's.txt").exists()


def test_a_damaged_file_of_an_earlier_back_up_is_written_anew(filled: Store, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    moving.back_up(filled, kept)
    file = sorted(kept.glob("*.parquet"))[0]
    flip(file, 100)
    assert moving.back_up(filled, kept) == TransferResult(1, 3)
    with Store(settings=settings_of(tmp_path / "new")) as restored:
        moving.restore(kept, restored)
        assert all_of(restored) == all_of(filled)


def test_a_back_up_that_breaks_off_leaves_the_one_before_whole(
    filled: Store, tmp_path: Path, write_csv: WriteCsv
) -> None:
    kept = tmp_path / "kept"
    moving.back_up(filled, kept)
    before = all_of(filled)
    old = sorted(ids_of(filled))[0]
    for seed in (17, 19):
        filled.add(write_csv(HEADER, rows_of(seed)), "ratings", MAPPING, "Later", "person:2")
    filled.delete(old)

    def stop(sentence: str) -> None:
        if "is saved" in sentence:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        moving.back_up(filled, kept, stop)
    with Store(settings=settings_of(tmp_path / "new")) as restored:
        moving.restore(kept, restored)
        assert all_of(restored) == before
    assert moving.back_up(filled, kept).saved == 1, "the one that was written before it broke off is found"


def test_two_back_ups_do_not_work_in_one_folder(filled: Store, tmp_path: Path) -> None:
    told = []

    def again(sentence: str) -> None:
        with pytest.raises(DataError, match="another back-up is being written") as error:
            moving.back_up(filled, tmp_path / "kept")
        told.append(str(error.value))

    moving.back_up(filled, tmp_path / "kept", again)
    assert len(told) == 4


def test_a_back_up_is_safe_beside_imports_replacements_and_deletions(
    filled: Store, tmp_path: Path, write_csv: WriteCsv
) -> None:
    file = write_csv(HEADER, rows_of(23, 2_000))
    stop = threading.Event()
    failed: list[BaseException] = []

    def keep_changing() -> None:
        try:
            for _ in range(60):
                if stop.is_set():
                    return
                old = filled.add(file, "ratings", MAPPING, "passing", "person:2")
                new = filled.add(file, "ratings", MAPPING, "newer", "person:2", replaces=old.id)
                filled.delete(old.id)
                filled.delete(new.id)
        except BaseException as error:
            failed.append(error)

    changing = threading.Thread(target=keep_changing)
    stays = ids_of(filled)
    changing.start()
    try:
        for number in range(4):
            moving.back_up(filled, tmp_path / "kept")
            with Store(settings=settings_of(tmp_path / str(number))) as restored:
                moving.restore(tmp_path / "kept", restored)
                assert ids_of(restored) >= stays
                replaced = {each.replaces for each in restored.datasets("person:2")} - {None}
                assert replaced <= ids_of(restored), "a version without the one that it replaces"
    finally:
        stop.set()
        changing.join(60)
    assert not failed
    moving.back_up(filled, tmp_path / "kept")
    with Store(settings=settings_of(tmp_path / "new")) as restored:
        moving.restore(tmp_path / "kept", restored)
        assert ids_of(restored) == ids_of(filled) >= stays
        assert all_of(restored) == all_of(filled)


def test_a_data_set_that_is_deleted_in_the_middle_is_simply_not_in_the_back_up(
    filled: Store, tmp_path: Path
) -> None:
    doomed = moving._list_ids(filled)[1:3]

    def delete_next(sentence: str) -> None:
        if doomed:
            filled.delete(doomed.pop(0))

    moved = moving.back_up(filled, tmp_path / "kept", delete_next)
    assert moved.saved == 2
    with Store(settings=settings_of(tmp_path / "new")) as restored:
        moving.restore(tmp_path / "kept", restored)
        assert all_of(restored) == all_of(filled)


def test_uploads_that_need_room_push_out_nothing_of_a_back_up(
    filled: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = interchange.hash_parquet

    def crowded(cursor: duckdb.DuckDBPyConnection, file: Path) -> str:
        with suppress(OverLimit):
            Spool(replace(filled.settings, spool_size=1)).enforce_limit()
        return whole(cursor, file)

    monkeypatch.setattr(interchange, "hash_parquet", crowded)
    assert moving.back_up(filled, tmp_path / "kept").saved == 4
    assert list(filled.spool.folder.iterdir()) == []


# --- folders that somebody touched -----------------------------------------------------------------------------


def flip(file: Path, at: int) -> None:
    content = bytearray(file.read_bytes())
    content[at % len(content)] ^= 1
    file.write_bytes(content)


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def relist(kept: Path, listed: dict[str, Any], **more: Any) -> None:
    content = {"format": 1, "written": "2026-01-01T00:00:00+00:00", "datasets": listed} | more
    content["sha256"] = digest(json.dumps(content, sort_keys=True, indent=1).encode())
    (kept / "catalogue.json").write_text(json.dumps(content))


def rewrite(kept: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Replace an entry as a forger can, with all digests right."""
    listed = json.loads((kept / "catalogue.json").read_text())["datasets"]
    id = sorted(listed)[-1]
    content = json.loads((kept / f"{id}.{listed[id]}.json").read_text())
    change(content)
    written = json.dumps(content).encode()
    listed[id] = digest(written)
    (kept / f"{id}.{listed[id]}.json").write_bytes(written)
    relist(kept, listed)


def test_a_back_up_from_before_views_were_kept_is_read(filled: Store, tmp_path: Path) -> None:
    moving.back_up(filled, tmp_path / "kept")
    with (tmp_path / "kept" / "catalogue.json").open() as file:
        last = sorted(json.load(file)["datasets"])[-1]

    def of_format_1(content: dict[str, Any]) -> None:
        content["format"] = 1
        del content["entry"]["views"]

    rewrite(tmp_path / "kept", of_format_1)
    with Store(settings=settings_of(tmp_path / "new")) as new:
        assert moving.restore(tmp_path / "kept", new) == TransferResult(4, 0)
        assert new.views(last) == []
        assert new.links(last) == filled.links(last)


def reparquet(kept: Path, sql: str) -> None:
    """Other rows than the entry says, with all digests of files right."""
    import duckdb

    made = kept / "made"
    listed = json.loads((kept / "catalogue.json").read_text())["datasets"]
    (old,) = kept.glob(f"{sorted(listed)[-1]}.*.parquet")
    duckdb.sql(f"COPY ({sql.format(rows=f'read_parquet($${old}$$)')}) TO '{made}' (FORMAT parquet)")

    def change(content: dict[str, Any]) -> None:
        content["parquet"] = digest(made.read_bytes())
        made.rename(old.with_name(f"{old.name[:32]}.{content['parquet']}.parquet"))

    rewrite(kept, change)


def last(kept: Path, ending: str) -> Path:
    return sorted(kept.glob(f"????????????????????????????????.*.{ending}"))[-1]


def put(field: str, value: object) -> Callable[[dict[str, Any]], None]:
    def change(content: dict[str, Any]) -> None:
        *path, name = field.split(".")
        inside = content
        for step in path:
            inside = inside[step]
        inside[name] = value

    return change


def link(**fields: object) -> dict[str, Any]:
    made = {"link": "a" * 32, "created": "2026-01-01T00:00:00", "revoked": None, "name": None, "view": None}
    return made | {"expires": None} | fields


HOSTILE: dict[str, tuple[Callable[[Path], object], str]] = {
    "truncated Parquet": (lambda kept: os.truncate(last(kept, "parquet"), 500), "parquet is damaged"),
    "empty Parquet": (lambda kept: os.truncate(last(kept, "parquet"), 0), "parquet is damaged"),
    "changed byte in Parquet": (lambda kept: flip(last(kept, "parquet"), 300), "parquet is damaged"),
    "missing Parquet": (lambda kept: last(kept, "parquet").unlink(), "parquet of this back-up is missing"),
    "Parquet is a pipe": (
        lambda kept: (
            last(kept, "parquet").rename(kept / "x"),
            os.mkfifo(str(kept / "y")),
            (kept / "y").rename(
                kept
                / f"{sorted(file.name for file in kept.glob('*.json') if file.name != 'catalogue.json')[-1][:32]}"
                f".{digest((kept / 'x').read_bytes())}.parquet"
            ),
        ),
        "is not an ordinary file",
    ),
    "Parquet is a link": (
        lambda kept: (
            shutil.copy(last(kept, "parquet"), kept / "x"),
            last(kept, "parquet").unlink(),
            (
                kept
                / f"{sorted(file.name for file in kept.glob('*.json') if file.name != 'catalogue.json')[-1][:32]}"
                f".{digest((kept / 'x').read_bytes())}.parquet"
            ).symlink_to(kept / "x"),
        ),
        "is not an ordinary file",
    ),
    "missing JSON": (lambda kept: last(kept, "json").unlink(), "json of this back-up is missing"),
    "changed byte in JSON": (lambda kept: flip(last(kept, "json"), 200), "json is damaged"),
    "truncated JSON": (lambda kept: os.truncate(last(kept, "json"), 20), "json is damaged"),
    "no catalogue": (lambda kept: (kept / "catalogue.json").unlink(), "holds no whole back-up"),
    "changed byte in catalogue": (
        lambda kept: flip(kept / "catalogue.json", 80),
        "catalogue.json is damaged",
    ),
    "catalogue is no JSON": (
        lambda kept: (kept / "catalogue.json").write_text("{"),
        "catalogue.json is damaged",
    ),
    "catalogue is a list": (
        lambda kept: (kept / "catalogue.json").write_text("[]"),
        "catalogue.json is damaged",
    ),
    "catalogue without end": (
        lambda kept: (kept / "catalogue.json").write_text("[" * 100_000),
        "catalogue.json is damaged",
    ),
    "catalogue is no text": (
        lambda kept: (kept / "catalogue.json").write_bytes(b"\xff\xfe\x00"),
        "catalogue.json is damaged",
    ),
    "catalogue lists a path": (
        lambda kept: relist(kept, {"../../etc/passwd": "0" * 64}),
        "catalogue.json lists",
    ),
    "catalogue lists SQL": (
        lambda kept: relist(kept, {"x; DROP TABLE links": "0" * 64}),
        "catalogue.json lists",
    ),
    "catalogue lists a path as digest": (
        lambda kept: relist(kept, {"0" * 32: "/../../../etc/passwd"}),
        "catalogue.json lists",
    ),
    "catalogue lists a number": (lambda kept: relist(kept, {"0" * 32: 1}), "catalogue.json lists"),
    "catalogue of lists": (lambda kept: relist(kept, [1]), "catalogue.json is damaged"),  # type: ignore[arg-type]
    "newer catalogue": (lambda kept: relist(kept, {}, format=3), "catalogue.json comes from a newer version"),
    "newer JSON": (lambda kept: rewrite(kept, put("format", 3)), "json comes from a newer version"),
    "JSON of another id": (
        lambda kept: rewrite(kept, put("entry.dataset.id", "0" * 32)),
        "not of the data set",
    ),
    "id is a path": (
        lambda kept: rewrite(kept, put("entry.dataset.id", "../" * 10 + "xx")),
        "no sensible `id`",
    ),
    "Parquet is a path": (
        lambda kept: rewrite(kept, put("parquet", "../../etc/passwd")),
        "not of the data set",
    ),
    "unknown kind": (lambda kept: rewrite(kept, put("entry.dataset.kind", "votes")), "no sensible `kind`"),
    "name is a number": (lambda kept: rewrite(kept, put("entry.dataset.name", 3)), "no sensible `name`"),
    "name is half a character": (
        lambda kept: rewrite(kept, put("entry.dataset.name", "\ud800")),
        "no sensible `name`",
    ),
    "count is huge": (
        lambda kept: rewrite(kept, put("entry.dataset.rows_kept", 2**70)),
        "no sensible `rows_kept`",
    ),
    "count is true": (
        lambda kept: rewrite(kept, put("entry.dataset.rows_kept", True)),
        "no sensible `rows_kept`",
    ),
    "time is no time": (
        lambda kept: rewrite(kept, put("entry.dataset.created", "now")),
        "no sensible `created`",
    ),
    "mapping is a list": (
        lambda kept: rewrite(kept, put("entry.dataset.mapping", "[]")),
        "no sensible `mapping`",
    ),
    "other columns": (
        lambda kept: rewrite(kept, put("entry.dataset.columns", '[["item_id", "canonical"]]')),
        "parquet is damaged",
    ),
    "columns of no role": (
        lambda kept: rewrite(kept, put("entry.dataset.columns", '[["item_id", "key"]]')),
        "no sensible `columns`",
    ),
    "one field more": (lambda kept: rewrite(kept, put("entry.dataset.owner", "me")), "does not hold just"),
    "a sample": (lambda kept: rewrite(kept, put("entry.dataset.sample_version", "1")), "does not hold just"),
    "a sample's key": (
        lambda kept: rewrite(kept, put("entry.links", [link(link="sample-summaries")])),
        "no sensible `link`",
    ),
    "a link elsewhere": (
        lambda kept: rewrite(kept, put("entry.links", [link(view="//evil.example")])),
        "no sensible `view`",
    ),
    "links are a number": (lambda kept: rewrite(kept, put("entry.links", 3)), "no sensible `links`"),
    "report is a text": (lambda kept: rewrite(kept, put("entry.report", '"x"')), "no sensible `report`"),
    "no entry": (lambda kept: rewrite(kept, put("entry", None)), "does not hold just"),
    "other rows": (
        lambda kept: reparquet(kept, "SELECT * REPLACE (1.5 AS score) FROM {rows}"),
        "parquet is damaged",
    ),
    "a row less": (lambda kept: reparquet(kept, "SELECT * FROM {rows} LIMIT 20"), "parquet is damaged"),
    "other types": (
        lambda kept: reparquet(kept, "SELECT * REPLACE ([score] AS score) FROM {rows}"),
        "parquet is damaged",
    ),
    "text instead of Parquet": (
        lambda kept: reparquet_with(kept, b"PAR1 is what it begins with, but no more" * 9),
        "parquet is damaged",
    ),
}


def reparquet_with(kept: Path, content: bytes) -> None:
    def change(entry: dict[str, Any]) -> None:
        entry["parquet"] = digest(content)
        (kept / f"{entry['entry']['dataset']['id']}.{entry['parquet']}.parquet").write_bytes(content)

    rewrite(kept, change)


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A store into which nothing comes but whole data sets, whatever is restored."""
    with Store(settings=settings_of(tmp_path_factory.mktemp("attacked"))) as store:
        yield store


@pytest.mark.parametrize("case", HOSTILE)
def test_a_folder_that_somebody_touched_is_refused_by_a_sentence(
    case: str, once_kept: tuple[Path, dict[str, Any]], attacked: Store, tmp_path: Path
) -> None:
    kept = shutil.copytree(once_kept[0], tmp_path / "kept")
    touch, told = HOSTILE[case]
    touch(kept)
    with pytest.raises(DataError) as error:
        moving.restore(kept, attacked)
    assert told in str(error.value)
    assert str(kept) in str(error.value)
    held = all_of(attacked)
    found = ids_of(attacked)
    assert len(found) < 4
    for id in found:  # a forged one may come after whole ones
        assert held[id] == once_kept[1][id]
    assert not [row for row in held["links"] if "sample" in row]
    assert list(attacked.spool.folder.iterdir()) == []


def test_a_data_set_that_is_there_with_other_rows_is_refused(filled: Store, tmp_path: Path) -> None:
    moving.back_up(filled, tmp_path / "kept")
    with Store(settings=settings_of(tmp_path / "new")) as new:
        moving.restore(tmp_path / "kept", new)
        id = sorted(ids_of(new))[0]
        with new._database.transaction() as cursor:
            cursor.execute(f"UPDATE {table_of(id)} SET score = 6.5 WHERE row = 3")
        before = all_of(new)
        with pytest.raises(DataError, match=f"{id} is in the database already, with other rows"):
            moving.restore(tmp_path / "kept", new)
        with pytest.raises(DataError, match=f"{id} is in the database already, with other rows"):
            moving.migrate(filled, new)
        assert all_of(new) == before


def test_a_key_that_leads_to_another_data_set_is_refused(
    filled: Store, tmp_path: Path, write_csv: WriteCsv
) -> None:
    moving.back_up(filled, tmp_path / "kept")
    with Store(settings=settings_of(tmp_path / "new")) as new:
        other = new.add(write_csv(HEADER, rows_of(2)), "ratings", MAPPING, "Other", "person:3")
        with new._database.transaction() as cursor:
            cursor.execute("UPDATE links SET link = ?, digest = sha256(?)", [key_of(filled), key_of(filled)])
        with pytest.raises(DataError, match="leads to another data set"):
            moving.restore(tmp_path / "kept", new)
        found = new.by_key(key_of(filled))
        assert found is not None
        assert found.id == other.id


def test_two_may_restore_at_once(filled: Store, tmp_path: Path) -> None:
    moving.back_up(filled, tmp_path / "kept")
    moved: list[TransferResult] = []
    with Store(settings=settings_of(tmp_path / "new")) as new:
        both = [
            threading.Thread(target=lambda: moved.append(moving.restore(tmp_path / "kept", new)))
            for _ in range(2)
        ]
        for one in both:
            one.start()
        for one in both:
            one.join(60)
        assert [one.saved + one.existing for one in moved] == [4, 4]
        assert sum(one.saved for one in moved) == 4
        assert all_of(new) == all_of(filled)


def key_of(store: Store) -> str:
    return store.link(moving._list_ids(store)[0])


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="this user may write everywhere")
def test_a_folder_without_the_right_to_write_is_reported(filled: Store, tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir(mode=0o500)
    with pytest.raises(DataError, match=r"back-up folder .* cannot be used"):
        moving.back_up(filled, tmp_path / "kept")


def test_a_folder_that_is_a_file_is_reported(filled: Store, tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("")
    with pytest.raises(DataError, match=r"back-up folder .* cannot be used"):
        moving.back_up(filled, tmp_path / "kept")
    with pytest.raises(DataError, match="kept"):
        moving.restore(tmp_path / "kept", filled)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no small file systems to fill")
def test_no_room_for_a_back_up_is_reported_and_harms_nothing(
    filled: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(moving.os, "fsync", full)
    with pytest.raises(DataError, match="No space left on device"):
        moving.back_up(filled, tmp_path / "kept")
    monkeypatch.undo()
    moving.back_up(filled, tmp_path / "kept")
    assert not list((tmp_path / "kept").glob("*.part"))


# --- kills -----------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork processes")
@pytest.mark.parametrize(
    ("migrations", "back_ups", "expected"),
    [pytest.param(4, 2, 1, marks=pytest.mark.storage), pytest.param(30, 15, 10, marks=pytest.mark.slow)],
)
def test_kills_at_random_moments_leave_whole_data_sets_and_whole_back_ups(
    tmp_path: Path, migrations: int, back_ups: int, expected: int
) -> None:
    program = Path(__file__).with_name("kill_transfers.py")
    done = subprocess.run(
        [sys.executable, str(program), str(tmp_path), "1", str(migrations), str(back_ups), str(expected)],
        capture_output=True,
        text=True,
        timeout=300,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    kills, in_the_middle = (int(word) for word in done.stdout.split() if word.isdigit())
    assert kills >= migrations + back_ups
    assert in_the_middle >= expected, "too few kills came in the middle of a transfer to mean anything"


# --- commands --------------------------------------------------------------------------------------------------


@pytest.fixture
def environment(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setenv("RATERSCOPE_DATABASE", settings.database)
    monkeypatch.setenv("RATERSCOPE_SPOOL", str(settings.spool))
    return monkeypatch


def test_the_commands_back_up_restore_and_migrate(
    filled: Store,
    settings: Settings,
    tmp_path: Path,
    environment: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["back-up", str(tmp_path / "kept")]) == 0
    assert capsys.readouterr().out.endswith("4 data sets saved, 0 were there already\n")
    environment.setenv("RATERSCOPE_DATABASE", str(tmp_path / "restored.duckdb"))
    assert main(["restore", str(tmp_path / "kept")]) == 0
    assert capsys.readouterr().out.endswith("4 data sets restored, 0 were there already\n")
    assert main(["migrate", settings.database, str(tmp_path / "named.duckdb")]) == 0
    environment.setenv("RATERSCOPE_DATABASE", str(tmp_path / "set.duckdb"))
    assert main(["migrate", settings.database]) == 0
    assert capsys.readouterr().out.endswith("4 data sets moved, 0 were there already\n")
    for name in ("restored", "named", "set"):
        with Store(settings=replace(settings, database=str(tmp_path / f"{name}.duckdb"))) as store:
            assert all_of(store) == all_of(filled)


def test_the_command_names_what_is_left_in_the_folder(
    filled: Store, tmp_path: Path, environment: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["back-up", str(tmp_path / "kept")]) == 0
    gone = moving._list_ids(filled)[0]
    filled.delete(gone)
    assert main(["back-up", str(tmp_path / "kept")]) == 0
    assert f"--prune removes them: {gone}\n" in capsys.readouterr().out
    assert main(["back-up", str(tmp_path / "kept"), "--prune"]) == 0
    assert gone not in capsys.readouterr().out


def test_the_sweep_command_deletes_what_nobody_opens(
    filled: Store, environment: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    environment.setenv("RATERSCOPE_UNUSED_DAYS", "30")
    filled.take_over("person:2", "browser:3")
    assert main(["sweep"]) == 0
    assert "1 data sets deleted" in capsys.readouterr().out
    assert len(filled.datasets("browser:3")) == 3


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (["restore", "{tmp}/nothing"], "holds no whole back-up"),
        (["back-up", "{tmp}/kept"], "there is no database file"),
        (["migrate", "{tmp}/mistyped.duckdb"], "there is no database file"),
        (["sweep"], "there is no database file"),
    ],
)
def test_a_command_that_fails_says_why_in_a_sentence(
    tmp_path: Path,
    environment: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: list[str],
    told: str,
) -> None:
    environment.setenv("RATERSCOPE_DATABASE", str(tmp_path / "none.duckdb"))
    assert main([part.format(tmp=tmp_path) for part in command]) == 1
    said = capsys.readouterr().err
    assert told in said
    assert said.count("\n") == 1
    assert "Traceback" not in said


def test_a_file_that_a_server_has_open_is_reported(
    filled: Store, tmp_path: Path, environment: pytest.MonkeyPatch
) -> None:
    before = all_of(filled)
    moving.back_up(filled, tmp_path / "kept")
    done = subprocess.run(
        [sys.executable, "-m", "data", "restore", str(tmp_path / "kept")],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=ROOT,
        check=False,
    )
    assert done.returncode == 1
    assert "is open in another process" in done.stderr
    assert "Traceback" not in done.stderr
    assert all_of(filled) == before


def test_help_says_that_the_server_must_be_stopped(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("back-up", "restore", "migrate", "sweep"):
        with pytest.raises(SystemExit):
            main([command, "--help"])
        assert "stop the server first" in " ".join(capsys.readouterr().out.split())
