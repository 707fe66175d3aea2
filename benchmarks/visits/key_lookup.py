"""Lookup times of revoked or expired keys and of unknown keys, which must be indistinguishable."""

import itertools
import secrets
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchmarks.ratio import Ratio, median_seconds
from data.settings import Settings
from data.store.store import Store

DATASETS = 20
RUNS = 3000
MAPPING = {"item_id": "item", "rater_id": "rater", "score": "score"}


def rows() -> Iterator[Ratio]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "ratings.csv"
        file.write_text("item,rater,score\n" + "".join(f"{at // 3},{at % 3},{at % 5}\n" for at in range(30)))
        settings = Settings(database=str(Path(folder) / "raterscope.duckdb"), spool=Path(folder) / "spool")
        with Store(settings=settings) as store:
            invalid_keys = _create_invalid_keys(store, file)
            for key in itertools.chain(*invalid_keys.values()):
                if store.by_key(key) is not None:
                    raise RuntimeError("a lost key still leads somewhere")
            unknown = _time_lookups(store, [secrets.token_hex(16) for _ in range(DATASETS)])
            took = median_seconds(
                RUNS, unknown, *(_time_lookups(store, keys) for keys in invalid_keys.values())
            )
    for sort, seconds in zip(invalid_keys, took[1:], strict=True):
        yield Ratio(
            f"looking up {sort}",
            "a key that never was",
            max(seconds / took[0], took[0] / seconds),
            1.1,
            "at most",
        )


def _create_invalid_keys(store: Store, file: Path) -> dict[str, list[str]]:
    """Create invalid keys of every kind, as many as there are data sets."""
    invalid_keys: dict[str, list[str]] = {
        "a revoked key": [],
        "a renewed key": [],
        "a key of a deleted data set": [],
        "an ended key": [],
    }
    for number in range(DATASETS):
        existing, deleted = (store.add(file, "ratings", MAPPING, f"{number}").id for _ in range(2))
        named = [store.add_link(existing, f"link {at}").key for at in range(2)]
        store.revoke_link(existing, named[0])
        store.renew_link(existing, named[1])
        expires = datetime.now(UTC) + timedelta(seconds=1)
        for sort, key in zip(
            invalid_keys,
            [*named, store.link(deleted), store.add_link(existing, "ends", expires=expires).key],
            strict=True,
        ):
            invalid_keys[sort].append(key)
        store.delete(deleted)
    time.sleep(1.1)
    return invalid_keys


def _time_lookups(store: Store, keys: list[str]) -> Callable[[], object]:
    turns = itertools.cycle(keys)
    return lambda: store.by_key(next(turns))
