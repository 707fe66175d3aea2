"""Results of inspecting a file leave the reading process unchanged."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from data.formats.readers import sniff
from data.isolation.process import from_json
from data.mapping.proposal import propose
from data.tables.sniffed import Sniffed

CASES = Path(__file__).parents[2] / "corpus" / "cases"


@pytest.mark.parametrize(
    "name", ["neutral_grid.csv", "labels_wide.csv", "mturk_pairs.csv", "sheets_per_group.xlsx"]
)
def test_readings_switches_and_parts_come_through(name: str) -> None:
    seen = sniff(CASES / name)
    told = from_json(Sniffed, json.loads(json.dumps(asdict(seen))))
    assert repr(told) == repr(seen)
    assert propose(told) == propose(seen)
