"""A data set is deleted while others have it open, with all that the server keeps of it for quick answers."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from data.errors import NotFound
from data.store.store import Store
from features import cache
from tests.attacks.test_addresses import names, shown
from ui import downloads

pytestmark = pytest.mark.journey
Open = Callable[..., AppTest]
OPEN = ("overview.py", "distributions.py", "agreement.py", "repetitions.py", "items.py", "study_report.py")


@pytest.fixture
def key(add_study: Callable[..., str], tmp_path: Path) -> str:
    """Key of a data set with only secret names."""
    file = tmp_path / "secret study.csv"
    rows = [
        f"secret item {item},secret rater {rater},secret {group},{1 + (item + rater) % 5}"
        for item in range(6)
        for group in ("crowd", "lab")
        for rater in range(4)
    ]
    file.write_text("\n".join(["item,rater,group,score", *rows]) + "\n", encoding="utf-8")
    return add_study(file)


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[], object]]:
    """Collect the functions that create the pages' downloads."""
    made: list[Callable[[], object]] = []
    whole = downloads.st.download_button

    def noted(label: str, data: Callable[[], object], *given: object, **more: object) -> bool:
        made.append(data)
        return whole(label, data, *given, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(downloads.st, "download_button", noted)
    return made


def delete(key: str) -> None:
    with Store() as store:
        dataset = store.by_key(key)
        assert dataset is not None
        store.delete(dataset.id)


def test_nothing_of_it_is_shown_or_given_from_any_cache(
    open_page: Open, key: str, offered: list[Callable[[], object]]
) -> None:
    """Caches are keyed by content; nobody reaches an entry without a working key."""
    standing = {page: open_page(page, d=key) for page in OPEN}
    app = standing["study_report.py"]
    app.button(key="make_report").click().run()
    assert not app.exception
    files = [*offered]
    assert files
    assert "secret" in names(standing["agreement.py"])
    delete(key)
    nothing = shown(open_page("overview.py", d="0" * 32))
    for page, app in standing.items():
        for again in (app.run(), open_page(page, d=key)):
            assert not again.exception
            assert "secret" not in names(again), page
            assert shown(again)[0] == nothing[0]
    for make in files:
        with pytest.raises(NotFound):
            make()


def test_a_report_that_is_being_made_ends_in_words(
    open_page: Open, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_page("study_report.py", d=key)
    cache.CACHE.clear()
    whole = Store.query
    asked = iter(range(10**6))

    def deleting(store: Store, dataset: object, name: str, **given: object) -> object:
        if next(asked) == 12:
            delete(key)
        return whole(store, dataset, name, **given)  # type: ignore[arg-type]

    monkeypatch.setattr(Store, "query", deleting)
    app.button(key="make_report").click().run()
    assert next(asked) > 12
    assert not app.exception
    assert "no such data set" in names(app) or "Not found" in names(app)
