"""The programs of Assessors, one for each question."""

from collections.abc import Mapping

from analysis.assessors.exclusion import ExclusionSpec
from analysis.values.estimate import BootstrapSpec
from analysis.variance.components import ItemSample
from analysis.variance.generalisability import Along, Averaged
from features.program import literal
from features.study import Scenario, Study
from findings.code.assessments import PLAIN_WITHOUT_TOPICS, assessed, between, left_out, rule

_ESTIMATE = "from analysis.estimate import BootstrapSpec"


def consistency(study: Study, by_texts: Mapping[str, bool], screened: str) -> str:
    """How consistent each rater is per measure, and what screening says of the raters on one of them.

    `by_texts` says of each measure whether identical texts rank its raters, else agreement with the others.
    """
    once, of_measure = between(study, "measure")
    _, of_screened = between(study, literal(screened))
    figures = [
        f'"bias": bias({once}.ratings()),',
        '"runs": runs(rated.rater, rated.score, rated.order),',
        f'"BT.500": bt500({once}.ratings()),',
        f'"P.913": p913({once}.ratings(), {once}.system if {once}.has_systems else None),',
        f'"P.910": subject_model({once}.ratings()),',
    ]
    imports = [
        "from analysis.screening.bt500_rejection import bt500",
        "from analysis.screening.equal_runs import runs",
        "from analysis.screening.p913_rejection import p913",
        "from analysis.screening.subject_bias import bias",
        "from analysis.screening.subject_model import subject_model",
    ]
    if study.whole.has("seconds"):
        imports.append("from analysis.screening.rating_speed import speed")
        figures.append('"speed": speed(rated.rater, rated.seconds),')
    if study.merge is not None:
        imports.append("from analysis.assessors.consistency import repeated_items")
        figures.append('"repeats": repeated_items(rated.ratings(), spec),')
    checks = []
    if study.whole.has("check"):
        imports.append("from analysis.screening.check_results import failed_checks")
        checks = [
            f'asked = store.query(dataset, "checks", group={literal(study.candidate)})',
            'checks = failed_checks(asked["rater"], asked["score"], asked["expected"])',
            'results["screening"]["checks"] = checks',
        ]
    return assessed(
        study,
        [
            *imports,
            "from analysis.assessors.consistency import agreement_with_others, identical_texts",
            "from analysis.assessors.rater_estimates import estimates",
            "from analysis.raters.changes import alpha_changes, correlation_changes, scatter_changes",
            "from analysis.raters.naming import compare_with_typical, name_raters, pooled_variance",
            _ESTIMATE,
        ],
        [
            "spec, results, compared = BootstrapSpec(), {}, {}",
            f"for measure, by_texts in {literal(dict(by_texts))}.items():",
            "    rated = assessments(measure)",
            "    if by_texts:",
            "        split = rated.split if (rated.split >= 0).any() else None",
            "        found = identical_texts(rated.rater, rated.text, rated.score, split, spec)",
            "        changes = alpha_changes(rated.rater, rated.text, rated.score)",
            "    else:",
            *(f"        {line}" for line in of_measure),
            f"        found = agreement_with_others({once}.ratings(), spec)",
            f"        changes = correlation_changes({once}.ratings())",
            "    for rater, one in zip(found.raters, estimates(found)):",
            "        results[measure, raters[rater]] = one",
            '    results[measure, "all about it"] = found',
            "    compared[measure] = compare_with_typical(changes.z, changes.units, pooled_variance(changes))",
            'results["typical rater"] = dict(zip(compared, name_raters(list(compared.values()))))',
            f"rated = assessments({literal(screened)})",
            *of_screened,
            f"scatter = scatter_changes({once}.ratings())",
            "typical = compare_with_typical(scatter.z, scatter.units, pooled_variance(scatter))",
            'results["scatter"] = name_raters([typical])[0]',
            'results["screening"] = {',
            *(f"    {line}" for line in figures),
            "}",
            *checks,
        ],
    )


def with_others(study: Study, measure: str) -> str:
    """Each rater's agreement with the others, and with the reference where there is one."""
    once, of_measure = between(study, literal(measure))
    lines = [
        f"rated = assessments({literal(measure)})",
        *of_measure,
        f"found = agreement_with_others({once}.ratings(), BootstrapSpec())",
        'results = {raters[rater]: {"others": one} for rater, one in zip(found.raters, estimates(found))}',
        f"changes = correlation_changes({once}.ratings())",
        "compared = compare_with_typical(changes.z, changes.units, pooled_variance(changes))",
        "for rater, p in zip(found.raters, name_raters([compared])[0].p):",
        '    results[raters[rater]]["typical rater, adjusted p"] = p',
    ]
    imports = [
        _ESTIMATE,
        "from analysis.raters.changes import correlation_changes",
        "from analysis.raters.naming import compare_with_typical, name_raters, pooled_variance",
        "from analysis.assessors.consistency import agreement_with_others",
        "from analysis.assessors.rater_estimates import estimates",
    ]
    if study.comparable:
        needed, known = _known(study, measure)
        imports += ["from analysis.workers.worker_agreement import agreement_with_reference", *needed]
        lines += [
            *known,
            f"for rater, one in zip(found.raters, agreement_with_reference({once}.ratings(), known)):",
            '    results[raters[rater]]["reference"] = one',
        ]
    return assessed(study, imports, lines)


