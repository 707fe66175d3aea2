"""The section on two systems: quick blocks first, intervals in stages, and nothing twice."""

from collections.abc import Iterator
from math import isnan
from pathlib import Path

import pytest

from analysis.systems.preference import CLOSED, GLAD, METHODS, PreferenceSpec
from analysis.values.estimate import BootstrapSpec, InputError
from data.samples import SAMPLES
from data.settings import Settings
from data.store.store import Store
from features.assessments import polls
from features.blocks import Block, Figure, Finding, Method, Progress, Status, Table, last_stage
from features.cache import ResultCache
from features.plotting.theme import Look
from features.study import Session, Study, open_study, use_session
from features.systems.pairs_results import PairSpec, pair_stages, preview_pair
from features.systems.pairs_section import default_spec, pair_card, pair_section

SPEC = PairSpec("AW vs UI, 2-choice", PreferenceSpec(dropped=2, draws=20))
HEADER = "item_id,rater_id,choice,option_a,option_b"


@pytest.fixture(scope="module")
def own_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    folder = tmp_path_factory.mktemp("pairs")
    with Store(settings=Settings(str(folder / "s.duckdb"), spool=folder / "spool", threads=1)) as store:
        yield store


@pytest.fixture
def store(own_store: Store) -> Iterator[Store]:
    """The store of these tests, and a cache that nothing else has filled."""
    with use_session(Session(own_store, results=ResultCache(10**8))):
        yield own_store


def sample(store: Store) -> Study:
    [comparisons] = [sample for sample in SAMPLES if sample.key == "sample-comparisons"]
    return open_study(store.ensure_samples((comparisons,))[comparisons.key])


def lines_of(figure: Figure) -> int:
    """Return the number of intervals that a figure draws."""
    drawn = figure.draw(Look())
    assert drawn is not None
    return sum(end > 0 for trace in drawn["data"] for end in trace.get("error_x", {"array": []})["array"])


def figures(blocks: list[Block]) -> list[Figure]:
    return [block for block in blocks if isinstance(block, Figure)]


def test_intervals_follow_in_stages_and_are_computed_once(store: Store) -> None:
    study = sample(store)
    blocks = list(pair_section(study, SPEC))
    assert [lines_of(figure) for figure in figures(blocks)] == [0, 2 * len(CLOSED), 2 * len(METHODS)]
    assert len([block for block in blocks if isinstance(block, Progress)]) == 2
    kinds = [type(block) for block in blocks]
    assert kinds[:3] == [Finding, Figure, Progress]
    assert kinds[-1] is Method
    again = list(pair_section(study, SPEC))
    assert [lines_of(figure) for figure in figures(again)] == [2 * len(METHODS)]
    assert not any(isinstance(block, Progress) for block in again)


def test_the_comparison_has_intervals_and_the_difference_of_designs(store: Store) -> None:
    study = sample(store)
    before = preview_pair(study, SPEC)
    assert isnan(before.preference.shares[GLAD].low)
    found = last_stage(pair_stages(study, SPEC))
    assert set(found.differences) == {"4-choice"}
    first, second = (found.preferences[each.name].shares for each in found.designs)
    for method in METHODS:
        assert first[method].value == before.preferences[found.designs[0].name].shares[method].value
        assert first[method].low <= first[method].value <= first[method].high
        difference = found.differences["4-choice"][method].value
        assert difference == pytest.approx(first[method].value - second[method].value)


def test_an_unknown_comparison_is_refused_with_the_names_there_are(store: Store) -> None:
    with pytest.raises(InputError, match="AW vs UI, 2-choice"):
        last_stage(pair_stages(sample(store), PairSpec("AW vs nobody")))


def test_too_few_items_give_the_finding_alone_and_no_work(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "few.csv"
    rows = [f"q{item},w{rater},first,x,y" for item in range(9) for rater in range(3)]
    file.write_text("\n".join([HEADER, *rows]), encoding="utf-8")
    study = open_study(store.add(file))
    finding, method = pair_section(study, PairSpec("x vs y"))
    assert isinstance(finding, Finding)
    assert finding.status is Status.NOT_ENOUGH_DATA
    assert isinstance(method, Method)


@pytest.mark.slow
def test_all_pairs_have_a_row_each(store: Store) -> None:
    blocks = pair_section(sample(store), PairSpec(SPEC.comparison, SPEC.shares, all_pairs=True))
    (table,) = [block for block in blocks if isinstance(block, Table) and block.name == "comparisons"]
    assert len(table.frame) == 5


@pytest.mark.slow
def test_the_card_gives_the_verdict_of_the_page(store: Store) -> None:
    study = sample(store)
    finding, figure = pair_card(study)
    assert isinstance(finding, Finding)
    assert isinstance(figure, Figure)
    assert lines_of(figure) > 0
    spec = default_spec(study, polls(study)[0], BootstrapSpec())
    assert finding == [block for block in pair_section(study, spec) if isinstance(block, Finding)][-1]
