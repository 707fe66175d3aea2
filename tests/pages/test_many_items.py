"""Above 5,000 items the pages work on sums: analytic intervals, a density instead of points."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import LastFinding, figures, sentences


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(0)
    items, raters = 5200, 40
    quality = rng.normal(3, 0.7, items)
    rows = ["item,rater,group,score"]
    for group, shift in (("crowd", 0.3), ("lab", 0.0)):
        severity = rng.normal(0, 0.2, raters)
        for item in range(items):
            for rater in rng.choice(raters, 3, replace=False):
                felt = quality[item] + shift + severity[rater] + rng.normal(0, 0.8)
                rows.append(f"i{item},{group}{rater},{group},{round(min(max(felt, 1), 5))}")
    file = tmp_path_factory.mktemp("many") / "many.csv"
    file.write_text("\n".join(rows), encoding="utf-8")
    return file


def test_both_pages_stand_on_sums(
    open_page: Callable[..., AppTest], add_study: Callable[..., str], many: Path, last_finding: LastFinding
) -> None:
    key = add_study(many)
    app = open_page("crowd_vs_lab.py", d=key, candidate="crowd", reference="lab")
    assert "analytic, over items and raters" in sentences(app)
    assert "two-way variance" in sentences(app)
    assert "worked out from single ratings" not in sentences(app)
    assert float(last_finding("ceiling").headline[1]["r"]) > 0
    assert figures(app)[-1]["data"][-1]["type"] == "heatmap"
    distributions = open_page("distributions.py", d=key).dataframe[0].value
    assert distributions["Ratings"].tolist() == [3 * 5200, 3 * 5200]
