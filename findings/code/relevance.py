"""The programs of Relevance, one for each question: they begin with the judgments of the main study."""

from collections.abc import Sequence

from analysis.relevance.metric_correlations import LEVELS, CorrelationSpec
from analysis.relevance.partitions import PartitionSpec
from analysis.relevance.rates_by_subject import Subject
from analysis.values.estimate import BootstrapSpec
from features.program import PRINTED, literal, program
from features.study import Study
from findings.relevance.anova import FIGURES, SECONDS, SIDES
from findings.relevance.surrogates import LDC, PREDICTION

_ESTIMATE = "from analysis.estimate import BootstrapSpec"
_SIDE_BY_SIDE = "from analysis.relevance.side_by_side import side_by_side"
_MAIN_STUDY = [
    "labelled = judged.order_label >= 0  # judgments of the order study stand apart",
    "if not labelled.all():",
    "    judged = judged.where(~labelled)",
]
_METRIC = [
    "def named(column):",
    '    return store.query(dataset, "judgment_names", column=column)["name"]',
    "",
    "def place(column, found):",
    "    return np.searchsorted(named(column), found)",
    "",
    'where = named("event")[every.event], named("document")[every.document]',
    "documents = dict(zip(zip(*(one.tolist() for one in where)), every.document.tolist()))",
    "",
    "def metric(name):",
    '    rows = store.query(dataset, "surrogate_numbers", column=name)',
    '    told = zip(rows["event"].tolist(), rows["document"].tolist())',
    "    document = np.array([documents[one] for one in told], dtype=np.int64)",
    '    event, surrogate = place("event", rows["event"]), place("surrogate", rows["surrogate"])',
    '    return MetricTable(event, document, surrogate, rows["value"])',
    "",
]
"""A metric's values by the codes of the judgments; documents of two events may be called alike."""


def agreement(study: Study, bootstrap: BootstrapSpec, full_text: int) -> str:
    """Each surrogate's agreement with gold and with its raters' own judgments, in all and event by event."""
    return _judged(
        study,
        [_ESTIMATE, "from analysis.relevance.side_by_side import each_event, side_by_side"],
        [
            f"spec = {literal(bootstrap)}",
            f"both = side_by_side(judged, {full_text}, spec)",
            "results = {",
            "    str(name): {",
            '        "LDC Agreement": both.ldc[code],',
            '        "Relevance Prediction": both.prediction[code],',
            '        "difference": both.difference[code],',
            '        "seconds": both.seconds[code],',
            '        "seconds saved": both.seconds_saved[code],',
            "    }",
            "    for code, name in enumerate(names)",
            "}",
            "if judged.codes.events > 1:",
            f'    results["event by event"] = each_event(judged, {full_text}, spec)',
        ],
    )


def kappa(study: Study, bootstrap: BootstrapSpec, full_text: int, chance: float) -> str:
    """Each surrogate's kappa between raters, with gold at a chosen agreement by chance, and with the own full text."""
    return _judged(
        study,
        [
            _ESTIMATE,
            "from analysis.relevance.kappa import paper_kappa",
            "from analysis.relevance.rater_pairs import between_raters",
            _SIDE_BY_SIDE,
        ],
        [
            f"spec = {literal(bootstrap)}",
            f"pairs, both = between_raters(judged, spec), side_by_side(judged, {full_text}, spec)",
            "results = {",
            "    str(name): {",
            '        "between raters": pairs.surrogates[code],',
            f'        "with gold": paper_kappa(both.ldc[code].accuracy, {chance}),',
            '        "with own full text": both.prediction[code].kappa,',
            "    }",
            "    for code, name in enumerate(names)",
            "}",
        ],
    )


def differences(study: Study, full_text: int, measure: str, subject: Subject) -> str:
    """The analysis of variance over surrogates, and Tukey's test after it."""
    imports = ["from analysis.relevance import tukey", "from analysis.relevance.anova import of_table"]
    if measure == SECONDS:
        wanted = "seconds_by_subject"
        lines = [f"table = seconds_by_subject(judged, {literal(subject)})"]
    else:
        wanted = "rates_by_subject"
        figure, side = measure.removesuffix(")").split(" (")
        needed, lines = _truth(SIDES[side], full_text)
        imports += needed
        lines += [f"table = rates_by_subject(judged, {literal(subject)}, truth).{FIGURES[figure]}"]
    return _judged(
        study,
        [
            *imports,
            "from itertools import combinations",
            "from analysis.estimate import Estimate",
            f"from analysis.relevance.rates_by_subject import {wanted}",
        ],
        [
            *lines,
            "test = of_table(table, np.arange(len(names)))",
            f"pairs = tukey.after(test, lower_is_better={measure == SECONDS})",
            "order = [str(names[code]) for code in test.conditions]",
            'results = {"test": test, "pairs": pairs, "means": dict(zip(order, test.means))}',
            "for i, j in combinations(range(len(order)), 2):",
            "    for a, b in ((i, j), (j, i)):",
            "        ends = pairs.low[a, b], pairs.high[a, b]",
            "        results[order[a], order[b]] = Estimate(pairs.differences[a, b], *ends)",
        ],
    )


