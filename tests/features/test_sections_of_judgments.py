"""Sections of Relevance and Comprehension follow the rules for findings, with and without excluded raters."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from analysis.values.estimate import BootstrapSpec
from data.samples import SAMPLES
from data.settings import Settings
from data.store.store import Store
from features.blocks import EXCLUSION, Block, Finding
from features.cache import ResultCache
from features.comprehension import section as comprehension
from features.comprehension.results import AnswersSpec, AuthorsSpec
from features.relevance import agreement_section, metrics_section
from features.relevance.agreement_results import LDC, AccuracySpec, DifferencesSpec, RatersSpec
from features.relevance.metrics_results import MetricSpec, PartitionsSpec
from features.study import Scenario, Session, Study, open_study, use_session
from tests.findings_rules import check_findings

FEW = BootstrapSpec(20)
Section = Callable[[Study, Scenario], Iterator[Block]]
RELEVANCE: list[Section] = [
    lambda study, excluded: agreement_section.accuracy_section(study, excluded, AccuracySpec(bootstrap=FEW)),
    lambda study, excluded: agreement_section.raters_section(study, excluded, RatersSpec(bootstrap=FEW)),
    lambda study, excluded: agreement_section.differences_section(
        study, excluded, DifferencesSpec("Seconds")
    ),
    lambda study, excluded: agreement_section.order_section(study, excluded, FEW),
    lambda study, excluded: metrics_section.metrics_section(study, excluded, MetricSpec("rouge1", LDC)),
    lambda study, excluded: metrics_section.partitions_section(
        study, excluded, PartitionsSpec("rouge1", LDC, draws=100)
    ),
]
COMPREHENSION: list[Section] = [
    lambda study, excluded: comprehension.shares_section(study, excluded, AnswersSpec(bootstrap=FEW)),
    lambda study, excluded: comprehension.authors_section(
        study, excluded, AuthorsSpec(AnswersSpec(bootstrap=FEW))
    ),
    lambda study, excluded: comprehension.length_section(study, excluded, AnswersSpec(bootstrap=FEW)),
    lambda study, excluded: comprehension.machines_section(study, excluded, AnswersSpec(bootstrap=FEW)),
]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A store with both samples, and a cache of its results."""
    folder: Path = tmp_path_factory.mktemp("sections")
    settings = Settings(database=str(folder / "s.duckdb"), spool=folder / "spool", threads=1)
    session = Session(store := Store(settings=settings), results=ResultCache(10**8))
    with store, use_session(session):
        yield store


@pytest.mark.parametrize(
    ("key", "excluded", "section"),
    [
        *(("sample-relevance", "rater 01", section) for section in RELEVANCE),
        *(("sample-comprehension", "judge 1", section) for section in COMPREHENSION),
    ],
)
def test_findings_follow_the_rules_and_state_an_exclusion_first(
    store: Store, key: str, excluded: str, section: Section
) -> None:
    (sample,) = [each for each in SAMPLES if each.key == key]
    study = open_study(store.ensure_samples((sample,))[key])
    everyone = list(section(study, Scenario()))
    check_findings(everyone)
    assert EXCLUSION not in [block.name for block in everyone if isinstance(block, Finding)]
    without = replace(study, dataset=study.whole.leaving_out((excluded,)))
    blocks = list(section(without, Scenario(names=(excluded,), left_out_codes=(0,), applied=True)))
    check_findings(blocks)
    first = next(block for block in blocks if isinstance(block, Finding))
    assert first.name == EXCLUSION or "Not enough data" in first.headline[0]
