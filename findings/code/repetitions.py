"""The program of Repetitions of ratings: simulated curves, the fit, and its knee with its interval, per measure."""

from analysis.repetitions.repetition import RepetitionSpec
from analysis.values.estimate import BootstrapSpec
from analysis.values.scope import Scope
from features.program import PRINTED, RATINGS, literal, program
from features.results import LARGEST_BOOTSTRAP
from features.study import Study
from findings.repetitions.knee_table import SHUFFLES, varies_raters
from findings.repetitions.rating_curves import sampled_measures


def code(
    study: Study,
    spec: RepetitionSpec,
    sensitivity: float,
    bootstrap: BootstrapSpec,
    scope: Scope | None = None,
) -> str:
    return program(
        study,
        [
            "from analysis.ratings import Ratings",
            "from dataclasses import replace",
            "from analysis.estimate import BootstrapSpec",
            "from analysis.repetition import RepetitionSpec, fit, knee, simulate",
            "from analysis.repetitions.knee_intervals import knee_interval",
            "from analysis.repetitions.resampled_ratings import resampled_curves",
        ],
        [
            *RATINGS,
            f"spec, bootstrap = {literal(spec)}, {literal(bootstrap)}",
            *_known(study),
            *_drawn_against(study),
            *sample_of(study),
            "results = {}",
            f"for measure in {literal(list(study.measures))}:",
            f"    rated = ratings(measure, {literal(study.candidate)}, **sample.get(measure, {{}}))",
            "    curves = simulate(rated, known(measure), spec)",
            "    found = fit(curves)",
            '    results[measure] = {"curves": curves, "fit": found, "knee": None}',
            "    if found.defined:",
            f"        enough = knee(found.a, found.b, found.c, curves.repetitions, {sensitivity})",
            '        results[measure]["knee"] = enough',
            "    bare = replace(spec, shuffles=0)  # the draws have orders of their own",
            f"    raters = {varies_raters(study, scope)}",
            f"    drawn = resampled_curves(rated, against(measure), bare, bootstrap, {SHUFFLES}, raters)",
            f"    ends = knee_interval(curves, drawn, {sensitivity}, bootstrap.level)",
            '    results[measure]["interval of the knee"] = ends.knee',
            *PRINTED,
        ],
    )


def _known(study: Study) -> list[str]:
    """What the items are held against."""
    if study.reference_column is not None:
        return [
            "def known(measure):",
            f'    rows = store.query(dataset, "item_numbers", column={literal(study.reference_column)})',
            '    return dict(zip(rows["item"].tolist(), rows["value"].tolist()))',
            "",
        ]
    if study.reference is None:
        return ["def known(measure):", "    return None  # split halves", ""]
    return [
        "def known(measure):",
        f"    items, means, _ = ratings(measure, {literal(study.reference)}).mos()",
        "    return dict(zip(items.tolist(), means.tolist()))",
        "",
    ]


def _drawn_against(study: Study) -> list[str]:
    """What the items are held against in a draw: the reference group's own ratings, whose raters are drawn, too."""
    if study.reference is None:
        return ["against = known"]
    shared = {"max_items": LARGEST_BOOTSTRAP, "seed": 0, "shared_with": study.candidate}
    return [
        "def against(measure):",
        f"    only = {literal(shared)} if len(known(measure)) > {LARGEST_BOOTSTRAP} else {{}}",
        f"    return ratings(measure, {literal(study.reference)}, **only)",
        "",
    ]


def sample_of(study: Study) -> list[str]:
    """Of very many items the page takes a sample."""
    only: dict[str, object] = {"max_items": LARGEST_BOOTSTRAP, "seed": 0}
    if study.reference is not None:
        only["shared_with"] = study.reference
    return [f"sample = {literal(dict.fromkeys(sampled_measures(study), only))}"]
