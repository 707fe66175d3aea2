"""Means on a long scale are written with fewer decimals, in every table and finding alike."""

import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from data.store.store import Store
from features.blocks import Block, Finding, Table
from features.distributions.results import DistributionSpec
from features.distributions.section import distributions_section
from features.items.results import ItemsSpec
from features.items.section import items_section
from features.study import Scenario, Session, open_study, use_session
from features.systems.scores_results import ScoresSpec
from features.systems.scores_section import scores_section
from features.words import cells, plain

OF_SCORES = ("Median", "Mean", "SD", "MOS", "SD of the ratings", "Score", "Score from", "Difference")
"""Columns in points of the scale."""


def decimals_of(text: str) -> set[int]:
    return {len(decimals) for decimals in re.findall(r"\d\.(\d+)", text)} or {0}


def written_scores(blocks: Iterable[Block]) -> list[str]:
    """Return the cells of scores, and the parts of evidence that are of scores."""
    texts: list[str] = []
    for block in blocks:
        if isinstance(block, Table):
            for column in set(OF_SCORES) & set(block.frame):
                texts += cells(block.frame[column], block.formats[column])
        elif isinstance(block, Finding):
            line = plain(block.evidence).split(" · ")
            texts += [part for part in line if part.startswith(("Quality", "SD ", "95% CI"))]
    return [text.removeprefix("95% CI") for text in texts if re.search(r"\d", text)]


@pytest.mark.parametrize(("highest", "digits"), [(5, 2), (100, 1), (2000, 0)])
def test_scores_have_the_decimals_that_their_scale_needs(highest: int, digits: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    rows = [
        (f"r{rater}", f"i{item}", f"s{item % 4}", f"t{item // 4}", rng.integers(1, highest + 1))
        for rater in range(8)
        for item in range(16)
    ]
    file = tmp_path / "study.csv"
    columns = ["rater_id", "item_id", "system", "topic", "quality"]
    pd.DataFrame(rows, columns=columns).to_csv(file, index=False)
    with Store(f"{tmp_path}/study.duckdb") as store, use_session(Session(store)):
        study = open_study(store.add(file))
        (measure,) = study.measures
        sections = [
            distributions_section(study, DistributionSpec(), "Crowd vs lab"),
            items_section(study, ItemsSpec(measure)),
            scores_section(study, Scenario(), ScoresSpec(measure)),
        ]
        for section in sections:
            texts = written_scores(section)
            assert texts
            assert {number for text in texts for number in decimals_of(text)} == {digits}, texts
