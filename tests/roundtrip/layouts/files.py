"""Layouts with a file or a sheet for each rater, measure or group."""

import io
from collections.abc import Iterable

from openpyxl import Workbook

from tests.roundtrip.noise import Files, Noise, Rows, Written
from tests.roundtrip.studies import Study

Tables = dict[str, Rows]
"""Rows with their header, by the name of file or sheet."""


def _grid(noise: Noise, what: int, raters: Iterable[int], index: str, missing: str) -> Rows:
    study, own = noise.study, list(raters)
    rows: Rows = [
        [name, *(noise.cell(at, who, what, missing) for who in own)] for at, name in enumerate(study.items)
    ]
    return [[index, *(study.raters[who] for who in own)], *rows]


def _of_group(study: Study, group: str) -> list[int]:
    return [who for who, its in study.groups.items() if its == group]


def _by_rater(noise: Noise) -> Tables:
    study, index = noise.study, noise.header("item")
    tables: Tables = {}
    for who, name in enumerate(study.raters):
        tables[name] = [[index, *study.measures]]
        for at, item in enumerate(study.items):
            keys = [(at, who, what) for what in range(len(study.measures))]
            if study.levels.keys() & keys:
                tables[name].append([item, *(noise.cell(*key) for key in keys)])
    return tables


def _by_measure(noise: Noise) -> Tables:
    study, missing = noise.study, noise.missing()
    if noise.happens("long files", 0.4):
        head: list[object] = [noise.header("item"), noise.header("rater"), noise.header("score")]
        return {
            measure: [
                head,
                *(
                    [study.items[at], study.raters[who], noise.score(level)]
                    for (at, who, of), level in study.levels.items()
                    if of == what
                ),
            ]
            for what, measure in enumerate(study.measures)
        }
    index, everyone = noise.header("item"), range(len(study.raters))
    return {
        measure: _grid(noise, what, everyone, index, missing) for what, measure in enumerate(study.measures)
    }


def _by_group(noise: Noise) -> Tables:
    study, missing, index = noise.study, noise.missing(), noise.header("item")
    return {
        group: _grid(noise, 0, _of_group(study, group), index, missing)
        for group in dict.fromkeys(study.groups.values())
    }


def _as_files(noise: Noise, tables: Tables, decided_by: str, grouped: bool = False) -> Written:
    files: Files = {}
    for name, rows in tables.items():
        files[f"{name}.csv"] = noise.table([rows[0]], rows[1:])
    return Written(files, tuple(noise.used), decided_by, has_groups=grouped)


def _as_sheets(noise: Noise, tables: Tables, decided_by: str, grouped: bool = False) -> Written:
    book = Workbook()
    if book.active is not None:
        book.remove(book.active)
    if noise.happens("sheet of notes", 0.3):
        notes = book.create_sheet("README")
        for line in ("Study of spring 2026", "Contact: lab@example.org"):
            notes.append([line])
    for name, rows in tables.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append([None if cell == "" else cell for cell in row])
    out = io.BytesIO()
    book.save(out)
    return Written({"study.xlsx": out.getvalue()}, tuple(noise.used), decided_by, has_groups=grouped)


def per_rater(study: Study) -> Written:
    """Write a file for each rater, with a column for each measure."""
    noise = Noise(study, "file per rater")
    return _as_files(noise, _by_rater(noise), "the file names")


def per_measure(study: Study) -> Written:
    """Write a file for each measure."""
    noise = Noise(study, "file per measure")
    return _as_files(noise, _by_measure(noise), "the file names")


def per_group(study: Study) -> Written:
    """Write a file for each group, with a column for each rater."""
    noise = Noise(study, "file per group")
    return _as_files(noise, _by_group(noise), "the file names", grouped=True)


def per_measure_and_group(study: Study) -> Written:
    """Write a file for each measure and group, with a column for each rater."""
    noise = Noise(study, "file per measure and group")
    missing, index = noise.missing(), noise.header("item")
    tables = {
        f"{measure}_{group}": _grid(noise, what, _of_group(study, group), index, missing)
        for what, measure in enumerate(study.measures)
        for group in dict.fromkeys(study.groups.values())
    }
    return _as_files(noise, tables, "the full grid of file names", grouped=True)


def long_sheet(study: Study) -> Written:
    """Write a workbook with one sheet of one row per rating."""
    noise = Noise(study, "long sheet", commas=False)
    several = len(study.measures) > 1
    head: list[object] = [noise.header("item"), noise.header("rater")]
    head += [*([noise.header("measure")] if several else []), noise.header("score")]
    rows: Rows = [head]
    for (at, who, what), level in study.levels.items():
        measure = [study.measures[what]] if several else []
        rows.append([study.items[at], study.raters[who], *measure, noise.score(level)])
    return _as_sheets(noise, {"Sheet1": rows}, "header words")


def sheet_per_rater(study: Study) -> Written:
    """Write a workbook with a sheet for each rater."""
    noise = Noise(study, "sheet per rater", commas=False)
    return _as_sheets(noise, _by_rater(noise), "the sheet names")


def sheet_per_measure(study: Study) -> Written:
    """Write a workbook with a sheet for each measure."""
    noise = Noise(study, "sheet per measure", commas=False)
    return _as_sheets(noise, _by_measure(noise), "the sheet names")


def sheet_per_group(study: Study) -> Written:
    """Write a workbook with a sheet for each group."""
    noise = Noise(study, "sheet per group", commas=False)
    return _as_sheets(noise, _by_group(noise), "the sheet names", grouped=True)
