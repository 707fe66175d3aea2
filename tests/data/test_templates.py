"""The template of each kind imports into that kind without a correction, and nothing of it is lost."""

from pathlib import Path

import pandas as pd
import pytest

from data.export import csv_bytes
from data.kinds.definitions import KINDS, TEMPLATES, VOTES_TEMPLATE
from data.store.store import Store


def test_every_kind_has_a_template_with_its_required_columns() -> None:
    assert set(TEMPLATES) == set(KINDS)
    for name, template in TEMPLATES.items():
        kind = KINDS[name]
        assert set(kind.required) <= set(template)
        assert all(kind.column(column) or kind.role(column) in kind.further for column in template)


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_imports_as_it_is(tmp_path: Path, name: str) -> None:
    template = TEMPLATES[name]
    file = tmp_path / "template.csv"
    file.write_bytes(csv_bytes(pd.DataFrame(template)))
    with Store(str(tmp_path / "store.duckdb")) as store:
        dataset = store.add(file)
    assert (dataset.kind, dataset.rows_kept, dataset.rows_set_aside) == (name, 3, 0)
    assert {column: dataset.mapping.get(column) for column in template} == {
        column: column for column in template
    }


def test_the_template_of_votes_becomes_one_rating_per_vote(tmp_path: Path) -> None:
    file = tmp_path / "votes.csv"
    file.write_bytes(csv_bytes(pd.DataFrame(VOTES_TEMPLATE)))
    with Store(str(tmp_path / "store.duckdb")) as store:
        dataset = store.add(file)
        found = store.query(dataset, "score_counts", measure="score")
    votes = [sum(map(int, VOTES_TEMPLATE[f"votes_{grade}"])) for grade in range(1, 6)]
    assert (dataset.kind, dataset.rows_kept, dataset.rows_set_aside) == ("ratings", sum(votes), 0)
    assert found["count"].tolist() == votes
