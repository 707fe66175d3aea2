"""The programs of Comprehension, one for each question: they begin with the answers and go on with one call."""

from collections.abc import Sequence

from analysis.values.estimate import BootstrapSpec
from features.program import PRINTED, literal, program
from features.study import Study

_OF_SHARES = "analysis.comprehension.answer_shares"


def shares(
    study: Study, bootstrap: BootstrapSpec, left_out: Sequence[int], most_types: int, typed: bool
) -> str:
    """The shares of the answers, of all, by either author, and where `typed` by type of story.

    `left_out` are the machines' codes where their summaries stay out of the level that people share.
    """
    by_type = [
        f'types = largest_types(store.query(dataset, "story_types")["type"], {most_types})',
        "by_type = by_story_type(people, types.of_story, spec)",
        "for at, name in enumerate(types.names):",
        '    results["stories of type " + str(name)] = by_type.levels.of(at)',
        "for (first, second), apart in by_type.differences.items():",
        "    results[str(types.names[first]), str(types.names[second])] = apart",
    ]
    imports = [f"from {_OF_SHARES} import {'by_story_type, ' if typed else ''}coded_shares"]
    if typed:
        imports.append("from analysis.comprehension.story_types import largest_types")
    return _answered(
        study,
        bootstrap,
        imports,
        [
            *_people(left_out),
            "everyone, of_people = coded_shares(answers, spec), coded_shares(people, spec)",
            'results = {"all": of_people.overall.of(0)}',
            "for code in answers.writers:",
            '    results["summaries of " + str(authors[code])] = everyone.by_summary_author.of(code)',
            "by_asker = of_people.by_question_author",
            "for code in (code for code in answers.askers if code < len(by_asker)):",
            '    results["questions of " + str(authors[code])] = by_asker.of(code)',
            *(by_type if typed else []),
        ],
    )


def matrix(study: Study, bootstrap: BootstrapSpec) -> str:
    """The shares of each pair of authors that met."""
    return _answered(
        study,
        bootstrap,
        [f"from {_OF_SHARES} import by_pair"],
        [
            "pairs = by_pair(answers, spec)",
            "results = {",
            "    (str(authors[writer]), str(authors[asker])): pairs.levels.of(pairs.place(writer, asker))",
            "    for writer in range(pairs.authors)",
            "    for asker in range(pairs.authors)",
            "    if pairs.levels.questions[pairs.place(writer, asker)]",
            "}",
        ],
    )


def length(study: Study, bootstrap: BootstrapSpec, machines: tuple[int, ...]) -> str:
    """The correlations of length with what is found, and each author's means; `machines` are out of the former."""
    return _answered(
        study,
        bootstrap,
        [
            "import numpy as np",
            "from analysis.comprehension.length_and_found import Summaries, length_and_found",
        ],
        [
            'there = store.query(dataset, "summaries")',
            'stories = store.query(dataset, "comprehension_names", column="story")["name"]',
            'story = np.searchsorted(stories, there["story"])',
            'author = np.searchsorted(authors, there["author"])',
            'summaries = Summaries(story, author, there["words"], there["characters"], len(authors))',
            f"found = length_and_found(answers, summaries, {machines}, spec)",
            'results = {"over authors": found.over_authors, "of the same story": found.within}',
            "for code in found.authors.tolist():",
            "    one = results[str(authors[code])] = {",
            '        "summaries": found.summaries[code],',
            '        "found": found.levels.estimate(code, "found"),',
            "    }",
            '    for what in ("words", "characters", "characters_per_word", "questions"):',
            "        spread = getattr(found.table, what)",
            '        one |= {what: spread.mean[code], what + " SD": spread.sd[code]}',
        ],
    )


def judges(study: Study, bootstrap: BootstrapSpec, machines: tuple[int, ...]) -> str:
    """How far judges agree over all answers, and each judge's shares of those between people."""
    return _answered(
        study,
        bootstrap,
        ["from analysis.comprehension.judge_agreement import judge_agreement"],
        [
            'names = store.query(dataset, "comprehension_names", column="judge")["name"]',
            *_people(machines),
            "agreement = judge_agreement(answers, spec)",
            'results = {"alpha": agreement.alpha}',
            "for pair in agreement.pairs:",
            "    results[str(names[pair.first]), str(names[pair.second])] = pair",
            "levels = judge_agreement(people, spec).by_judge",
            "for at in range(len(levels)):",
            "    results[str(names[at])] = levels.of(at)",
        ],
    )


def machine(study: Study, bootstrap: BootstrapSpec, machines: tuple[int, ...]) -> str:
    """Each machine beside people's summaries on the same questions."""
    return _answered(
        study,
        bootstrap,
        ["from analysis.comprehension.machine_summaries import machine_levels"],
        [
            f"levels = machine_levels(answers, {machines}, spec)",
            "results = {str(authors[code]): level for code, level in levels.items()}",
        ],
    )


def _people(machines: Sequence[int]) -> list[str]:
    if not machines:
        return ["people = answers"]
    return [f"people = answers.among_people({tuple(machines)})  # without machines' summaries"]


def _answered(study: Study, bootstrap: BootstrapSpec, imports: Sequence[str], lines: Sequence[str]) -> str:
    return program(
        study,
        [
            "from dataclasses import fields",
            "from analysis.comprehension.answers import Answers",
            "from analysis.estimate import BootstrapSpec",
            *imports,
        ],
        [
            'rows = store.query(dataset, "comprehension")',
            "answers = Answers(**{field.name: rows[field.name] for field in fields(Answers) if field.name in rows})",
            'authors = store.query(dataset, "comprehension_names", column="author")["name"]',
            f"spec = {literal(bootstrap)}",
            *lines,
            *PRINTED,
        ],
    )
