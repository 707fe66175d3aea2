"""Reference values of curves, against the file's rows read one by one, with and without sums."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from data.settings import Settings
from data.store import sums
from data.store.store import Store
from features import assessments
from features.repetitions import ratings_results
from features.repetitions.ratings_results import candidate_ratings
from features.study import Session, use_session
from report.settings import ReportSettings, open_report_study


def rows() -> pd.DataFrame:
    """40 items: the crowd left out the first five and the laboratory the last five, with 1 to 4 ratings of the others;
    one laboratory rater alone gave item 20."""
    rng = np.random.default_rng(5)
    given = [
        (f"i{item:02}", f"{group}{rater}", group, rng.integers(1, 6), item / 10)
        for item in range(40)
        for group, rated in (("crowd", item >= 5), ("lab", item < 35 and item != 20))
        if rated
        for rater in rng.choice(6, rng.integers(1, 5), replace=False)
    ]
    given.append(("i20", "lab0", "lab", 3, 2.0))
    return pd.DataFrame(given, columns=["item", "rater", "group", "score", "loudness"])


@pytest.mark.parametrize(
    ("summed_from", "most_items", "without", "against"),
    [
        (10, 12, ("lab0", "crowd2"), "lab"),
        (10, 5000, (), "loudness"),
        (10**9, 12, ("lab0", "crowd2"), "loudness"),
        (10**9, 5000, (), "lab"),
    ],
)
def test_the_reference_holds_what_it_says_of_the_items_that_the_curves_run_over(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    summed_from: int,
    most_items: int,
    without: tuple[str, ...],
    against: str,
) -> None:
    monkeypatch.setattr(sums, "MIN_ROWS", summed_from)
    monkeypatch.setattr(sums, "MAX_SHARE", 10.0)
    for module in (assessments, ratings_results):
        monkeypatch.setattr(module, "LARGEST_BOOTSTRAP", most_items)
    table, file = rows(), tmp_path / "r.csv"
    table.to_csv(file, index=False)
    settings = Settings(database=str(tmp_path / "s.duckdb"), spool=tmp_path / "spool", threads=1)
    with Store(settings=settings) as store, use_session(Session(store)):
        study = open_report_study(store.add(file), "", ReportSettings())[0]
        study = replace(
            study,
            dataset=study.dataset.leaving_out(without),
            candidate="crowd",
            reference="lab" if against == "lab" else None,
            reference_column="loudness" if against == "loudness" else None,
        )
        [measure] = study.measures
        names = store.query(study.dataset, "item_names")["name"]
        told = ratings_results.reference_values(study, measure)
        assert told is not None
        curve = candidate_ratings(study, measure)
        here = ratings_results.range_of_repetitions(study)
    left = table[~table.rater.isin(without)]
    counts = left[left.group == "crowd"].groupby("item").size()
    column = {"lab": "score", "loudness": "loudness"}[against]
    known = (left[left.group == "lab"] if against == "lab" else left).groupby("item")[column].mean()
    shared = counts.index.intersection(known.index)
    found = {str(names[item]): value for item, value in told.items()}
    drawn = {str(name) for name in names[np.unique(curve.item)]}
    assert len(drawn) == (12 if most_items == 12 else len(counts))
    assert found.keys() == drawn & set(shared)
    assert np.allclose(list(found.values()), known[list(found)], rtol=1e-12)
    assert here.most == counts[list(found)].max()
    assert here.smallest == counts[list(found)].min()
