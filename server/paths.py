"""Streamlit's own addresses: which of them the pages need, and what of an address a log line may show.

Everything below `_stcore` is closed unless it is listed here, because each version of Streamlit adds more there
(counters of the server, a way for programs to drive the pages), open to anyone by default.
"""

import posixpath
import re
from urllib.parse import unquote

_OPEN = re.compile(r"(?:/[\w.~-]+)*/_stcore/(health|host-config|stream|upload_file/[^/]+/[^/]+)")
_UNUSED = {"_stcore", "component"}
_WORD = re.compile(r"[A-Za-z_][A-Za-z_-]{0,23}")


def machinery(path: str) -> str | None:
    """Return what an open address of Streamlit's own asks for, else None.

    >>> machinery("/_stcore/health"), machinery("/below/a/prefix/_stcore/stream")
    ('health', 'stream')
    >>> machinery("/_stcore/upload_file/visit/file"), machinery("/_stcore/metrics"), machinery("/data")
    ('upload_file', None, None)
    """
    found = _OPEN.fullmatch(path)
    return found[1].split("/")[0] if found else None


def upload_of(path: str) -> tuple[str, str]:
    """The visit and the file that an address of an upload names.

    >>> upload_of("/_stcore/upload_file/visit/file")
    ('visit', 'file')
    """
    visit, file = path.split("/")[-2:]
    return visit, file


def media(path: str) -> str | None:
    """Return the made file that an address asks for, without its ending; None where it is no address of a file.

    >>> media("/media/0a1b.csv"), media("/below/a/prefix/media/0a1b.tar.gz")
    ('0a1b', '0a1b.tar')
    >>> media("/data"), media("/static/media/font.woff2")
    (None, None)
    """
    head, found, file = path.rpartition("/media/")
    return posixpath.splitext(file)[0] if found and head.rpartition("/")[2] != "static" else None


def is_closed(path: str) -> bool:
    """Return whether an address is Streamlit's own and none that the pages need, however it is spelled.

    >>> [is_closed(path) for path in ("/_stcore/metrics", "//_STCORE/./metrics/", "/%255fstcore%2fmetrics")]
    [True, True, True]
    >>> [is_closed(path) for path in ("/_stcore/health", "/data", "/static/js/index.js")]
    [False, False, False]
    """
    plain = path
    for _ in range(5):  # an address may have been encoded more than once
        plain = unquote(plain)
    segments = posixpath.normpath(plain.replace("\\", "/")).lower().split("/")
    return not _UNUSED.isdisjoint(segments) and machinery(path) is None


def for_the_log(path: str) -> str:
    """The address without anything that could be a key, a visit or somebody's words.

    >>> for_the_log("/_stcore/upload_file/8c0e/1f2a"), for_the_log("/media/ab12.csv"), for_the_log("/crowd-vs-lab")
    ('/_stcore/upload_file/…/…', '/media/…', '/crowd-vs-lab')
    """
    shown = [segment if segment == "" or _WORD.fullmatch(segment) else "…" for segment in path.split("/")[:6]]
    if machinery(path) == "upload_file":
        shown[-2:] = "…", "…"
    return "/".join(shown)
