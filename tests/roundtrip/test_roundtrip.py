"""The generator writes the studies that it says, and reading gives them back or asks."""

import io
import json
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import cache
from html import unescape

import pytest

from tests.roundtrip.layouts import LAYOUTS
from tests.roundtrip.noise import Written
from tests.roundtrip.outcomes import (
    ASKED,
    OFTEN,
    RIGHT,
    WRONG,
    Rates,
    Rating,
    Read,
    check_rates,
    compare,
    expected,
    measured,
    outcome,
    reading_in_memory,
    saving_in_store,
)
from tests.roundtrip.studies import Study, make_study

OPEN_TO_DOUBT = {
    "neutral grid",
    "JSON by rater",
    "label columns",
    "label survey",
    "label set rows",
    "columns of labels",
    "votes per grade",
}
"""Layouts of which some studies cannot be decided: of neutral names, or of codes among labels."""
STUDY = make_study(3, systems=False, measures=1, words=False)
NAMED = Written({}, (), "names")
Reading = Callable[[], AbstractContextManager[Read]]


def ratings_of(study: Study, written: Written = NAMED) -> Counter[Rating]:
    found: Counter[Rating] = Counter()
    for rating, times in expected(study, written).items():
        found[replace(rating, item=study.items[int(rating.item)])] += times
    return found


def texts(files: dict[str, bytes]) -> dict[str, str]:
    """Return what files hold, without the dates that a workbook carries."""
    shown: dict[str, str] = {}
    for name, content in files.items():
        if name.endswith(".xlsx"):
            with zipfile.ZipFile(io.BytesIO(content)) as book:
                parts = [part for part in book.namelist() if "docProps" not in part]
                shown[name] = "\n".join(unescape(book.read(part).decode()) for part in parts)
        elif content.startswith(b"\xff\xfe"):
            shown[name] = content.decode("utf-16")
        else:
            try:
                shown[name] = content.decode("utf-8")
            except UnicodeDecodeError:
                shown[name] = content.decode("cp1252")
    return shown


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_seed_gives_the_same_files_and_another_seed_others(layout: str) -> None:
    write, study = LAYOUTS[layout].write, LAYOUTS[layout].study
    first, again, other = (texts(write(study(seed)).files) for seed in (5, 5, 6))
    assert first == again
    assert first != other


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_score_stands_in_the_files(layout: str) -> None:
    study = LAYOUTS[layout].study(11)
    text = "\n".join(texts(LAYOUTS[layout].write(study).files).values())
    used = [study.values[level] for level in set(study.levels.values())]
    named = [*study.measures] if study.is_ranked else [name for pair in study.options for name in pair]
    if LAYOUTS[layout].kind == "label sets":
        named = [label for value in used for label in json.loads(str(value))]
    for value in named or used:
        shown = str(int(value) if isinstance(value, float) and value.is_integer() else value)
        assert shown in text or shown.replace(".", ",") in text


def test_lost_swapped_and_doubled_ratings_are_found() -> None:
    found = ratings_of(STUDY)
    assert compare(STUDY, NAMED, found)[0] == RIGHT
    assert compare(STUDY, NAMED, found - Counter([next(iter(found))]))[0] == WRONG
    swapped = Counter(replace(rating, item=rating.rater, rater=rating.item) for rating in found)
    assert compare(STUDY, NAMED, swapped)[0] == WRONG
    assert compare(STUDY, NAMED, found + found)[0] == WRONG


def test_a_missing_code_read_as_a_score_is_found() -> None:
    found = ratings_of(STUDY)
    found[Rating(STUDY.items[0], STUDY.raters[0], STUDY.measures[0], "", -99.0)] += 1
    assert compare(STUDY, NAMED, found)[0] == WRONG


