# ruff: noqa: S608 - the only names in statements are ours; values are parameters
"""Links: the keys by which readers find a data set, each with its own end.

A reader's key is looked up by its SHA-256, by one statement whatever the key is, so that the time it takes
tells nothing about it: neither how many of its characters are right nor whether it ever led anywhere.
"""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs, urlsplit

import duckdb

from analysis.values.names import thousands
from data.errors import DataError, NotFound, OverLimit

LONGEST_NAME = 120
"""Characters that the name of a link or a data set may have: it has to fit into a list."""
MOST = 100
"""Live links that a data set may have: a page lists them all."""
_LONGEST_VIEW = 20_000
ALIVE = "revoked IS NULL AND (expires IS NULL OR expires > $now)"
_LINK = 'link, dataset, name, "view", created, expires'


@dataclass(frozen=True)
class Link:
    """One way to a data set.

    `key` is what an address holds. `name` is empty for the one that the owner's own address shows. `view` is
    the page and its controls that it leads to (`/repetitions?shuffles=10`), or empty. Times are in UTC;
    without `expires` it leads there until it is revoked.
    """

    key: str
    dataset: str
    name: str
    view: str
    created: datetime
    expires: datetime | None


def digest(key: str) -> str:
    """The SHA-256 by which a key is looked up, whatever text it is.

    >>> digest("sample-summaries")[:8]
    '69aae1be'
    """
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def stamp(moment: datetime) -> datetime:
    """A moment as the catalogue keeps it: in UTC without saying so."""
    return moment.astimezone(UTC).replace(tzinfo=None)


def now() -> datetime:
    return stamp(datetime.now(UTC))


def checked_name(name: str, what: str) -> str:
    """A name as it is stored."""
    name = name.encode("utf-8", "replace").decode().strip()
    if not name:
        raise DataError(f"{what} needs a name; type one")
    if len(name) > LONGEST_NAME:
        raise DataError(
            f"the name has {thousands(len(name))} characters, {what} may have one of {LONGEST_NAME} at most; shorten it"
        )
    return name


def own_key(cursor: duckdb.DuckDBPyConnection, dataset: str) -> str | None:
    """The key of the owner's own address, if there is a live one."""
    row = cursor.execute(
        f"SELECT link FROM links WHERE dataset = $dataset AND name IS NULL AND {ALIVE} "
        "ORDER BY created, link LIMIT 1",
        {"dataset": dataset, "now": now()},
    ).fetchone()
    return None if row is None else str(row[0])


def live(cursor: duckdb.DuckDBPyConnection, dataset: str) -> list[Link]:
    """All links that lead to a data set now: the owner's own first, then the newest first."""
    rows = cursor.execute(
        f"SELECT {_LINK} FROM links WHERE dataset = $dataset AND {ALIVE} "
        "ORDER BY name IS NOT NULL, created DESC, link",
        {"dataset": dataset, "now": now()},
    ).fetchall()
    return [_link(row) for row in rows]


def insert(
    cursor: duckdb.DuckDBPyConnection,
    dataset: str,
    key: str = "",
    name: str = "",
    view: str = "",
    expires: datetime | None = None,
) -> Link:
    """A new link, under a new random key unless one is given."""
    link = Link(key or secrets.token_hex(16), dataset, name, view, datetime.now(UTC), expires)
    cursor.execute(
        f"INSERT INTO links ({_LINK}, digest) VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            link.key,
            dataset,
            name or None,
            view or None,
            stamp(link.created),
            None if expires is None else stamp(expires),
            digest(link.key),
        ],
    )
    return link


def checked_view(view: str) -> str:
    """A view as it is stored."""
    view = view.encode("utf-8", "replace").decode()
    if len(view) > _LONGEST_VIEW:
        raise DataError("the address of this view is too long for a link; choose fewer things and try again")
    if view and (not view.startswith("/") or view.startswith("//")):
        raise DataError("a view is a page and its controls, such as /repetitions?shuffles=10")
    if "d" in parse_qs(urlsplit(view).query, keep_blank_values=True):
        raise DataError("a view holds no key; leave d out of it")
    return view


def checked_expiry(expires: datetime | None) -> datetime | None:
    """A moment until which a link may lead somewhere."""
    if expires is not None and stamp(expires) <= now():
        raise DataError("a link cannot end in the past; choose a later day")
    return None if expires is None else expires.astimezone(UTC)


def check_room(cursor: duckdb.DuckDBPyConnection, dataset: str) -> None:
    """Raises `OverLimit` where a data set has as many live links as it may."""
    if len(live(cursor, dataset)) >= MOST:
        raise OverLimit(
            f"this data set already has {MOST} links, the most that one may have; "
            "revoke one that is no longer needed"
        )


def renew(cursor: duckdb.DuckDBPyConnection, dataset: str, key: str) -> Link:
    """The same link under a new key; the old one leads nowhere from now on."""
    for link in live(cursor, dataset):
        if link.key == key:
            revoke(cursor, dataset, key)
            return insert(cursor, dataset, name=link.name, view=link.view, expires=link.expires)
    raise NotFound("there is no such link")


def revoke(cursor: duckdb.DuckDBPyConnection, dataset: str, key: str | None = None) -> None:
    """Makes one link of a data set, or without a key all of them, lead nowhere from now on."""
    one = "" if key is None else "AND digest = $digest"
    values: dict[str, object] = {"now": now(), "dataset": dataset}
    if key is not None:
        values["digest"] = digest(key)
    cursor.execute(
        f"UPDATE links SET revoked = $now WHERE dataset = $dataset AND revoked IS NULL {one}", values
    )


def _link(row: tuple[Any, ...]) -> Link:
    key, dataset, name, view, created, expires = row
    return Link(
        key,
        dataset,
        name or "",
        view or "",
        created.replace(tzinfo=UTC),
        None if expires is None else expires.replace(tzinfo=UTC),
    )
