"""The views of pages that are recorded: a lasting name, the page's script, and the parameters of its address.

A view keeps its name when its page moves or its parameters are renamed: change the script or the parameters here.
"""

from dataclasses import dataclass, field

SMALL = {
    "draws": "20",
    "shuffles": "20",
    "permutations": "100",
    "random": "20",
    "training_draws": "20",
    "preference_draws": "20",
    "scale_draws": "20",
    "label_draws": "20",
    "label_model_draws": "20",
    "comprehension_draws": "20",
    "relevance_draws": "20",
    "partition_draws": "100",
    "all_columns": "true",
}
"""Few samples, and every column; a page takes what it has of these. Seeds are the pages' own, 0."""
REPORT_DRAWS = 50
"""Bootstrap samples for each interval of a report."""


@dataclass(frozen=True)
class View:
    """A page as one address shows it; `of` is the only study that has it, "" where each of the kind does."""

    name: str
    script: str
    parameters: dict[str, str | list[str]] = field(default_factory=dict)
    of: str = ""


def _asked(
    page: str, script: str, parameter: str, questions: dict[str, str], **others: str | list[str]
) -> list[View]:
    return [View(f"{page}/{name}", script, {parameter: value, **others}) for name, value in questions.items()]


_PRICE: dict[str, str | list[str]] = {"plan_price": "0.1"}
_COLLECTION = {"collection": "What to collect next"}
_POWER = {"power": "Do systems differ?"}
_PREFERENCE = {"preference": "Is one preferred?"}
_PLANS = {
    "precision": "How precise?",
    "budget": "Best use of a budget",
    "labels": "Are labels right?",
}
_ANY = [View("overview", "overview.py"), View("data", "datasets.py")]
VIEWS: dict[str, list[View]] = {
    "ratings": [
        *_ANY,
        View("distributions", "distributions.py"),
        View("agreement", "agreement.py"),
        View("crowd-vs-lab", "crowd_vs_lab.py"),
        View("standing-in", "standing_in.py"),
        View("repetitions", "repetitions.py"),
        *_asked(
            "repetitions",
            "repetitions.py",
            "section",
            {
                "stopping-rules": "Stopping rules",
                "more-ratings": "More ratings",
                "aggregations": "Other aggregations",
                "unreliable-raters": "Unreliable raters",
            },
        ),
        View("planning", "planning.py", _PRICE),
        *_asked(
            "planning",
            "planning.py",
            "plan",
            _COLLECTION | _POWER | _PLANS | _PREFERENCE | {"enough": "Are ratings enough?"},
            **_PRICE,
        ),
        View("raters", "assessors.py"),
        *_asked(
            "raters",
            "assessors.py",
            "question",
            {
                "agreement": "Who agrees with the others",
                "exclusion": "What if they go",
                "variance": "Where the variance comes from",
            },
        ),
        View("raters/attributes", "assessors.py", {"question": "Who the raters are"}, of="sample-summaries"),
        View("raters/metrics", "metrics.py"),
        View("raters/pyramid", "pyramid.py"),
        View("raters/training", "training.py"),
        View("systems", "systems.py"),
        View("items", "items.py"),
        View("raters/without", "assessors.py", {"without": "E"}, of="sample-assessors"),
        View("systems/without", "systems.py", {"without": "E"}, of="sample-assessors"),
        View("crowd-vs-lab/without", "crowd_vs_lab.py", {"without": "crowd 28"}, of="sample-summaries"),
        View(
            "repetitions/without",
            "repetitions.py",
            {"without": ["crowd 28", "crowd 07"]},
            of="sample-summaries",
        ),
    ],
    "choices": [
        *_ANY,
        View("standing-in", "standing_in.py"),
        View("repetitions", "repetitions.py"),
        View("planning", "planning.py", _PRICE),
        *_asked("planning", "planning.py", "plan", _COLLECTION | _PLANS | _POWER | _PREFERENCE, **_PRICE),
        View("workers", "workers.py"),
        View("systems", "systems.py"),
        *_asked(
            "systems",
            "systems.py",
            "about",
            {"pair": "Any two systems", "labels": "Against known answers"},
        ),
    ],
    "rankings": [*_ANY, View("workers", "workers.py"), View("systems", "systems.py")],
    "label sets": [
        *_ANY,
        View("agreement", "agreement.py"),
        View("workers", "workers.py"),
        View("systems", "systems.py"),
    ],
    "comprehension": [
        *_ANY,
        View("comprehension", "comprehension.py"),
        *_asked(
            "comprehension",
            "comprehension.py",
            "about",
            {
                "authors": "Author by author",
                "length": "Summary length",
                "judges": "Judges",
                "machines": "Machine summaries",
            },
        ),
    ],
    "relevance": [
        *_ANY,
        View("relevance", "relevance.py"),
        *_asked(
            "relevance",
            "relevance.py",
            "about",
            {
                "raters": "Do raters agree",
                "differences": "Significant differences",
                "metrics": "Automatic metrics",
                "partitions": "Partitions",
                "order": "Order of presentation",
            },
        ),
    ],
}
"""By the kind of the data set."""


def views_of(kind: str, source: str, *, every: bool) -> list[View]:
    """Return the views of a data set: each page under all its questions, or only as it opens."""
    return [
        view for view in VIEWS.get(kind, ()) if view.of in ("", source) and (every or "/" not in view.name)
    ]
