"""The catalogue's tables and how older ones become them: plain SQL that a lake can run too.

No keys, constraints, indexes, enums or sequences (a lake has none), so what keeps the catalogue consistent is
that only `data` writes it, in transactions.
"""

import re
import unicodedata
from pathlib import Path

import duckdb

_JOINERS = "\u200c\u200d"
"""Parts of words in some scripts, and of pictures."""


def quoted(name: str) -> str:
    """A table's or a column's name.

    >>> print(quoted('my "item" here'))
    "my ""item"" here"
    """
    return '"' + name.replace('"', '""') + '"'


def literal(value: str | Path) -> str:
    """A text, or a path.

    >>> print(literal("it's here"))
    'it''s here'
    """
    return "'" + str(value).replace("'", "''") + "'"


def printable(text: str) -> str:
    r"""A text for a terminal: in one line, without control codes that would act there, which are spelled out.

    >>> print(printable("crowd\x1b[2J\nlab\u202e"))
    crowd\x1b[2J\nlab\u202e
    """
    return "".join(
        each
        if each.isprintable() or unicodedata.category(each) == "Zs" or each in _JOINERS
        else _spelled(each)
        for each in text
    )


def _spelled(character: str) -> str:
    return character.encode("unicode_escape", "replace").decode()


VERSION = 7

SUMS = ("items", "raters", "by_item", "by_rater", "scores", "names", "with_others", "some")
"""The tables of sums beside a large data set's rows: `items` and `raters` hold their names and codes, `by_item` and
`by_rater` sums per measure and group, `scores` how often each group gave each, `names` those of systems and topics,
`with_others` how each rater goes with the others; `some` holds the ratings of some items, drawn by a seed."""
_KEPT_VIEWS = """CREATE TABLE kept_views (id VARCHAR, dataset VARCHAR, name VARCHAR, "view" VARCHAR, note VARCHAR,
       shared BOOLEAN, created TIMESTAMP)"""
NEW = (
    "CREATE TABLE schema_version (version INTEGER)",
    """CREATE TABLE datasets (id VARCHAR, kind VARCHAR, name VARCHAR, "columns" VARCHAR, mapping VARCHAR,
       sha256 VARCHAR, rows_kept BIGINT, rows_set_aside BIGINT, created TIMESTAMP, workspace VARCHAR,
       sample_version VARCHAR, replaces VARCHAR, used TIMESTAMP, summed BOOLEAN)""",
    """CREATE TABLE links (link VARCHAR, dataset VARCHAR, created TIMESTAMP, revoked TIMESTAMP, digest VARCHAR,
       name VARCHAR, "view" VARCHAR, expires TIMESTAMP)""",
    "CREATE TABLE reports (dataset VARCHAR, report VARCHAR)",
    _KEPT_VIEWS,
)
"""`links.digest` is the SHA-256 of the key, by which it is looked up; `links.name` is NULL for the one that the
owner's own address bar shows; `datasets.replaces` is the id of the version before; `datasets.used` is when
somebody last opened it, to the day; `datasets.summed` whether sums lie beside its rows, NULL where nobody has
looked yet (`data.store.sums`); `reports.report` is the import report as JSON;
`kept_views.shared` whether readers see it."""

_UPGRADES = {
    1: (
        "ALTER TABLE datasets ADD COLUMN replaces VARCHAR",
        "ALTER TABLE datasets ADD COLUMN used TIMESTAMP",
        "ALTER TABLE links ADD COLUMN digest VARCHAR",
        "ALTER TABLE links ADD COLUMN name VARCHAR",
        'ALTER TABLE links ADD COLUMN "view" VARCHAR',
        "ALTER TABLE links ADD COLUMN expires TIMESTAMP",
        "CREATE TABLE reports (dataset VARCHAR, report VARCHAR)",
        "UPDATE datasets SET used = created",
        "UPDATE links SET digest = sha256(link)",
        "UPDATE datasets SET workspace = 'browser:' || sha256(workspace) "
        "WHERE regexp_full_match(workspace, '[0-9a-f]{32}')",
    ),
    2: (_KEPT_VIEWS,),
    3: ("ALTER TABLE datasets ADD COLUMN summed BOOLEAN",),
    4: ("UPDATE datasets SET summed = NULL WHERE summed",),
    5: ("UPDATE datasets SET summed = NULL WHERE summed",),
    6: ("UPDATE datasets SET summed = NULL WHERE summed",),
}
"""Statements that make a catalogue of that version one of the next."""


def create(connection: duckdb.DuckDBPyConnection) -> None:
    """Makes the catalogue's tables in the database that is used now."""
    for statement in NEW:
        connection.execute(statement)
    connection.execute("INSERT INTO schema_version VALUES (?)", [VERSION])


def upgrade(connection: duckdb.DuckDBPyConnection, version: int) -> None:
    """Makes the attached `store` of an older version one of today's, a version at a time, each whole or not at all."""
    connection.execute("USE store")
    try:
        for step in range(version, VERSION):
            _upgrade(connection, step)
    finally:
        connection.execute("USE memory")


def _upgrade(connection: duckdb.DuckDBPyConnection, step: int) -> None:
    """In its own transaction: a table whose rows were changed gets no further column in the same one."""
    connection.execute("BEGIN TRANSACTION")
    try:
        for statement in _UPGRADES[step]:
            connection.execute(statement)
        connection.execute("UPDATE schema_version SET version = ?", [step + 1])
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def table_of(dataset: str) -> str:
    """The table that holds a data set's rows; `dataset` must be an id.

    >>> table_of("0" * 32)
    'rows_00000000000000000000000000000000'
    """
    if re.fullmatch(r"[0-9a-f]{32}", dataset) is None:
        raise ValueError(f"a data set's id has 32 hexadecimal digits, got {dataset!r}")
    return f"rows_{dataset}"


def sums_of(dataset: str, table: str) -> str:
    """The table that holds some of a data set's sums; `table` is one of `SUMS`.

    >>> sums_of("0" * 32, "items")
    'sums_00000000000000000000000000000000_items'
    """
    if table not in SUMS:
        raise ValueError(f"`table` must be one of {', '.join(SUMS)}; got {table!r}")
    return f"sums_{table_of(dataset).removeprefix('rows_')}_{table}"
