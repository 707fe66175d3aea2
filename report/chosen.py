"""Sections that a report can have, their names as options, and reasons for missing ones."""

from collections.abc import Collection

from data.kinds.definitions import KINDS
from features.assessments import is_pairs
from features.blocks import not_applicable
from features.notices import holding_of, no_candidates
from features.study import Study
from features.words import Sentence, counted, listed
from report.parts.asked import Asked
from report.parts.model import Section
from report.sections import planning, raters, ratings

NAMED = {
    "data": "The data",
    "agreement": "Agreement of the raters",
    "variance": raters.VARIANCE_TITLE,
    "groups": "Groups compared",
    "standing-in": "Replacing raters",
    "repetitions": "How many ratings are enough",
    "raters": "The raters",
    "items": ratings.ITEMS_TITLE,
    "metrics": ratings.METRICS_TITLE,
    "labels": ratings.LABELS_TITLE,
    "systems": "Systems",
    "workers": "The workers",
    "comprehension": "How much is shared",
    "relevance": "Which summaries suffice",
    "planning": planning.TITLE,
    "collection": planning.COLLECTION_TITLE,
    "heds": "Human evaluation datasheet",
}
"""Names of the sections where they are chosen."""
_ABOUT = {
    "agreement": ("ratings", "label sets"),
    **dict.fromkeys(("variance", "groups", "raters", "items"), ("ratings",)),
    **dict.fromkeys(("standing-in", "repetitions", "planning", "collection"), ("ratings", "choices")),
    "systems": ("ratings", "choices", "rankings"),
    "labels": ("choices", "label sets"),
    "workers": ("choices", "label sets", "rankings"),
    "metrics": ("ratings", "comprehension", "relevance"),
    "comprehension": ("comprehension",),
    "relevance": ("relevance",),
}
"""The kinds of data set that a section is about; all, where it is not named."""
_MADE_AS = {"pairs-of-systems": "systems"}
"""Sections that are made in place of, or besides, those that are chosen."""
OF_RATERS = ("variance", "raters", "workers", "standing-in")
"""Sections that compare raters, which none has where nobody is named."""
_NEEDS = {"variance": "rater_id", "raters": "rater_id", "systems": "system", "labels": "gold"}


def offered(study: Study, with_any_reference: bool = False) -> list[str]:
    """Return the sections that a study can have, or with some other reference could have."""
    some = with_any_reference and (len(study.groups) > 1 or bool(study.whole.named("item number")))
    there, replaceable = ["data"], ["standing-in"] if has_candidates(study) else []
    if study.whole.kind == "ratings":
        known = study.whole.has("rater_id")
        there += [
            "agreement",
            *(["variance"] if known else []),
            *(["groups"] if study.comparable or some else []),
        ]
        there += [*replaceable, "repetitions", *(["raters"] if known else []), "items"]
        there += ["metrics"] if study.whole.named("item number") else []
        there += ["systems"] if study.whole.has("system") else []
        there += ["planning", "collection"]
    elif study.whole.kind == "choices":
        pairs = is_pairs(study)
        known = study.whole.has("gold") or study.whole.has("expert")
        there += [*(["systems"] if pairs else []), *(["labels"] if known or not pairs else [])]
        there += ["workers", *replaceable, "repetitions"]
        there += ["planning"] if pairs else []
        there.append("collection")
    elif study.whole.kind == "label sets":
        there += ["agreement", "labels", "workers"]
    elif study.whole.kind == "rankings":
        there += ["systems", "workers"]
    else:
        there += [study.whole.kind, *(["metrics"] if study.whole.named("item number") else [])]
    persons = study.raters_are_persons
    return [*(name for name in there if persons or name not in OF_RATERS), "heds"]


def has_candidates(study: Study) -> bool:
    """Return True where the page Replacing raters is listed for the data set."""
    rated = study.whole.kind in ("ratings", "choices")
    return rated and no_candidates(holding_of(study.whole)) is None


def facts_about(study: Study, asked: Asked, views: int = 0) -> Sentence:
    """Return what a report will hold."""
    there = offered(study)
    named = [NAMED[name] for name in there if asked.wants(name)]
    lacking = [why_missing(study, name) for name in asked.sections if name not in there]
    return (
        "The report of <b>{name}</b> has {sections}{views}{named}.{lacking} It is one file with the findings, figures, "
        "tables and methods of the pages; making it can take a minute.",
        {
            "name": study.whole.name,
            "sections": counted(len(named), "section") if named else "no section",
            "views": f" and {counted(views, 'kept view')}" if views else "",
            "named": f": {listed([name[:1].lower() + name[1:] for name in named], len(named))}"
            if named
            else "",
            "lacking": "".join(f" {why}" for why in lacking),
        },
    )


def missing(study: Study, asked: Asked, made: Collection[str]) -> Section | None:
    """Return why chosen sections are not among those made; None where all are."""
    there = {_MADE_AS.get(name, name) for name in made}
    lacking = [name for name in asked.sections if name not in there and name != "heds"]
    if not lacking:
        return None
    return Section(
        "missing",
        "Chosen, but not possible",
        findings=[not_applicable("{why}", {"why": why_missing(study, name)}) for name in lacking],
    )


def why_missing(study: Study, name: str) -> str:
    """Return why a section that was chosen cannot be made."""
    return f"'{NAMED[name]}' is missing: {_why(study, name)}."


def _why(study: Study, name: str) -> str:
    whole = study.whole
    about, column = _ABOUT.get(name, (whole.kind,)), _NEEDS.get(name)
    if whole.kind not in about:
        return f"it is about {listed([KINDS[kind].rows for kind in about])}"
    if name in OF_RATERS and not study.raters_are_persons:
        return f"it compares raters, and nobody is named who gave these {KINDS[whole.kind].rows}"
    if name == "groups":
        if study.reference == study.candidate:
            return f"{study.candidate} is its own reference"
        if len(study.groups) > 1 or whole.named("item number"):
            return f"no reference is chosen to hold {study.candidate} against"
        return "there is no other group, and no number of the items, to hold the ratings against"
    if column and not whole.has(column) and not (name == "systems" and whole.kind != "ratings"):
        return f"it needs a column {column}"
    if name == "metrics" and not whole.named("item number"):
        return "no further numbers of the items are known"
    if name == "standing-in" and not has_candidates(study):
        return "all raters are of one group, and nothing else is known of the items"
    if whole.kind == "choices" and name in ("systems", "planning") and not is_pairs(study):
        return "it is about choices between two systems"
    return "these data do not say enough for it"
