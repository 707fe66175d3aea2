"""Layouts of rankings and best-worst choices."""

from tests.roundtrip.layouts.long import finish
from tests.roundtrip.noise import MISSING, Files, Noise, Rows, Written
from tests.roundtrip.studies import Study

RANK = {"en": ("rank", "Rank", "ranking"), "de": ("Rang", "Platz"), "fr": ("rang",), "es": ("rango",)}
RANK |= {"zh": ("名次",), "ja": ("順位",)}
OPTION = {
    "en": ("system", "model", "option", "candidate"),
    "de": ("System", "Modell", "Verfahren"),
    "fr": ("système", "modèle"),
    "es": ("sistema", "modelo"),
    "zh": ("系统", "模型"),
    "ja": ("システム", "モデル"),
}
NAMED = ("rank_{}", "{} (rank)", "Rank {}", "{} rank", "rank of {}", "Rang {}")
PLACED = (
    ("1st", "2nd", "3rd", "4th", "5th"),
    ("first", "second", "third", "fourth", "fifth"),
    tuple(f"Rank {place}" for place in range(1, 6)),
    tuple(f"{place}. Platz" for place in range(1, 6)),
    tuple(f"place_{place}" for place in range(1, 6)),
)
TUPLES = ("item{}", "Item {}", "option_{}", "Text {}")
ENDS = (("best", "worst"), ("Best", "Worst"), ("most", "least"), ("best_item", "worst_item"))
_PARTS = {"has_parts": True}


def _rankings(study: Study) -> dict[tuple[int, int], dict[int, int]]:
    """Return the rank of each option, by task and rater."""
    found: dict[tuple[int, int], dict[int, int]] = {}
    for (at, who, option), level in study.levels.items():
        found.setdefault((at, who), {})[option] = level + 1
    return found


def rows(study: Study) -> Written:
    """Write one row per rank."""
    noise = Noise(study, "ranks in rows")
    words = (noise.one_of(words[study.language]) for words in (OPTION, RANK))
    head: list[object] = [noise.header("item"), noise.header("rater"), *words]
    cells: Rows = [
        [study.items[at], study.raters[who], study.measures[option], rank]
        for (at, who), ranks in _rankings(study).items()
        for option, rank in ranks.items()
    ]
    return finish(noise, head, cells, rater=1, item=0, **_PARTS)


def per_rater(study: Study) -> Written:
    """Write a file for each rater, with one row per rank or one column of ranks per option."""
    noise = Noise(study, "ranks, file per rater")
    words = [noise.one_of(words[study.language]) for words in (OPTION, RANK)]
    in_rows, named, task = noise.happens("ranks in rows", 0.5), noise.one_of(NAMED), noise.header("item")
    files: Files = {}
    for who, name in enumerate(study.raters):
        own = {at: ranks for (at, by), ranks in _rankings(study).items() if by == who}
        options = range(len(study.measures))
        head: list[object] = [task, *(named.format(option) for option in study.measures)]
        cells: Rows = [
            [study.items[at], *(ranks.get(one, "") for one in options)] for at, ranks in own.items()
        ]
        if in_rows:
            head = [task, *words]
            cells = [
                [study.items[at], study.measures[option], rank]
                for at, ranks in own.items()
                for option, rank in ranks.items()
            ]
        if cells:
            files[f"{name}.csv"] = noise.table([head], cells)
    return Written(files, tuple(noise.used), "the file names")


def option_columns(study: Study) -> Written:
    """Write one row per ranking, with the rank of each option in a column that says so, or of whole rankings alone."""
    noise = Noise(study, "rank columns")
    named = noise.one_of(NAMED)
    if study.missing == 0 and study.is_strict and noise.happens("columns of ranks without the word", 0.4):
        named = "{}"
    missing = noise.one_of(MISSING) if study.missing else ""
    return _wide(noise, [named.format(name) for name in study.measures], missing)


def respondents(study: Study) -> Written:
    """Write one row per respondent, who all ranked the same options once."""
    noise = Noise(study, "ranks of respondents")
    names = [noise.one_of(NAMED).format("{}")] * len(study.measures)
    return _wide(
        noise, [name.format(of) for name, of in zip(names, study.measures, strict=True)], "", task=False
    )


