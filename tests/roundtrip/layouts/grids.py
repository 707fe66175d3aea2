"""Layouts with a column for each rater, or for each item."""

import re

from tests.roundtrip.noise import Noise, Rows, Written
from tests.roundtrip.studies import Study


def _grid(noise: Noise, index: str, decided_by: str, *, transposed: bool = False) -> Written:
    study, missing = noise.study, noise.missing()
    rows_of, columns = (study.raters, study.items) if transposed else (study.items, study.raters)
    head: list[object] = [index, *columns]
    rows: Rows = [
        [
            name,
            *(
                noise.cell(*((column, row) if transposed else (row, column)), 0, missing)
                for column in range(len(columns))
            ),
        ]
        for row, name in enumerate(rows_of)
    ]
    noise.shuffle_rows(rows)
    noise.extra_columns(head, rows, per="rater" if transposed else "item")
    return Written({"study.csv": noise.table([head], rows)}, tuple(noise.used), decided_by)


def rater_columns(study: Study) -> Written:
    """Write one row per item, with a column for each rater."""
    noise = Noise(study, "rater columns")
    return _grid(noise, noise.header("item"), "the word for items above the first column")


def unnamed_index(study: Study) -> Written:
    """Write one row per item, with a column for each rater and no word above the items."""
    noise = Noise(study, "unnamed index")
    return _grid(noise, noise.one_of(("", "Unnamed: 0")), "the names of items and raters")


def transposed(study: Study) -> Written:
    """Write one row per rater, with a column for each item."""
    noise = Noise(study, "transposed")
    return _grid(noise, noise.header("rater"), "the word for raters above the first column", transposed=True)


def transposed_unnamed(study: Study) -> Written:
    """Write one row per rater, with a column for each item and no word above the raters."""
    noise = Noise(study, "transposed unnamed")
    return _grid(noise, noise.one_of(("", "Unnamed: 0")), "the names of items and raters", transposed=True)


def rater_columns_by_parts(study: Study) -> Written:
    """Write one row per system and topic, with a column for each rater."""
    noise = Noise(study, "rater columns by parts")
    missing = noise.missing()
    names = (("system", "topic"), ("model", "doc_id"), ("system", "segment"))
    head: list[object] = [*names[int(noise.draw.integers(len(names)))], *study.raters]
    rows: Rows = [
        [system, topic, *(noise.cell(at, who, 0, missing) for who in range(len(study.raters)))]
        for at, (topic, system) in enumerate(study.parts)
    ]
    noise.shuffle_rows(rows)
    noise.extra_columns(head, rows, per="item")
    decided_by = "the words for system and topic"
    return Written({"study.csv": noise.table([head], rows)}, tuple(noise.used), decided_by, has_parts=True)


def system_columns(study: Study) -> Written:
    """Write one row per rater and topic, with a column for each system, the first of which is the hidden reference."""
    noise = Noise(study, "system columns")
    missing = noise.missing()
    systems, topics = (list(dict.fromkeys(names)) for names in (study.systems, study.topics))
    called = dict(zip(systems, ("reference", *systems[1:]), strict=True))
    places = {part: at for at, part in enumerate(study.parts)}
    head: list[object] = [noise.header("rater"), noise.one_of(("page", "trial", "segment")), *called.values()]
    rows: Rows = [
        [rater, topic, *(noise.cell(places[topic, system], who, 0, missing) for system in systems)]
        for who, rater in enumerate(study.raters)
        for topic in topics
    ]
    noise.shuffle_rows(rows)
    aliases = {
        f"{topic}__{called[system]}": item
        for item, (topic, system) in zip(study.items, study.parts, strict=True)
    }
    decided_by = "the reference"
    return Written({"study.csv": noise.table([head], rows)}, tuple(noise.used), decided_by, aliases=aliases)


def measure_rows(study: Study) -> Written:
    """Write one row per item and measure, with a column for each rater."""
    noise = Noise(study, "rater columns, measure rows")
    missing = noise.missing()
    head: list[object] = [noise.header("item"), noise.header("measure"), *study.raters]
    rows: Rows = [
        [item, measure, *(noise.cell(at, who, what, missing) for who in range(len(study.raters)))]
        for at, item in enumerate(study.items)
        for what, measure in enumerate(study.measures)
    ]
    noise.shuffle_rows(rows)
    decided_by = "the words for items and measures"
    return Written({"study.csv": noise.table([head], rows)}, tuple(noise.used), decided_by)


