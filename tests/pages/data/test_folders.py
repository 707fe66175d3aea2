"""One's own data sets are found by words of their names, and lie in the folders that the names say."""

from dataclasses import replace
from datetime import UTC, datetime

from data.dataset import Dataset
from ui.screens.own_datasets import in_folders, search
from ui.visit.study import Versions

NOW = datetime(2026, 1, 1, tzinfo=UTC)
A = Dataset("0" * 32, "ratings", "", (), {}, "", 0, 0, NOW, "w", None, NOW)


def family(name: str, *older: str) -> Versions:
    return Versions(replace(A, name=name), tuple(replace(A, name=each) for each in older), name)


SPEECH, CODEC, PLAIN, ODD, NESTED = (
    family("Codecs/Speech 2024", "first try"),
    family("Codecs / Music"),
    family("Summaries"),
    family("/no folder/"),
    family("Codecs/a/b"),
)
ALL = [SPEECH, PLAIN, CODEC, ODD, NESTED]


def test_every_word_has_to_stand_in_one_name_of_a_data_set() -> None:
    assert search(ALL, "codecs") == [SPEECH, CODEC, NESTED]
    assert search(ALL, " 2024 CODECS ") == [SPEECH]
    assert search(ALL, "try") == [SPEECH]
    assert search(ALL, "try 2024") == []
    assert search(ALL, "") == ALL


def test_what_stands_before_the_first_slash_is_the_folder() -> None:
    assert in_folders(ALL) == {"": [PLAIN, ODD], "Codecs": [SPEECH, CODEC, NESTED]}
    assert in_folders([SPEECH, PLAIN]) == {"": [SPEECH, PLAIN]}
