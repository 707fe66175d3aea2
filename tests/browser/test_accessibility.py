"""The way from a file to a shared link without a mouse."""

from pathlib import Path

from playwright.sync_api import Page, TimeoutError, expect

from tests.browser.conftest import Visitor, acting, settle


class Keyboard:
    """Keys of a visitor without a mouse, counted."""

    def __init__(self, page: Page) -> None:
        self.page, self.pressed = page, 0

    def press(self, key: str) -> None:
        self.page.keyboard.press(key)
        self.pressed += 1

    def type(self, text: str) -> None:
        for letter in text:
            self.press(letter)

    def to(self, name: str) -> None:
        """Presses Tab until what is called so has the focus."""
        for _ in range(MOST_KEYS):
            if name in self.page.evaluate(CALLED):
                return
            self.press("Tab")
        raise AssertionError(f"{name} was not reached by {MOST_KEYS} Tabs")

    def skip_to_main(self) -> None:
        self.to("Skip to main content")
        self.press("Enter")


CALLED = """() => {
    const at = document.activeElement;
    if (at.matches('body, main')) return [];
    return (at.getAttribute('aria-label') || at.innerText || '').split('\\n');
}"""
NO_CHOOSER = """addEventListener('click', event => {
    if (!event.target.matches('input[type=file]')) return;
    window.__chooserAsked = true;
    event.preventDefault();
}, true)"""
"""A headless browser opens its chooser of files only for a page that it takes for the seen one."""
MOST_KEYS = 60
"""From a file to a link for others, the link's name included."""


def test_from_a_file_to_a_shared_link_without_a_mouse(visitor: Visitor, tmp_path: Path) -> None:
    file = tmp_path / "ratings.csv"
    rows = [f"clip {i},rater {r},{(i * r + i) % 5 + 1}" for i in range(12) for r in range(6)]
    file.write_text("\n".join(["item,rater,score", *rows]))
    page, keys = visitor.open("/data"), Keyboard(visitor.page)
    keys.skip_to_main()
    page.evaluate(NO_CHOOSER)
    # a late run may draw the button anew, and the focus is gone with the old one
    for tries_left in (2, 1, 0):
        so_far = keys.pressed
        keys.to("Upload")
        keys.press("Enter")
        try:
            page.wait_for_function("window.__chooserAsked", timeout=10_000)
            break
        except TimeoutError:
            keys.pressed = so_far
            if not tries_left:
                raise
    with acting(page):
        page.locator("input[type=file]").first.set_input_files(file)
    keys.skip_to_main()
    keys.to("Save")
    with acting(page):
        keys.press("Enter")
    expect(page.get_by_role("heading", level=1, name="Overview")).to_be_visible()
    settle(page)
    keys.skip_to_main()
    keys.to("Share")
    keys.press("Enter")
    expect(page.get_by_test_id("stPopoverBody").locator(":focus")).to_have_count(1)
    keys.to("Name")
    keys.type("Anna")
    keys.to("Make a link")
    with acting(page):
        keys.press("Enter")
    named = page.get_by_test_id("stPopoverBody").locator("code").filter(has_text="d=").last
    opened = visitor.open(named.inner_text())
    expect(opened.get_by_test_id("stMain")).to_contain_text("72 ratings of 12 items by 6 raters")
    assert keys.pressed <= MOST_KEYS, keys.pressed
