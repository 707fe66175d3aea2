"""Layouts in which people keep their studies, each written to files with some noise."""

import csv
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tests.roundtrip.studies import Study

Rows = list[list[object]]
Files = dict[str, bytes]
HEADERS = {
    "en": ("item", "rater", "score"),
    "de": ("Reiz", "Bewerter", "Bewertung"),
    "fr": ("élément", "évaluateur", "note"),
    "es": ("elemento", "evaluador", "puntuación"),
    "pt": ("item", "avaliador", "nota"),
    "it": ("elemento", "valutatore", "punteggio"),
}
MISSING = ("", "NA", "n/a", "None", ".", "-")


@dataclass(frozen=True)
class Written:
    """Files of a study in one layout, and the noise in them; `decidable` is False where no reader could know."""

    files: Files
    noise: tuple[str, ...] = ()
    decidable: bool = True


class Noise:
    """Noise of one table, drawn from the study's seed."""

    def __init__(self, study: Study, layout: str) -> None:
        self.draw = np.random.default_rng([study.seed, *map(ord, layout)])
        self.used: list[str] = []

    def happens(self, name: str, chance: float) -> bool:
        """Decide whether a kind of noise is in the table, and note it."""
        if self.draw.random() >= chance:
            return False
        self.used.append(name)
        return True

    def headers(self) -> tuple[str, str, str]:
        """Return the words for item, rater and score."""
        language = list(HEADERS)[int(self.draw.integers(len(HEADERS)))]
        if language != "en":
            self.used.append(f"headers in {language}")
        return HEADERS[language]

    def missing(self) -> str:
        """Return how a missing cell is written."""
        code = MISSING[int(self.draw.integers(len(MISSING)))]
        if code:
            self.used.append(f"missing as {code}")
        return code

    def extra_columns(self, head: list[object], rows: Rows) -> None:
        """Add columns that are no ratings."""
        number = len(rows)
        kinds: dict[str, Callable[[], list[object]]] = {
            "row id": lambda: [f"row-{1000 + at}" for at in range(number)],
            "date": lambda: [f"2026-03-{at % 28 + 1:02d} 10:{at % 60:02d}" for at in range(number)],
            "comment": lambda: [("", "clear speech", "hard to say")[at % 3] for at in range(number)],
            "language": lambda: ["en"] * number,
        }
        for name, make in kinds.items():
            if self.happens(f"column {name}", 0.2):
                head.append(name)
                for row, value in zip(rows, make(), strict=True):
                    row.append(value)

    def shuffle_columns(self, head: list[object], rows: Rows) -> None:
        """Put the columns into another order."""
        if self.happens("shuffled columns", 0.3):
            order = self.draw.permutation(len(head))
            head[:] = [head[at] for at in order]
            for row in rows:
                row[:] = [row[at] for at in order]


