"""Tar archives: read as the tables in them, whatever else they hold, or refused with a sentence."""

import io
import tarfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Literal

import pytest

from data.errors import DataError, OverLimit, UnreadableFile
from data.formats import recognise
from tests.data.formats.conftest import Save, save

__all__ = ["save"]
CROWD = "item,rater,score\n" + "".join(
    f"i{at},w{by},{(at * by) % 5 + 1}\n" for at in range(9) for by in range(4)
)
LAB = CROWD.replace(",w", ",l")
Pack = Callable[..., Path]


@pytest.fixture
def pack(tmp_path: Path) -> Pack:
    def packed(files: dict[str, str], mode: Literal["w", "w:gz"] = "w:gz", *others: tarfile.TarInfo) -> Path:
        path = tmp_path / "upload"
        with tarfile.open(path, mode) as archive:
            for other in others:
                archive.addfile(other)
            for name, content in files.items():
                info = tarfile.TarInfo(name)
                info.size = len(content.encode())
                archive.addfile(info, io.BytesIO(content.encode()))
        return path

    return packed


def link(name: str, kind: bytes, target: str) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


@pytest.mark.parametrize("mode", ["w", "w:gz"])
def test_the_one_table_in_an_archive_is_read(save: Save, pack: Pack, mode: str) -> None:
    saved = save(pack({"study/ratings.csv": CROWD, "study/._ratings.csv": "\0" * 200}, mode))
    assert len(saved.rows) == 36
    assert {row["rater_id"] for row in saved.rows} == {"w0", "w1", "w2", "w3"}


@pytest.mark.parametrize("mode", ["w", "w:gz"])
def test_several_tables_are_read_together_as_from_a_zip(save: Save, pack: Pack, mode: str) -> None:
    saved = save(pack({"crowd.csv": CROWD, "lab.csv": LAB}, mode))
    assert saved.found.mapping["rater_group"] == "from file"
    assert [row["rater_group"] for row in saved.rows] == ["crowd"] * 36 + ["lab"] * 36


def test_links_and_devices_are_never_followed(save: Save, pack: Pack, tmp_path: Path) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text(LAB)
    others = [
        link("../../escape.csv", tarfile.SYMTYPE, str(secret)),
        link("hard.csv", tarfile.LNKTYPE, str(secret)),
        link("null", tarfile.CHRTYPE, ""),
    ]
    saved = save(pack({"../../ratings.csv": CROWD}, "w", *others))
    assert {row["rater_id"] for row in saved.rows} == {"w0", "w1", "w2", "w3"}
    assert not list(tmp_path.parent.glob("**/escape.csv"))


def test_an_archive_of_nothing_or_cut_off_is_refused(pack: Pack) -> None:
    with pytest.raises(UnreadableFile, match="holds no file"):
        recognise(pack({}, "w", link("null", tarfile.CHRTYPE, "")))
    path = pack({"crowd.csv": CROWD * 20, "lab.csv": LAB * 20}, "w")
    path.write_bytes(path.read_bytes()[:6000])
    with pytest.raises(UnreadableFile, match="archive is damaged"):
        recognise(path)


def test_limits_hold_for_archives(pack: Pack, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OverLimit, match="these are 101 files"):
        recognise(pack({f"{at}.csv": CROWD for at in range(101)}))
    monkeypatch.setattr("data.tables.archives._MOST_ENTRIES", 3)
    with pytest.raises(UnreadableFile, match="more than 3 entries"):
        recognise(pack({f"{at}.csv": CROWD for at in range(4)}, "w"))
    monkeypatch.setenv("RATERSCOPE_LIMITS", '{"unpacked_size": "1 MB"}')
    for mode in ("w", "w:gz"):
        with pytest.raises(OverLimit, match="more than the 1 MB"):
            recognise(pack({"a.csv": " " * 600_000, "b.csv": " " * 600_000}, mode))


def test_hostile_headers_end_in_a_sentence(pack: Pack) -> None:
    whole = pack({"crowd.csv": CROWD, "lab.csv": LAB}, "w").read_bytes()
    for at in (0, 100, 124, 136, 148, 156, 300, 345, 700):
        path = pack({}, "w")
        path.write_bytes(whole[:at] + b"\xff\x80" * 6 + whole[at + 12 :])
        with suppress(DataError):
            assert recognise(path).kind


@pytest.mark.parametrize("size", [-512, -1024, -(10**9)])
@pytest.mark.parametrize(
    "kind", [tarfile.REGTYPE, tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_SPARSE]
)
def test_a_size_below_zero_leads_nowhere(tmp_path: Path, size: int, kind: bytes) -> None:
    info = tarfile.TarInfo("b")
    info.type = kind
    header = bytearray(info.tobuf(tarfile.USTAR_FORMAT))
    header[124:136] = b"\xff" + (256**11 + size).to_bytes(11, "big")
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    first = tarfile.TarInfo("a")
    first.size = 512
    path = tmp_path / "upload"
    path.write_bytes(
        first.tobuf(tarfile.USTAR_FORMAT) + b"item,x\n" + bytes(505) + bytes(header) * 3 + bytes(1024)
    )
    with pytest.raises(UnreadableFile):
        recognise(path)
