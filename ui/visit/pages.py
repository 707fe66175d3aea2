"""The list of pages: each script, its title, icon and address, and the data sets that it can show."""

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Literal

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from data.kinds.definitions import KINDS
from features.notices import (
    WEIGHTED_FIGURES,
    Holding,
    can_train,
    comparison_title,
    has_metrics,
    has_pyramid,
    has_repeated_ratings,
    no_candidates,
    no_persons,
    no_systems,
    nothing_to_compare,
    other_kind,
    systems_title,
)
from features.words import Sentence


@dataclass(frozen=True)
class Moved:
    """Content that another page shows now: data sets of a kind, those of one question only where named.

    `script` is the page that shows them, `parameters` what its address holds then.
    """

    kind: str
    script: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    question: str = ""


@dataclass(frozen=True)
class PageEntry:
    """One script of `pages/`.

    `heading` stands above the page in place of its title. `called` gives it a title by the open data set; `lacks` says
    what a data set of one of its `kinds` lacks for it, and `instead` is the script of the page to go to then. A page
    with `answers` is listed only where that is True, and says elsewhere what is missing. It `compares_without` where it
    always compares excluded raters with everyone, and `uses_reference` where the reference changes anything. `moved` is
    what the page once showed and others do now. `weighted` names its figures that use weights of ratings ("all" for
    every mean and share).
    """

    script: str
    title: str
    icon: str
    kinds: tuple[str, ...]
    needs_dataset: bool = True
    heading: str = ""
    renamed: str = ""
    called: Callable[[Holding | None], str] | None = None
    lacks: Callable[[Holding], Sentence | None] | None = None
    instead: str = "datasets.py"
    answers: Callable[[Holding], bool] | None = None
    compares_without: bool = False
    uses_reference: bool = True
    moved: tuple[Moved, ...] = ()
    weighted: str = ""

    @property
    def address(self) -> str:
        """The path of the page, which saved links hold."""
        return self.renamed or Path(self.script).stem.replace("_", "-")

    def title_for(self, holding: Holding | None) -> str:
        return self.title if self.called is None else self.called(holding)

    def moved_to(self, kind: str, question: str) -> Moved | None:
        """Return where a data set of this kind, asked this question, is shown now; None where it is shown here."""
        fitting = (one for one in self.moved if one.kind == kind and one.question in ("", question))
        return next(fitting, None)

    def is_open_to(self, holding: Holding) -> bool:
        """Return True where the page can show a data set and answer its question."""
        if holding.kind not in self.kinds or self._reason_not_shown(holding) is not None:
            return False
        return self.answers is None or self.answers(holding)

    def elsewhere(self, holding: Holding) -> tuple[Sentence, str] | None:
        """Return why the page cannot show a data set, and the script of the page to go to; None where it can."""
        if holding.kind not in self.kinds:
            return other_kind(holding, self.kinds), "datasets.py"
        reason = self._reason_not_shown(holding)
        return None if reason is None else (reason, self.instead)

    def _reason_not_shown(self, holding: Holding) -> Sentence | None:
        return None if self.lacks is None else self.lacks(holding)