def table(head: Sequence[object], rows: Rows, delimiter: str = ",") -> bytes:
    """Return a delimited table."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    writer.writerows([head, *rows] if head else rows)
    return out.getvalue().encode("utf-8")


def written_score(study: Study, level: int) -> object:
    """Return a score as a cell shows it."""
    value = study.values[level]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def score_at(study: Study, item: int, rater: int, measure: int, missing: str) -> object:
    """Return the cell of one rating, or of none."""
    level = study.levels.get((item, rater, measure))
    return missing if level is None else written_score(study, level)


def _finish(
    noise: Noise, head: list[object], rows: Rows, shuffle: bool = True, extra: bool = True
) -> Written:
    if extra:
        noise.extra_columns(head, rows)
    if shuffle:
        noise.shuffle_columns(head, rows)
    semicolons = noise.happens("semicolons", 0.2)
    return Written({"study.csv": table(head, rows, ";" if semicolons else ",")}, tuple(noise.used))


def long(study: Study) -> Written:
    """Write one row per rating, with the measure in a column where there are several."""
    noise = Noise(study, "long")
    item, rater, score = noise.headers()
    head: list[object] = [item, rater, score]
    several, grouped = len(study.measures) > 1, bool(study.groups)
    rows: Rows = []
    for (at, who, what), level in study.levels.items():
        row: list[object] = [study.items[at], study.raters[who], written_score(study, level)]
        rows.append(row + [study.measures[what]] * several + [study.groups.get(who)] * grouped)
    head += ["measure"] * several + ["group"] * grouped
    return _finish(noise, head, rows)


def measure_columns(study: Study) -> Written:
    """Write one row per item and rater, with a column for each measure."""
    noise = Noise(study, "measure columns")
    item, rater, _ = noise.headers()
    missing = noise.missing()
    head: list[object] = [item, rater, *study.measures, *(["group"] if study.groups else [])]
    rows: Rows = []
    for at in range(len(study.items)):
        for who in range(len(study.raters)):
            cells = [score_at(study, at, who, what, missing) for what in range(len(study.measures))]
            if any(cell != missing for cell in cells):
                group = [study.groups[who]] if study.groups else []
                rows.append([study.items[at], study.raters[who], *cells, *group])
    return _finish(noise, head, rows)


def rater_columns(study: Study) -> Written:
    """Write one row per item, with a column for each rater."""
    noise = Noise(study, "rater columns")
    missing = noise.missing()
    head: list[object] = [noise.headers()[0], *study.raters]
    rows: Rows = [
        [name, *(score_at(study, at, who, 0, missing) for who in range(len(study.raters)))]
        for at, name in enumerate(study.items)
    ]
    return _finish(noise, head, rows, shuffle=False)


def respondents(study: Study) -> Written:
    """Write one row per rater, with a column for each item, as surveys export it."""
    noise = Noise(study, "respondents")
    missing = noise.missing()
    head: list[object] = ["respondent", *(f"Please rate {name}" for name in study.items)]
    rows: Rows = [
        [name, *(score_at(study, at, who, 0, missing) for at in range(len(study.items)))]
        for who, name in enumerate(study.raters)
    ]
    return _finish(noise, head, rows, shuffle=False, extra=False)


def neutral_grid(study: Study) -> Written:
    """Write a grid whose rows and columns have names that say nothing: nobody can know which are the raters."""
    noise = Noise(study, "neutral grid")
    head: list[object] = ["", *(f"B{at + 1}" for at in range(len(study.items)))]
    rows: Rows = [
        [f"A{who + 1}", *(score_at(study, at, who, 0, "") for at in range(len(study.items)))]
        for who in range(len(study.raters))
    ]
    return Written({"study.csv": table(head, rows)}, tuple(noise.used), decidable=False)


def rater_and_measure_columns(study: Study) -> Written:
    """Write one row per item, with a column for each rater and measure, joined by a separator."""
    noise = Noise(study, "rater and measure columns")
    missing = noise.missing()
    separator = ("_", "/", " - ", ".")[int(noise.draw.integers(4))]
    first_rater = noise.happens("rater before measure", 0.5)
    pairs = [(who, what) for who in range(len(study.raters)) for what in range(len(study.measures))]
    names = [(study.raters[who], study.measures[what]) for who, what in pairs]
    head: list[object] = [
        noise.headers()[0],
        *(separator.join(pair if first_rater else pair[::-1]) for pair in names),
    ]
    rows: Rows = [
        [name, *(score_at(study, at, who, what, missing) for who, what in pairs)]
        for at, name in enumerate(study.items)
    ]
    return _finish(noise, head, rows, shuffle=False, extra=False)


def two_header_rows(study: Study) -> Written:
    """Write one row per item under two header rows: measures above raters."""
    noise = Noise(study, "two header rows")
    missing = noise.missing()
    pairs = [(what, who) for what in range(len(study.measures)) for who in range(len(study.raters))]
    upper: list[object] = ["", *(study.measures[what] for what, _ in pairs)]
    lower: list[object] = [noise.headers()[0], *(study.raters[who] for _, who in pairs)]
    rows: Rows = [
        [name, *(score_at(study, at, who, what, missing) for what, who in pairs)]
        for at, name in enumerate(study.items)
    ]
    return Written({"study.csv": table(upper, [lower, *rows])}, tuple(noise.used))


def system_topic_rater(study: Study) -> Written:
    """Write one row per system, topic and rater, without a column for the item."""
    noise = Noise(study, "system topic rater")
    missing = noise.missing()
    head: list[object] = ["system", "topic", "assessor", *study.measures]
    rows: Rows = []
    for at, (topic, system) in enumerate(study.parts):
        for who in range(len(study.raters)):
            cells = [score_at(study, at, who, what, missing) for what in range(len(study.measures))]
            if any(cell != missing for cell in cells):
                rows.append([system, topic, study.raters[who], *cells])
    return _finish(noise, head, rows)


def joined_ids(study: Study) -> Written:
    """Write one row per rating whose item id holds topic and system."""
    noise = Noise(study, "joined ids")
    head: list[object] = ["id", "annotator", *study.measures]
    rows: Rows = []
    for at, parts in enumerate(study.parts):
        for who in range(len(study.raters)):
            cells = [score_at(study, at, who, what, "") for what in range(len(study.measures))]
            if any(cell != "" for cell in cells):
                rows.append(["__".join(parts), study.raters[who], *cells])
    return _finish(noise, head, rows)


def mturk_slots(study: Study) -> Written:
    """Write one row per assignment with numbered answers for numbered items."""
    noise, width = Noise(study, "mturk slots"), 3
    head: list[object] = ["HITId", "AssignmentId", "WorkerId", "AssignmentStatus", "WorkTimeInSeconds"]
    head += [f"Input.clip_{slot + 1}" for slot in range(width)]
    head += [f"Answer.quality_{slot + 1}" for slot in range(width)]
    rows: Rows = []
    for start in range(0, len(study.items), width):
        page = list(range(start, min(start + width, len(study.items))))
        if len(page) < width:
            page = list(range(len(study.items) - width, len(study.items)))
        for who, name in enumerate(study.raters):
            cells = [score_at(study, at, who, 0, "") if at >= start else "" for at in page]
            clips = [f"{study.items[at]}" for at in page]
            hit = f"HIT{start:04d}"
            rows.append([hit, f"{hit}A{who:03d}", name, "Approved", 30 + who, *clips, *cells])
    return Written({"batch.csv": table(head, rows)}, tuple(noise.used))


def json_records(study: Study) -> Written:
    """Write one JSON record per item with a list of annotations."""
    records = [
        {
            "id": name,
            "annotations": [
                {
                    "annotator": study.raters[who],
                    **{
                        measure: written_score(study, study.levels[at, who, what])
                        for what, measure in enumerate(study.measures)
                        if (at, who, what) in study.levels
                    },
                }
                for who in range(len(study.raters))
                if any((at, who, what) in study.levels for what in range(len(study.measures)))
            ],
        }
        for at, name in enumerate(study.items)
    ]
    return Written({"study.json": json.dumps(records).encode()})


def file_per_rater(study: Study) -> Written:
    """Write a file for each rater, with a column for each measure."""
    noise = Noise(study, "file per rater")
    item = noise.headers()[0]
    files: Files = {}
    for who, name in enumerate(study.raters):
        rows: Rows = []
        for at, called in enumerate(study.items):
            cells = [score_at(study, at, who, what, "") for what in range(len(study.measures))]
            if any(cell != "" for cell in cells):
                rows.append([called, *cells])
        files[f"{name}.csv"] = table([item, *study.measures], rows)
    return Written(files, tuple(noise.used))


def label_rows(study: Study) -> Written:
    """Write one row per label."""
    noise = Noise(study, "label rows")
    head: list[object] = [("task", "worker", "label"), ("question", "worker", "answer")][
        noise.draw.integers(2)
    ]
    rows: Rows = [
        [study.items[at], study.raters[who], study.values[level]]
        for (at, who, _), level in study.levels.items()
    ]
    return _finish(noise, list(head), rows)


def label_columns(study: Study) -> Written:
    """Write one row per item with a column of labels for each rater."""
    noise = Noise(study, "label columns")
    head: list[object] = ["item", *study.raters]
    rows: Rows = [
        [name, *(score_at(study, at, who, 0, "") for who in range(len(study.raters)))]
        for at, name in enumerate(study.items)
    ]
    return _finish(noise, head, rows, shuffle=False, extra=False)


@dataclass(frozen=True)
class Layout:
    """A layout, and the design of the studies that it can hold."""

    write: Callable[[Study], Written]
    kind: str = "ratings"
    measures: int | None = None
    systems: bool | None = False
    words: bool = True


LAYOUTS: dict[str, Layout] = {
    "long": Layout(long),
    "measure columns": Layout(measure_columns),
    "rater columns": Layout(rater_columns, measures=1),
    "respondents": Layout(respondents, measures=1),
    "neutral grid": Layout(neutral_grid, measures=1),
    "rater and measure columns": Layout(rater_and_measure_columns, measures=2),
    "two header rows": Layout(two_header_rows, measures=2),
    "system, topic and rater": Layout(system_topic_rater, systems=True),
    "joined ids": Layout(joined_ids, systems=True),
    "MTurk slots": Layout(mturk_slots, measures=1),
    "JSON records": Layout(json_records, words=False),
    "file per rater": Layout(file_per_rater),
    "label rows": Layout(label_rows, kind="choices"),
    "label columns": Layout(label_columns, kind="choices"),
}
