"""A ranking of a large study reads no more of its ratings than it takes, and is the same."""

from pathlib import Path

import pytest
from numpy.testing import assert_allclose

from analysis.assessors.exclusion import ExclusionSpec, exclusion, intervals
from data.settings import Settings
from data.store import sums
from data.store.store import Store
from findings import bench
from findings.assessors import rankings
from findings.assessors.assessments import assessments
from findings.study import Scenario
from report.parts.alone import Alone
from report.parts.asked import Asked
from report.parts.opening import opened

SPEC = ExclusionSpec(draws=40)


@pytest.mark.parametrize("topics", ["some", "none", "no column"])
def test_a_ranking_is_that_of_all_that_is_known_of_the_ratings(
    topics: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sums, "SUMMED_FROM", 10)
    monkeypatch.setattr(sums, "MOST", 10.0)
    topic = {"some": lambda item: f",t{item // 4}", "none": lambda item: ",", "no column": lambda item: ""}
    rows = [
        f"i{item},{group}{rater},{group},{(item * 7 + rater * rater) % 5},s{item % 4}{topic[topics](item)}"
        for group in "ab"
        for item in range(20)
        for rater in range(4)
    ]
    head = "item,rater,group,score,system" + ("" if topics == "no column" else ",topic")
    file = tmp_path / "rows.csv"
    file.write_text("\n".join([head, *rows]), encoding="utf-8")
    settings = Settings(database=str(tmp_path / "s.duckdb"), spool=tmp_path / "spool")
    with Store(settings=settings) as store, bench.at(Alone(store, lambda words, done: None)):
        study = opened(store.add(file), "", Asked())[0]
        assert study.whole.has_sums
        of = assessments(study, "score")
        found = rankings.ranked(study, "score")
        assert (
            (found.has_systems, found.has_topics)
            == (True, topics == "some")
            == (of.has_systems, of.has_topics)
        )
        point = exclusion(*of.ranking, spec=SPEC)
        assert_allclose(rankings.point(study, "score", Scenario(), SPEC).before, point.before, rtol=1e-12)
        drawn = rankings.intervals_of(study, "score", Scenario(), SPEC)
        assert drawn is not None
        assert_allclose(drawn.before_low, intervals(*of.ranking, point, SPEC).before_low, rtol=1e-12)
        assert rankings.ratings_of_each(study, "score", Scenario()).tolist() == [20, 20, 20, 20]
        one = Scenario(left_out_codes=(5,), names=("b1",), applied=True)
        left = [20 - 5 * (study.candidate == "b")] * 4
        assert rankings.ratings_of_each(study, "score", one).tolist() == left
