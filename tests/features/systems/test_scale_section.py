"""The section that places all systems on one scale: its stages, its blocks, and its results on a store."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from analysis.systems.bradley_terry import fit
from analysis.values.estimate import BootstrapSpec
from data.settings import Settings
from data.store.store import Store
from features.blocks import Figure, Finding, Method, Progress, Status, Table, last_stage
from features.cache import CACHE_BYTES, ResultCache
from features.plotting.theme import Look
from features.study import Session, Study, open_study, use_session
from features.systems.scale_results import ScaleSpec, designs_in, scale_stages
from features.systems.scale_section import scale_card, scale_section

SPEC = ScaleSpec(bootstrap=BootstrapSpec(draws=50))
HEAD = "item_id,rater_id,choice,option_a,option_b,design,length_a,length_b"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    settings = Settings(database=str(tmp_path / "s.duckdb"), spool=tmp_path / "spool", threads=1)
    with (
        Store(settings=settings) as store,
        use_session(Session(store, results=ResultCache(CACHE_BYTES))),
    ):
        yield store


def saved(store: Store, folder: Path, rows: list[str]) -> Study:
    file = folder / "choices.csv"
    file.write_text("\n".join([HEAD, *rows]), encoding="utf-8")
    return open_study(store.add(file, "choices"))


@pytest.fixture
def study(store: Store, tmp_path: Path) -> Study:
    """Three systems compared by five raters under two designs; the lengths of 30 rows are unknown."""
    rng, rows = np.random.default_rng(0), []
    for at in range(300):
        first, second = rng.permutation(["a", "b", "c"])[:2]
        choice = ["first", "second"][int(rng.random() < 0.4)] if at % 2 or rng.random() < 0.8 else "tie"
        lengths = "," if at < 30 else ",".join(str(length) for length in rng.integers(20, 99, 2))
        rows.append(
            f"i{at % 50},r{at % 5},{choice},{first},{second},{'forced' if at % 2 else 'free'},{lengths}"
        )
    return saved(store, tmp_path, rows)


def test_what_is_quick_comes_first_and_is_replaced(study: Study) -> None:
    blocks = list(scale_section(study, SPEC))
    (at,) = [place for place, block in enumerate(blocks) if isinstance(block, Progress)]
    assert [type(block) for block in blocks[:at]] == [Finding, Figure]
    later = [block for block in blocks[at:] if isinstance(block, Finding | Figure)]
    assert [block.name for block in later] == ["finding", "scale", "position", "wins"]
    assert not any(isinstance(block, Progress) for block in scale_section(study, SPEC))
    for block in blocks:
        if isinstance(block, Figure):
            assert block.draw(Look())
    assert [type(block) for block in scale_card(study)] == [Finding, Figure]


def test_style_follows_with_its_scale(study: Study) -> None:
    spec = ScaleSpec(style=study.whole.option_numbers, bootstrap=SPEC.bootstrap)
    found = last_stage(scale_stages(study, spec))
    assert found.style is not None
    assert found.style.left_out == 30
    assert sum(estimate.n for estimate in found.adjusted_chances.values()) == 2 * 270
    blocks = list(scale_section(study, spec))
    assert [block.name for block in blocks if isinstance(block, Table)] == [
        "scale",
        "style",
        "style-effects",
        "scale-pairs",
    ]
    (method,) = [block for block in blocks if isinstance(block, Method)]
    assert "chiang2024" in method.sources


def test_designs_choose_the_comparisons(study: Study) -> None:
    every, free = (
        last_stage(scale_stages(study, SPEC)),
        last_stage(scale_stages(study, ScaleSpec(("free",), bootstrap=SPEC.bootstrap))),
    )
    assert sorted(designs_in(study)) == ["forced", "free"]
    assert (len(every.votes.comparisons), len(free.votes.comparisons)) == (300, 150)
    assert (every.votes.forced, free.votes.forced) == (("forced",), ())
    met = free.votes.comparisons
    expected = fit(met.first, met.second, met.outcome)
    assert free.scale.strength == pytest.approx(expected.strength)


def test_without_a_scale_there_is_only_the_finding(store: Store, tmp_path: Path) -> None:
    rows = [f"i{at},r{at % 2},first,{pair},free,," for pair in ("a,b", "b,c") for at in range(3)]
    study = saved(store, tmp_path, rows)
    (finding,) = scale_section(study, SPEC)
    assert isinstance(finding, Finding)
    assert finding.status is Status.NOT_ENOUGH_DATA
    assert len(list(scale_card(study))) == 1
