"""Means have the decimals that their scale needs, whatever part of it is rated; their differences have one more."""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from data.store.store import Store
from features.blocks import Block, Finding, Table, last_stage
from features.comparison.results import GroupsSpec, group_stages
from features.comparison.section import tests_table as medians_table
from features.distributions.section import DistributionSpec, distributions_section
from features.items.results import ItemsSpec
from features.items.section import items_section
from features.study import Scenario, Session, Study, digits_of_scores, open_study, use_session
from features.systems.scores_findings import pairs_table
from features.systems.scores_results import ScoresSpec, ranking_stages
from features.systems.scores_section import scores_section
from features.words import cells, plain

MEANS = ("Median", "Mean", "SD", "MOS", "SD of the ratings", "Score", "Score from")
DIFFERENCES = ("Difference", "Difference from", "Difference to")


def decimals_of(texts: Iterable[str]) -> set[int]:
    return {len(decimals) for text in texts for decimals in re.findall(r"\d\.(\d+)", text)}


def written(blocks: Iterable[Block], headings: Sequence[str]) -> list[str]:
    """Return the cells of these columns."""
    return [
        text
        for block in blocks
        if isinstance(block, Table)
        for column in set(headings) & set(block.frame)
        for text in cells(block.frame[column], block.formats[column])
    ]


def evidence_of_scores(blocks: Iterable[Block]) -> list[str]:
    """Return the parts of evidence that are means and SDs of scores."""
    parts = [part for one in blocks if isinstance(one, Finding) for part in plain(one.evidence).split(" · ")]
    kept = [part for part in parts if part.startswith(("Quality", "SD ", "95% CI"))]
    return [part.removeprefix("95% CI") for part in kept]


def rating_rows(
    scores: Sequence[float], group: str = "crowd", measure: str = "quality"
) -> Iterator[tuple[object, ...]]:
    """Yield ratings of 24 items of 4 systems by 8 raters, drawn from these scores."""
    rng = np.random.default_rng(1)
    for rater in range(8):
        for item in range(24):
            yield (
                f"{group}{rater}",
                f"i{item}",
                f"s{item % 4}",
                f"t{item // 4}",
                group,
                measure,
                rng.choice(scores),
            )


def opened(store: Store, tmp_path: Path, rows: Iterable[tuple[object, ...]]) -> Study:
    file = tmp_path / "study.csv"
    columns = ["rater_id", "item_id", "system", "topic", "rater_group", "measure", "score"]
    pd.DataFrame(rows, columns=columns).to_csv(file, index=False)
    return open_study(store.add(file))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(f"{tmp_path}/study.duckdb") as opened_store, use_session(Session(opened_store)):
        yield opened_store


@pytest.mark.parametrize(
    ("scores", "digits"),
    [(np.linspace(0, 1, 11), 3), (range(1, 6), 2), (range(101), 1), (range(2001), 1)],
    ids=["0 to 1", "1 to 5", "0 to 100", "0 to 2000"],
)
def test_means_have_the_decimals_that_their_scale_needs(
    store: Store, tmp_path: Path, scores: Sequence[float], digits: int
) -> None:
    study = opened(store, tmp_path, rating_rows(scores))
    (measure,) = study.measures
    ranking = list(scores_section(study, Scenario(), ScoresSpec(measure)))
    described = [*distributions_section(study, DistributionSpec(), "Crowd vs lab")]
    for blocks in (described, [*items_section(study, ItemsSpec(measure))], ranking):
        assert decimals_of(written(blocks, MEANS) + evidence_of_scores(blocks)) == {digits}
    ranked = last_stage(ranking_stages(study, Scenario(), ScoresSpec(measure)))
    assert decimals_of(written([pairs_table(ranked)], DIFFERENCES)) == {digits + 1}


def test_each_measure_and_group_has_the_decimals_of_its_scale(store: Store, tmp_path: Path) -> None:
    rows = [
        *rating_rows(range(1, 6), "crowd", "focus"),
        *rating_rows(range(1, 6), "lab", "focus"),
        *rating_rows(range(101), "crowd", "quality"),
        *rating_rows(range(1, 6), "lab", "quality"),
    ]
    study = opened(store, tmp_path, rows)
    assert (study.candidate, study.reference) == ("crowd", "lab")
    assert [digits_of_scores(study, "focus", group) for group in ("crowd", "lab")] == [2, 2]
    assert [digits_of_scores(study, "quality", group) for group in ("crowd", "lab")] == [1, 2]
    compared = last_stage(group_stages(study, GroupsSpec())).compared
    differences = dict(zip(compared.measures, compared.difference_formats, strict=True))
    assert (differences["focus"](0.5), differences["quality"](0.5)) == ("0.500", "0.500")
    table, (of_focus, of_quality) = medians_table(compared), (0, 1)
    assert table.frame["Measure"].tolist() == ["focus", "quality"]
    ours, theirs = written([table], ["Median"]), written([table], ["Median, reference"])
    assert [decimals_of([one]) for one in (ours[of_focus], theirs[of_focus])] == [{3}, {3}]
    assert [decimals_of([one]) for one in (ours[of_quality], theirs[of_quality])] == [{2}, {3}]


def test_a_filter_changes_no_decimals(store: Store, tmp_path: Path) -> None:
    study = opened(store, tmp_path, rating_rows(range(101)))
    (measure,) = study.measures
    few = open_study(study.whole.leaving_out(tuple(f"crowd{rater}" for rater in range(1, 8))))
    assert digits_of_scores(few, measure) == digits_of_scores(study, measure) == 1
