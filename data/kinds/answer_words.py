"""Words of answers: points of a scale, yes and no, choices between two options, and judgments.

Judgments are of an answer as relevant (R), partially relevant (P), irrelevant (I) or not found (N), and of a document
as relevant or not. Words are compared without case, white space and punctuation.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import lru_cache

FEWEST = 3
"""Different words of a scale before they are taken for its points."""
_SCALES = (
    # quality (ITU-T P.800), and the same with "very" at its ends
    "bad, poor, fair|average|moderate, good, excellent",
    "poor, fair, good, very good, excellent",
    "very bad|terrible|awful, bad, neutral|average|fair|moderate|ok|okay|medium|neither good nor bad, good, "
    "very good|excellent",
    "very poor, poor, neutral|average|fair|ok|okay|acceptable|medium, good, very good|excellent",
    "very poorly|not well at all, poorly|not well, somewhat|moderately|adequately|moderately well, well, "
    "very well|extremely well",
    "very low, low, medium|moderate|average, high, very high",
    "schlecht, dürftig|mäßig|mangelhaft, ordentlich|befriedigend|mittelmäßig, gut, ausgezeichnet|exzellent",
    "schlecht|mangelhaft, dürftig|mäßig, ordentlich|befriedigend|mittelmäßig, gut, ausgezeichnet|exzellent",
    "sehr schlecht, schlecht, mittel|mittelmäßig|mäßig|durchschnittlich|befriedigend|neutral|weder noch|teils teils, "
    "gut, sehr gut|ausgezeichnet|exzellent",
    "ungenügend, mangelhaft, ausreichend, befriedigend, gut, sehr gut",
    "mauvais|mauvaise, médiocre, moyen|moyenne|passable|assez bon|assez bonne, bon|bonne, excellent|excellente",
    "très mauvais|très mauvaise, mauvais|mauvaise, moyen|moyenne|neutre|passable, bon|bonne, "
    "très bon|très bonne|excellent|excellente",
    "malo|mala, pobre|mediocre|deficiente, regular|aceptable, bueno|buena, excelente",
    "muy malo|muy mala|pésimo|pésima, malo|mala, regular|neutral|aceptable|normal, bueno|buena, "
    "muy bueno|muy buena|excelente",
    "muito ruim|muito mau|muito má|péssimo|péssima, ruim|mau|má, regular|razoável|médio|média|neutro|aceitável, "
    "bom|boa, muito bom|muito boa|ótimo|ótima|excelente",
    "muito fraco|muito fraca|péssimo|péssima, fraco|fraca, regular|razoável|médio|média|suficiente, bom|boa, "
    "muito bom|muito boa|ótimo|ótima|excelente",
    "fraco|fraca|insuficiente|ruim, regular|razoável|suficiente, bom|boa, muito bom|muito boa|ótimo|ótima, excelente",
    "fraco|fraca|insuficiente|ruim, regular|razoável|suficiente, bom|boa, ótimo|ótima",
    "pessimo|pessima|molto scarso|molto scarsa, scarso|scarsa|cattivo|cattiva, "
    "sufficiente|discreto|discreta|medio|media, buono|buona, ottimo|ottima|eccellente|molto buono|molto buona",
    "insufficiente|scarso|scarsa, sufficiente, buono|buona, ottimo|ottima",
    "insufficiente|scarso|scarsa, sufficiente, discreto|discreta, buono|buona, ottimo|ottima",
    "insufficiente|scarso|scarsa, sufficiente, buono|buona, distinto|distinta, ottimo|ottima",
    "zeer slecht|heel slecht|erg slecht, slecht|onvoldoende, matig|redelijk|voldoende|neutraal|gemiddeld, goed, "
    "zeer goed|heel goed|erg goed|uitstekend",
    "slecht|onvoldoende, matig, redelijk|voldoende, goed, zeer goed|heel goed|erg goed|uitstekend",
    "slecht, onvoldoende, voldoende, goed, zeer goed|heel goed|erg goed|uitstekend",
    "slecht|onvoldoende|matig, redelijk|voldoende, goed, zeer goed|heel goed|erg goed, uitstekend",
    "slecht, onvoldoende, matig, redelijk|voldoende, goed, zeer goed|heel goed|erg goed|uitstekend",
    "很差|非常差|极差, 差|较差|比较差, 一般|中等|普通|中, 好|较好|良好|比较好|良, 很好|非常好|优秀|极好|优",
    "劣|坏, 差, 中|一般, 良|好, 优|优秀",
    "非常に悪い|とても悪い|大変悪い, 悪い|やや悪い, 普通|ふつう|どちらともいえない|どちらでもない, "
    "良い|よい|いい|やや良い, 非常に良い|とても良い|非常によい|とてもよい|大変良い",
    # agreement
    "strongly disagree|completely disagree|totally disagree, disagree, "
    "neutral|neither agree nor disagree|neither|undecided|unsure, agree, strongly agree|completely agree|totally agree",
    "strongly disagree, somewhat disagree|slightly disagree, neutral|neither agree nor disagree|neither|undecided, "
    "somewhat agree|slightly agree, strongly agree",
    "strongly disagree, disagree, somewhat disagree|slightly disagree, neutral|neither agree nor disagree, "
    "somewhat agree|slightly agree, agree, strongly agree",
    "stimme überhaupt nicht zu|stimme gar nicht zu, stimme nicht zu|stimme eher nicht zu, "
    "neutral|teils teils|weder noch|unentschieden, stimme zu|stimme eher zu, "
    "stimme voll zu|stimme voll und ganz zu|stimme völlig zu|stimme vollkommen zu|stimme vollständig zu",
    "stimme nicht zu, stimme eher nicht zu, neutral|teils teils|weder noch|unentschieden, stimme eher zu, stimme zu",
    "trifft gar nicht zu|trifft überhaupt nicht zu, trifft nicht zu|trifft eher nicht zu, "
    "neutral|teils teils|weder noch, trifft zu|trifft eher zu, trifft voll zu|trifft voll und ganz zu|trifft völlig zu",
    "trifft nicht zu, trifft eher nicht zu, neutral|teils teils|weder noch, trifft eher zu, trifft zu",
    "pas du tout d'accord|tout à fait en désaccord|fortement en désaccord, "
    "pas d'accord|plutôt pas d'accord|en désaccord, "
    "neutre|ni d'accord ni pas d'accord|ni en accord ni en désaccord|indécis, d'accord|plutôt d'accord|en accord, "
    "tout à fait d'accord|fortement d'accord|entièrement d'accord",
    "totalmente en desacuerdo|muy en desacuerdo|completamente en desacuerdo, en desacuerdo, "
    "neutral|ni de acuerdo ni en desacuerdo|indiferente|indeciso, de acuerdo, "
    "totalmente de acuerdo|muy de acuerdo|completamente de acuerdo",
    "discordo totalmente|discordo completamente|discordo fortemente, discordo|discordo parcialmente, "
    "neutro|indiferente|nem concordo nem discordo|não concordo nem discordo, concordo|concordo parcialmente, "
    "concordo totalmente|concordo completamente|concordo fortemente",
    "completamente in disaccordo|totalmente in disaccordo|fortemente in disaccordo|per niente d'accordo, "
    "in disaccordo|non d'accordo, neutrale|neutro|indeciso|né d'accordo né in disaccordo, d'accordo, "
    "completamente d'accordo|totalmente d'accordo|fortemente d'accordo|molto d'accordo",
    "helemaal oneens|helemaal mee oneens|zeer oneens|zeer mee oneens|volledig oneens, oneens|mee oneens, "
    "neutraal|niet eens niet oneens|noch eens noch oneens, eens|mee eens, "
    "helemaal eens|helemaal mee eens|zeer eens|zeer mee eens|volledig eens",
    "非常不同意|完全不同意|强烈不同意|十分不同意, 不同意|比较不同意, 中立|一般|不确定|既不同意也不反对, 同意|比较同意, "
    "非常同意|完全同意|强烈同意|十分同意",
    "全くそう思わない|まったくそう思わない|全く同意しない|強く同意しない|強く反対, "
    "そう思わない|あまりそう思わない|同意しない|反対, どちらともいえない|どちらでもない|中立, "
    "そう思う|ややそう思う|同意する|賛成, 非常にそう思う|とてもそう思う|強くそう思う|強く同意する|強く賛成",
    # satisfaction, impairment (P.800 DCR), likelihood, frequency, degree
    "very dissatisfied|very unsatisfied, dissatisfied|unsatisfied, neutral|neither satisfied nor dissatisfied, "
    "satisfied, very satisfied",
    "sehr unzufrieden, unzufrieden, neutral|teils teils|weder noch, zufrieden, sehr zufrieden",
    "très insatisfait|très insatisfaite, insatisfait|insatisfaite, neutre, satisfait|satisfaite, "
    "très satisfait|très satisfaite",
    "muy insatisfecho|muy insatisfecha, insatisfecho|insatisfecha, neutral, satisfecho|satisfecha, "
    "muy satisfecho|muy satisfecha",
    "muito insatisfeito|muito insatisfeita, insatisfeito|insatisfeita, neutro|indiferente, satisfeito|satisfeita, "
    "muito satisfeito|muito satisfeita",
    "molto insoddisfatto|molto insoddisfatta, insoddisfatto|insoddisfatta, neutro|neutrale, soddisfatto|soddisfatta, "
    "molto soddisfatto|molto soddisfatta",
    "zeer ontevreden, ontevreden, neutraal, tevreden, zeer tevreden",
    "非常不满意|很不满意, 不满意, 一般|中立, 满意, 非常满意|很满意",
    "非常に不満|とても不満, 不満|やや不満, 普通|どちらともいえない, 満足|やや満足, 非常に満足|とても満足",
    "very annoying, annoying, slightly annoying, perceptible but not annoying|audible but not annoying, "
    "imperceptible|inaudible",
    "very unlikely, unlikely, neutral, likely, very likely",
    "never, rarely|seldom, sometimes, often, always",
    "not at all, slightly|a little, moderately|somewhat, very|very much, extremely",
)
_OPPOSITES = (
    "unnatural natural, unpleasant pleasant, unhelpful helpful, unclear clear, unrealistic realistic, "
    "unintelligible intelligible, unattractive attractive, untrustworthy trustworthy, impolite polite, "
    "inappropriate appropriate, dissimilar similar, difficult easy"
)
"""Pairs of words for the two sides of a scale such as very unnatural, unnatural, neutral, natural, very natural."""
_BIPOLAR = tuple(
    f"very {low}|extremely {low}|completely {low}, {low}|somewhat {low}, "
    f"neutral|neither|neither {low} nor {high}|neither {high} nor {low}, {high}|somewhat {high}, "
    f"very {high}|extremely {high}|completely {high}"
    for low, high in map(str.split, _OPPOSITES.split(","))
)
_YES = ["yes", "y", "true", "ja", "j", "wahr", "oui", "vrai", "sí", "verdadero", "是", "对", "はい"]
_NO = ["no", "n", "false", "nein", "falsch", "non", "faux", "falso", "否", "不", "错", "いいえ"]
_CLASSES = (
    "negative|neg|negativ|négatif|negativo|负面|ネガティブ, neutral|neu|neutre|中性|ニュートラル, "
    "positive|pos|positiv|positif|positivo|正面|ポジティブ",
)
_STARS, _STAR = re.compile("[★☆⭐🌟✩\ufe0f ]+"), re.compile("[★⭐🌟]")
_ONE_NUMBER = re.compile(r"\D*?([+-]?\d+(?:[.,]\d+)?)\D*")


@lru_cache(maxsize=4096)
def plain_word(word: str) -> str:
    """Return a word in the form in which words are compared, and a number in its usual form."""
    try:
        return f"{float(word):g}"
    except ValueError:
        decomposed = unicodedata.normalize("NFKD", word.casefold().replace("ß", "ss"))
        return "".join(c for c in decomposed if c.isalnum())


def _levels(scale: str) -> dict[str, int]:
    return {
        plain_word(word): level
        for level, words in enumerate(scale.split(","), start=1)
        for word in words.split("|")
    }


_LEVELS = tuple(_levels(scale) for scale in (*_SCALES, *_BIPOLAR))
_SCALES_WITH = {
    word: [at for at, levels in enumerate(_LEVELS) if word in levels] for levels in _LEVELS for word in levels
}
"""The scales that have a word."""
_ORDERED = tuple(_levels(classes) for classes in _CLASSES)
_DEGREES = (
    "more less much little most mostly least some partly no none not high low medium best worst better worse"
)
GRADING = frozenset(re.findall(r"\w+", " ".join((*_SCALES, *_BIPOLAR, _DEGREES)).casefold()))
"""Words that say how much or how good."""


def points_of(words: Iterable[str]) -> Mapping[str, str]:
    """Return the scale point of each word, 1 for the worst, if enough words are points of one scale; other words have
    none. Return {} if too few words are points, or more than a few are not."""
    return {word: str(level) for word, level in _scale_of(words)[1].items()}


def points_without_middle(words: Iterable[str]) -> Mapping[str, str]:
    """Return the points of a scale whose words are all used except the neutral one: 1 to 4 of four, as in
    questionnaires without a middle. Return {} for any other scale."""
    levels, points = _scale_of(words)
    highest = max(levels.values(), default=0)
    middle = (highest + 1) // 2
    has_only_middle_unused = highest % 2 == 1 and {*points.values()} == {*range(1, highest + 1)} - {middle}
    if not has_only_middle_unused or not any(
        level == middle and word in _NEITHER for word, level in levels.items()
    ):
        return {}
    return {word: str(level - (level > middle)) for word, level in points.items()}


def _scale_of(words: Iterable[str]) -> tuple[Mapping[str, int], Mapping[str, int]]:
    """Return the scale of which most words are points, the shorter one of two, and the points of these words; both
    empty if there is none."""
    plain_words = {word: plain_word(word) for word in dict.fromkeys(words) if word.strip()}
    if plain_words and all(map(_STARS.fullmatch, plain_words)):
        stars = {word: len(_STAR.findall(word)) for word in plain_words}
        return stars, stars
    best: tuple[Mapping[str, int], Mapping[str, int]] = {}, {}
    candidates = {index for plain in plain_words.values() for index in _SCALES_WITH.get(plain, ())}
    for levels in (_LEVELS[index] for index in sorted(candidates)):
        points = {word: levels[plain] for word, plain in plain_words.items() if plain in levels}
        used_levels = {plain_words[word]: level for word, level in points.items()}
        is_better = (len(points), -max(levels.values())) > (len(best[1]), -max(best[0].values(), default=0))
        if len(set(used_levels.values())) == len(used_levels) >= FEWEST and is_better:
            best = levels, points
    return best if 2 * len(best[1]) > len(plain_words) else ({}, {})


def number_in(word: str) -> str:
    """Return the only number in a text such as "very bad (1)", "" if there is none or more than one."""
    match = _ONE_NUMBER.fullmatch(word[:200])
    return match[1].replace(",", ".") if match else ""


def truth_of(word: str) -> bool | None:
    """Return True for yes, False for no, and None for any other word."""
    plain = plain_word(word)
    return True if plain in _TRUE else False if plain in _FALSE else None


_NEUTRAL = (
    "neutral",
    "neutre",
    "neutro",
    "neutrale",
    "neutraal",
    "中立",
    "どちらともいえない",
    "どちらでもない",
)
_NEITHER = frozenset(map(plain_word, _NEUTRAL))
_TRUE, _FALSE = frozenset(map(plain_word, _YES)), frozenset(map(plain_word, _NO))


END_RANKS = {"best": 1, "most": 1, "1": 1, "worst": 3, "least": 3, "-1": 3, "0": 2, "neither": 2, "none": 2}
"""Ranks of the options of a tuple by the words of a column: the best, the worst, and the others."""


def positions_of(words: Iterable[str]) -> Mapping[str, int]:
    """Return the position of each word among ordered classes, from 0, or of numbers that count from 0, 1 or -1; also
    yes and no. Return {} if a word has no position."""
    different = list(dict.fromkeys(words))
    plain_words = [plain_word(word) for word in different]
    truths = [truth_of(word) for word in different]
    if different and all(truth is not None for truth in truths):
        return {word: int(bool(truth)) for word, truth in zip(different, truths, strict=True)}
    for levels in _ORDERED:
        if different and all(plain in levels for plain in plain_words):
            order = {0: 0, 1: 1, 2: 2} if len(different) > 2 else {0: 0, 2: 1}
            positions = {
                word: order.get(levels[plain] - 1) for word, plain in zip(different, plain_words, strict=True)
            }
            return (
                {}
                if None in positions.values()
                else {word: int(position or 0) for word, position in positions.items()}
            )
    points = points_of(different)
    if points and len(points) == len(different):
        return {word: int(point) - 1 for word, point in points.items()}
    for first in (0, 1, -1):
        numbers = [f"{number:g}" for number in range(first, first + len(set(plain_words)))]
        if len(different) > 1 and sorted(set(plain_words)) == sorted(numbers):
            return {word: numbers.index(plain) for word, plain in zip(different, plain_words, strict=True)}
    return {}


OPTION = (
    "options?|systems?|models?|lists?|responses?|answers?|outputs?|summary|summaries|choices?|candidates?|"
    "assistants?|versions?|texts?|translations?|images?|results?|items?|samples?|ones?|sides?|sentences?|story|stories|"
    "captions?|clips?|videos?|dialog(ue)?s?|arguments?"
)
DEGREE = "much|far|slightly|somewhat|abit|alittle|clearly|definitely|significantly|strongly"
PREFERRED = "better|best|preferred|chosen|selected|won|wins|win|winner|superior|morerelevant"
GOOD = "good|great|fine|ok|okay|relevant|correct|acceptable|useful"
BAD = "bad|poor|wrong|terrible|irrelevant|notrelevant|notgood|incorrect|unacceptable|useless"
ALIKE = "equal|equally|same|thesame|similar|alike|tie|ties|tied|draw|equivalent|comparable"


def _position(words: str) -> str:
    preferred = f"(i)?({DEGREE})?(prefer|choose|chose|pick|select)?"
    better = f"(is|are|was|looks|seems)?({DEGREE})?(the)?({PREFERRED})?(than.*)?"
    return f"{preferred}(the)?({OPTION})?({words})({OPTION})?{better}"


_BOTH_ARE = f"(tie)?(both|all|theyare)?({OPTION})?(are)?"
SIDES = (
    _position("a|1|1st|first|l|left|top|upper"),
    _position("b|2|2nd|second|r|right|bottom|lower"),
    f"both({OPTION})?|(tie)?(both|all)({OPTION})?(are)?(equally)?({GOOD})|({OPTION})?(are)?equally({GOOD})",
    f"none|nothing|neither({OPTION})?|(neither|none)({OPTION})?(is|are)?({GOOD})|"
    f"{_BOTH_ARE}(equally)?({BAD})|(neither|none)of(them|the({OPTION})|both|these)",
    f"{_BOTH_ARE}(about|roughly|nearly)?({ALIKE})|(neither|none)({OPTION})?(is|are)?better|"
    "no(clear|real)?(difference|preference|winner)|evens?",
)
"""Patterns of the words for each side, by its code: 0 the first option, 1 the second, 2 both, 3 neither, 4 a tie."""


def is_side(word: str) -> bool:
    """Return True for a word that says which of two options was chosen, or that both or none were."""
    return any(re.fullmatch(side, plain_word(word)) for side in SIDES)


CHOICE_NUMBERS = ("1 and 2", "0 and 1", "1 and 0", "-1 and 1", "1 and -1")
"""Numbers for the first and the second option; a tie is the number halfway between them, or 0 where it is
neither of them. No other number is understood."""


def side_sql(choice: str, option_a: str, option_b: str, numbers: str = CHOICE_NUMBERS[0]) -> str:
    """Return SQL for the code of the chosen side, NULL for an unknown value."""
    first, second = numbers.split(" and ")
    tie = f"WHEN {(int(first) + int(second)) / 2} THEN 4 "
    tie += "" if "0" in (first, second) else "WHEN 0 THEN 4 "
    normalized, number = _normalize(choice), f"try_cast({choice} AS DOUBLE)"
    words = " ".join(
        f"WHEN regexp_full_match({normalized}, '{words}') THEN {code}" for code, words in enumerate(SIDES)
    )
    return (
        f"CASE WHEN {choice} = {option_a} THEN 0 WHEN {choice} = {option_b} THEN 1 "
        f"WHEN {number} IS NOT NULL THEN CASE {number} WHEN {first} THEN 0 WHEN {second} THEN 1 {tie}END "
        f"WHEN {normalized} = '' THEN NULL WHEN {normalized} = {_normalize(option_a)} AND {normalized} <> "
        f"{_normalize(option_b)} THEN 0 "
        f"WHEN {normalized} = {_normalize(option_b)} AND {normalized} <> {_normalize(option_a)} THEN 1 {words} END"
    )


def _normalize(text: str) -> str:
    return f"regexp_replace(lower({text}), '[^\\p{{L}}\\p{{N}}]', '', 'g')"


ANSWERS = "RPIN"
"""The letter of each answer, at its code."""
WORDS = {
    "R": "relevant fullyrelevant fully full completelyrelevant complete correct right found yes",
    "P": "partiallyrelevant partial partially partlyrelevant partly partiallycorrect partlycorrect "
    "somewhatrelevant half incomplete",
    "I": "irrelevant totallyirrelevant notrelevant nonrelevant unrelated wrong incorrect different",
    "N": "notfound nofound unfound missing noanswer unanswered notanswered unanswerable notthere notpresent "
    "notmentioned none absent no",
}
ANSWER_NUMBERS = ("3 2 1 0", "0 1 2 3", "1 2 3 4", "4 3 2 1")
"""Numbers that may stand for R, P, I and N, in this order."""

RELEVANT = "relevant r rel yes y true t 1 positive"
NOT_RELEVANT = "notrelevant n nr irrelevant nonrelevant unrelated i no false f 0 negative"


def answer_sql(answer: str, numbers: str = ANSWER_NUMBERS[0]) -> str:
    """Return SQL for the answer R, P, I or N, NULL for an unknown value."""
    words = " ".join(
        f"WHEN {_normalize(answer)} IN ({_list_words(_spellings(letter, words))}) THEN '{letter}'"
        for letter, words in WORDS.items()
    )
    cases = " ".join(
        f"WHEN {number} THEN '{letter}'" for letter, number in zip(ANSWERS, numbers.split(), strict=True)
    )
    number = f"try_cast({answer} AS DOUBLE)"
    return (
        f"CASE WHEN {answer} IN ({_list_words(ANSWERS)}) THEN {answer} "
        f"WHEN {number} IS NOT NULL THEN CASE {number} {cases} END {words} END"
    )


def judgment_sql(judgment: str) -> str:
    """Return SQL for 1 if relevant, 0 if not relevant, NULL for an unknown value."""
    number = f"try_cast({judgment} AS DOUBLE)"
    return (
        f"CASE WHEN {number} IS NOT NULL THEN CASE WHEN {number} IN (0, 1) THEN {number} END "
        f"WHEN {_normalize(judgment)} IN ({_list_words(RELEVANT.split())}) THEN 1.0::DOUBLE "
        f"WHEN {_normalize(judgment)} IN ({_list_words(NOT_RELEVANT.split())}) THEN 0.0::DOUBLE END"
    )


def is_understood(type: str, cell: str) -> bool:
    """Return True where a cell may be an "answer" or a "judgment": one of the words for it, or a number; "labels" may
    be any."""
    if type == "labels":
        return True
    plain = "".join(c for c in cell.casefold() if c.isalnum())
    if type == "answer":
        return plain in ["0", "1", "2", "3", "4"] or any(
            plain in _spellings(letter, words) for letter, words in WORDS.items()
        )
    return plain in (*RELEVANT.split(), *NOT_RELEVANT.split())


def _spellings(letter: str, words: str) -> list[str]:
    """Return a letter, its words, and both together, as in "R - relevant"."""
    plain = letter.lower()
    return [plain, *words.split(), *(plain + word for word in words.split())]


def _list_words(words: "list[str] | str") -> str:
    return ", ".join(f"'{word}'" for word in words)
