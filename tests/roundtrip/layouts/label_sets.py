"""Layouts of several labels per answer."""

import json

from tests.roundtrip.layouts.long import finish
from tests.roundtrip.noise import Noise, Rows, Written
from tests.roundtrip.studies import Study

NAMES = ("labels", "tags", "categories", "emotions", "label", "answer")
MARKS = (("1", "0"), ("1.0", "0.0"), ("TRUE", "FALSE"), ("X", ""))
BEGINNINGS = ("label_{}", "labels.{}", "tags[{}]", "class: {}")


def _sets(study: Study) -> list[tuple[int, int, list[str]]]:
    return [(at, who, json.loads(str(study.values[level]))) for (at, who, _), level in study.levels.items()]


def _cell(noise: Noise, labels: list[str], separator: str) -> str:
    shuffled = [str(label) for label in noise.draw.permutation(labels)]
    if separator == "list":
        return json.dumps(shuffled)
    return repr(shuffled) if separator == "Python list" else separator.join(shuffled)


def rows(study: Study) -> Written:
    """Write one row per answer, with its labels in one cell."""
    noise = Noise(study, "label set rows")
    some = "[]" in [study.values[level] for level in study.levels.values()]
    separator = noise.one_of((";", "|", ",", "; ", ", ", "list", "Python list"))
    named = noise.one_of(NAMES)
    head: list[object] = [noise.header("item"), noise.header("rater"), named]
    cells: Rows = [
        [study.items[at], study.raters[who], _cell(noise, labels, separator)]
        for at, who, labels in _sets(study)
    ]
    written = finish(noise, head, cells)
    is_open = some and separator not in ("list", "Python list")  # an empty cell is a set or no answer
    return Written(written.files, written.noise, "" if is_open else written.decided_by)


def label_rows(study: Study) -> Written:
    """Write one row per answer and label."""
    noise = Noise(study, "row per label")
    named = noise.one_of(("label", "labels", "tag", "answer"))
    head: list[object] = [noise.header("item"), noise.header("rater"), named]
    cells: Rows = [
        [study.items[at], study.raters[who], label] for at, who, labels in _sets(study) for label in labels
    ]
    return finish(noise, head, cells)


def rater_columns(study: Study) -> Written:
    """Write one row per item, with the labels of each rater in a column."""
    noise = Noise(study, "label set columns")
    separator = noise.one_of((";", "|", ", ", "list"))
    given = {(at, who): _cell(noise, labels, separator) for at, who, labels in _sets(study)}
    head: list[object] = [noise.header("item"), *study.raters]
    cells: Rows = [
        [name, *(given.get((at, who), "") for who in range(len(study.raters)))]
        for at, name in enumerate(study.items)
    ]
    return Written({"study.csv": noise.table([head], cells)}, tuple(noise.used), "the names of raters")


def marks(study: Study) -> Written:
    """Write one row per answer, with a column for each label that says whether it was chosen."""
    noise = Noise(study, "columns of labels")
    yes, no = MARKS[int(noise.draw.integers(len(MARKS)))]
    begins = noise.happens("labels with a common beginning", 0.5)
    name = noise.one_of(BEGINNINGS) if begins else "{}"
    labels = sorted({label for *_, given in _sets(study) for label in given})
    head: list[object] = [noise.header("item"), noise.header("rater"), *map(name.format, labels)]
    cells: Rows = [
        [study.items[at], study.raters[who], *(yes if label in given else no for label in labels)]
        for at, who, given in _sets(study)
    ]
    written = finish(noise, head, cells)
    nothing = not no and any(not given for *_, given in _sets(study))  # no answer, or no label
    decided_by = "the names of labels" if begins and not nothing else ""  # else they may be measures
    return Written(written.files, written.noise, decided_by)
