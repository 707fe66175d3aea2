"""The operator's page: closed to everybody else, and without anything secret even when it is open."""

import itertools
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from data.store.store import Store
from data.transfer.moving import TransferResult, back_up, restore
from server import log
from tests.pages.conftest import FRAME, forget_everything, sentences
from ui.screens import operator
from ui.screens.operator import Tries, damage, tries

PASSPHRASE = "correct horse battery staple"
SECRET_KEY = "s3-secret-that-must-not-be-shown"
NAME = "Interviews with named persons"
MAPPING = {"item_id": "item", "rater_id": "rater", "score": "score"}


@pytest.fixture
def operated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A server of its own, without samples, whose settings have a passphrase and other secrets."""
    monkeypatch.setattr(Store, "ensure_samples", lambda self: {})
    monkeypatch.setenv("RATERSCOPE_DATABASE", str(tmp_path / "raterscope.duckdb"))
    monkeypatch.setenv("RATERSCOPE_SPOOL", str(tmp_path / "spool"))
    monkeypatch.setenv("RATERSCOPE_OPERATOR", PASSPHRASE)
    monkeypatch.setenv("RATERSCOPE_S3_SECRET", SECRET_KEY)
    monkeypatch.setattr(log, "_recent", log._recent.copy())
    log._recent.clear()
    forget_everything()
    tries.cache_clear()
    yield tmp_path
    forget_everything()


def arrive() -> AppTest:
    app = AppTest.from_file(FRAME, default_timeout=120)
    app.query_params["d"] = "of nobody"
    return app.run()


def open_operator() -> AppTest:
    app = arrive().switch_page("operator.py").run()
    assert not app.exception, app.exception
    return app


def type_passphrase(app: AppTest, passphrase: str) -> AppTest:
    app.text_input[0].set_value(passphrase)
    next(button for button in app.button if button.label == "Open").click()
    app.run()
    assert not app.exception, app.exception
    return app


def admitted() -> AppTest:
    return type_passphrase(open_operator(), PASSPHRASE)


def press(app: AppTest, label: str) -> AppTest:
    next(button for button in app.button if button.label == label).click()
    return app.run()


def table(app: AppTest, column: str) -> list[str]:
    return next(frame.value for frame in app.dataframe if column in frame.value)[column].tolist()


def everything(app: AppTest) -> str:
    """All that the browser gets, and the address."""
    sent = [repr(element.proto) for element in [*app.main, *app.sidebar] if hasattr(element, "proto")]
    tables = [frame.value.to_csv() for frame in app.dataframe]
    inputs = [str(each.value) for each in app.text_input]
    return "\n".join([*sent, repr(app._tree), *tables, *inputs, str(app.query_params)])


def test_without_the_setting_there_is_no_such_page(database: Path) -> None:
    app = arrive()
    assert "operator" not in {page["url_pathname"] for page in app._registered_pages.values()}


def test_the_page_needs_no_data_set_and_shows_nothing_without_the_passphrase(operated: Path) -> None:
    app = open_operator()
    assert not app.dataframe
    assert [button.label for button in app.button] == ["Open"]
    assert "of nobody" in str(app.query_params)


@pytest.mark.parametrize(
    "wrong", ["", " ", PASSPHRASE[:-1], PASSPHRASE.upper(), PASSPHRASE + " ", "ключ", "'--"]
)
def test_a_wrong_passphrase_opens_nothing(operated: Path, wrong: str) -> None:
    app = type_passphrase(open_operator(), wrong)
    assert not app.dataframe
    assert "That is not the passphrase." in sentences(app)
    assert app.text_input[0].value == ""


def test_after_five_wrong_ones_even_the_right_one_opens_nothing_for_anybody(operated: Path) -> None:
    for _ in range(5):
        app = type_passphrase(open_operator(), "wrong, said five times")
    assert "too often" in sentences(app)
    app = admitted()
    assert not app.dataframe
    assert "too often" in sentences(app)


def test_wrong_ones_still_count_after_streamlits_caches_are_emptied(operated: Path) -> None:
    for _ in range(5):
        type_passphrase(open_operator(), "wrong, said five times")
    forget_everything()
    app = admitted()
    assert not app.dataframe
    assert "too often" in sentences(app)


def test_tries_count_again_once_their_time_is_over() -> None:
    now = 0.0
    counted = Tries(most=2, seconds=10.0, clock=lambda: now)
    assert not counted.right("a", "b")
    now = 5.0
    assert not counted.right("a", "b")
    assert counted.exhausted()
    assert not counted.right("b", "b")
    now = 10.0
    assert counted.right("b", "b"), "the first wrong one is 10 s old, and refusals do not count"
    assert not counted.right("a", "b")
    assert not counted.right("b", "b")


def test_an_empty_passphrase_is_never_right() -> None:
    assert not Tries().right("", "")


def test_the_right_one_opens_the_page_and_is_kept_nowhere(operated: Path) -> None:
    app = admitted()
    assert re.search(r"0 data sets, [1-9][\d.]* KB;", sentences(app)), "an empty database has a file"
    assert "no errors since" in sentences(app)
    assert "the store can be written" in sentences(app)
    assert not app.text_input
    assert PASSPHRASE not in repr(app.session_state)
    assert app.run().header, "the visit stays admitted"
    assert not open_operator().header, "another visit is not"


def test_neither_secrets_nor_names_nor_whole_ids_are_in_any_element(operated: Path) -> None:
    with Store() as store:
        file = operated / "rows.csv"
        file.write_text("item,rater,score\n" + "".join(f"i{i},r{i % 3},{i % 5}\n" for i in range(30)))
        saved = store.add(file, "ratings", MAPPING, NAME, "person:" + "ab" * 32)
        key = store.link(saved.id)
        app = admitted()
        shown = everything(app)
        for secret in (PASSPHRASE, SECRET_KEY, NAME, saved.id, key, "ab" * 32):
            assert secret not in shown
        assert saved.id[:8] in shown, "what is shown would be found"
        assert f"{saved.id[:8]}…" in table(app, "Data set")
        assert "a person" in table(app, "Kept by")


def test_errors_are_shown_and_counted(operated: Path) -> None:
    log._recent.append(
        log.LoggedError(datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC), "ValueError", "pages/x.py:3:f")
    )
    app = admitted()
    assert "1 error since" in sentences(app)
    assert table(app, "What") == ["ValueError"]
    assert table(app, "When (UTC)") == ["2026-03-04 05:06:07"]


def test_a_store_that_cannot_be_written_is_reported(operated: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from data.errors import DiskFull

    def full(self: Store) -> None:
        raise DiskFull("no room left on the disk")

    monkeypatch.setattr(Store, "check_writable", full)
    assert "the store cannot be written: no room left on the disk" in sentences(admitted())


def test_a_back_up_can_be_restored(operated: Path, tmp_path: Path) -> None:
    with Store() as store:
        file = operated / "rows.csv"
        file.write_text("item,rater,score\n" + "".join(f"i{i},r{i % 3},{i % 5}\n" for i in range(30)))
        mapping = {"item_id": "item", "rater_id": "rater", "score": "score"}
        saved = store.add(file, "ratings", mapping, NAME, "person:" + "ab" * 32)
        app = press(admitted(), "Back up now")
        assert "The back-up is complete: 1 data set written now" in sentences(app)
    with Store(tmp_path / "another.duckdb") as other:
        restore(operated / "back-up", other)
        assert other.get(saved.id).name == NAME


class Uploads:
    """Data sets that threads save one after the other; `acknowledged` are those whose save has returned."""

    def __init__(self, folder: Path) -> None:
        self.acknowledged: list[tuple[str, str, list[float]]] = []
        """Id, link and scores of each."""
        self.failed: list[BaseException] = []
        self._folder = folder
        self._numbers = itertools.count()
        self._changed = threading.Condition()
        self._stopped = threading.Event()

    @contextmanager
    def under_way(self, count: int = 2) -> Iterator[None]:
        """Save until the context ends."""
        saving = [threading.Thread(target=self._save) for _ in range(count)]
        for each in saving:
            each.start()
        try:
            yield
        finally:
            self._stopped.set()
            for each in saving:
                each.join(60)

    def wait_for_next(self, count: int = 1) -> None:
        """Return once so many more are acknowledged, or a save has failed."""
        with self._changed:
            wanted = len(self.acknowledged) + count
            assert self._changed.wait_for(lambda: self.failed or len(self.acknowledged) >= wanted, 60)

    def _save(self) -> None:
        try:
            with Store() as store:
                while not self._stopped.is_set():
                    number = next(self._numbers)
                    scores = [float((number + 3 * at) % 101) for at in range(200 + number)]
                    file = self._folder / f"upload {number}.csv"
                    rows = (f"i{at // 4},r{at % 4},{score:g}\n" for at, score in enumerate(scores))
                    file.write_text("item,rater,score\n" + "".join(rows))
                    saved = store.add(file, "ratings", MAPPING, f"upload {number}", "browser:" + "cd" * 32)
                    with self._changed:
                        self.acknowledged.append((saved.id, store.link(saved.id), scores))
                        self._changed.notify_all()
        except BaseException as error:
            with self._changed:
                self.failed.append(error)
                self._changed.notify_all()


@pytest.mark.journey
def test_a_back_up_holds_all_that_was_acknowledged_before_the_press(
    operated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After each data set that the back-up writes, an upload is saved before it goes on."""
    uploads = Uploads(tmp_path)
    meanwhile: list[str] = []

    def slowly(store: Store, folder: Path, progress: Callable[[str], None]) -> TransferResult:
        def go_on(told: str) -> None:
            progress(told)
            uploads.wait_for_next()
            meanwhile.append(told)

        return back_up(store, folder, go_on)

    monkeypatch.setattr(operator, "back_up", slowly)
    with Store(), uploads.under_way():
        uploads.wait_for_next(5)
        app = admitted()
        before = list(uploads.acknowledged)
        app = press(app, "Back up now")
        assert not app.exception, app.exception
        assert "The back-up is complete" in sentences(app)
    assert not uploads.failed
    assert len(before) <= len(meanwhile) < len(uploads.acknowledged)
    with Store(tmp_path / "another.duckdb") as other:
        restore(operated / "back-up", other)
        restored = {each.id: each for each in other.datasets("browser:" + "cd" * 32)}
        assert {id for id, _, _ in before} <= restored.keys() <= {id for id, _, _ in uploads.acknowledged}
        for id, key, scores in uploads.acknowledged:
            if id in restored:
                assert other.link(id) == key
                found = other.query(restored[id], "ratings", measure="score", group="all ratings")
                assert found["score"].tolist() == scores


def test_the_back_up_lies_beside_the_database_or_for_a_lake_beside_the_spool(operated: Path) -> None:
    from data.settings import Settings

    lake = Settings(database="ducklake:postgres:dbname=x", spool=operated / "work" / "spool")
    assert operator.back_up_folder(lake) == operated / "work" / "back-up"
    file = operated / "raterscope.duckdb"
    file.touch()
    assert operator.back_up_folder(Settings(database=str(file))) == operated / "back-up"


@pytest.mark.parametrize("of_lake", [False, True])
def test_damaged_data_sets_are_listed_without_names(of_lake: bool) -> None:
    ids = [f"{at:032x}"[::-1] for at in range(1, 13)]
    template, values = damage(["", *ids], of_lake)
    told = template.format_map(values)
    assert "the catalog, 10000000…" in told
    assert told.count("…") == 9
    assert "and 3 more" in told
    assert ("nothing is saved" in told) is not of_lake
