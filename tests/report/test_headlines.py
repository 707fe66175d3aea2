"""Findings in the reports of all samples: plain headlines, whose number is in the first figure or table."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest

from data.samples import SAMPLES
from data.settings import Settings
from data.store.store import Store
from features.blocks import Finding
from features.study import Session, use_session
from report.blocks import Section
from report.build import build_report
from report.settings import ReportSettings
from tests.findings_rules import faults_of
from tests.sample_database import sample_database

_NUMBER = re.compile(r"([−+]?\d+\.\d+|\d+(?:\.\d+)?(?= ?%))")


def sections_of(sample: str, folder: Path) -> list[Section]:
    (folder / "r.duckdb").write_bytes(sample_database())
    settings = Settings(database=str(folder / "r.duckdb"), spool=folder / "spool", threads=1)
    with Store(settings=settings) as store, use_session(Session(store)):
        dataset = store.ensure_samples()[sample]
        report = build_report(dataset, sample, ReportSettings(draws=20))
        for section in report.sections:
            for picture in section.pictures[:1]:
                assert picture.figure
        pictures = [picture.name for section in report.sections for picture in section.pictures]
        assert len(set(pictures)) == len(pictures), "each has a file of its name"
    return list(report.sections)


def numbers_in(value: object) -> Iterator[float]:
    """Yield every number that a figure draws or writes, or a table holds."""
    if isinstance(value, dict):
        for one in value.values():
            yield from numbers_in(one)
    elif isinstance(value, str):
        yield from (float(one.replace("−", "-")) for one in re.findall(r"[−-]?\d+(?:\.\d+)?", value))
    elif isinstance(value, Iterable):
        for one in value:
            yield from numbers_in(one)
    elif isinstance(value, int | float | np.number):
        yield float(value)


def is_shown(number: str, section: Section) -> bool:
    """Return True where a number of a headline, as written, is among those of the first figure or table."""
    digits, wanted = len(number.partition(".")[2]), float(number.replace("−", "-"))
    shown = [one for picture in section.pictures[:1] for one in numbers_in(picture.figure["data"])]
    for table in section.tables[:1]:
        shown += [one for column in table.numbers for one in numbers_in(table.numbers[column])]
    return any(round(factor * one, digits) == wanted for one in shown for factor in (1, 100))


def headline_numbers(finding: Finding) -> list[str]:
    """Return the decimal numbers and percentages of a headline; counts are not looked for."""
    values = [str(value) for value in finding.headline[1].values()]
    return [found for value in values if _NUMBER.match(value) for found in _NUMBER.findall(value)]


def faults_of_sections(sections: Iterable[Section]) -> list[str]:
    """Return which rules the findings of a report break."""
    faults = []
    for section in sections:
        faults += [fault for one in (*section.findings, *section.details) for fault in faults_of(one)]
        main = next((one for one in section.findings if one.is_main), None)
        if main is not None and main.status.concludes:
            faults += [
                f"{section.name}: {number} is not in the first figure or table"
                for number in headline_numbers(main)
                if not is_shown(number, section)
            ]
    return faults


@pytest.mark.journey
@pytest.mark.parametrize("sample", [one.key for one in SAMPLES if one.kind != "contributors"])
def test_headlines_are_plain_and_their_number_is_in_the_first_figure_or_table(
    sample: str, tmp_path: Path
) -> None:
    assert not faults_of_sections(sections_of(sample, tmp_path))
