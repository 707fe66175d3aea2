"""SUREAL's data sets: Python that is parsed and never run, and the same as JSON."""

import json
from pathlib import Path
from typing import Any

import pytest

from data.errors import UnreadableFile
from data.formats.readers import sniff
from tests.data.formats.conftest import Save

LISTS = """# a data set with opinion scores in lists
dataset_name = 'example'
yuv_fmt = 'yuv420p'
base = '/data/' + 'videos/'
ref_videos = [{'content_id': 0, 'content_name': 'foo', 'path': base + 'foo.yuv'}]
dis_videos = [
    {'content_id': 0, 'asset_id': 'x0', 'os': [100, 90, 80], 'path': base + 'a.yuv'},
    {'content_id': 0, 'asset_id': 'x1', 'os': [40, None, 60.5], 'path': os.path.join(base, 'b.yuv')},
    {'content_id': 0, 'asset_id': 'x2', 'path': base + 'c.yuv'},
]
ref_score = 100.0
"""
NAMED = """scores = {'Tom': 3, 'Merry': [4, 5], 'Pipin': float('nan')}
dis_videos = [{'asset_id': 0, 'content_id': 7, 'os': scores}, {'asset_id': 1, 'content_id': 7, 'os': {'Tom': -2}}]
"""


def votes(rows: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [(row["item_id"], row["rater_id"], row["score"]) for row in rows]


def test_lists_of_scores_have_a_place_for_each_rater(save: Save) -> None:
    saved = save(LISTS)
    assert (saved.found.format, saved.found.kind) == ("SUREAL", "ratings")
    assert votes(saved.rows) == [
        ("x0", "1", 100),
        ("x0", "2", 90),
        ("x0", "3", 80),
        ("x1", "1", 40),
        ("x1", "3", 60.5),
    ]
    assert saved.report.reasons == (("os", "the video has no opinion score", 1),)


def test_dictionaries_name_the_raters_and_may_hold_repetitions(save: Save) -> None:
    assert votes(save(NAMED).rows) == [
        ("0", "Tom", 3),
        ("0", "Merry", 4),
        ("0", "Merry", 5),
        ("1", "Tom", -2),
    ]


def test_the_same_may_be_json(save: Save) -> None:
    content = {
        "ref_videos": [{"content_id": 7, "path": "r"}],
        "dis_videos": [
            {"asset_id": 0, "content_id": 7, "os": {"Tom": 3, "Merry": [4, 5]}},
            {"asset_id": 1, "content_id": 7, "os": {"Tom": 2}},
        ],
    }
    saved = save(json.dumps(content))
    assert saved.found.format == "SUREAL"
    assert votes(saved.rows) == [("0", "Tom", 3), ("0", "Merry", 4), ("0", "Merry", 5), ("1", "Tom", 2)]


def test_nothing_in_it_is_run(tmp_path: Path) -> None:
    mark = tmp_path / "it ran"
    path = tmp_path / "upload"
    path.write_text(
        f"open({str(mark)!r}, 'w')\nname = open({str(mark)!r}, 'w')\n"
        f"dis_videos = [{{'asset_id': open({str(mark)!r}, 'w'), 'content_id': 1, 'os': [1, 2]}}]\n"
    )
    assert sniff(path).format == "SUREAL"
    assert not mark.exists()


DOUBLING = "a = 'xxxxxxxxxx'\n" + "a = a + a\n" * 60


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("dis_videos = [" * 2 + "[" * 100_000 + "]" * 100_000, "nested too deep"),
        ("dis_videos = [" + "-" * 100_000 + "1]", "nested too deep"),
        ("dis_videos = [{'asset_id': 1, 'os': " + "[" * 250 + "]" * 250 + "}]", "Python"),
        (LISTS[:300], "no valid Python"),
        ("dis_videos = [x for x in y]", "has no list `dis_videos`"),
        ("ref_videos = []", "has no list `dis_videos`"),
        ("ref_videos = [1]\ndis_videos = [1, {'os': f()}]", "has no list `dis_videos`"),
        ("dis_videos = [1]\n" + DOUBLING, "has no list `dis_videos`"),
        ("dis_videos = [\n" + "0,\n" * 2_000_000 + "]", "larger than 4 MB"),
    ],
)
def test_what_cannot_be_read_is_reported_in_a_sentence(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "upload"
    path.write_text(content)
    with pytest.raises(UnreadableFile, match=said):
        sniff(path)
