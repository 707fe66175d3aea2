"""A database of version 1 opens: everything is under its address, and who held the cookie holds the data sets."""

import hashlib
import os
import shutil
import signal
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest

from data.dataset import Column
from data.settings import Settings
from data.store.store import Store

pytestmark = pytest.mark.storage

ROOT = Path(__file__).parents[3]
VERSION_1 = (
    "CREATE TABLE schema_version (version INTEGER)",
    """CREATE TABLE datasets (id VARCHAR, kind VARCHAR, name VARCHAR, "columns" VARCHAR, mapping VARCHAR,
       sha256 VARCHAR, rows_kept BIGINT, rows_set_aside BIGINT, created TIMESTAMP, workspace VARCHAR,
       sample_version VARCHAR)""",
    "CREATE TABLE links (link VARCHAR, dataset VARCHAR, created TIMESTAMP, revoked TIMESTAMP)",
    "INSERT INTO schema_version VALUES (1)",
)
COOKIE, KEY, REVOKED = "0123456789abcdef" * 2, "fedcba9876543210" * 2, "00112233445566778899aabbccddeeff"
MINE, SAMPLE, NAMED = "a" * 32, "b" * 32, "c" * 32
ROWS = (
    "SELECT range + 1 AS \"row\", 'item ' || range // 3 AS item_id, "
    "chr((range % 7 + 97)::INTEGER) || ' ünd' AS rater_id, "
    "CASE WHEN range % 5 > 0 THEN range / 3 END AS score FROM range(1000)"
)
COLUMNS = '[["item_id", "canonical"], ["rater_id", "canonical"], ["score", "canonical"]]'
MAPPING = '{"item_id": "item", "rater_id": ["left", "right"], "score": "score"}'


@pytest.fixture
def version_1(settings: Settings) -> Path:
    path = Path(settings.database)
    path.parent.mkdir()
    write_version_1(path)
    return path


def write_version_1(path: Path) -> None:
    """Write a database as version 1 left it: a browser's data set, a built-in one, and one of a named workspace."""
    with duckdb.connect() as connection:
        connection.execute(f"ATTACH '{path}' AS store (BLOCK_SIZE 16384)")
        connection.execute("USE store")
        for statement in VERSION_1:
            connection.execute(statement)
        for id, workspace, sample, link in (
            (MINE, COOKIE, None, KEY),
            (SAMPLE, None, "1, importer 1", "sample-old"),
            (NAMED, "notebook", None, "1" * 32),
        ):
            connection.execute(f"CREATE TABLE rows_{id} AS {ROWS}")
            connection.execute(
                "INSERT INTO datasets VALUES (?, 'ratings', ?, ?, ?, ?, 900, 100, '2026-01-02 03:04:05', ?, ?)",
                [id, f"Study {id[0]}", COLUMNS, MAPPING, id[0] * 64, workspace, sample],
            )
            connection.execute("INSERT INTO links VALUES (?, ?, '2026-01-02 03:04:05', NULL)", [link, id])
        connection.execute(
            "INSERT INTO links VALUES (?, ?, '2026-01-02 03:04:05', '2026-01-03 00:00:00')", [REVOKED, MINE]
        )
        connection.execute("USE memory")
        connection.execute("DETACH store")


def _content(path: Path) -> dict[str, Any]:
    """All that a database holds, table by table."""
    with duckdb.connect(str(path), read_only=True) as plain:
        tables = plain.execute("SELECT table_name FROM duckdb_tables() ORDER BY 1").fetchall()
        return {
            name: [plain.execute(f"DESCRIBE {name}").fetchall(), plain.execute(f"FROM {name}").fetchall()]
            for (name,) in tables
        }


def _is_whole(settings: Settings, before: dict[str, Any]) -> None:
    with Store(settings=settings) as store:
        owner = f"browser:{hashlib.sha256(COOKIE.encode()).hexdigest()}"
        [mine] = store.datasets(owner)
        assert store.datasets(COOKIE) == []
        assert store.by_key(KEY) == mine == store.get(MINE)
        assert mine.columns == tuple(Column(name, "canonical") for name in ("item_id", "rater_id", "score"))
        assert mine.mapping == {"item_id": "item", "rater_id": ("left", "right"), "score": "score"}
        assert (mine.name, mine.sha256, mine.rows_kept, mine.rows_set_aside) == (
            "Study a",
            "a" * 64,
            900,
            100,
        )
        assert mine.created == mine.used == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
        assert mine.replaces is None
        assert store.by_key(REVOKED) is None
        sample = store.by_key("sample-old")
        assert sample is not None
        assert (sample.id, sample.workspace) == (SAMPLE, None)
        assert [own.id for own in store.datasets("notebook")] == [NAMED]
        assert store.link(MINE) == KEY
        assert [(link.key, link.name, link.view, link.expires) for link in store.links(MINE)] == [
            (KEY, "", "", None)
        ]
        assert store.report(MINE) is None
        assert store.query(mine, "overview")["rows"].tolist() == [1000]
    after = _content(Path(settings.database))
    for table in (f"rows_{MINE}", f"rows_{SAMPLE}", f"rows_{NAMED}"):
        assert after[table] == before[table]
    assert after["schema_version"][1] == [(7,)]