def _wide(noise: Noise, names: list[str], missing: str, task: bool = True) -> Written:
    study = noise.study
    head: list[object] = [*([noise.header("item")] if task else []), noise.header("rater"), *names]
    cells: Rows = [
        [
            *([study.items[at]] if task else []),
            study.raters[who],
            *(ranks.get(option, missing) for option in range(len(study.measures))),
        ]
        for (at, who), ranks in _rankings(study).items()
    ]
    aliases = {} if task else {"all": study.items[0]}
    return finish(
        noise, head, cells, rater=1 if task else 0, item=0 if task else -1, aliases=aliases, **_PARTS
    )


def place_columns(study: Study) -> Written:
    """Write one row per ranking, with the option in each place."""
    noise = Noise(study, "place columns")
    places = PLACED[int(noise.draw.integers(len(PLACED)))][: len(study.measures)]
    missing = noise.one_of(("", "NA", "-")) if study.missing else ""
    head: list[object] = [noise.header("item"), noise.header("rater"), *places]
    cells: Rows = []
    for (at, who), ranks in _rankings(study).items():
        by_rank = {rank: study.measures[option] for option, rank in ranks.items()}
        named = [by_rank.get(place, missing) for place in range(1, len(places) + 1)]
        cells.append([study.items[at], study.raters[who], *named])
    return finish(noise, head, cells, rater=1, item=0, **_PARTS)


def best_worst(study: Study) -> Written:
    """Write one row per best-worst choice, with the tuple in numbered columns."""
    noise = Noise(study, "best and worst")
    stem, ends = noise.one_of(TUPLES), ENDS[int(noise.draw.integers(len(ENDS)))]
    by_letter = noise.happens("tuples by letter", 0.3)
    places = [*"ABCD"] if by_letter else [*"1234"]
    called = noise.happens("ends by number or letter", 0.4)
    has_id = not noise.happens("tuples without a name", 0.3)
    head: list[object] = [noise.header("rater"), *(["tuple_id"] if has_id else [])]
    head += [*(stem.format(place) for place in places), *ends]
    cells: Rows = []
    for (at, who), ranks in _rankings(study).items():
        options = [int(option) for option in noise.draw.permutation([*ranks])]
        by_rank = {rank: place for place, option in enumerate(options) for rank in [ranks[option]]}
        told = [
            places[by_rank[rank]] if called else study.measures[options[by_rank[rank]]] for rank in (1, 3)
        ]
        named = [study.measures[option] for option in options]
        cells.append([study.raters[who], *([study.items[at]] if has_id else []), *named, *told])
    aliases = {}
    if not has_id:
        for at, name in enumerate(study.items):
            options = {option for task, _, option in study.levels if task == at}
            aliases[" / ".join(sorted(study.measures[option] for option in options))] = name
    return finish(noise, head, cells, rater=0, item=1 if has_id else -1, aliases=aliases, **_PARTS)


def in_a_cell(study: Study) -> Written:
    """Write one row per ranking, with all options in one cell, the best first."""
    noise = Noise(study, "rankings in a cell")
    above = noise.one_of((" > ", ">", " >> "))
    equal = noise.one_of((" = ", "="))
    word = noise.one_of((*RANK[study.language], "order", "answer"))
    cells: Rows = []
    for (at, who), ranks in _rankings(study).items():
        by_rank: dict[int, list[str]] = {}
        for option, rank in ranks.items():
            by_rank.setdefault(rank, []).append(study.measures[option])
        told = above.join(equal.join(by_rank[rank]) for rank in sorted(by_rank))
        cells.append([study.items[at], study.raters[who], told])
    return finish(
        noise, [noise.header("item"), noise.header("rater"), word], cells, rater=1, item=0, **_PARTS
    )


def best_worst_rows(study: Study) -> Written:
    """Write one row per option of a tuple, with what was said of it."""
    noise = Noise(study, "best and worst in rows")
    said = noise.one_of(((1, 0, -1), ("best", "neither", "worst"), ("Best", "none", "Worst")))
    words = noise.one_of(OPTION[study.language]), noise.one_of(("choice", "answer", "best_worst"))
    head: list[object] = [noise.header("item"), noise.header("rater"), *words]
    cells: Rows = [
        [study.items[at], study.raters[who], study.measures[option], said[rank - 1]]
        for (at, who), ranks in _rankings(study).items()
        for option, rank in ranks.items()
    ]
    return finish(noise, head, cells, rater=1, item=0, **_PARTS)
