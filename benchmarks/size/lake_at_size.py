"""The pages of 20,000,000 ratings on two servers over one lake (PostgreSQL and S3), beside a file on one server.

PostgreSQL and the store that plays S3 are on this machine, and everything shares two processors; the store sends files
and does no more, since one on another machine would take none of these processors. Each page is opened on servers that
were just started; on the lake the second server opens it when the first is done with it, so that both times are of a
page that no other visit shares the machine with. `python -m benchmarks.size.lake_at_size 2000000` takes another number
of ratings; a folder behind it keeps file and database.
"""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.ratio import Ratio
from benchmarks.size.at_size import PAGES, RATINGS, Opened, open_page, print_rows, time_page, write
from benchmarks.size.object_store import object_store
from data.settings import Settings
from data.store.store import Store
from tests import lake_servers
from tests.browser.conftest import Server, start_server


def rows() -> Iterator[Ratio]:
    with tempfile.TemporaryDirectory() as folder:
        yield from measure_lake(RATINGS, Path(folder))


def measure_lake(ratings: int, folder: Path) -> Iterator[Ratio]:
    """Time of each page on either server of a lake, over that from a file in this folder."""
    try:
        lake_servers.programs()
    except FileNotFoundError as error:
        print(f"(no lake: {error})", file=sys.stderr)
        return
    path = folder / "ratings.csv"
    if not path.exists():
        write(path, ratings)
    file = Settings(database=str(folder / "raterscope.duckdb"), spool=folder / "spool")
    key = _import_study(path, file)
    with lake_servers.postgres() as postgres, object_store(folder) as objects:
        lake = Settings(
            database=postgres.new_url(),
            data_path=objects.new_path(),
            s3_endpoint=objects.endpoint,
            s3_key=objects.key,
            s3_secret=objects.secret,
            spool=folder / "spool of the lake",
        )
        key_of_lake = _import_study(path, lake)
        for page in PAGES:
            on_file = open_page(f"/{page}?d={key}", folder)
            for number, opened in enumerate(
                _time_on_two_servers(f"/{page}?d={key_of_lake}", folder, lake), 1
            ):
                sys.stderr.write(
                    f"({page}: first figure {on_file.first:.1f} s, server {number} of the lake {opened.first:.1f} s; "
                    f"settled {on_file.settled:.1f} s, {opened.settled:.1f} s)\n"
                )
                yield Ratio(
                    f"{page} of {ratings:,} ratings settled, server {number} of a lake",
                    "one server, a file",
                    opened.settled / on_file.settled,
                    2,
                    "at most",
                )


def _import_study(path: Path, settings: Settings) -> str:
    """Return the key of the study, imported if the store has none."""
    with Store(settings=settings) as store:
        store.ensure_samples()
        found = store.datasets("benchmark") or [store.add(path, workspace="benchmark")]
        return store.link(found[0].id)


def _time_on_two_servers(address: str, folder: Path, lake: Settings) -> list[Opened]:
    servers: list[Server] = []
    try:
        for number in (1, 2):
            server_folder = folder / f"server {number}"
            server_folder.mkdir(exist_ok=True)
            servers.append(
                start_server(
                    server_folder,
                    RATERSCOPE_DATABASE=lake.database,
                    RATERSCOPE_DATA_PATH=lake.data_path,
                    RATERSCOPE_S3_ENDPOINT=lake.s3_endpoint,
                    RATERSCOPE_S3_KEY=lake.s3_key,
                    RATERSCOPE_S3_SECRET=lake.s3_secret,
                )
            )
        return [time_page(server, address) for server in servers]
    finally:
        for server in servers:
            server.stop()


if __name__ == "__main__":
    print_rows(measure_lake)
