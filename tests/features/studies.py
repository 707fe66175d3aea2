"""Studies to speak of, without a store behind them."""

import re
from datetime import UTC, datetime

from data.dataset import Dataset
from features.blocks import Finding
from features.study import Study


def study_of(
    *measures: str,
    candidate: str = "crowd",
    reference: str | None = "lab",
    reference_column: str | None = None,
    **mapping: str,
) -> Study:
    """A study of ratings by two groups, on these measures."""
    now = datetime(2026, 1, 1, tzinfo=UTC)
    dataset = Dataset(
        "0" * 32,
        "ratings",
        "a study",
        (),
        mapping,
        "f" * 64,
        100,
        0,
        now,
        workspace=None,
        replaces=None,
        used=now,
    )
    groups = tuple(dict.fromkeys([candidate, *([reference] if reference else [])]))
    return Study("key", dataset, dataset, groups, measures, candidate, reference, reference_column, measures)


def said(told: Finding | tuple[str, object]) -> str:
    """A sentence, or the headline of a finding, with its values filled in."""
    template, values = told.headline if isinstance(told, Finding) else told
    return template.format_map(values)


def verdict(found: Finding) -> tuple[str, ...]:
    """The status of a finding and the numbers of its headline, whatever the words are."""
    return found.status, *re.findall(r"[−+]?\d[\d.,]*\d%?|\d%?", said(found))
