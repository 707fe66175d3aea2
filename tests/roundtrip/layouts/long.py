"""Layouts with one row per rating, or per item and rater."""

from tests.roundtrip.noise import Noise, Rows, Written
from tests.roundtrip.studies import Study


def finish(
    noise: Noise, head: list[object], rows: Rows, rater: int = -1, item: int = -1, **known: object
) -> Written:
    """Return a table of rows per rating with extra columns and shuffled order."""
    noise.shuffle_rows(rows)
    noise.extra_columns(head, rows, rater=rater, item=item)
    noise.shuffle_columns(head, rows)
    content = noise.table([head], rows)
    options = {"decided_by": "header words"} | known
    return Written({"study.csv": content}, tuple(noise.used), **options)  # type: ignore[arg-type]


def one_row_per_rating(study: Study) -> Written:
    """Write one row per rating, with measure, group, system and topic in columns where there are several."""
    noise = Noise(study, "long")
    missing = noise.missing()
    several, grouped, parted = len(study.measures) > 1, bool(study.groups), bool(study.systems)
    head: list[object] = [*(["topic", "system"] if parted else [noise.header("item")])]
    head += [noise.header("rater"), noise.header("score")]
    head += [noise.header("measure")] * several + [noise.header("group")] * grouped
    cells = {
        (at, who, what): None
        for at in range(len(study.items))
        for who in range(len(study.raters))
        for what in range(len(study.measures))
    }
    rows: Rows = []
    for at, who, what in cells:
        shown: list[object] = []
        if (at, who, what) in study.levels or missing:
            shown.append(noise.cell(at, who, what, missing))
        if (at, who, what) in study.again:
            shown.append(noise.score(study.again[at, who, what]))
        for score in shown:
            row: list[object] = [*study.parts[at], study.raters[who], score]
            rows.append(row + [study.measures[what]] * several + [study.groups.get(who)] * grouped)
    return finish(
        noise,
        head,
        rows,
        rater=len(study.parts[0]),
        item=-1 if parted else 0,
        has_groups=grouped,
        has_parts=parted,
    )


def measure_columns(study: Study) -> Written:
    """Write one row per item and rater, with a column for each measure."""
    noise = Noise(study, "measure columns")
    missing = noise.missing(whole_rows=True)
    grouped = [noise.header("group")] if study.groups else []
    head: list[object] = [noise.header("item"), noise.header("rater"), *study.measures, *grouped]
    rows: Rows = []
    for at in range(len(study.items)):
        for who in range(len(study.raters)):
            keys = [(at, who, what) for what in range(len(study.measures))]
            times = [[noise.cell(*key, missing) for key in keys]] if study.levels.keys() & keys else []
            if study.again.keys() & keys:
                second = [study.again.get(key) for key in keys]
                times.append([missing if level is None else noise.score(level) for level in second])
            group = [study.groups[who]] if study.groups else []
            rows += [[study.items[at], study.raters[who], *cells, *group] for cells in times]
    return finish(noise, head, rows, rater=1, item=0, has_groups=bool(study.groups))


def _blocks(study: Study, noise: Noise) -> list[Rows]:
    """Return the rows of each rater, without the rater: item, and a score for each measure."""
    missing = noise.missing(whole_rows=True)
    measures = range(len(study.measures))
    return [
        [
            [study.items[at], *(noise.cell(at, who, what, missing) for what in measures)]
            for at in range(len(study.items))
            if any((at, who, what) in study.levels for what in measures)
        ]
        for who in range(len(study.raters))
    ]


def _are_plain(blocks: list[Rows]) -> bool:
    """Return True where most items return in each block."""
    items = [{row[0] for row in block} for block in blocks]
    return all(len(each) > 1 and 2 * len(each & items[0]) >= len(items[0]) for each in items)


def names_in_first_rows(study: Study) -> Written:
    """Write a block of rows for each rater, whose name stands in its first row only."""
    noise = Noise(study, "names in first rows")
    blocks = _blocks(study, noise)
    head: list[object] = [noise.header("rater"), noise.header("item"), *study.measures]
    rows: Rows = [
        [name if not at else "", *row]
        for name, block in zip(study.raters, blocks, strict=True)
        for at, row in enumerate(block)
    ]
    decided = "the names of each block" if _are_plain(blocks) else ""
    return Written({"study.csv": noise.table([head], rows)}, tuple(noise.used), decided)


def blocks_with_titles(study: Study) -> Written:
    """Write a block of rows for each rater, below the name and the names of the columns."""
    noise = Noise(study, "blocks with titles")
    blocks = _blocks(study, noise)
    head: list[object] = [noise.header("item"), *study.measures]
    called = noise.header("rater")
    rows: Rows = []
    for name, block in zip(study.raters, blocks, strict=True):
        rows += [[f"{called}: {name}", *[""] * len(study.measures)], head, *block, [""] * len(head)]
    decided = "the titles" if _are_plain(blocks) else ""
    return Written({"study.csv": noise.table([], rows)}, tuple(noise.used), decided)


def system_topic_rater(study: Study) -> Written:
    """Write one row per system, topic and rater, without a column for the item."""
    noise = Noise(study, "system topic rater")
    missing = noise.missing(whole_rows=True)
    names = (("system", "topic"), ("model", "doc_id"), ("sys_id", "document"), ("system", "segment"))
    names += (("stimulus", "trial"), ("sound", "page"))
    chosen = names[int(noise.draw.integers(len(names)))]
    head: list[object] = [*chosen, noise.header("rater"), *study.measures]
    rows: Rows = []
    for at, (topic, system) in enumerate(study.parts):
        for who, name in enumerate(study.raters):
            keys = [(at, who, what) for what in range(len(study.measures))]
            if study.levels.keys() & keys:
                rows.append([system, topic, name, *(noise.cell(*key, missing) for key in keys)])
    return finish(noise, head, rows, rater=2, has_parts=True)


def joined_ids(study: Study) -> Written:
    """Write one row per item and rater whose item id holds topic and system."""
    noise = Noise(study, "joined ids")
    separator = noise.one_of(("__", "/", "::"))
    head: list[object] = ["id", noise.header("rater"), *study.measures]
    rows: Rows = []
    for at, parts in enumerate(study.parts):
        for who, name in enumerate(study.raters):
            keys = [(at, who, what) for what in range(len(study.measures))]
            if study.levels.keys() & keys:
                rows.append([separator.join(parts), name, *(noise.cell(*key) for key in keys)])
    return finish(noise, head, rows, rater=1, item=0, has_parts=True)


def without_rater(study: Study) -> Written:
    """Write several rows per item with nobody named."""
    noise = Noise(study, "long without rater")
    several = len(study.measures) > 1
    head: list[object] = [noise.header("item"), *study.measures] if several else []
    head = head or [noise.header("item"), noise.header("score")]
    rows: Rows = []
    for at, item in enumerate(study.items):
        for who in range(len(study.raters)):
            keys = [(at, who, what) for what in range(len(study.measures))]
            if study.levels.keys() & keys:
                rows.append([item, *(noise.cell(*key) for key in keys)])
    return finish(noise, head, rows, raters="slots")
