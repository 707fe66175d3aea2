"""Hostile bytes without end, read as an upload is, each under a clock and a limit on memory: `python -m` this, with the
seconds to go on, the folder to work in and the number of the first round, from which its inputs are drawn.

The kernel kills the process where an input takes too long, and refuses it addresses without end: four times as many
as memory, since they fill with holes over thousands of inputs. The input that did it lies in the folder then.
"""

import gzip
import resource
import signal
import sys
import time
from itertools import count
from pathlib import Path

import duckdb
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from data.errors import DataError
from data.formats.readers import sniff
from data.importing import staging
from data.mapping.proposal import propose
from data.settings import Settings

CLOCK = 20.0
"""Seconds for one input of at most `_LONGEST` bytes, on a machine that does other things too."""
MOST_ROUNDS_WITHOUT_TABLE = 5
"""Rounds that begin after the time is over, on a busy machine, as long as no input was a table."""
MEMORY = 10**9
"""Bytes that may be in memory at once."""
_LONGEST = 1 << 17
_PIECES = st.sampled_from(
    [
        *(b'"', b"'", b",", b";", b"\t", b"|", b"\n", b"\r", b"\r\n", b'""', b'a","x\n', b'a"b,"c\n', b"\0", b" "),
        *(b"1", b"0", b"9" * 40, b".", b"-", b"+", b"e", b"E9", b"1e", b"NaN", b"inf", b"1,5", b"4 - good"),
        *(b"\xef\xbb\xbf", b"\xff\xfe", b"\x80", b"\xc3\xa4", b"\xed\xa0\x80", b"\x1f\x8b", b"PK\x03\x04"),
        *(b"item", b"rater", b"score", b"measure", b"label", b"sep=;\n", b"item,rater,score\n", b"a,b,4\n"),
        *(b"model_a,model_b,winner\n", b'{"ImportId":1}', b"A" * 300),
    ]
)  # fmt: skip
_RUNS = st.tuples(_PIECES | st.binary(max_size=6), st.sampled_from([1, 1, 1, 2, 7, 100, 3000, _LONGEST])).map(
    lambda run: run[0] * min(run[1], _LONGEST // max(len(run[0]), 1))
)
_TABLES = st.lists(
    st.lists(st.sampled_from([b"a", b"4", b"", b'"b,c"', b"x", b"-1.5", b'"', b"yes"]), min_size=1, max_size=8).map(
        b",".join
    ),
    max_size=30,
).map(lambda rows: b"item,rater,score\n" + b"\n".join(rows))  # fmt: skip
_TEXTS = st.lists(_RUNS, max_size=8).map(b"".join) | _TABLES | st.binary(max_size=400)
_PACKED = st.one_of(
    _TEXTS.map(lambda text: gzip.compress(text, 1, mtime=0)),
    st.tuples(_TEXTS, st.integers(1, 40)).map(lambda cut: gzip.compress(cut[0], 1, mtime=0)[: -cut[1]]),
    _TEXTS.map(lambda text: text.decode("utf-8", "replace").encode("utf-16")),
)
ONCE_TOO_MUCH = (
    b",".join([b"1", *[b"51"] * 100]) + b"\n`" * 43_000,
    ("a,b,4\na,b,4\n" + "\ufffd" * 9_000).encode("utf-16"),
    b"9" * 120_000 + b",b,4\n" + b"a,b,4\n" * 20,
)
"""Once too much: rows that are short of a hundred cells each, a line that an error quotes cut in two, and a name
so long that looking for its end took minutes."""
INPUTS = (_TEXTS | _PACKED).map(lambda content: content[:_LONGEST])


def read(folder: Path, cursor: duckdb.DuckDBPyConnection, content: bytes) -> bool:
    """Read an input like an upload; return whether it can be staged."""
    path = folder / "input"
    path.write_bytes(content)
    Path("/proc/self/clear_refs").write_text("5")  # what was in memory at most is counted anew
    signal.setitimer(signal.ITIMER_REAL, CLOCK)
    try:
        found = propose(sniff(path))
        target = folder / "rows.parquet"
        staged = staging.stage(cursor, path, found.kind, found.mapping, target, "of this input", Settings())
        report = staged.report
        assert report.kept + report.set_aside == report.rows_read
        assert cursor.execute(f"SELECT count(*) FROM '{target}'").fetchone() == (
            report.kept + report.check_rows,
        )
        return True
    except DataError:
        return False
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        assert most_memory() <= MEMORY


def most_memory() -> int:
    """Bytes that this process had in memory at most; what `getrusage` says counts the process that started it, too."""
    [line] = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
    return int(line.split()[1]) * 1024


def main(seconds: float, folder: Path, first: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (4 * MEMORY, 4 * MEMORY))
    until = time.monotonic() + seconds
    inputs = staged = 0
    with duckdb.connect(config={"memory_limit": "500MB", "threads": 1}) as cursor:
        for content in ONCE_TOO_MUCH:
            read(folder, cursor, content)
        for number in count(first):
            if time.monotonic() >= until and (staged or number - first >= MOST_ROUNDS_WITHOUT_TABLE):
                break

            @seed(number)
            @settings(max_examples=100, deadline=None, database=None, suppress_health_check=list(HealthCheck))
            @given(INPUTS)
            def one_round(content: bytes) -> None:
                nonlocal inputs, staged
                if time.monotonic() < until or not staged:
                    inputs += 1
                    staged += read(folder, cursor, content)

            one_round()
    sys.stdout.write(f"{inputs} inputs, {staged} of them tables\n")


if __name__ == "__main__":
    main(float(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
