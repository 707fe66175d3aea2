"""Checks of all listed formats: a new one needs a sample in this folder's tests and is included automatically.

Cut in the middle, hurt, with nothing in it, packed, and with 100,000 rows.
"""

import gzip
import json
import resource
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from data.errors import DataError
from data.formats.readers import FORMATS, READERS, sniff
from tests.data.formats import test_documented_samples as in_rows
from tests.data.formats import test_files as tables
from tests.data.formats import test_json as in_json
from tests.data.formats.conftest import Save
from tests.data.formats.test_sureal import LISTS

JSON = {format: content for content, format, *_ in in_json.SAMPLES.values() if format != "long table"}
ROWS = {**{name: sample[0] for name, sample in in_rows.SAMPLES.items()}, "Potato": in_rows.POTATO}
ROWS["rankings in a cell"] = in_rows.RANKED
ROWS["spreadsheet"] = "document,system,Anna,Ben\n" + "".join(
    f"doc {n},a,{n % 5 + 1},{n % 3 + 1}\n,b,{n % 4 + 1},{n % 2 + 3}\n" for n in range(9)
)
ROWS["one column per system"] = "subject,trial,reference,anchor35,opus\n" + "".join(
    f"L{who},speech{page},{90 + who},{10 + page},{60 + who + page}\n" for who in range(4) for page in range(3)
)
ROWS["objects with one field"] = "image,worker,response\n" + "".join(
    f'im{n},w{k},"{{""label"": ""{("cat", "dog")[n * k % 2]}""}}"\n' for n in range(6) for k in range(3)
)
ROWS["shares of votes"] = "clip,c1,c2,c3,votes\n" + "".join(
    f"clip{n},{n / 20},{(8 - n) / 20},0.6,20\n" for n in range(1, 8)
)
CASES = Path(__file__).parents[2] / "corpus" / "cases"
ROWS["PCIbex"] = (CASES / "pcibex_latin_square.csv").read_text()
ROWS["GoListen"] = (CASES / "golisten_sounds.csv").read_text()
ROWS["Crowdee"] = (CASES / "crowdee.csv").read_text()
ROWS["Gorilla questionnaire"] = (CASES / "gorilla_questionnaire.csv").read_text()
ROWS["Zooniverse"] = (CASES / "zooniverse.csv").read_text()
ROWS["marks between thousands"] = (CASES / "thousands_with_decimals.csv").read_text()
for _name, _file in (
    ("SageMaker Ground Truth", "ground_truth_all_workers.manifest"),
    ("Labelbox", "labelbox.ndjson"),
):
    JSON[_name] = [json.loads(line) for line in (CASES / _file).read_text().splitlines()]
TEXTS: dict[str, str] = {
    **{name: json.dumps(content, indent=1) for name, content in JSON.items()},
    "SUREAL": LISTS,
    **ROWS,
}
"""A sample of each platform's format; those that are rows of text where they may be JSON, too."""
MANY, MOST_KILOBYTES = 100_000, 200_000
ONCE = ("MQM TSV", "Label Studio CSV")
"""Formats in which rows that stand in the file again add no rating."""
ONE_RECORD = ("SUREAL", "Potato user state")
"""Formats that are parsed whole, of which large files are refused (see the tests beside)."""
NEVER_TWICE = ("a row per label",)
"""Formats that are known by no row standing in the file twice."""
BY_SUBJECT = ("one column per system",)
"""Formats with one row per rater and page; rows begin with the rater."""
HEADERS = {"PCIbex": 17, "GoListen": 3, "Qualtrics": 3, "Appraise (WMT)": 0, "VoiceMOS": 0}


def test_every_format_and_every_reader_has_a_sample(tmp_path: Any) -> None:
    assert {format.name for format in FORMATS} == set(TEXTS)
    tables.SCRATCH[0] = str(tmp_path)
    files = [*map(str.encode, TEXTS.values()), *(write(tables.FRAME) for write in tables.WRITERS.values())]
    assert {next(reader for reader in READERS if reader.reads(file[: 1 << 16])) for file in files} == set(
        READERS
    )


def _ends_in_a_sentence(save: Save, content: bytes) -> None:
    """Read with a report in which every row is counted, or refused with a message of ours."""
    with suppress(DataError):
        report = save(content).report
        assert report.rows_read == report.kept + report.set_aside


@pytest.mark.parametrize("name", TEXTS)
def test_cut_hurt_or_emptied_it_ends_in_a_sentence(save: Save, name: str) -> None:
    content = TEXTS[name].encode()
    middle = len(content) // 2
    _ends_in_a_sentence(save, content[:middle])
    _ends_in_a_sentence(save, content[:middle] + b'\0\x80"{[,\t' + content[middle:])
    with pytest.raises(DataError):
        save(_emptied(name))


def _emptied(name: str) -> str:
    """The header alone, the list without its records, the object whose lists are empty."""
    if name == "SUREAL":
        return "dis_videos = []\n"
    if name in ROWS:
        return "".join(TEXTS[name].splitlines(keepends=True)[: HEADERS.get(name, 1)])
    content = JSON[name]
    return json.dumps(
        [] if isinstance(content, list) else {key: type(value)() for key, value in content.items()}
    )


@pytest.mark.parametrize("name", [next(iter(JSON)), "SUREAL", next(iter(ROWS)), "Potato"])
def test_packed_it_is_the_same(save: Save, name: str) -> None:
    """A file is unpacked before any format sees it, so one of each way to be read stands for all."""
    content = TEXTS[name].encode()
    plain = save(content)
    assert plain.found.format == name
    assert save(gzip.compress(content)).found == plain.found


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in TEXTS if name not in (*ONE_RECORD, *NEVER_TWICE)])
def test_a_hundred_thousand_rows_take_bounded_memory(tmp_path: Path, name: str) -> None:
    path = tmp_path / "upload"
    path.write_text(TEXTS[name])
    once = sniff(path).rows
    times = MANY // max(once, 1) + 1
    path.write_text(_many(name, times))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    rows = sniff(path).rows
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert rows == once * (1 if name in ONCE else times)
    assert grown < MOST_KILOBYTES


def _many(name: str, times: int) -> str:
    if name in ROWS:
        lines = TEXTS[name].splitlines(keepends=True)
        header = HEADERS.get(name, 1)
        if name in BY_SUBJECT:
            again = [f"{repetition}{line}" for repetition in range(times) for line in lines[header:]]
            return "".join([*lines[:header], *again])
        return "".join([*lines[:header], *lines[header:] * times])
    content = JSON[name]
    if isinstance(content, list):
        return json.dumps(content * times)
    return json.dumps({f"{key} {n}": value for n in range(times) for key, value in content.items()})
