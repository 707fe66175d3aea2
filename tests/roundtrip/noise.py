"""Ways in which tables of people differ: words in headers, missing codes, extra columns, encodings."""

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from tests.roundtrip.studies import SCALES, Study

Rows = list[list[object]]
Files = dict[str, bytes]
HEADERS: dict[str, dict[str, tuple[str, ...]]] = {
    "en": {
        "item": ("item", "clip", "stimulus", "item_id", "Sample", "file name"),
        "rater": ("rater", "annotator", "participant", "worker_id", "Listener", "subject", "judge"),
        "score": ("score", "rating", "Rating", "value", "vote"),
        "measure": ("measure", "dimension", "criterion", "question"),
        "group": ("group", "rater_group"),
    },
    "de": {
        "item": ("Reiz", "Stimulus", "Datei", "Objekt"),
        "rater": ("Bewerter", "Teilnehmer", "Versuchsperson", "Hörer"),
        "score": ("Bewertung", "Urteil", "Punkte"),
        "measure": ("Kriterium", "Merkmal", "Dimension"),
        "group": ("Gruppe",),
    },
    "fr": {
        "item": ("élément", "stimulus", "fichier"),
        "rater": ("évaluateur", "participant", "annotateur", "juge"),
        "score": ("note", "évaluation", "score"),
        "measure": ("critère", "mesure", "dimension"),
        "group": ("groupe",),
    },
    "es": {
        "item": ("elemento", "estímulo", "archivo"),
        "rater": ("evaluador", "participante", "anotador", "juez"),
        "score": ("puntuación", "calificación", "valoración"),
        "measure": ("criterio", "medida", "dimensión"),
        "group": ("grupo",),
    },
    "zh": {
        "item": ("项目", "样本", "音频", "文件"),
        "rater": ("评分者", "标注者", "被试", "参与者"),
        "score": ("评分", "分数", "得分"),
        "measure": ("指标", "维度", "标准"),
        "group": ("组别", "组"),
    },
    "ja": {
        "item": ("項目", "サンプル", "音声", "刺激"),
        "rater": ("評価者", "被験者", "参加者", "評定者"),
        "score": ("評価", "スコア", "評点", "得点"),
        "measure": ("指標", "観点", "評価項目"),
        "group": ("グループ", "群"),
    },
}
MISSING = (
    *("", "NA", "N/A", "n/a", "NaN", "nan", "None", "NULL"),
    *("null", "#N/A", ".", "-", "*", "?"),
)
REQUESTS = {
    "en": ("Please rate {}", "How good is {}?", "{}", "Rate the quality of {}."),
    "de": ("Bitte bewerten Sie {}", "Wie gut ist {}?", "{}"),
    "fr": ("Veuillez évaluer {}", "Notez la qualité de {}", "{}"),
    "es": ("Por favor, evalúe {}", "¿Qué tan bueno es {}?", "{}"),
    "zh": ("请评价 {}", "您觉得 {} 的质量如何？", "{}"),
    "ja": ("{} を評価してください", "{} の品質はどうですか？", "{}"),
}
"""Questions of surveys for an item."""
FAR_OFF = ("-99", "-9", "99", "999", "-999", "-1")
"""Numbers that stand for a missing rating."""


@dataclass(frozen=True)
class Written:
    """Files of a study in one layout, and the noise in them.

    `decided_by` says by what a careful person reads the tables, and is empty where nobody could. `raters` is "named"
    where names must come out, "unnamed" where each rater's ratings must stay together, and "slots" where no rater is
    known. `has_parts`: systems and topics must come out. `aliases` are further names of items.
    """

    files: Files
    noise: tuple[str, ...]
    decided_by: str
    raters: str = "named"
    has_groups: bool = False
    has_parts: bool = False
    aliases: dict[str, str] = field(default_factory=dict)

    @property
    def decidable(self) -> bool:
        """True where a careful person would read the tables without asking."""
        return bool(self.decided_by)


