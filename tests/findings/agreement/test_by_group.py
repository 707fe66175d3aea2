"""Alpha of a large study is there before what single raters change, and is the same."""

from pathlib import Path

import pytest

from data.settings import Settings
from data.store import sums
from data.store.store import Store
from features import results
from findings.agreement.by_group import alphas_at_once, at_a_glance
from findings.agreement.how_far import finding
from report.parts.asked import Asked
from report.parts.opening import opened


@pytest.mark.parametrize("constant", [False, True])
def test_alpha_at_once_is_that_of_all_figures(
    constant: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sums, "SUMMED_FROM", 10)
    monkeypatch.setattr(sums, "MOST", 10.0)
    rows = [
        f"i{item},{group}{rater},{group},{0.1 if constant and group == 'a' else (item * 7 + rater * rater) % 5}"
        for group in "ab"
        for item in range(20)
        for rater in range(4)
    ]
    file = tmp_path / "rows.csv"
    file.write_text("\n".join(["item,rater,group,score", *rows]), encoding="utf-8")
    settings = Settings(database=str(tmp_path / "s.duckdb"), spool=tmp_path / "spool", threads=1)
    with Store(settings=settings) as store, results.use_session(results.Session(store)):
        study = opened(store.add(file), "", Asked())[0]
        assert study.dataset.has_sums
        early = alphas_at_once(study)
        whole = at_a_glance(study)
        assert early is not None
        assert whole is not None
        assert [one.figures.alpha for one in early] == [one.figures.alpha for one in whole]
        assert [one.figures.k for one in early] == [one.figures.k for one in whole]
        assert "reliab" not in finding(study, early).headline[0]
        assert alphas_at_once(study) is None