def _known(study: Study, measure: str) -> tuple[list[str], list[str]]:
    """What the reference says of each item that the candidate rated, without those who are left out."""
    here = f"dataset.leaving_out({literal(study.dataset.without)})" if study.dataset.without else "dataset"
    if study.reference is None:
        return [], [
            f'rows = store.query({here}, "item_numbers", column={literal(study.reference_column)})',
            'known = dict(zip(rows["item"].tolist(), rows["value"].tolist()))',
        ]
    return ["from analysis.ratings import Ratings"], [
        f'rows = store.query({here}, "ratings", measure={literal(measure)}, group={literal(study.reference)})',
        'items, means, _ = Ratings(rows["item"], rows["rater"], rows["score"], rows["order"]).mos()',
        "known = dict(zip(items.tolist(), means.tolist()))",
    ]


def exclusion(study: Study, measure: str, spec: ExclusionSpec, scenario: Scenario) -> str:
    """The rankings with and without those left out, random exclusions of as many, and each rater in turn."""
    needed, rule_for = rule(study, scenario)
    return assessed(
        study,
        [
            *needed,
            "from dataclasses import replace",
            "from analysis.assessors.exclusion import exclusion, intervals",
            "from analysis.assessors.leave_one_out import leave_one_out",
            "from analysis.estimate import Estimate",
            "from analysis.exclusion import ExclusionSpec, random_drops",
        ],
        [
            f"spec = {literal(spec)}",
            *PLAIN_WITHOUT_TOPICS,
            *rule_for,
            left_out(scenario.names),
            'items = store.query(dataset, "item_names")["name"]',
            "results = {}",
            f"for measure in {literal(list(study.measures))}:",
            "    rated = assessments(measure)",
            "    asked = spec_for(rated)",
            "    found = exclusion(*rated.ranking, without, asked)",
            "    drawn = intervals(*rated.ranking, found, asked, None, rule_for(rated))",
            '    names = labels("system") if rated.has_systems else items',
            "    by_system = {",
            "        str(names[system]): {",
            '            "before": Estimate(found.before[at], drawn.before_low[at], drawn.before_high[at]),',
            '            "after": Estimate(found.after[at], drawn.after_low[at], drawn.after_high[at]),',
            '            "change": Estimate(',
            "                found.after[at] - found.before[at], drawn.difference_low[at], drawn.difference_high[at]",
            "            ),",
            "        }",
            "        for at, system in enumerate(found.systems)",
            "    }",
            '    results[measure] = {"systems": by_system, "all about it": found}',
            '    results[measure]["at random"] = random_drops(*rated.ranking, found, asked)',
            f"rated = assessments({literal(measure)})",
            "one_by_one = leave_one_out(*rated.ranking, spec_for(rated).method)",
            'results["each in turn"] = one_by_one',
        ],
    )


def variance(
    study: Study,
    measure: str,
    bootstrap: BootstrapSpec,
    averaged: Averaged | None,
    along: Along,
    sample: ItemSample | None = None,
) -> str:
    """The variance by source, and, where anything can be told apart, the coefficients of means; of a sample of items
    where one was taken."""
    laid_out = [
        f"rated = assessments({literal(measure)})",
        "sources = design(rated.item, rated.rater, rated.score, rated.system, rated.topic)",
    ]
    if sample is not None:
        asked = {"measure": measure, "group": study.candidate, "max_items": sample.items, "seed": sample.seed}
        laid_out = [f'sources = design(**store.query(dataset, "crossed_ratings", **{literal(asked)}))']
    of_means = [
        f"averaged = {literal(averaged)}",
        'results["of the means"] = generalisability(found, averaged)',
        f'results["by number"] = d_study(found, curve(averaged, {literal(along)}))',
    ]
    imports = ["from analysis.variance.generalisability import Averaged, curve, d_study, generalisability"]
    return assessed(
        study,
        [
            *(imports if averaged else []),
            _ESTIMATE,
            "from analysis.variance.components import estimated, with_intervals",
            "from analysis.variance.sources import design",
        ],
        [
            *laid_out,
            f"found = with_intervals(estimated(sources), sources, {literal(bootstrap)})",
            'results = {"variances": found.variances(), "shares": found.shares()}',
            *(of_means if averaged else []),
        ],
    )
