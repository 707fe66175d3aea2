"""The list of pages: each script, its title, icon and address, and the kinds of data sets that it can show."""

from dataclasses import dataclass
from pathlib import Path

from data.kinds.definitions import KINDS


@dataclass(frozen=True)
class PageEntry:
    """One script of `pages/`."""

    script: str
    title: str
    icon: str
    kinds: tuple[str, ...]
    needs_dataset: bool = True
    listed: bool = True
    renamed: str = ""

    @property
    def address(self) -> str:
        """The path of the page, which saved links hold."""
        return self.renamed or Path(self.script).stem.replace("_", "-")


STUDIES = tuple(name for name, kind in KINDS.items() if kind.study)
START = PageEntry(
    "start.py",
    "Can these ratings be trusted?",
    ":material/home:",
    tuple(KINDS),
    needs_dataset=False,
    listed=False,
)
"""What an address without a page and a data set shows, and where the mark leads to."""
PAGES = (
    START,
    PageEntry("overview.py", "Overview", ":material/dashboard:", STUDIES),
    PageEntry(
        "datasets.py", "Data", ":material/table_rows:", tuple(KINDS), needs_dataset=False, renamed="data"
    ),
    PageEntry("distributions.py", "Distributions", ":material/bar_chart:", ("ratings",)),
    PageEntry("crowd_vs_lab.py", "Crowd vs lab", ":material/compare_arrows:", ("ratings",)),
    PageEntry("repetitions.py", "Repetitions", ":material/show_chart:", ("ratings", "choices")),
    PageEntry("assessors.py", "Assessors", ":material/how_to_reg:", ("ratings",)),
    PageEntry("workers.py", "Workers", ":material/groups:", ("ratings", "choices")),
    PageEntry("comprehension.py", "Comprehension", ":material/quiz:", ("comprehension",)),
    PageEntry("relevance.py", "Relevance", ":material/find_in_page:", ("relevance",)),
)
OPERATOR = PageEntry(
    "operator.py",
    "Operator",
    ":material/monitor_heart:",
    tuple(KINDS),
    needs_dataset=False,
    listed=False,
)
"""There only where the server's settings have a passphrase for it."""
