"""Violations that axe finds on a page, light and dark: none of ours, of Streamlit's parts only those listed."""

from collections.abc import Iterator
from importlib.resources import files
from typing import Any

from playwright.sync_api import Page

from tests.browser.conftest import settle

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
STREAMLITS_OWN = {
    "presentation-role-conflict": 'data-testid="stFileUploaderDropzone"',
    "list": "in stSidebarNavItems",
    "listitem": "in stSidebarNavItems",
}
"""Rule: what axe says of, or what stands in, the part that breaks it. The uploader's drop zone has a role of its own
beside the button in it; sections of the menu are divisions between the list and its entries."""
RUN = """async options => {
    const run = await axe.run(document, {resultTypes: ['violations'], ...options});
    return run.violations.map(rule => ({
        id: rule.id,
        nodes: rule.nodes.map(node => ({
            html: node.html,
            failureSummary: node.failureSummary,
            place: document.querySelector(node.target[0])?.closest('[data-testid]')?.dataset.testid,
        })),
    }));
}"""
COLORS = {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}
"""Axe's options for those of its rules that look at colors."""


def _violations(page: Page, options: dict[str, Any]) -> Iterator[str]:
    found: list[dict[str, Any]] = page.evaluate(RUN, options)
    for rule in found:
        for node in rule["nodes"]:
            told = f"{node['html']} in {node['place']}: {node['failureSummary']}"
            own = STREAMLITS_OWN.get(rule["id"])
            if own is None or own not in told:
                yield f"{page.url}: {rule['id']}: {told}"


def violations_in_both_themes(page: Page) -> list[str]:
    """Check the current page and leave it light; only colors differ between the themes."""
    page.evaluate(AXE)
    told: list[str] = []
    for scheme, options in (("dark", {}), ("light", COLORS)):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.wait_for_function(
            "scheme => getComputedStyle(document.querySelector('[data-testid=stApp]')).colorScheme === scheme",
            arg=scheme,
        )
        settle(page)
        page.wait_for_timeout(300)  # colours fade
        told += _violations(page, options)
    return told