def metrics(
    study: Study, metric: str, side: str, spec: CorrelationSpec, compared: Sequence[str], subjects: str
) -> str:
    """A metric's correlations at all levels, its means, and where people judge right and wrong.

    `compared` are metrics held against each other, if any; `subjects` are whose differences the test of the means
    rests on: events or documents.
    """
    full_text = -1 if spec.full_text is None else int(spec.full_text)
    without = "" if spec.keep_full_text else f".without({full_text})"
    imports = [
        _ESTIMATE,
        "from dataclasses import replace",
        "from analysis.relevance import tukey",
        "from analysis.relevance.anova import repeated_measures",
        "from analysis.relevance.metric_correlations import CorrelationSpec, correlations",
        "from analysis.relevance.metric_means import metric_means, outcome_means",
    ]
    lines = [
        f"texts, spec = texts_with({literal(metric)}), {literal(spec)}",
        f"of = metric({literal(metric)}){without}",
        f"test = repeated_measures(of.{subjects.removesuffix('s')}, of.surrogate, of.value)",
        "results = {level: correlations(texts, replace(spec, level=level)) for level in " + f"{LEVELS}}}",
        'results |= {"means": metric_means(of), "test": test, "pairs": tukey.after(test)}',
        f'results["outcomes"] = outcome_means(texts, {literal(BootstrapSpec())})',
    ]
    if compared:
        apart = None if spec.keep_full_text else full_text
        imports.append("from analysis.relevance.metric_pairs import compare_metrics_of_texts")
        lines += [
            f"others = {{name: texts_with(name).of_others({apart}) for name in {literal(list(compared))}}}",
            f'results["compared"] = compare_metrics_of_texts(others, bootstrap={literal(BootstrapSpec())})',
        ]
    return _with_metric(study, side, full_text, imports, lines)


def partitions(study: Study, metric: str, side: str, spec: PartitionSpec, sizes: Sequence[int]) -> str:
    """The correlations over random partitions into groups of each of these sizes, with the intervals of their means."""
    return _with_metric(
        study,
        side,
        -1 if spec.full_text is None else int(spec.full_text),
        [
            _ESTIMATE,
            "from dataclasses import replace",
            "from analysis.relevance.partition_intervals import partition_intervals",
            "from analysis.relevance.partitions import PartitionSpec, partition_study",
        ],
        [
            f"texts, spec, results = texts_with({literal(metric)}), {literal(spec)}, {{}}",
            f"for size in {literal(list(sizes))}:",
            "    found = partition_study(texts, replace(spec, group_sizes=(size,)))",
            f"    means = partition_intervals(texts, found, {literal(BootstrapSpec(seed=spec.seed))})",
            "    for one, mean in zip(found.partitions, means):",
            "        kept = replace(one, correlations=one.correlations[:0])",
            '        results[size, str(names[one.surrogate])] = {"partitions": kept, "mean": mean}',
        ],
    )


def order(study: Study, bootstrap: BootstrapSpec) -> str:
    """The shares of equal judgments by order label and pair of presentations."""
    return _judged(
        study,
        [
            "from dataclasses import replace",
            _ESTIMATE,
            "from analysis.relevance.order_study import same_judgments",
        ],
        [
            "for column in ('order_label', 'presentation'):",
            '    of_each = np.append(store.query(dataset, "judgment_names", column=column)["name"], "")',
            "    judged = replace(judged, **{column: of_each[getattr(judged, column)]})",
            f"results = same_judgments(judged, {literal(bootstrap)}).pairs",
        ],
        main_study=False,
    )


def _with_metric(
    study: Study, side: str, full_text: int, imports: Sequence[str], lines: Sequence[str]
) -> str:
    """Lines that ask `texts_with` for a metric's texts; the full text has no part where the others are held against
    it."""
    needed, truth = _truth(side, full_text)
    texts = "judged_texts(judged, truth, metric(name))"
    if side == PREDICTION:
        texts = f"judged_texts(judged.where(kept), truth[kept], metric(name).without({full_text}))"
    return _judged(
        study,
        [
            *imports,
            *needed,
            "from analysis.relevance.judged_texts import MetricTable, judged_texts",
        ],
        [
            *_METRIC,
            *truth,
            *([f"kept = judged.surrogate != {full_text}"] if side == PREDICTION else []),
            "",
            "def texts_with(name):",
            f"    return {texts}",
            "",
            *lines,
        ],
    )


def _truth(side: str, full_text: int) -> tuple[list[str], list[str]]:
    if side == LDC:
        return [], ["truth = judged.gold"]
    wanted = "from analysis.relevance.full_text import own_full_text"
    return [wanted], [f"truth = own_full_text(judged, {full_text})"]


def _judged(study: Study, imports: Sequence[str], lines: Sequence[str], main_study: bool = True) -> str:
    return program(
        study,
        ["import numpy as np", "from analysis.relevance.judgments import Judgments", *imports],
        [
            'names = store.query(dataset, "judgment_names", column="surrogate")["name"]',
            'every = judged = Judgments(**store.query(dataset, "judgments"), surrogates=np.arange(len(names)))',
            *(_MAIN_STUDY if main_study else []),
            *lines,
            *PRINTED,
        ],
    )
