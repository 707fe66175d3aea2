"""The store that plays S3 in the benchmarks, as DuckDB's client uses it."""

import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from benchmarks.size.object_store import ObjectStore, object_store
from data.engines.lake_engine import load

ROWS = 300_000


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ObjectStore]:
    with object_store(tmp_path) as store:
        yield store


@pytest.fixture
def client(store: ObjectStore) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as client:
        load(client, "httpfs")
        client.execute(
            f"CREATE SECRET (TYPE s3, REGION 'us-east-1', KEY_ID '{store.key}', SECRET '{store.secret}', "
            f"ENDPOINT '{store.endpoint.removeprefix('http://')}', USE_SSL false, URL_STYLE 'path')"
        )
        yield client


def test_what_was_written_is_read_listed_and_removed(
    store: ObjectStore, client: duckdb.DuckDBPyConnection
) -> None:
    path = store.new_path()
    for name in ("one file", "other"):
        client.execute(
            f"COPY (SELECT i, hash(i) AS h FROM range({ROWS}) t(i)) TO '{path}{name}.parquet' (ROW_GROUP_SIZE 50000)"
        )
    files = [f"{path}one file.parquet", f"{path}other.parquet"]
    assert client.execute("SELECT file FROM glob(?) ORDER BY ALL", [f"{path}*.parquet"]).fetchall() == [
        (file,) for file in files
    ]
    assert client.execute(
        "SELECT count(*), sum(i)::BIGINT, bool_and(h = hash(i)) FROM read_parquet(?)", [files]
    ).fetchone() == (2 * ROWS, ROWS * (ROWS - 1), True)
    address = f"{store.endpoint}/{files[1].removeprefix('s3://')}"
    urllib.request.urlopen(urllib.request.Request(address, method="DELETE"), timeout=10).close()
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(address, timeout=10)
    first = f"<Delete><Object><Key>{files[0].split('/', 3)[3]}</Key></Object></Delete>".encode()
    urllib.request.urlopen(f"{store.endpoint}/raterscope/?delete", first, timeout=10).close()
    assert client.execute("SELECT count(*) FROM glob(?)", [f"{path}*"]).fetchone() == (0,)


@pytest.mark.parametrize(
    ("part", "expected"),
    [("bytes=2-4", b"234"), ("bytes=7-", b"789"), ("bytes=-2", b"89"), (None, b"0123456789")],
)
def test_a_range_is_sent_and_counted(store: ObjectStore, part: str | None, expected: bytes) -> None:
    address = f"{store.endpoint}/bucket/some/object"
    urllib.request.urlopen(urllib.request.Request(address, b"0123456789", method="PUT"), timeout=10).close()
    requests, sent = store.count_requests()
    asked = urllib.request.Request(address, headers={"Range": part} if part else {})
    with urllib.request.urlopen(asked, timeout=10) as answer:
        assert answer.read() == expected
    assert store.count_requests() == (requests + 1, sent + len(expected))
