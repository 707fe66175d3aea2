"""One's own data sets through the browser: upload, rename, new version, both downloads, delete."""

import csv
import io
import zipfile
from pathlib import Path

import duckdb
import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import Visitor, acting, settle
from tests.browser.paths import dataset_key, upload


def more(visitor: Visitor) -> Locator:
    """The opened popover of the newest data set."""
    visitor.page.get_by_role("button", name="More").first.click()
    body = visitor.page.get_by_test_id("stPopoverBody")
    expect(body.get_by_role("button", name="Delete", exact=True)).to_be_visible()
    settle(visitor.page)  # a run of the row alone may be over before the browser shows that it began
    return body


def test_a_data_set_is_renamed_replaced_downloaded_and_deleted(
    visitor: Visitor, second_visitor: Visitor, tmp_path: Path
) -> None:
    file = tmp_path / "summaries.csv"
    rows = [f"i{i},r{r},{(i * r) % 5 + 1}" for i in range(12) for r in range(8)]
    file.write_text("item,rater,score\n" + "\n".join(rows) + "\n")
    old = upload(visitor, file)
    page = visitor.go_to("Data")
    main = page.get_by_test_id("stMain")
    expect(main).to_contain_text("Ratings: 96 kept, 0 set aside")

    body = more(visitor)
    body.get_by_label("Name", exact=True).fill("Summaries of <i>books</i>")
    body.get_by_role("button", name="Rename").click()
    expect(main).to_contain_text("It is called Summaries of <i>books</i> now.")
    settle(page)

    body = page.get_by_test_id("stPopoverBody")
    if not body.count():
        body = more(visitor)
    for form in ("CSV", "Parquet"):
        with page.expect_download() as waiting:
            body.get_by_role("button", name=f"Download {form}").click()
        _holds_the_rows(waiting.value.path(), form, file)

    body.get_by_role("button", name="Upload a new version").click()
    expect(main).to_contain_text("A new version of Summaries of <i>books</i>")
    settle(page)
    with acting(page):
        page.locator("input[type=file]").first.set_input_files(file)
    expect(page.get_by_label("Name", exact=True)).to_have_value("Summaries of <i>books</i>")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("heading", level=1, name="Overview")).to_be_visible()
    page.wait_for_function("old => new URL(location).searchParams.get('d') !== old", arg=old)
    new = dataset_key(visitor)
    second_visitor.open(f"/?d={old}")
    expect(second_visitor.page.get_by_role("heading", level=1, name="Overview")).to_be_visible()
    _owns_nothing(second_visitor)

    page = visitor.go_to("Data")
    expect(main).to_contain_text("version 2")
    expect(main).to_contain_text("1 older version")
    body = more(visitor)
    body.get_by_role("button", name="Delete", exact=True).click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Summaries of <i>books</i>")
    expect(dialog).to_contain_text("The address in your browser")
    dialog.get_by_role("button", name="Delete", exact=True).click()
    expect(dialog).to_have_count(0)
    expect(main).to_contain_text("is gone, and so are its links.")
    expect(main).not_to_contain_text("version 2")
    assert dataset_key(visitor) == "sample-summaries"
    expect(second_visitor.open(f"/?d={new}").get_by_role("heading", level=1)).to_have_text("Not found")
    expect(second_visitor.open(f"/?d={old}").get_by_role("heading", level=1)).to_have_text("Overview")


@pytest.mark.slow
def test_the_list_fits_a_phone(visitor: Visitor, tmp_path: Path) -> None:
    file = tmp_path / f"{'a name without any space in it ' * 3}{'x' * 60}.csv"
    rows = [f"i{i},r{r},{(i * r) % 5 + 1}" for i in range(12) for r in range(8)]
    file.write_text("item,rater,score\n" + "\n".join(rows) + "\n")
    upload(visitor, file)
    visitor.page.set_viewport_size({"width": 390, "height": 844})
    page = visitor.open("/data")
    main = page.get_by_test_id("stMain")
    assert main.evaluate("m => m.scrollWidth - m.clientWidth") <= 1
    button = page.get_by_role("button", name="More").bounding_box()
    assert button is not None
    assert button["x"] + button["width"] <= 390


def test_an_upload_says_what_it_may_weigh(visitor: Visitor) -> None:
    page = visitor.open("/data")
    uploader = page.get_by_test_id("stFileUploader")
    uploader.get_by_test_id("stTooltipIcon").first.hover()
    expect(page.get_by_test_id("stTooltipContent")).to_contain_text("Up to 500 MB")


def _owns_nothing(reader: Visitor) -> None:
    """An address gives no ownership; the cookie that does cannot be read by a script, and is not the address."""
    listed = reader.go_to("Data").get_by_test_id("stMain")
    expect(listed).not_to_contain_text("Summaries of <i>books</i>")
    expect(listed).not_to_contain_text("Your data sets")
    cookies = {cookie["name"]: cookie for cookie in reader.context.cookies()}
    workspace = cookies["raterscope_workspace"]
    assert workspace["httpOnly"]
    assert workspace["sameSite"] == "Lax"
    assert workspace["value"] not in reader.page.url
    assert workspace["value"] != dataset_key(reader)


def _holds_the_rows(download: Path, form: str, file: Path) -> None:
    """All rows of the uploaded file, in its order, and the import report."""
    with zipfile.ZipFile(download) as packed:
        assert file.name in packed.read("import-report.txt").decode()
        [table] = [name for name in packed.namelist() if name.endswith(f".{form.lower()}")]
        content = packed.read(table)
    with file.open(newline="", encoding="utf-8") as lines:
        expected = [(row["item"], row["rater"], float(row["score"])) for row in csv.DictReader(lines)]
    if form == "CSV":
        rows = csv.DictReader(io.StringIO(content.decode("utf-8-sig")))
        assert [(row["item_id"], row["rater_id"], float(row["score"])) for row in rows] == expected
        return
    unpacked = download.with_name("table.parquet")
    unpacked.write_bytes(content)
    with duckdb.connect() as connection:
        select = "SELECT item_id, rater_id, score FROM read_parquet(?)"
        assert connection.execute(select, [str(unpacked)]).fetchall() == expected
