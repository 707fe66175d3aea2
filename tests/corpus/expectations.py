"""Right readings of files: what a data set must hold, or what a refusal must say."""

import re
import tomllib
from collections import Counter
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from analysis.agreement import krippendorff_alpha
from data.errors import DataError
from tests.roundtrip.outcomes import Rating, Read


@dataclass(frozen=True)
class Expected:
    """Right reading of one or more files.

    `outcome` is "read", "asks" or "refuses". `measures` are their names, or their number. Samples are
    "item|rater|measure|score", where an empty part is not compared. `word` is a pattern that must occur in the
    type or text of the error; `or_refuses` is one of an error that is as right as reading. `raters` and `items`
    that nobody could name are left out.
    """

    what: str
    outcome: str
    files: tuple[str, ...] = ()
    kind: str = "ratings"
    ratings: int | None = None
    items: int | None = None
    raters: int | None = None
    measures: int | tuple[str, ...] | None = None
    groups: tuple[str, ...] | None = None
    systems: tuple[str, ...] | None = None
    alpha: float | None = None
    samples: tuple[str, ...] = ()
    word: str = ""
    or_refuses: str = ""


def load(content: dict[str, object], where: str) -> Expected:
    """Return the right reading that a table of TOML holds."""
    known = {each.name for each in fields(Expected)}
    if unknown := content.keys() - known:
        raise ValueError(f"{where}: unknown keys {sorted(unknown)}; there are {sorted(known)}")
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in content.items()}
    expected = Expected(**values)  # type: ignore[arg-type]
    if expected.outcome not in {"read", "asks", "refuses"}:
        raise ValueError(f"{where}: the outcome is read, asks or refuses, not {expected.outcome!r}")
    return expected


def load_file(path: Path) -> Expected:
    """Return the expected reading stored next to a corpus file."""
    return load(tomllib.loads(path.read_text(encoding="utf-8")), path.name)


def differences(read: Read, expected: Expected, folder: Path) -> list[str]:
    """Read files without a mapping and return what is not as expected."""
    paths = [folder / name for name in expected.files]
    try:
        kind, found = read(paths)
    except DataError as error:
        told = f"{type(error).__name__}: {error}"
        word = expected.or_refuses if expected.outcome == "read" else expected.word
        if not word:
            return [f"is not read: {told}"]
        return [] if re.search(word, told, re.IGNORECASE) else [f"{word!r} is not in: {told}"]
    if expected.outcome != "read":
        return [f"is read as {kind} of {found.total()} rows, not refused"]
    return _compare(expected, found) if kind == expected.kind else [f"is read as {kind}"]


def _compare(expected: Expected, found: Counter[Rating]) -> list[str]:
    told: list[str] = []

    def check(what: str, wanted: object, came: object) -> None:
        if wanted is not None and wanted != came:
            told.append(f"{what}: {came}, not {wanted}")

    measures = {_plain(rating.measure) or "score" for rating in found}
    check("ratings", expected.ratings, found.total())
    check("items", expected.items, len({rating.item for rating in found}))
    check("raters", expected.raters, len({rating.rater for rating in found}))
    if isinstance(expected.measures, tuple):
        check("measures", {_plain(name) for name in expected.measures}, measures)
    else:
        check("measures", expected.measures, len(measures))
    if expected.groups is not None:
        groups = {_plain(rating.group) or "all ratings" for rating in found}
        check("groups", {_plain(name) for name in expected.groups}, groups)
    if expected.systems is not None:
        options = {side for rating in found if isinstance(rating.score, tuple) for side in rating.score[1:]}
        options |= {rating.system for rating in found if expected.kind in ("ratings", "rankings")}
        check("systems", {*expected.systems}, options)
    if expected.alpha is not None:
        told += _compare_alpha(expected.alpha, found)
    told += [f"no rating {sample}" for sample in expected.samples if not _holds(found, sample)]
    return told


def _compare_alpha(wanted: float, found: Counter[Rating]) -> list[str]:
    ratings = [rating for rating in found.elements() if isinstance(rating.score, float)]
    units = np.array([f"{rating.measure}|{rating.item}" for rating in ratings])
    came = krippendorff_alpha(units, np.array([rating.score for rating in ratings])).value
    return [] if came is not None and abs(came - wanted) < 0.0006 else [f"alpha: {came}, not {wanted}"]


def _holds(found: Counter[Rating], sample: str) -> bool:
    item, rater, measure, score = sample.rsplit("|", 3)
    return any(
        (not item or rating.item == item)
        and (not rater or rating.rater == rater)
        and (not measure or _plain(rating.measure) == _plain(measure))
        and _same_score(rating.score, score)
        for rating in found
    )


def _same_score(came: object, wanted: str) -> bool:
    return abs(came - float(wanted)) < 1e-9 if isinstance(came, float) else str(came) == wanted


def _plain(name: str) -> str:
    return name.casefold().replace("_", " ").strip()
