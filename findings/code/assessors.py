"""The programs of Assessors, one for each question."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from analysis.correlation.rows import CorrelationName
from analysis.values.estimate import BootstrapSpec
from data.dataset import Dataset
from features.program import literal, opened
from features.study import Scenario, Study
from findings.assessors.metric_training import Asked
from findings.code.assessments import assessed, left_out

_ESTIMATE = "from analysis.estimate import BootstrapSpec"
_NUMBERS = [
    'items = store.query(dataset, "item_names")["name"].tolist()',
    "",
    "def numbers(column, of=dataset):",
    '    rows = store.query(of, "item_numbers", column=column)',
    '    called = store.query(of, "item_names")["name"][rows["item"]]',
    '    value = dict(zip(called.tolist(), rows["value"].tolist()))',
    "    return np.array([value.get(name, np.nan) for name in items])",
    "",
]
"""A further numeric column by item code, NaN where an item has none."""


@dataclass(frozen=True)
class Source:
    """Where a metric called `name` is from: a column of the items, one of a joined file, or ROUGE of the texts."""

    name: str
    where: Literal["column", "joined", "texts"]
    called: str

    @property
    def written(self) -> str:
        """The values by item code."""
        if self.where == "texts":
            return f"of_texts[{literal(self.called)}]"
        return f"numbers({literal(self.called)}{', metrics' if self.where == 'joined' else ''})"


def metrics(
    study: Study,
    scenario: Scenario,
    asked: Sequence[Source],
    joined: tuple[str, Dataset] | None,
    correlation: CorrelationName,
    kind: str,
    spec: BootstrapSpec,
) -> str:
    """How the first of the metrics agrees with the raters, and every two of the others beside it, if any.

    `joined` are the key and the data set of a file of metrics; `kind` is the only kind of system looked at, "" for
    every kind.
    """
    metric, *compared = asked
    needed, opening = opened(*joined, "metrics") if joined else ([], [])
    if not any(one.where == "joined" for one in asked):
        needed, opening = [], []
    kept = ""
    if kind:
        opening = [*opening, 'kinds = np.append(store.query(dataset, "system_kinds")["kind"], "")']
        kept = f" & (kinds[rated.system] == {literal(kind)})"
    imports = ["from analysis.assessors.automatic_metrics import MetricScores, metric_agreement"]
    if any(one.where == "texts" for one in asked):
        imports.append("from analysis.assessors.rouge import rouge")
        opening = [*opening, 'texts = store.query(dataset, "item_texts")']
        opening.append('of_texts = rouge(texts["text"], texts["reference_text"])')
    lines = []
    if compared:
        imports.append("from analysis.correlation.metric_comparison import compare_metrics")
        lines = [
            f"compared = {literal([one.name for one in compared])}",
            f"for measure in {literal(list(study.measures))}:",
            "    item, ranked, block, rater, score = rows(measure)",
            "    stays = ~np.isin(rater, without)",
            "    found = compare_metrics(",
            "        {name: values[name][item[stays]] for name in compared},",
            "        ranked[stays], block[stays], score[stays], correlation, spec,",
            "    )",
            '    results[measure, "compared"] = found',
        ]
    return assessed(
        study,
        [*imports, *needed, "import numpy as np", _ESTIMATE],
        [
            *_NUMBERS,
            *opening,
            "",
            "def rows(measure):",
            "    rated = assessments(measure)",
            f"    kept = (rated.ranked >= 0){kept}",
            "    columns = rated.item, rated.ranked, rated.block, rated.rater, rated.score",
            "    return [column[kept] for column in columns]",
            "",
            "values = {",
            *(f"    {literal(one.name)}: {one.written}," for one in asked),
            "}",
            left_out(scenario.names),
            f"correlation, spec, results = {literal(correlation)}, {literal(spec)}, {{}}",
            f"of = values[{literal(metric.name)}]",
            f"for measure in {literal(list(study.measures))}:",
            "    item, *others = rows(measure)",
            "    found = MetricScores(of[item], item, *others)",
            "    results[measure] = metric_agreement(found, without, correlation, spec)",
            *lines,
        ],
    )


def pyramid(study: Study, key: str, contributors: Dataset, bootstrap: BootstrapSpec) -> str:
    """Manual less automatic Pyramid score of each assessor; `key` is that under which the contributors are offered."""
    needed, opening = opened(key, contributors, "pyramid")
    whose = 'rows["rater"]'
    sole = []
    if not contributors.has("rater_id"):
        whose = 'np.array([rater_of.get(item, "") for item in rows["item"].tolist()], dtype=np.str_)'
        sole = [
            "sole = judged.sole_raters(len(items)).tolist()  # who judged an item alone",
            'rater_of = {item: [*raters, ""][rater] for item, rater in zip(items, sole)}',
        ]
    topic, condition = [
        f'labels("{one}")' if study.whole.has(one) else "()" for one in ("topic", "condition")
    ]
    where = "conditions[condition]" if contributors.has("condition") else '""'
    return assessed(
        study,
        [
            *needed,
            *(["import numpy as np"] if sole else []),
            "from analysis.assessors.pyramid import Contributors, by_assessor, by_topic, pyramid_scores",
            _ESTIMATE,
        ],
        [
            *opening,
            'rows = store.query(pyramid, "contributors")',
            'items = store.query(dataset, "item_names")["name"].tolist()',
            'texts = dict(zip(items, store.query(dataset, "item_texts")["text"].tolist()))',
            f"judged = assessments({literal(study.all_measures[0])})",
            *sole,
            f'topics, conditions = [*{topic}, ""], [*{condition}, ""]',
            "places = {",
            f"    items[item]: (str(topics[topic]), str({where}))",
            "    for item, topic, condition in zip(judged.item, judged.topic, judged.condition)",
            "    if topic >= 0",
            "}",
            'columns = "topic", "item", "scu", "text", "weight", "condition", "is_model"',
            f"marked = Contributors(**{{name: rows[name] for name in columns}}, rater={whose})",
            "scores = pyramid_scores(marked, texts, places)",
            f"found = by_assessor(scores, {literal(bootstrap)})",
            'results = {"summaries": scores, "assessors": dict(zip(found.raters.tolist(), found.difference))}',
            'results["all about it"], results["by topic"] = found, by_topic(scores)',
        ],
    )


def training(study: Study, scenario: Scenario, asked: Asked, measures: Sequence[str]) -> str:
    """Table 5: metrics trained on everyone's scores and without those left out; `measures` are all that are judged."""
    kind = asked.machine_kind
    return assessed(
        study,
        [
            "import numpy as np",
            "from analysis.assessors.metric_training import TrainingSpec, table5",
            "from analysis.assessors.summary_scores import summary_scores",
            _ESTIMATE,
        ],
        [
            *_NUMBERS,
            f"measures, features = {literal(list(measures))}, {literal(list(asked.features))}",
            f'is_machine = store.query(dataset, "system_kinds")["kind"] == {literal(kind)}'
            if kind
            else "is_machine = None",
            "columns = np.column_stack([numbers(name) for name in features])",
            "scored = summary_scores([assessments(measure) for measure in measures], columns, is_machine)",
            left_out(scenario.names),
            f"spec = {literal(asked.spec)}",
            f"cells = table5(scored, measures.index({literal(asked.measure)}), spec, without)",
            "results = dict(enumerate(cells))",
        ],
    )