STUDIES = tuple(name for name, kind in KINDS.items() if kind.study)
_EVERY = tuple(KINDS)
START = PageEntry(
    "start.py", "Start", "home", _EVERY, needs_dataset=False, heading="Can you trust your human ratings?"
)
"""Page of an address without a page and a data set, to which the mark leads."""
MENU = {
    "Study": (
        START,
        PageEntry(
            "overview.py", "Overview", "dashboard", STUDIES, weighted="distributions and scores of systems"
        ),
        PageEntry("datasets.py", "Data", "table_rows", _EVERY, needs_dataset=False, renamed="data"),
    ),
    "Quality": (
        PageEntry("distributions.py", "Distributions", "bar_chart", ("ratings",), weighted="all"),
        PageEntry(
            "agreement.py",
            "Agreement",
            "handshake",
            ("ratings", "label sets"),
            answers=has_repeated_ratings,
            uses_reference=False,
        ),
        PageEntry(
            "assessors.py",
            "Raters",
            "how_to_reg",
            ("ratings",),
            lacks=no_persons,
            compares_without=True,
            weighted="scores of systems",
            moved=(
                Moved("ratings", "metrics.py", question="Automatic metrics"),
                Moved("ratings", "pyramid.py", question="Pyramid"),
                Moved("ratings", "training.py", question="Training a metric"),
            ),
        ),
        PageEntry(
            "workers.py",
            "Raters",
            "groups",
            ("choices", "label sets", "rankings"),
            lacks=no_persons,
            moved=(
                Moved("ratings", "assessors.py", {"question": "Who agrees with the others"}),
                Moved("choices", "systems.py", {"about": "Any two systems"}, "Which system wins"),
                Moved("choices", "systems.py", {"about": "All systems"}, "More than two systems"),
                Moved("choices", "systems.py", {"about": "Against known answers"}, "Labels with gold"),
            ),
        ),
        PageEntry(
            "items.py",
            "Items",
            "list_alt",
            ("ratings",),
            answers=has_repeated_ratings,
            uses_reference=False,
            weighted="MOS of items",
        ),
    ),
    "Answers": (
        PageEntry(
            "crowd_vs_lab.py",
            "Groups compared",
            "compare_arrows",
            ("ratings",),
            called=comparison_title,
            lacks=nothing_to_compare,
            instead="agreement.py",
        ),
        PageEntry(
            "repetitions.py",
            "Repetitions",
            "show_chart",
            ("ratings", "choices"),
            answers=has_repeated_ratings,
        ),
        PageEntry(
            "standing_in.py",
            "Replacing raters",
            "swap_horiz",
            ("ratings", "choices"),
            lacks=no_candidates,
            answers=has_repeated_ratings,
        ),
        PageEntry(
            "systems.py",
            "Ranking systems",
            "format_list_numbered",
            ("ratings", "choices", "label sets", "rankings"),
            called=systems_title,
            lacks=no_systems,
            uses_reference=False,
            weighted="all",
        ),
        PageEntry("comprehension.py", "Comprehension", "quiz", ("comprehension",)),
        PageEntry("relevance.py", "Relevance", "find_in_page", ("relevance",)),
    ),
    "Metrics": tuple(
        PageEntry(
            script, title, icon, ("ratings",), answers=able, uses_reference=False, compares_without=True
        )
        for script, title, icon, able in (
            ("metrics.py", "Automatic metrics", "straighten", has_metrics),
            ("pyramid.py", "Pyramid", "change_history", has_pyramid),
            ("training.py", "Training a metric", "model_training", can_train),
        )
    ),
    "Next": (
        PageEntry("planning.py", "Planning", "event_note", ("ratings", "choices"), uses_reference=False),
        PageEntry(
            "study_report.py", "Report", "description", STUDIES, renamed="report", weighted=WEIGHTED_FIGURES
        ),
    ),
}
"""Pages by the section of the menu that lists them."""
PAGES = tuple(entry for entries in MENU.values() for entry in entries)
OPERATOR = PageEntry("operator.py", "Operator", "monitor_heart", _EVERY, needs_dataset=False)
"""There only where the server's settings have a passphrase for it; listed nowhere."""


def page_of(entry: PageEntry, holding: Holding | None) -> StreamlitPage:
    """Return a page under its title for the open data set, visible where it can show it."""
    listed = not entry.needs_dataset if holding is None else entry is not START and entry.is_open_to(holding)
    found = _make_page(
        entry.script,
        entry.title_for(holding),
        f":material/{entry.icon}:",
        entry.address,
        listed and entry is not OPERATOR,
        entry is START,
    )
    return copy(found)  # a run notes in its pages which one it may call


def link_to(*pages: StreamlitPage, key: str = "") -> None:
    """Draw links to pages, opened with the data set of a reader's key where one is given."""
    for page in dict.fromkeys(pages):
        st.page_link(page, label=f"Open the {page.title} page", query_params={"d": key} if key else None)


def menu_of(pages: Mapping[str, StreamlitPage]) -> dict[str, list[StreamlitPage]]:
    """Return the pages, by script, under the section of the menu that lists them; under none where none does."""
    menu = {
        section: [page for entry in entries if (page := pages[entry.script]).visibility == "visible"]
        for section, entries in MENU.items()
    }
    hidden = [page for page in pages.values() if page.visibility == "hidden"]
    return {section: listed for section, listed in {"": hidden, **menu}.items() if listed}


@lru_cache(1000)
def _make_page(
    script: str, title: str, icon: str, address: str, listed: bool, default: bool
) -> StreamlitPage:
    visibility: Literal["visible", "hidden"] = "visible" if listed else "hidden"
    return st.Page(script, title=title, icon=icon, url_path=address, default=default, visibility=visibility)
