"""Tables of the corpus with changed cells, columns and rows, as people hurt them: `python -m` this, with a number of
tables and the first seed, prints those whose reading ends otherwise than in ratings or in a sentence."""

import argparse
import csv
import io
import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from data.errors import DataError
from tests.roundtrip.outcomes import Read, reading_in_memory

CASES = Path(__file__).parent / "cases"
_CELLS = (
    "", "-", "--", "..", "NA", "NaN", "None", "null", "n/a", "#N/A", "#DIV/0!", "inf", "-inf", "1e400", "-1", "-0", "0",
    "99", "999", "1.5", "1,5", "1.", "5/5", "50%", "1_000", "1 234", "1.234", "0x1F", "½", "²", "٣", "III", "yes", "x",
    "☺", "é", "=1+1", "'", '"', "a,b", "1;2", "a|b", "[1, 2]", "[]", "{}", "{'a': 1}", "2024-01-01", "12:30",
    "4 - good", "very good", "\u00a0", "\t", "A" * 300,
)  # fmt: skip
_NAMES = ("item", "rater", "score", "label", "rank", "winner", "system", "id", "question", "user", "annotator_1",
          "measure", "A", "model_a", "date", "text", "votes", "total", "mean")  # fmt: skip
_VALUES = (
    None,
    "",
    1,
    1.5,
    True,
    [],
    {},
    "x",
    [1, 2],
    {"a": 1},
    float("nan"),
    10**30,
    "A" * 300,
    -1,
    [None],
    [[1]],
)
_KEYS = ("id", "item", "rater", "score", "label", "user", "text", "annotations", "result", "value")
Rows = list[list[str]]


def _fill(random: Random, rows: Rows, column: int) -> Rows:
    """Set a cell, all or some cells of a column, or its name."""
    share, cell = random.choice((0.0, 0.3, 1.0)), random.choice(_CELLS)
    cells = [cell if random.random() < 0.7 else random.choice(_CELLS) for _ in rows]
    chosen = {random.randrange(len(rows)), *(at for at in range(1, len(rows)) if random.random() < share)}
    hurt = [[*row] for row in rows]
    for at in chosen:
        if column < len(hurt[at]):
            hurt[at][column] = cells[at] if at else random.choice(_CELLS + _NAMES)
    return hurt


_CHANGES: tuple[Callable[[Random, Rows, int], Rows], ...] = (
    _fill,
    lambda random, rows, at: [row[:at] + row[at + 1 :] for row in rows],
    lambda random, rows, at: [[*row, *row[at : at + 1]] for row in rows],
    lambda random, rows, at: [row[:at] + row[at:][::-1] for row in rows],
    lambda random, rows, at: rows[: random.choice((1, 2, 3, 4))],
    lambda random, rows, at: [*rows, random.choice(rows)],
    lambda random, rows, at: [rows[0], *rows],
    lambda random, rows, at: rows[1:],
    lambda random, rows, at: [rows[0], *random.sample(rows[1:], len(rows) - 1)],
    lambda random, rows, at: [[*column] for column in zip(*rows, strict=False)],
)


def _hurt_table(random: Random, text: str) -> str:
    mark = max(",;\t|", key=text.partition("\n")[0].count)
    rows = list(csv.reader(io.StringIO(text), delimiter=mark))
    for _ in range(random.choice((1, 1, 2, 3))):
        width = max(map(len, rows), default=0)
        if width:
            change = _fill if random.random() < 0.4 else random.choice(_CHANGES)
            rows = change(random, rows, random.randrange(width))
    written = io.StringIO()
    csv.writer(written, delimiter=mark).writerows(rows)
    return written.getvalue()


def _hurt_records(random: Random, records: Any) -> Any:
    """Change, move, wrap or delete one value within a list or an object."""
    places: list[tuple[Any, Any]] = []
    waiting = [records]
    while waiting:
        each = waiting.pop()
        keys = (
            [*each] if isinstance(each, dict) else range(min(len(each), 50)) if isinstance(each, list) else []
        )
        places += [(each, key) for key in keys]
        waiting += [each[key] for key in keys]
    if not places:
        return records
    inside, key = random.choice(places)
    value = random.choice(_VALUES)
    inside[key] = random.choice((value, [inside[key]], {"value": inside[key]}, str(inside[key])))
    if random.random() < 0.2:
        for each in (each for each, other in places if other == key):
            each[key] = value
    elif random.random() < 0.2 and isinstance(inside, dict):
        inside[random.choice(_KEYS)] = inside.pop(key)
    return records


def hurt_file(seed: int) -> tuple[str, str]:
    """Return name and text of a file of the corpus with one to three changes."""
    random = Random(seed)
    names = (".csv", ".tsv", ".json", ".jsonl")
    path = random.choice([path for path in sorted(CASES.rglob("*")) if path.suffix in names])
    text = path.read_text(encoding="utf-8-sig", errors="replace")
    if path.suffix == ".json":
        return path.name, json.dumps(_hurt_records(random, json.loads(text)))
    if path.suffix == ".jsonl":
        records = _hurt_records(random, [json.loads(line) for line in text.splitlines() if line.strip()])
        return path.name, "\n".join(map(json.dumps, records))
    return path.name, _hurt_table(random, text)


def read_hurt(read: Read, folder: Path, seed: int) -> bool:
    """Read a hurt file and return True where it still has ratings; False where it is refused in a sentence."""
    name, text = hurt_file(seed)
    path = folder / f"{seed}-{name}"
    path.write_text(text, encoding="utf-8", errors="replace")
    try:
        read([path])
    except DataError:
        return False
    finally:
        path.unlink()
    return True


def main() -> None:
    """Print the seeds of the tables that end in another exception, and how many were read and refused."""
    parser = argparse.ArgumentParser(prog="tests.corpus.mutations", description=__doc__)
    parser.add_argument("tables", nargs="?", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    read_tables = failed = 0
    with tempfile.TemporaryDirectory() as folder, reading_in_memory() as read:
        for seed in range(asked.seed, asked.seed + asked.tables):
            try:
                read_tables += read_hurt(read, Path(folder), seed)
            except Exception as error:
                failed += 1
                sys.stdout.write(f"{seed} {hurt_file(seed)[0]}: {type(error).__name__}: {error}\n")
    refused = asked.tables - read_tables - failed
    sys.stdout.write(f"{read_tables} read, {refused} refused, {failed} failed\n")


if __name__ == "__main__":
    main()