def test_a_database_of_version_1_opens_with_everything_under_its_address(
    settings: Settings, version_1: Path
) -> None:
    before = _content(version_1)
    _is_whole(settings, before)
    upgraded = _content(version_1)
    _is_whole(settings, before)
    assert _content(version_1) == upgraded


def test_what_was_upgraded_can_be_changed_like_any_other(
    settings: Settings, version_1: Path, tmp_path: Path
) -> None:
    file = tmp_path / "newer.csv"
    file.write_text("item_id,rater_id,score\na,x,1\n")
    mapping = {name: name for name in ("item_id", "rater_id", "score")}
    with Store(settings=settings) as store:
        owner = store.get(MINE).workspace
        newer = store.add(file, "ratings", mapping, "Study a", owner, MINE)
        assert store.renew_link(MINE, KEY).key != KEY
        assert store.by_key(KEY) is None
        assert store.rename(MINE, "Old").name == "Old"
        assert store.files(MINE, "csv").exists()
        store.delete(MINE)
        assert store.datasets(owner) == [store.get(newer.id)]
        assert store.get(newer.id).replaces is None


def test_an_upgraded_catalogue_has_the_columns_of_a_new_one(
    settings: Settings, version_1: Path, tmp_path: Path
) -> None:
    fresh = tmp_path / "fresh.duckdb"
    with Store(settings=settings), Store(fresh, settings):
        pass
    upgraded, new = _content(version_1), _content(fresh)
    for table in ("schema_version", "datasets", "links", "reports", "kept_views"):
        assert [column[:2] for column in upgraded[table][0]] == [column[:2] for column in new[table][0]]


def test_a_database_from_before_views_were_kept_keeps_them_now(settings: Settings, tmp_path: Path) -> None:
    file = tmp_path / "study.csv"
    file.write_text("item_id,rater_id,score\na,x,1\n")
    mapping = {name: name for name in ("item_id", "rater_id", "score")}
    with Store(settings=settings) as store:
        saved = store.add(file, "ratings", mapping, "Study", "w1")
        links = store.links(saved.id)
        with store._database.transaction() as cursor:
            cursor.execute("DROP TABLE kept_views")
            cursor.execute("ALTER TABLE datasets DROP COLUMN summed")
            cursor.execute("UPDATE schema_version SET version = 2")
    with Store(settings=settings) as store:
        assert (store.datasets("w1"), store.links(saved.id)) == ([saved], links)
        kept = store.keep_view(saved.id, "The curve", "/repetitions")
        assert store.views(saved.id) == [kept]


KILLED = """
import os, signal, sys
from pathlib import Path
from data.engines import schema
from data.settings import Settings
from data.store.store import Store

upgrade = schema.upgrade

class Killed:
    def __init__(self, connection, left):
        self.connection, self.left = connection, left

    def execute(self, *given):
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        self.left -= 1
        return self.connection.execute(*given)

def open_store(folder):
    schema.upgrade = lambda connection, version: upgrade(Killed(connection, int(folder.name)), version)
    Store(settings=Settings(database=str(folder / "test.duckdb"), spool=folder / "spool", threads=2))

for folder in map(Path, sys.argv[1:]):
    process = os.fork()
    if not process:
        try:
            open_store(folder)
        finally:
            os._exit(1)
    print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))
"""
"""Forks, for each folder that it is given, a process that dies at the statement of that number: the folder's name."""
VERSION_AFTER = {3: 1, 9: 1, 13: 1, 14: 2, 18: 3, 21: 3, 22: 4, 26: 5}
"""The version of a database whose upgrade is killed at the statement of that number."""


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> dict[int, tuple[Path, int]]:
    """The folders in which upgrades were killed, and how each process ended; one that imports forks them all."""
    made = tmp_path_factory.mktemp("killed")
    write_version_1(made / "test.duckdb")
    folders = [made / str(statements) for statements in VERSION_AFTER]
    for folder in folders:
        folder.mkdir()
        shutil.copy(made / "test.duckdb", folder)
    ended = subprocess.run(
        [sys.executable, "-c", KILLED, *folders],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        timeout=300,
        check=True,
    )
    codes = map(int, ended.stdout.split())
    return {int(folder.name): (folder, code) for folder, code in zip(folders, codes, strict=True)}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork processes")
@pytest.mark.parametrize(
    ("statements", "version"),
    VERSION_AFTER.items(),
    ids=[
        "a column",
        "the reports",
        "before the commit",
        "after it",
        "before the last",
        "in it",
        "after another",
        "after it all",
    ],
)
def test_an_upgrade_that_is_killed_leaves_one_version_whole(
    killed: dict[int, tuple[Path, int]], statements: int, version: int
) -> None:
    folder, ended = killed[statements]
    assert ended == -signal.SIGKILL
    settings = Settings(database=str(folder / "test.duckdb"), spool=folder / "spool", threads=1)
    before = _content(folder.parent / "test.duckdb")
    after = _content(folder / "test.duckdb")
    assert after["schema_version"][1] == [(version,)]
    assert (after == before) == (version == 1)
    _is_whole(settings, before)