def neutral(study: Study) -> Written:
    """Write a grid whose rows and columns have names that say nothing: nobody can know which are the raters."""
    noise = Noise(study, "neutral grid")
    head: list[object] = [noise.one_of(("", "id", "name")), *(f"B{at + 1}" for at in range(len(study.items)))]
    rows: Rows = [
        [f"A{who + 1}", *(noise.cell(at, who, 0) for at in range(len(study.items)))]
        for who in range(len(study.raters))
    ]
    aliases = {f"B{at + 1}": name for at, name in enumerate(study.items)}
    files = {"study.csv": noise.table([head], rows)}
    return Written(files, tuple(noise.used), "", raters="unnamed", aliases=aliases)


def rater_and_measure(study: Study) -> Written:
    """Write one row per item, with a column for each rater and measure, joined by a separator."""
    noise = Noise(study, "rater and measure columns")
    missing = noise.missing()
    separator = noise.one_of(("_", "/", " - ", ":", " | "))
    first_rater = noise.happens("rater before measure", 0.5)
    pairs = [(who, what) for who in range(len(study.raters)) for what in range(len(study.measures))]
    if noise.happens("columns by measure", 0.5):
        pairs.sort(key=lambda pair: pair[1])
    names = [(study.raters[who], study.measures[what]) for who, what in pairs]
    head: list[object] = [
        noise.header("item"),
        *(separator.join(pair if first_rater else pair[::-1]) for pair in names),
    ]
    rows: Rows = [
        [name, *(noise.cell(at, who, what, missing) for who, what in pairs)]
        for at, name in enumerate(study.items)
    ]
    noise.extra_columns(head, rows, per="item")
    return Written({"study.csv": noise.table([head], rows)}, tuple(noise.used), "the full grid of headers")


def two_header_rows(study: Study) -> Written:
    """Write one row per item under two header rows, measures above raters or raters above measures."""
    noise = Noise(study, "two header rows")
    missing = noise.missing()
    measures_above = not noise.happens("raters above measures", 0.4)
    pairs = [(who, what) for who in range(len(study.raters)) for what in range(len(study.measures))]
    if measures_above:
        pairs.sort(key=lambda pair: pair[1])
    whos, whats = [study.raters[who] for who, _ in pairs], [study.measures[what] for _, what in pairs]
    above, below = (whats, whos) if measures_above else (whos, whats)
    if noise.happens("merged cells", 0.4):
        above = ["" if at and name == above[at - 1] else name for at, name in enumerate(above)]
    rows: Rows = [
        [name, *(noise.cell(at, who, what, missing) for who, what in pairs)]
        for at, name in enumerate(study.items)
    ]
    content = noise.table([["", *above], [noise.header("item"), *below]], rows)
    return Written({"study.csv": content}, tuple(noise.used), "the word for items and the repeated upper row")


def pandas_pivot(study: Study) -> Written:
    """Write a pivot with two levels of columns as pandas writes it: each level named, then the index."""
    noise = Noise(study, "pandas pivot")
    pairs = [(what, who) for what in range(len(study.measures)) for who in range(len(study.raters))]
    heads: Rows = [
        [noise.header("measure"), *(study.measures[what] for what, _ in pairs)],
        [noise.header("rater"), *(study.raters[who] for _, who in pairs)],
        [noise.header("item"), *("" for _ in pairs)],
    ]
    rows: Rows = [
        [name, *(noise.cell(at, who, what) for what, who in pairs)] for at, name in enumerate(study.items)
    ]
    return Written({"study.csv": noise.table(heads, rows)}, tuple(noise.used), "the names of the levels")


def between_spaces(study: Study) -> Written:
    """Write one row per item and a column for each rater, divided by spaces as R and SPSS write tables."""
    noise = Noise(study, "between spaces", commas=False)
    missing = noise.missing() or "NA"
    head: list[object] = [noise.header("item"), *study.raters]
    rows: Rows = [
        [name, *(noise.cell(at, who, 0, missing) for who in range(len(study.raters)))]
        for at, name in enumerate(study.items)
    ]
    noise.shuffle_rows(rows)
    is_bare, is_aligned = noise.happens("no header", 0.3), noise.happens("aligned columns", 0.5)
    has_row_names = not is_bare and noise.happens("names of rows", 0.3)
    table = [row[1:] for row in rows] if is_bare else [head, *rows]
    if has_row_names:
        table[1:] = [[str(at + 1), *row] for at, row in enumerate(rows)]
    cells = [
        [f'"{cell}"' if isinstance(cell, str) and re.search(r"[ \"']", cell) else str(cell) for cell in row]
        for row in table
    ]
    width = max(len(cell) for row in cells for cell in row) + 1
    lines = ["".join(cell.rjust(width) for cell in row) if is_aligned else " ".join(row) for row in cells]
    aliases = {f"row {at + 1}": str(row[0]) for at, row in enumerate(rows)} if is_bare else {}
    content = "\n".join(lines) + "\n"
    raters = "unnamed" if is_bare else "named"
    decided = "the spaces"
    return Written({"study.txt": content.encode()}, tuple(noise.used), decided, raters, aliases=aliases)
