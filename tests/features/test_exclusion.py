"""A ranking of a large study reads no more of its ratings than it takes, and is the same."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from analysis.assessors.exclusion import ExclusionSpec, exclusion, intervals
from data.settings import Settings
from data.store import sums
from data.store.store import Store
from features import exclusion as rankings
from features.assessments import assessments
from features.study import Scenario, Session, use_session
from report.settings import ReportSettings, open_report_study

SPEC = ExclusionSpec(draws=40)


TOPICS = {
    "some": lambda item, rater: f",t{item // 4}",
    "of some ratings": lambda item, rater: f",t{item // 4}" if item else f",t{rater % 2}",
    "of some items": lambda item, rater: f",t{item // 4}" if item > 2 else ",",
    "none": lambda item, rater: ",",
    "no column": lambda item, rater: "",
}


@pytest.mark.parametrize(
    ("topics", "systems"),
    [*((topics, "each") for topics in TOPICS), ("some", "of most"), ("of some items", "of most")],
)
def test_a_ranking_is_that_of_all_that_is_known_of_the_ratings(
    topics: str, systems: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rater 3 alone rated item 7, so that a cell is empty without them."""
    monkeypatch.setattr(sums, "MIN_ROWS", 10)
    monkeypatch.setattr(sums, "MAX_SHARE", 10.0)
    system = {
        "each": lambda item: f"s{item % 4}",
        "of most": lambda item: f"s{item % 4}" if item != 5 else "",
    }
    rows = [
        f"i{item},{group}{rater},{group},{(item * 7 + rater * rater) % 5},{system[systems](item)}"
        + TOPICS[topics](item, rater)
        for group in "ab"
        for item in range(20)
        for rater in range(4)
        if item != 7 or rater == 3
    ]
    head = "item,rater,group,score,system" + ("" if topics == "no column" else ",topic")
    file = tmp_path / "rows.csv"
    file.write_text("\n".join([head, *rows]), encoding="utf-8")
    settings = Settings(database=str(tmp_path / "s.duckdb"), spool=tmp_path / "spool", threads=1)
    with Store(settings=settings) as store, use_session(Session(store)):
        study = open_report_study(store.add(file), "", ReportSettings())[0]
        assert study.whole.has_sums
        by_sums = (topics, systems) in (("some", "each"), ("of some items", "each"))
        if by_sums:
            monkeypatch.setattr(rankings, "rater_table", None)
        codes = store.query(study.whole, "rater_names")["name"].tolist()
        mine = [f"{study.candidate}{rater}" for rater in range(4)]
        of = assessments(study, "score")
        found = rankings.cell_table(study, "score")
        has_topics = topics not in ("none", "no column")
        assert (found.has_systems, found.has_topics) == (True, has_topics) == (of.has_systems, of.has_topics)
        left = np.arange(20) != 5 if systems == "of most" else np.full(20, True)
        number = np.where(np.arange(20) == 7, 1, 4) * left
        for gone in ((), (1,), (0, 3), (0, 1, 2, 3)):
            names = tuple(mine[rater] for rater in gone)
            scenario = Scenario(left_out_codes=tuple(map(codes.index, names)), names=names, applied=True)
            spec = SPEC if has_topics else replace(SPEC, method="plain")
            expected = exclusion(*of.ranking, scenario.left_out_codes, spec)
            point = rankings.exclusion(study, "score", scenario, SPEC)
            for field in ("systems", "before", "after"):
                assert_allclose(getattr(point, field), getattr(expected, field), rtol=1e-12)
            for field in ("method", "why", "excluded", "ratings", "ratings_left", "topics", "topics_left"):
                assert getattr(point, field) == getattr(expected, field), field
            for field in ("raters", "raters_left", "reason", "lost"):
                assert getattr(point, field) == getattr(expected, field), field
            each = number - np.where(np.arange(20) == 7, 3 in gone, len(gone)) * left
            assert rankings.count_ratings(study, "score", scenario).tolist() == [
                each[system::4].sum() for system in range(4)
            ]
        monkeypatch.undo()
        drawn = rankings.score_intervals(study, "score", Scenario(), SPEC)
        assert drawn is not None
        point = exclusion(*of.ranking, spec=SPEC)
        assert_allclose(drawn.before_low, intervals(*of.ranking, point, SPEC).before_low, rtol=1e-12)
