"""The generator writes the studies that it says, and the comparison finds each way to read them wrongly."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from data.settings import Settings
from data.store.store import Store
from tests.roundtrip.layouts import LAYOUTS
from tests.roundtrip.outcomes import ASKED, RIGHT, WRONG, compare, outcome, study_for
from tests.roundtrip.studies import Study, make_study

STUDY = make_study(3, systems=False, measures=1, words=False)


def ratings_of(study: Study) -> Counter[tuple[str, str, str, object]]:
    return Counter(
        (study.items[item], study.raters[rater], study.measures[measure], study.score(level))
        for (item, rater, measure), level in study.levels.items()
    )


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_seed_gives_the_same_files_and_another_seed_others(layout: str) -> None:
    first, again, other = (LAYOUTS[layout].write(study_for(layout, seed)).files for seed in (5, 5, 6))
    assert first == again
    assert first != other


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_score_stands_in_the_files(layout: str) -> None:
    study = study_for(layout, 11)
    text = b"\n".join(LAYOUTS[layout].write(study).files.values()).decode()
    for level in set(study.levels.values()):
        value = study.values[level]
        assert str(int(value) if isinstance(value, float) and value.is_integer() else value) in text


def test_a_study_equals_itself_and_lost_or_swapped_ratings_are_found() -> None:
    found = ratings_of(STUDY)
    assert compare(STUDY, found)[0] == RIGHT
    assert compare(STUDY, found - Counter([next(iter(found))]))[0] == WRONG
    swapped = Counter((rater, item, measure, score) for item, rater, measure, score in found)
    assert compare(STUDY, swapped)[0] == WRONG
    assert compare(STUDY, found + found)[0] == WRONG


def test_an_item_may_be_called_by_all_its_parts() -> None:
    study = make_study(4, systems=True, measures=2, words=False)
    renamed = Counter(
        (" / ".join(study.parts[study.items.index(item)][::-1]), rater, measure, score)
        for item, rater, measure, score in ratings_of(study)
    )
    assert compare(study, renamed)[0] == RIGHT


def test_a_plain_table_is_read_and_one_without_ratings_is_asked_about(tmp_path: Path) -> None:
    settings = Settings(database=str(tmp_path / "s.duckdb"), spool=tmp_path / "spool")
    written = LAYOUTS["MTurk slots"].write(study_for("MTurk slots", 0))
    with Store(settings=settings) as store:
        assert outcome(study_for("MTurk slots", 0), "MTurk slots", written, store)[0] == RIGHT
        empty = replace(written, files={"batch.csv": b"a,b\n1,2\n"})
        assert outcome(study_for("MTurk slots", 0), "MTurk slots", empty, store)[0] == ASKED