def test_unnamed_raters_may_have_any_name_if_their_ratings_stay_together() -> None:
    unnamed = replace(NAMED, raters="unnamed")
    found = ratings_of(STUDY)
    renamed = Counter({replace(rating, rater=f"row {rating.rater}"): n for rating, n in found.items()})
    assert compare(STUDY, unnamed, renamed)[0] == RIGHT
    assert compare(STUDY, NAMED, renamed)[0] == WRONG
    mixed: Counter[Rating] = Counter()
    for rating, times in found.items():
        mixed[replace(rating, rater=f"row {rating.item}")] += times
    assert compare(STUDY, unnamed, mixed)[0] == WRONG
    assert compare(STUDY, replace(NAMED, raters="slots"), mixed)[0] == RIGHT


def test_groups_must_come_out_where_a_table_holds_them() -> None:
    study = make_study(3, systems=False, measures=1, words=False, groups=True)
    grouped = replace(NAMED, has_groups=True)
    found = ratings_of(study, grouped)
    assert compare(study, grouped, found)[0] == RIGHT
    without = Counter({replace(rating, group="all"): n for rating, n in found.items()})
    assert compare(study, grouped, without)[0] == WRONG


def test_an_item_may_be_called_by_all_its_parts() -> None:
    study = make_study(4, systems=True, measures=2, words=False)
    renamed: Counter[Rating] = Counter()
    for rating, times in expected(study, NAMED).items():
        parts = study.parts[int(rating.item)]
        renamed[replace(rating, item=" / ".join(parts[::-1]))] += times
    assert compare(study, NAMED, renamed)[0] == RIGHT


@pytest.mark.parametrize("reading", [reading_in_memory, saving_in_store])
def test_a_plain_table_is_read_and_one_without_ratings_is_asked_about(reading: Reading) -> None:
    study = make_study(1, systems=False, measures=1, words=False, ids=False)
    rows = [
        f"{study.items[at]},{study.raters[who]},{study.score(level)}"
        for (at, who, _), level in study.levels.items()
    ]
    written = replace(NAMED, files={"study.csv": "\n".join(["item,rater,score", *rows]).encode()})
    with reading() as read:
        assert outcome(study, "long", written, read)[0] == RIGHT
        empty = replace(written, files={"study.csv": b"a,b\n1,2\n"})
        assert outcome(study, "long", empty, read)[0] == ASKED
        without_scores = replace(written, files={"study.csv": b"item,rater,score\na,b,\nc,d,\n"})
        assert outcome(study, "long", without_scores, read)[0] == ASKED


@pytest.fixture(scope="module")
def in_store() -> Iterator[Read]:
    """One store for all layouts: it deletes each study once that is read."""
    with saving_in_store() as read:
        yield read


@pytest.fixture(scope="module")
def in_memory() -> Iterator[Callable[[str, int], Rates]]:
    """One engine for all layouts; a study that two tests ask for is read once."""
    with reading_in_memory() as read:

        @cache
        def rates_of(layout: str, seed: int) -> Rates:
            return measured(range(seed, seed + 1), [layout], lambda: nullcontext(read))

        yield rates_of


@pytest.mark.journey
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_study_is_the_same_in_memory_and_from_the_store(
    layout: str, in_store: Read, in_memory: Callable[[str, int], Rates]
) -> None:
    assert measured(range(1), [layout], lambda: nullcontext(in_store)) == in_memory(layout, 0)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_studies_of_a_layout_are_read_right_or_asked_about(
    layout: str, in_memory: Callable[[str, int], Rates]
) -> None:
    rates = Rates()
    for seed in range(OFTEN):
        rates.add(in_memory(layout, seed))
    check_rates(layout, rates)
    assert bool(rates.undecidable) == (layout in OPEN_TO_DOUBT)


@pytest.mark.parametrize(
    ("layout", "seed"),
    [
        ("transposed", 516),
        ("transposed", 984),
        ("transposed, unnamed index", 650),
        ("anonymous survey", 650),
        ("neutral grid", 413),
    ],
)
def test_items_on_which_all_raters_agree_are_kept(layout: str, seed: int) -> None:
    """Columns of one number: at the edge, with -1 as their only point next to a code, or all of a table's."""
    rates = measured(range(seed, seed + 1), [layout])
    assert not [told for name, told in rates.examples.items() if name.endswith(WRONG)]
