"""Settings of a report go into a file and come back the same."""

import json
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.values.estimate import InputError
from report.settings import SECTIONS, ReportSettings, as_toml, read

words = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
settings = st.builds(
    ReportSettings,
    groups=st.lists(words, max_size=3).map(tuple),
    reference=st.none() | words,
    measures=st.lists(words, max_size=2).map(tuple),
    sections=st.lists(st.sampled_from(SECTIONS), max_size=3).map(tuple),
    title=words,
    notes=words,
    draws=st.none() | st.integers(0, 9999),
    seed=st.integers(0, 2**31 - 1),
)


@given(settings, words)
def test_a_file_of_settings_says_what_was_asked(asked: ReportSettings, file: str) -> None:
    with TemporaryDirectory() as folder:
        toml, other = Path(folder) / "asked.toml", Path(folder) / "asked.json"
        toml.write_bytes(as_toml(asked, {"file": file}).encode())
        assert read(toml) == (asked, {"file": file})
        told = {name: value for name, value in asdict(asked).items() if value is not None}
        other.write_text(json.dumps(told), encoding="utf-8")
        assert read(other) == (asked, {})


@pytest.mark.parametrize(
    "text",
    ["groups = 3", 'draws = "many"', "title = 3", "groups = [3]", "not toml", 'sections = ["weather"]'],
)
def test_a_file_that_says_something_else_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "asked.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError):
        read(path)
