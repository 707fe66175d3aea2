"""Uploads read in a process of their own: it finds what reading here finds, and is ended at every limit."""

import errno
import gzip
import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import fields, replace
from pathlib import Path

import duckdb
import pytest

from data.errors import BadMapping, DataError, OverLimit, UnreadableFile
from data.formats.readers import sniff
from data.importing.report import ImportReport
from data.importing.spool import Spool
from data.isolation.__main__ import failure
from data.isolation.process import ReadingProcess
from data.mapping.proposal import Proposal, propose
from data.settings import Settings, from_environment
from data.store.store import Store

ROOT = Path(__file__).parents[3]
MAPPING = {"item_id": "item", "rater_id": "rater", "score": "score"}
HEADER = "item,rater,score\n"
ROWS = "b,r1,4\na,r1,3.5\nb,,2\na,r2,x\nc,r2,1e70\n"
starts_processes = pytest.mark.storage


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Long enough that its reading is seen before it ends."""
    file = tmp_path_factory.mktemp("large") / "large.csv"
    with file.open("w") as out:
        out.write(HEADER)
        out.writelines(f'"item {at}",rater {at % 97},{at % 5}\n' for at in range(600_000))
    return file


def checked(store: Store, file: Path, found: Proposal) -> ImportReport | BadMapping:
    try:
        return store.check(file, found.kind, found.mapping)
    except BadMapping as error:
        return error


def children() -> list[int]:
    """The reading processes that this one has started and that have not ended."""
    started: list[int] = []
    for task in Path("/proc/self/task").iterdir():
        with suppress(FileNotFoundError):  # a thread that ended meanwhile
            started += map(int, (task / "children").read_text().split())
    return [child for child in started if b"data.isolation" in Path(f"/proc/{child}/cmdline").read_bytes()]


@pytest.mark.slow
@starts_processes
def test_it_finds_what_reading_here_finds(settings: Settings, shared_data: Path, tmp_path: Path) -> None:
    files = sorted((shared_data / "formats").glob("*sv"))[1:4:2]
    packed = tmp_path / "packed.csv.gz"
    packed.write_bytes(gzip.compress((HEADER + ROWS).encode()))
    with (
        Store(settings=settings) as here,
        Store(settings=replace(settings, database=str(tmp_path / "apart.duckdb")), isolated=True) as apart,
    ):
        for file in [*files, packed]:
            seen = apart.sniff(file)
            assert repr(seen) == repr(sniff(file))
            found = propose(seen)
            expected, told = (checked(store, file, found) for store in (here, apart))
            assert repr(told) == repr(expected)
            if isinstance(expected, ImportReport) and expected.kept:
                saved = apart.add(file, found.kind, found.mapping, "apart")
                assert saved.sha256 == here.add(file, found.kind, found.mapping, "here").sha256
        rejected = [b"".join(store.rejects_csv(packed, "ratings", MAPPING)) for store in (here, apart)]
        assert rejected[0] == rejected[1]
        assert rejected[0].count(b"\n") == 3
        assert list(apart.spool.folder.iterdir()) == []
    assert children() == []


@starts_processes
def test_what_no_table_is_gets_the_same_sentence(settings: Settings, tmp_path: Path) -> None:
    file = tmp_path / "file.csv"
    with Store(settings=settings, isolated=True) as store:
        for content, kind in (
            (b"", UnreadableFile),
            (b"PK\x03\x04", UnreadableFile),
            (b"a\n1\n", UnreadableFile),
        ):
            file.write_bytes(content)
            with pytest.raises(kind) as here:
                sniff(file)
            with pytest.raises(kind) as apart:
                store.sniff(file)
            assert str(apart.value) == str(here.value)
        with pytest.raises(DataError, match="there is no file"):
            store.sniff(tmp_path / "nowhere.csv")


@starts_processes
@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ({"reading_minutes": 0.001}, "more time than the 0.001 minutes"),
        ({"reading_memory": 200 * 10**6}, "200 MB (RATERSCOPE_READING_MEMORY)"),
        ({"reading_disk": 10**6}, "more room on the disk than the 1 MB"),
        ({"unpacked_size": 10**6}, "unpacks to more than the 1 MB"),
        ({"rows": 1000}, "more than the 1,000 that RATERSCOPE_ROWS allows"),
    ],
    ids=lambda part: str(part)[:30],
)
def test_it_is_ended_at_every_limit(
    settings: Settings, large: Path, limits: dict[str, float], said: str
) -> None:
    if "unpacked_size" in limits:
        packed = large.with_name("large.csv.gz")
        packed.write_bytes(gzip.compress(large.read_bytes(), compresslevel=1))
        large = packed
    with Store(settings=replace(settings, **limits), isolated=True) as store:  # type: ignore[arg-type]
        with pytest.raises((OverLimit, UnreadableFile)) as raised:
            store.check(large, "ratings", MAPPING)
        assert said in str(raised.value)
        assert str(settings.spool) not in str(raised.value)
        assert list(store.spool.folder.iterdir()) == []
    assert children() == []


@pytest.mark.slow
def test_as_many_rows_as_are_allowed_fit_its_memory_with_a_wrong_one_among_them(
    settings: Settings, tmp_path: Path
) -> None:
    """One that is wrong makes it read all of them as text."""
    rows, file = Settings().rows, tmp_path / "ratings.parquet"
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.execute(
            f"""COPY (SELECT format('item {{:06}}', i // 100) AS item, format('rater {{:05}}', i * 37 % 10007) AS rater,
            format('system {{:02}}', i // 100 % 12) AS system, format('topic {{:03}}', i // 1000 % 50) AS topic,
            ['quality', 'fluency'][i % 2 + 1] AS measure, ['lab', 'crowd'][i // 2 % 2 + 1] AS "group",
            CASE WHEN i < {rows - 1} THEN 1 + i * 7 % 5 END AS score FROM range({rows}) t(i)) TO '{file}'"""
        )
    with Store(settings=settings, isolated=True) as store:
        found = propose(store.sniff(file))
        report = store.check(file, found.kind, found.mapping)
    assert (report.kept, report.set_aside) == (rows - 1, 1)


@starts_processes
def test_it_ends_when_whoever_asked_goes(settings: Settings, large: Path) -> None:
    class Gone(Exception):
        pass

    def leave(done: float, doing: str) -> None:
        if doing:
            raise Gone

    with Store(settings=settings, isolated=True) as store:
        with pytest.raises(Gone):
            store.check(large, "ratings", MAPPING, leave)
        assert children() == []
        assert list(store.spool.folder.iterdir()) == []


@starts_processes
def test_a_reading_process_that_is_killed_costs_a_sentence(settings: Settings, large: Path) -> None:
    def kill(done: float, doing: str) -> None:
        if doing:
            for child in children():
                os.kill(child, signal.SIGKILL)

    with Store(settings=settings, isolated=True) as store:
        with pytest.raises(UnreadableFile, match="reading this file ended unexpectedly"):
            store.check(large, "ratings", MAPPING, kill)
        assert store.check(large, "ratings", MAPPING).kept == 600_000


@starts_processes
def test_it_tells_how_far_it_is_and_in_words(settings: Settings, large: Path) -> None:
    told: list[tuple[float, str]] = []
    with Store(settings=settings, isolated=True) as store:
        store.check(large, "ratings", MAPPING, lambda done, doing: told.append((done, doing)))
    shares = [done for done, _ in told]
    assert shares == sorted(shares)
    assert "reading every row" in {doing for _, doing in told}


@starts_processes
def test_it_ends_with_the_server(large: Path) -> None:
    """The server holds its standard input; the kernel closes that, however the server ends."""
    reading = subprocess.Popen(
        [sys.executable, "-m", "data.isolation"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=dict(os.environ) | {"RATERSCOPE_SPOOL": str(large.parent)},
    )
    assert reading.stdin is not None
    assert reading.stdout is not None
    order = {"task": "stage", "path": str(large), "kind": "ratings", "mapping": MAPPING, "sha256": ""}
    reading.stdin.write(json.dumps(order | {"target": str(large.with_name("rows.parquet"))}).encode() + b"\n")
    reading.stdin.flush()
    assert b"unpacking" in reading.stdout.readline()
    reading.stdin.close()
    assert reading.wait(60) == 1
    reading.stdout.close()


@starts_processes
def test_it_needs_neither_streamlit_nor_pandas_nor_scipy() -> None:
    """Each would make every upload wait for longer than its reading takes."""
    said = subprocess.run(
        [sys.executable, "-c", "import sys, data.isolation.__main__; print(*sys.modules)"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert not {"streamlit", "pandas", "scipy", "plotly", "pyarrow"} & set(said)


@pytest.mark.parametrize(
    ("first", "told"),
    [
        (MemoryError(), {"out_of": "memory"}),
        (duckdb.OutOfMemoryException("full"), {"out_of": "memory"}),
        (OSError(errno.ENOMEM, "cannot allocate"), {"out_of": "memory"}),
        (OverLimit("too many rows"), {"error": "OverLimit", "message": "too many rows"}),
        (KeyError("x"), {"failed": "PermissionError"}),
    ],
    ids=lambda given: type(given).__name__,
)
def test_an_error_while_cleaning_up_does_not_hide_the_first(
    tmp_path: Path, first: Exception, told: dict[str, str]
) -> None:
    def read() -> None:
        try:
            raise first
        finally:
            raise first if isinstance(first, OSError) else PermissionError("a folder that cannot be removed")

    with pytest.raises(OSError, match=r".") as raised:
        read()
    found = failure(raised.value, tmp_path)
    found.pop("places", None)
    assert found == told


def test_the_process_gets_limits_and_no_secrets(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STREAMLIT_SERVER_COOKIE_SECRET", "of the cookies")
    given = replace(settings, operator="a passphrase of many words", s3_secret="of the bucket", rows=77)
    reading = ReadingProcess(given, Spool(given))
    environment = reading._environment(settings.spool / "work")
    secret = {field.metadata["variable"] for field in fields(Settings) if field.metadata["secret"]}
    assert not secret & set(environment)
    assert not {"of the cookies", given.operator, given.s3_secret, given.database} & set(environment.values())
    assert from_environment(environment).rows == 77
    assert environment["TMPDIR"] == environment["RATERSCOPE_SPOOL"] == str(settings.spool / "work")