class Noise:
    """Noise of one table, drawn from the study's seed."""

    def __init__(self, study: Study, layout: str, commas: bool = True) -> None:
        self.study = study
        self.draw = np.random.default_rng([study.seed, *map(ord, layout)])
        self.used = [f"scale {name}" for name, values in SCALES.items() if values == study.values]
        if study.language != "en":
            self.used.append(f"language {study.language}")
        if study.has_words and not study.has_labels:
            self.used.append("words of a scale")
        if study.again:
            self.used.append("repeats")
        if study.items[0] in {"001", "1e5"}:
            self.used.append("ids like 001, TRUE and 1e5")
        if study.items[0].isdecimal() or study.raters[0].isdecimal():
            self.used.append("ids that are numbers")
        self.floats = not study.has_words and self.happens("scores as 4.0", 0.1)
        fractions = any(isinstance(value, float) and not value.is_integer() for value in study.values)
        self.comma = commas and fractions and self.happens("decimal comma", 0.4)
        self._form: tuple[str, str] | None = None

    def happens(self, name: str, chance: float) -> bool:
        """Decide whether a kind of noise is in the table, and note it."""
        if self.draw.random() >= chance:
            return False
        self.used.append(name)
        return True

    def one_of(self, words: Sequence[str]) -> str:
        """Return one of some words."""
        return words[int(self.draw.integers(len(words)))]

    def header(self, role: str) -> str:
        """Return a word for a role in the study's language."""
        return self.one_of(HEADERS[self.study.language][role])

    def missing(self, whole_rows: bool = False) -> str:
        """Return how a missing cell is written; a number off the scale only where at least three cells show it.

        Tables without rows in which everything is missing have `whole_rows` only.
        """
        shown = self.study.partly_missing if whole_rows else self.study.missing
        if not shown:
            return ""
        values = [value for value in self.study.values if isinstance(value, float)]
        if values and shown >= 3 and self.draw.random() < 0.2:
            step = values[1] - values[0]
            far = [code for code in FAR_OFF if not values[0] - 2 * step < float(code) < values[-1] + 2 * step]
            far = [code for code in far if abs(float(code)) > 9 or (values[0] >= 1 and values[-1] <= 7)]
            code = self.one_of([code for code in far if not (values[-1] >= 100 and code == "99")])
        else:
            code = self.one_of(MISSING)
        if code:
            self.used.append(f"missing as {code}")
        return code

    def score(self, level: int) -> object:
        """Return a score as a cell shows it."""
        value = self.study.values[level]
        if isinstance(value, float):
            if value.is_integer() and not self.floats and not self.comma:
                return int(value)
            return str(value).replace(".", ",") if self.comma else value
        return value

    def cell(self, item: int, rater: int, measure: int, missing: str = "") -> object:
        """Return the cell of one rating, or of none."""
        level = self.study.levels.get((item, rater, measure))
        return missing if level is None else self.score(level)

    def extra_columns(
        self, head: list[object], rows: Rows, per: str = "rating", rater: int = -1, item: int = -1
    ) -> None:
        """Add columns that are no ratings to rows per "rating", "item" or "rater".

        `rater` and `item` are positions of these columns in rows per rating, for attributes of either.
        """
        number = len(rows)
        kinds: dict[str, Callable[[], list[object]]] = {
            "comment": lambda: [("", "clear enough", "hard to say", "ok")[at % 4] for at in range(number)],
            "batch": lambda: [12] * number,
        }
        if per != "rater":
            kinds |= {
                "row id": lambda: [f"row-{1000 + at}" for at in range(number)],
                "language": lambda: ["en"] * number,
            }
        if per != "item":
            kinds |= {
                "date": lambda: [f"2026-03-{at % 28 + 1:02d} 10:{at % 60:02d}" for at in range(number)],
                "time": lambda: [f"{9 + at % 8:02d}:{at * 7 % 60:02d}" for at in range(number)],
                "duration (s)": lambda: [round(8 + 40 * float(x), 1) for x in self.draw.random(number)],
            }
        if per == "item" or item >= 0:
            items = list(range(number)) if per == "item" else [row[item] for row in rows]
            kinds |= {
                "length": lambda: self._attribute(items, lambda: int(self.draw.integers(40, 900))),
                "model probability": lambda: self._attribute(
                    items, lambda: round(float(self.draw.random()), 4)
                ),
                "text": lambda: self._attribute(
                    items, lambda: f"A text of {int(self.draw.integers(10**6))}, which was rated, and more."
                ),
            }
        if per == "rater" or rater >= 0:
            own = list(range(number)) if per == "rater" else [row[rater] for row in rows]
            kinds["age"] = lambda: self._attribute(own, lambda: int(self.draw.integers(19, 66)))
        for name, make in kinds.items():
            if self.happens(f"column {name}", 0.12):
                head.append(name)
                for row, value in zip(rows, make(), strict=True):
                    row.append(value)

    @staticmethod
    def _attribute(names: Sequence[object], make: Callable[[], object]) -> list[object]:
        known: dict[object, object] = {}
        for name in names:
            if name not in known:
                known[name] = make()
        return [known[name] for name in names]

    def shuffle_columns(self, head: list[object], rows: Rows) -> None:
        """Put the columns into another order."""
        if self.happens("shuffled columns", 0.3):
            order = self.draw.permutation(len(head))
            head[:] = [head[at] for at in order]
            for row in rows:
                row[:] = [row[at] for at in order]

    def shuffle_rows(self, rows: Rows) -> None:
        """Put the rows into another order."""
        if self.happens("shuffled rows", 0.3):
            rows[:] = [rows[at] for at in self.draw.permutation(len(rows))]

    def table(self, heads: Rows, rows: Rows) -> bytes:
        """Return a table in a delimiter and an encoding that spreadsheets write, the same for all files."""
        if self._form is None:
            self._form = self._choose_form([*heads, *rows])
        delimiter, encoding = self._form
        return delimited([*heads, *rows], delimiter).encode(encoding)

    def _choose_form(self, rows: Rows) -> tuple[str, str]:
        delimiter, content = ",", delimited(rows)
        if self.comma or self.happens("semicolons", 0.15):
            delimiter = ";"
        elif self.happens("tabs", 0.1):
            delimiter = "\t"
        if self.happens("byte order mark", 0.1):
            return delimiter, "utf-8-sig"
        if self.happens("UTF-16", 0.05):
            return delimiter, "utf-16"
        accents = not content.isascii() and self.study.language in {"de", "fr", "es"}
        if accents and all(ord(letter) < 256 for letter in content) and self.happens("Windows-1252", 0.3):
            return delimiter, "cp1252"
        return delimiter, "utf-8"


def delimited(rows: Rows, delimiter: str = ",") -> str:
    """Return rows as delimited text."""
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return out.getvalue()
