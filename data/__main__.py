"""Commands for operators: import, back up, restore, migrate, sweep. `python -m data --help`."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import duckdb

from data.engines.schema import escape_for_terminal
from data.errors import DataError
from data.kinds.definitions import KINDS
from data.settings import Settings, from_environment, variable_of
from data.store.store import Store
from data.transfer import interchange, moving

_IN_USE = (
    "A database file can be open in one process only: stop the server first. With a lake "
    "(ducklake:…) the servers may go on running."
)

LOCAL = "http://localhost:8501"
"""Default address of `streamlit run app.py`."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code; if it is not 0, the reason is on the error stream."""
    options = _parser().parse_args(arguments)
    try:
        options.run(options, from_environment())
    except (DataError, OSError) as error:
        return _fail(f"{error}")
    except duckdb.Error as error:
        return _fail(f"the database could not do this: {str(error).splitlines()[0]}")
    except KeyboardInterrupt:
        return _fail("stopped; what is done is kept, and the same command continues from there")
    return 0


def _parser() -> argparse.ArgumentParser:
    database = f"the database that {variable_of('database')} names"
    parser = argparse.ArgumentParser(prog="python -m data", description=f"Manage {database}. {_IN_USE}")
    commands = parser.add_subparsers(required=True, metavar="command")

    def command(name: str, help_text: str) -> argparse.ArgumentParser:
        return commands.add_parser(
            name, help=help_text, description=f"{help_text[0].upper()}{help_text[1:]}. {_IN_USE}"
        )

    import_file = command(
        "import",
        f"save a file of any size as a data set of {database}, without a browser; started again, it continues after "
        "what was read",
    )
    import_file.add_argument("file", type=Path, nargs="+", help="one file, or several that are one study")
    import_file.add_argument("--kind", choices=[name for name, kind in KINDS.items() if kind.study])
    import_file.add_argument(
        "--column",
        action="append",
        default=[],
        metavar="NAME=COLUMN",
        help="the column of the file for a canonical name, such as item_id=clip; others are recognized",
    )
    import_file.add_argument("--name", help="the name of the data set; the file's name by default")
    import_file.add_argument(
        "--workspace",
        help="the workspace whose list it joins; without it, anyone who has the link can open it",
    )
    import_file.add_argument("--check", action="store_true", help="say what would be kept, and save nothing")
    import_file.set_defaults(run=_import)

    back_up = command(
        "back-up", f"write all data sets of {database} into a folder; only new ones are written"
    )
    back_up.add_argument("folder", type=Path, help="created if missing, readable by this user only")
    back_up.add_argument(
        "--prune", action="store_true", help="remove the files of data sets that the database no longer has"
    )
    back_up.set_defaults(run=_back_up)

    restore = command("restore", f"put the data sets of a back-up, with their links, into {database}")
    restore.add_argument("folder", type=Path, help="the folder that back-up wrote")
    restore.set_defaults(run=_restore)

    migrate = command("migrate", "copy all data sets, with their links, from one database into another")
    migrate.add_argument(
        "source", metavar="FROM_URL", help="the database to read, for instance a file's path"
    )
    migrate.add_argument(
        "target", metavar="TO_URL", nargs="?", help=f"the database to write; by default {database}"
    )
    migrate.set_defaults(run=_migrate)

    sweep = command(
        "sweep", f"delete what nobody has opened for as long as {variable_of('unused_days')} says"
    )
    sweep.set_defaults(run=_sweep)
    return parser


def _import(options: argparse.Namespace, settings: Settings) -> None:
    columns = dict(_parse_column(text) for text in options.column)
    if options.check:
        interchange.check_files(options.file, settings, options.kind, columns, _print_status)
        return
    link = interchange.save(
        options.file, settings, options.kind, columns, options.name, options.workspace, _print_status
    )
    _print_status(f"{settings.address or LOCAL}/overview?d={link}")


def _parse_column(text: str) -> tuple[str, str]:
    canonical, separator, column = text.partition("=")
    if not (canonical and separator and column):
        raise DataError(
            f"--column takes what something is and the file's column, such as item_id=clip; got {text!r}"
        )
    return canonical, column


def _back_up(options: argparse.Namespace, settings: Settings) -> None:
    with Store(settings=_require_database(settings)) as store:
        result = moving.back_up(store, options.folder, _print_status, options.prune)
    _print_status(f"{result.saved} data sets saved, {result.existing} were there already")
    if result.unused:
        _print_status(
            f"{len(result.unused)} data sets that the database no longer has still have files in the folder, but "
            f"will not be restored; --prune removes them: {', '.join(result.unused)}"
        )


def _restore(options: argparse.Namespace, settings: Settings) -> None:
    with Store(settings=settings) as store:
        result = moving.restore(options.folder, store, _print_status)
    _print_status(f"{result.saved} data sets restored, {result.existing} were there already")


def _migrate(options: argparse.Namespace, settings: Settings) -> None:
    source = _require_database(replace(settings, database=options.source))
    with Store(settings=source) as old, Store(settings=_settings_of(options.target, settings)) as new:
        result = moving.migrate(old, new, _print_status)
    _print_status(f"{result.saved} data sets moved, {result.existing} were there already")


def _sweep(options: argparse.Namespace, settings: Settings) -> None:
    with Store(settings=_require_database(settings)) as store:
        deleted = store.sweep_unused()
    _print_status(f"{len(deleted)} data sets deleted{': ' if deleted else ''}{', '.join(deleted)}")


def _settings_of(url: str | None, settings: Settings) -> Settings:
    return settings if url is None else replace(settings, database=url)


def _require_database(settings: Settings) -> Settings:
    """Raise an error if there is no database: a mistyped path would otherwise create an empty one."""
    url = settings.database
    if not url.startswith("ducklake:") and not Path(url).expanduser().is_file():
        raise DataError(f"there is no database file {url}")
    return settings


def _fail(sentence: str) -> int:
    sys.stderr.write(f"{escape_for_terminal(sentence)}\n")
    return 1


def _print_status(sentence: str) -> None:
    sys.stdout.write(f"{escape_for_terminal(sentence)}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
