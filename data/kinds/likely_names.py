# ruff: noqa: SIM905 - lists of words read better as words
"""Evidence in names of columns and in values: whether they look like raters, items or measures."""

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from data.kinds.kind import ATTRIBUTES, ITEM, RATER
from data.kinds.names import levels_of, plain_name

MEASURES = frozenset(
    (
        "conciseness reverb acceptability intensity honesty "
        "quality overallquality overall overallscore overallimpression impression fluency adequacy coherence cohesion "
        "consistency relevance naturalness intelligibility readability grammaticality grammar informativeness "
        "faithfulness factuality accuracy correctness completeness clarity focus usefulness helpfulness harmlessness "
        "engagement engagingness interestingness diversity creativity style tone politeness safety toxicity similarity "
        "meaning meaningpreservation simplicity structure structureandcoherence nonredundancy redundancy "
        "referentialclarity responsiveness overallresponsiveness likability pleasantness noisiness coloration "
        "discontinuity loudness reverberation sharpness aesthetics comfort valence arousal dominance trust difficulty "
        "effort satisfaction usability realism rating score importance novelty specificity understandability "
        "comprehensibility appropriateness listeningeffort signal background ovrl sig bak expressiveness prosody "
        "expressivity speakersimilarity beauty attractiveness credibility persuasiveness humor empathy "
        "soundness presentation originality contribution significance content organization organisation conventions "
        "wordchoice sweetness bitterness sourness saltiness crunchiness texture aroma flavor flavour taste appearance "
        "liking overallliking sim smos nmos "
        "intent sentiment emotion helpful fluent natural understandable pleasant loud clear believable correct "
        "interesting engaging specific coherent informative grammatical readable likeable "
        "relevanz flussigkeit sprachfluss korrektheit vollstandigkeit nutzlichkeit stil klarheit sprache inhalt "
        "angemessenheit deutlichkeit tonqualitat klangqualitat bildqualitat glaubwurdigkeit prazision genauigkeit "
        "pertinence intelligibilite clarte utilite grammaire precision exactitude naturel qualiteglobale justesse "
        "relevancia inteligibilidad claridad utilidad gramatica precision exactitud coherencia adecuacion cohesion "
        "calidadglobal calidadgeneral legibilidad fluidite comprehensibilite fidelite fidelidad "
        "自然性 清晰度 可懂度 准确性 准确度 完整性 有用性 语法 整体质量 信息量 忠实度 風格 风格 "
        "明瞭さ 明瞭性 了解性 正確さ 正確性 総合品質 総合評価 適切さ 読みやすさ 有用性 文法 わかりやすさ "
        "naturlichkeit verstandlichkeit qualitat gesamtqualitat gesamteindruck lesbarkeit koharenz grammatik "
        "qualite fluidite coherence lisibilite naturel calidad fluidez coherencia legibilidad naturalidad "
        "流畅性 流畅度 连贯性 一致性 相关性 自然度 质量 总体质量 可读性 "
        "coerenza fluidita rilevanza pertinenza naturalezza chiarezza intelligibilita leggibilita qualita accuratezza "
        "correttezza coesione utilita grammatica coerencia fluencia relevancia naturalidade clareza inteligibilidade "
        "legibilidade qualidade precisao correcao coesao utilidade adequacao "
        "品質 全体品質 全体的な品質 音質 画質 流暢さ 流暢性 一貫性 自然さ 関連性 読みやすさ"
    ).split()
)
"""Words for what is judged: letters only, in lower case."""
_BEGINNINGS = frozenset(
    word[:size] for word in MEASURES for size in (3, 4) if len(word) > 5 and word.isascii()
)
"""Abbreviations such as coh and flu, which say nothing alone."""
METRICS = frozenset(
    (
        "mos dmos mean average avg median std sd stdev stddev se sem var variance ci ci95 votes nvotes count n ratings "
        "numratings nratings trustedjudgments total sum agreement percentagreement kappa cohenskappa fleisskappa "
        "icc zscore zscores rouge rouge1 rouge2 rougel bleu meteor chrf bertscore bleurt comet pesq stoi "
        "polqa visqol vmaf psnr ssim wer cer perplexity exactmatch"
    ).split()
)
"""Names of statistics of an item over several ratings, or of computed metrics."""
_COMPUTED = frozenset(
    "majority consensus adjudicated rouge bleu chrf bertscore bleurt comet pesq stoi visqol vmaf psnr ssim".split()
)
"""Words for values computed from ratings, or from the rated items."""
UNATTRIBUTED = frozenset(
    "score scores rawscore raw zscore rating label labels vote votes answer answers majority majorityvote "
    "majoritylabel majoritylabels consensus consensuslabel final finallabel finalscore finalgrade finalmark endnote "
    "gesamtnote difference diff differenz diferencia ecart aggregated aggregatedlabel adjudicated "
    "adjudicatedlabel adjudication resolved resolvedscore mode modelabel".split()
)
"""Names of columns of answers that belong to no single rater or item: the only ones, or derived from others."""
_AGREED = frozenset("final consensus majority adjudicated resolved agreed".split())
_CANDIDATES = frozenset("candidate applicant kandidat kandidatin candidato candidata candidat".split())
_LEARNERS = _CANDIDATES | frozenset(
    "student students pupil pupils patient subject person people learner "
    "schuler schulerin studierende studierender patientin alumno alumna estudiante "
    "paciente eleve etudiant etudiante patiente aluno aluna studente alunno".split()
)
_TEACHERS = frozenset(
    "teacher instructor lecturer tutor trainer doctor physician nurse therapist "
    "lehrer lehrerin lehrkraft dozent dozentin arzt arztin profesor profesora maestro maestra medico docente "
    "professeur enseignant enseignante medecin infirmier infirmiere professor professora insegnante".split()
)
_MAY_BE_RATED = _LEARNERS | _TEACHERS
"""Words for raters that are words for those who are rated as well."""
MEANS = frozenset(
    (
        "average|averages|avg|mean|means|total|totals|sum|median|mean score|total score|average score|grand total|"
        "total average|overall average|overall mean|average rating|mean rating|"
        "mittelwert|mittel|durchschnitt|summe|gesamt|moyenne|somme|promedio|media|totale|média|soma|平均|平均值|平均値|合计|合計|总计|总分"
    ).split("|")
)
"""Names of rows of means or sums in spreadsheets, in lower case: of no rater."""
SUMMARIES = MEANS | frozenset(
    (
        "sd|std|std dev|std. dev.|st. dev.|stdev|standard deviation|standardabweichung|écart-type|desviación estándar|"
        "标准差|標準偏差|variance|kappa|cohen's kappa|fleiss' kappa|fleiss kappa|krippendorff's alpha|icc|agreement|"
        "% agreement|percent agreement"
    ).split("|")
)
"""Names of these and of other rows below a table of ratings, in lower case: of no item of a wide table."""
_LENGTHS = frozenset(
    "length len words wordcount nwords numwords tokens ntokens characters chars nchars letters syllables sentences "
    "bytes duration dauer duree duracion worter zeichen buchstaben silben mots caracteres palabras letras".split()
)
"""Names of lengths, which are no ratings with a number after them either."""
SURENESS = frozenset(
    "confidence certainty confiance certitude confianza certeza confidenza confianca 置信度 "
    "自信度 確信度".split()
)
"""Names of how sure raters are, which is an answer only where nothing else is."""
ABOUT = frozenset(
    (
        *ATTRIBUTES,
        *_LENGTHS,
        *SURENESS,
        *(
            "age alter edad year jahr birthyear seconds secs ms rt time trial trialindex "
            "order position index row seq idx offset "
            "rowid rownumber number no nr batch block session round repetition page version seed temperature "
            "probability prob logprob experience yearsofexperience height width size "
            "fps bitrate kbps khz hz db snr price cost "
            "payment payoff reward approvals approvalrate latitude longitude zip plz beginning ending "
            "ingroup insubsession roundnumber timespent timetaken"
        ).split(),
    )
)
"""Names of numbers that are no ratings: about raters, items or the course of a study."""
_RATER_WORDS = frozenset(
    (
        *RATER,
        *"rtr vp pp ann anno obs subj rad person people crowd lab expert novice student native crowdworker".split(),
        *"turk mturk cw".split(),
        *"experte experten expertin laie person persona personne persone pessoa 人 人员 者".split(),
        *"physio physiotherapist surgeon pathologist dentist psychologist developer programmer "
        "interviewer inspector linguist critic verifier voter lis slp".split(),
        *_TEACHERS,
    )
)
_GROUPS = frozenset("crowd lab turk mturk cw expert novice student native crowdworker".split())
"""Words for raters that are groups of them as well."""
GROUPS = frozenset(
    "crowd crowdsourcing lab laboratory labor expert experts turk turker turkers mturk amt worker workers student "
    "students novice novices layperson laypersons human humans llm judge judges prolific appen toloka client clients "
    "teacher teachers clinician clinicians patient patients".split()
)
"""Words for groups of raters."""
_MODELS = frozenset(
    "llm gpt chatgpt openai claude gemini llama mistral mixtral qwen deepseek palm prometheus ai bot machine automatic "
    "autorater ki ia".split()
)
"""Words for models that rate as people do."""
_SYSTEMS = frozenset(
    "sdxl stablediffusion dalle midjourney deepl google googletranslate bing pegasus tacotron fastspeech wavenet "
    "hifigan waveglow vits copilot "
    "proposed proposedmethod proposedmodel proposedsystem ours ourmodel ourmethod".split()
)
"""Names of systems that people compare, and words for those of a paper."""
_GRADES = frozenset("grade grades mark marks note noten nota notas voto punteggio".split())
"""Names of what teachers give to students."""
_PEOPLE = frozenset("human humans people mensch menschen humain humano reference".split())
"""Words for people beside a model."""
_GIVEN = frozenset(
    "rating ratings score scores label labels vote votes judgment judgments judgement judgements answer answers "
    "verdict verdicts annotation annotations eval evaluation grade grades decision choice choices guess "
    "bewertung urteil notation puntuacion valoracion".split()
)
"""Words for a rater's answer, beside the name of the rater."""
_JUDGES = frozenset("judge judges model".split())
"""Words for models where there are people beside them."""
_PLATFORMS = frozenset("amt mturk turk prolific toloka appen crowdflower".split())
"""Words before those for raters: amt_worker_ids."""
_JUDGED = frozenset("judge judges eval evaluator scorer reward base".split())
"""Words beside which a model is no system whose output was rated."""
_AFTER = re.compile(rf"([ _.:-]+({'|'.join(sorted(_GIVEN))}))?[ _.#:-]*$", re.IGNORECASE)
_LETTERED = re.compile(rf"(.*(?:[ _][A-Za-z]|[A-Za-z]\d+))[ _](?:{'|'.join(sorted(_GIVEN))})", re.IGNORECASE)
"""A name with a letter or number before a word for an answer, such as judge_a_rating."""
_AFTER_GIVEN = re.compile(rf"(?:{'|'.join(sorted(_GIVEN))})[ _.-]+(?=[A-Za-z]\w)", re.IGNORECASE)
"""A word for an answer before a name, such as that of annotation_r1."""
_LETTERS = frozenset("rpsajuwl")
"""Letters that may stand for raters, before a number, or for anything else."""
_ITEM_WORDS = frozenset(
    (
        *ITEM,
        "case",
        *"q question statement stimulus clip image img picture photo sound audio video summary text row doc".split(),
        *"frage bild clip satz aussage pregunta imagen frase question phrase texte pair domanda testo texto ".split(),
        *"问题 题目 質問 問 样本 サンプル".split(),
    )
)
ITEM_PARTS = frozenset(
    (
        *ITEM,
        *(
            "question recordid doc docname docnumber page hit hitid summary summaryid textid prompt "
            "promptid source src sourceid sent sentid product productid docno "
            "sid seg segment segnr segno sentence line turn passage passageid story "
            "storyid article tweet tweetid post comment review paper abstract essay poem word "
            "articleid scan caseid photo picture pictureid "
            "trackid track song songid scene hrc pvs dialog dialogue dialogid "
            "utt uttid chat chatid patch commit conversation conversationid query queryid responseid dish wine essayid "
            "paperid contestant report reportid pair pairid instance instanceid visit visitid slide slideid specimen "
            "case station stim img wav recording example exampleid uid"
        ).split(),
    )
)
"""Names of columns that name an item, or a part of its name."""
_SLOT = re.compile(
    r"(.*[^a-z])?(slot|rating|vote|score|label|answer|rep|repetition|judge?ment|annotation|opinion|value|r|a|v|j)"
    r"[ _.-]?\d+",
    re.IGNORECASE,
)
STRICT = frozenset("score vote votes mos opinionscore bewertung note puntuacion 评分 評点".split())
"""Names of the one column of ratings, beside which another is a measure only where its name says so."""
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_PLATFORM = re.compile(r"(?=.*\d)(?=.*[A-Z])[0-9A-Z]{8,16}|[0-9a-f]{24}")
_NUMBERED = re.compile(r"(.*?)([ _.#:-]*\d+|[ _.#:-]+[A-Za-z]|(?<=[a-z])[A-Z])")
"""A name with a number, or a letter such as that of Rater A."""
_FILE = re.compile(
    r".*\.(wav|mp3|flac|ogg|m4a|mp4|avi|mkv|mov|webm|yuv|png|jpe?g|gif|bmp|txt|json)", re.IGNORECASE
)
_URL = re.compile(r"(https?://|www\.)\S+", re.IGNORECASE)
_TITLED = re.compile(
    r"(?!M[RS][_ ])(?i:(mrs?|ms|miss|dr|prof|herr|frau|mme|mlle|sra|srta|dra)[._ ]+|(m|hr|fr|sr)\. +)"
    r"[A-ZÀ-ÖØ-Þ]['’]?\w*[a-zß-öø-ÿ].*"
)
"""A name after a title, such as Dr. Smith; none after MR, of magnetic resonance, or MS."""
_FIRST_NAME = re.compile(r"[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ]+(?:[ -][A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ.]*)?")
_TRAP = re.compile(
    r"(?i).*(trap|attention|gold|control|check|catch|honeypot).*|(.*[^a-z])?rank(ing|ed)?([^a-z].*)?"
)
_PERSONAL = re.compile(
    r"(?i).*\b(your|ihr|ihre|votre|tu|su|vos) (age|alter|âge|edad|gender|geschlecht|sex|sexe|sexo|country|land|pays|"
    r"native language|muttersprache|education|occupation|beruf)\b.*|.*\b(how old|wie alt|quel âge|cuántos años|"
    r"years old|years of experience)\b.*|.*(年龄|年齢|性别|性別).*"
)
_UNIT = re.compile(r"\s*[(\[][^)\]]*[)\]]\s*$")
_RANGE = re.compile(r"\s*[(\[]?\s*(\d+\s*(-|–|to|bis|à|a)\s*|/\s*)\d+\s*[)\]]?\s*$")
"""The ends of a scale after a name: Naturalness (1-5)."""
_PART = re.compile(r".*\S\s*\[.+\]")
_INITIALS = re.compile(r"[A-Z]{2,3}")
_ASKS = re.compile(
    r"(?i)(please|bitte|how|wie|welche|rate|bewerten|evaluate|évaluez|veuillez|evalúe|puntúe|notez|comment|quelle?|"
    r"por favor|califique|indique|what|which|who|was|qué|cuál)\b.*\S|[请請¿].*|.*(してください|ください|[?？]).*"
)


_LONGEST = 300
"""Characters of a name that are looked at: searches for its end take the square of its length."""
_MOST_WORDS = 5
"""Words of a name; what has more is a statement or a question."""
_SENTENCE = re.compile(r"(?=.*[a-z])[^\s\[(]+( [^\s\[(]+){4,}")
"""Statements, to which people agree."""
_DATE = re.compile(r"( \d+){2,}(?= |$)")
"""Several numbers among the words of a name, such as those of a date, which make no sentence."""
_TOKEN = re.compile(r"[A-Z]+(?![^\W\d_A-Z])|[A-Z]?[^\W\d_A-Z]+|\d+")
_FILLERS = frozenset(
    "id ids name pseudonym code initials number nr no key hash email anon anonymous anonymized heard shown file path "
    "url title label".split()
)
_BEGIN_ABOUT = frozenset("age order times duration reaction file index year previous prev start end".split())
"""First words of names such as ageListener and orderPlayed."""
FIRST_NAMES = frozenset(
    (
        *Path(__file__).with_name("first_names.txt").read_text(encoding="utf-8").split(),
        *"mum mom mummy dad daddy gran granny grandma grandpa grandad".split(),
    )
)
"""Common first names, and what people call their parents, in lower case."""
_ORDINARY = frozenset("angel bill dev flora grace joy mark max pat ray rose will".split())
"""First names that are ordinary words, which may be rated."""


@lru_cache(maxsize=4096)
def tokens_of(name: str) -> frozenset[str]:
    """Return the words of a name, in lower case, without those that only say that it is an id."""
    return frozenset(map(plain_name, _TOKEN.findall(name[:_LONGEST]))) - _FILLERS


def is_called_rater(name: str) -> bool:
    """Return True for a name such as listener_pseudonym or nameListener."""
    words = tokens_of(name)
    words = words - _PLATFORMS if len(words) > 1 else words
    return len(words) == 1 and words <= _RATER_WORDS | _LEARNERS - _CANDIDATES


def are_called_raters(name: str) -> bool:
    """Return True for the name of a list of raters, such as annotators_ids or workers."""
    words = {word.removesuffix("s") for word in tokens_of(name)}
    return bool(words) and words <= {*RATER}


def is_called_item(name: str) -> bool:
    """Return True for a name such as sample_heard, clipName or text_id_kaggle."""
    words = [token.casefold() for token in _TOKEN.findall(name[:_LONGEST])]
    if "id" in words[1:]:
        word = words[words.index("id", 1) - 1]
        return word != "id" and not ITEM_PARTS.isdisjoint((word, f"{word}id"))
    tokens = tokens_of(name)
    return plain_name(name) in ITEM_PARTS or (len(tokens) == 1 and tokens <= ITEM_PARTS)


def ends_as_id(name: str) -> bool:
    """Return True for a name such as segment_id or SegmentID."""
    return [token.casefold() for token in _TOKEN.findall(name[:_LONGEST])[1:]][-1:] == ["id"]


def is_called_system(name: str) -> bool:
    """Return True for a column of names of systems, such as sys_name or t2i_model, without words for raters or answers.

    `is_system` is for the name of one system, such as GPT-4.
    """
    words = [token.casefold() for token in _TOKEN.findall(name[:_LONGEST])]
    while words and words[-1] in ("id", "name", "version"):
        words.pop()
    return (
        bool(words)
        and words[-1] in ("system", "sys", "model")
        and not {*words} & (_RATER_WORDS | _GIVEN | _JUDGED)
    )


_OF_ANCHORS = {
    *"anchor anchors hidden low mid middle high range quality lp lpf lowpass pass k khz hz kbps".split()
}
"""Words that names of anchors hold beside numbers."""
_LOW_PASS = re.compile(
    r"(lpf?|lowpass(filter)?)(35|3[.,]5|3500|70?|7[.,]0|7000)(k|khz|hz)?"
    r"|(lpf?|lowpass(filter)?)?((3[.,]5|7([.,]0)?)khz|(3500|7000)hz)"
)
"""Names of the anchors of BS.1534-3, low-pass filtered at 3.5 and 7 kHz, without blanks and dashes."""


def control_of(name: str) -> str:
    """Return "reference" or "anchor" for the name of a control of a listening test, or of its kind; "" for another.

    The name of a person's output, such as refA or reference 2, is none, nor is that of a method, such as anchor text.

    >>> [control_of(name) for name in ("hidden_ref", "Reference", "anchor35", "lowAnchor", "refA", "anchor text")]
    ['reference', 'reference', 'anchor', 'anchor', '', '']
    >>> [control_of(name) for name in ("mid anchor", "anchoring-v2", "hidden_ref v2")]
    ['anchor', '', '']
    """
    tokens = tokens_of(name)
    if tokens & {"anchor", "anchors"} and all(token in _OF_ANCHORS or token.isdecimal() for token in tokens):
        return "anchor"
    names_reference = tokens & {"ref", "reference"} and tokens <= {"ref", "reference", "hidden", "condition"}
    return "reference" if names_reference or plain_name(name) in ("hiddenref", "hiddenreference") else ""


def is_low_pass(name: str) -> bool:
    """Return True for a name of a low-pass filter of BS.1534-3, which is an anchor beside a hidden reference.

    >>> [is_low_pass(name) for name in ("LP35", "LP70", "3.5 kHz", "7 kHz", "lowpass 3500 Hz", "LPC10", "14 kHz")]
    [True, True, True, True, True, False, False]
    """
    return _LOW_PASS.fullmatch(re.sub(r"[\s_-]", "", name[:_LONGEST].casefold())) is not None


def is_mid_range(name: str) -> bool:
    """Return True for the name of an anchor that says middle or 7 kHz, the mid-range anchor of BS.1534-3.

    >>> [is_mid_range(name) for name in ("mid anchor", "anchor70", "LP7000", "7 kHz", "anchor35", "lowAnchor")]
    [True, True, True, True, False, False]
    >>> [is_mid_range(name) for name in ("anchor", "anchor 7.0 kHz", "anchor 10 kHz", "anchor 7.5 kHz")]
    [False, True, False, False]
    """
    tokens = tokens_of(name)
    numbers = {token for token in tokens if token.isdecimal()}
    return bool(tokens & {"mid", "middle"}) or (
        bool(numbers & {"7", "70", "7000"}) and numbers <= {"7", "0", "70", "7000"}
    )


def share_matching(names: Sequence[str], test: "re.Pattern[str]") -> float:
    """Return the share of the names that fully match."""
    return sum(test.fullmatch(name.strip()[:_LONGEST]) is not None for name in names) / max(len(names), 1)


def share_titled(names: Sequence[str]) -> float:
    """Return the share of names with a title, such as Dr. Smith or Mme Roy."""
    return share_matching(names, _TITLED)


def are_files(names: Sequence[str]) -> bool:
    """Return True where all names are those of files."""
    return share_matching(names, _FILE) == 1


@lru_cache(maxsize=4096)
def _stem(name: str) -> str:
    bare = _LETTERED.sub(r"\1", _AFTER_GIVEN.sub("", name.strip()[:_LONGEST]))
    match = _NUMBERED.fullmatch(bare.rstrip(".:?!"))
    return plain_name(match[1]) if match else ""


def look_like_raters(names: Sequence[str]) -> float:
    """Return a score from 0 to 1 of names as those of raters, or of their groups."""
    roles = sum(
        {plain_name(name), _stem(name)} & _RATER_WORDS != set() or is_rater(name) for name in names
    ) / max(len(names), 1)
    return max(look_like_people(names), roles, 0.9 * (_are_called_by_name(names) or _are_counted(names)))


_JUDGING = frozenset(
    "judge rater reviewer annotator coder grader juror panelist assessor evaluator examiner referee radiologist "
    "juez jueza jurado juge bewerter prufer gutachter giudice juiz".split()
)
"""Words for raters before their names; others, such as user and listener, precede attributes of them."""


def _are_called_by_name(names: Sequence[str]) -> bool:
    """Return True for a word for raters and the name of each, such as Judge Ortiz and Judge Shah, or coder_AM."""
    split = [re.split("[ _]", name.strip()[:_LONGEST]) for name in names]
    if len(split) < 2 or any(len(words) != 2 for words in split):
        return False
    if not all(_FIRST_NAME.fullmatch(own) or is_abbreviation(own) for _, own in split):
        return False
    first, last_words = {plain_name(words[0]) for words in split}, [words[1] for words in split]
    have_one_title = len(first) == 1 and first <= _JUDGING and len({*last_words}) == len(last_words)
    return have_one_title and not any(
        is_about(name) or plain_name(name) in MEASURES | _GIVEN for name in last_words
    )


_ORDINALS = frozenset(
    "one two three four five six first second third fourth fifth sixth i ii iii iv v vi erste zweite dritte vierte "
    "erster zweiter dritter vierter premier deuxieme troisieme quatrieme primer primero segundo tercero primo secondo "
    "terzo primeiro terceiro".split()
)
_CODED = frozenset(("text", "code", "coding", "result"))
"""Words for what a rater gives that may mean other things alone."""


def _are_counted(names: Sequence[str]) -> bool:
    """Return True for names with a word for raters that differ in a number, letter or ordinal, or in initials if there
    are more than two, such as Coder1Text, first_rater and expert_AK, and have no further meaning."""
    split = [_TOKEN.findall(name[:_LONGEST]) for name in names]
    if len(split) < 2 or len({*map(len, split)}) > 1:
        return False
    places = [{*words} for words in zip(*split, strict=True)]
    own = [words for words in places if len(words) > 1]
    shared = {plain_name(word) for words in places if len(words) == 1 for word in words}
    if len(own) != 1 or len(own[0]) < len(names) or not shared & _RATER_WORDS:
        return False
    are_counted = all(word.isdecimal() or len(word) == 1 or plain_name(word) in _ORDINALS for word in own[0])
    are_initials = len(names) > 2 and all(map(is_abbreviation, own[0]))
    last_words = {plain_name(words[-1]) for words in split}
    if last_words <= _JUDGING and len(places) == 2:  # main reviewer and second reviewer
        return MEANS.isdisjoint(map(str.casefold, own[0]))
    return (are_counted or are_initials) and shared <= _RATER_WORDS | _GIVEN | _FILLERS | _CODED


@lru_cache(maxsize=4096)
def is_rater(name: str) -> bool:
    """Return True for a name of words for raters or models, such as llm_judge, gpt-4o or human_label_2."""
    words = _words_of(name)
    if _LETTERED.fullmatch(name.strip()[:_LONGEST]):  # judge_a_rating
        words = frozenset(word for word in words if len(word) > 1) or words
    rater_words = _RATER_WORDS | _PEOPLE | _JUDGES
    is_person = bool(words & _RATER_WORDS) and words <= rater_words | FIRST_NAMES  # rater_lena
    return bool(words) and (is_model(name) or words <= rater_words or is_person)


def has_rater_word(name: str) -> bool:
    """Return True where one of the words of a name is one for raters, as in rater1_domain1."""
    return bool(tokens_of(name) & _RATER_WORDS)


def is_unattributed(name: str) -> bool:
    """Return True for a name whose last word marks an answer of no single rater, such as domain1_score, or whose first
    one an answer of all, such as Final decision."""
    words = [token.casefold() for token in _TOKEN.findall(name[:_LONGEST])]
    return bool(words) and (words[-1] in UNATTRIBUTED or words[0] in _AGREED)


def may_be_rated(name: str) -> bool:
    """Return True for a name such as StudentID, of people who rate or are rated."""
    words = tokens_of(name)
    return bool(words) and words <= _MAY_BE_RATED


def is_graded(name: str) -> bool:
    """Return True for a name such as Student, of people who get grades from others."""
    words = tokens_of(name)
    return bool(words) and words <= _LEARNERS


def may_be_rated_by_rows(columns: Sequence[str]) -> bool:
    """Return True for columns of teachers, whom rows such as students may have graded as well as the other way."""
    return all(tokens_of(name) & _TEACHERS or _TITLED.fullmatch(name[:_LONGEST]) for name in columns)


def is_grade(name: str) -> bool:
    """Return True for a name of what a teacher gives to a student."""
    return plain_name(name) in _GRADES


def is_system(name: str) -> bool:
    """Return True for the name of a system that people compare, perhaps with a version, such as DeepL or GPT-4.

    >>> [is_system(name) for name in ("Proposed", "DALL-E 3", "HiFi-GAN v1", "gpt-4o", "Fluency", "binge")]
    [True, True, True, True, False, False]
    """
    return is_model(name) or plain_name(name).rstrip("0123456789").removesuffix("v") in _SYSTEMS


def is_model(name: str) -> bool:
    """Return True for the name of a model that rates, such as llm_judge or gpt-4o."""
    return bool(_words_of(name) & _MODELS) and look_like_items([name]) == 0


def is_beside_model(name: str) -> bool:
    """Return True for the name of a rater that says that it is a person or a model."""
    return is_model(name) or bool(_words_of(name) & _PEOPLE)


@lru_cache(maxsize=4096)
def _words_of(name: str) -> frozenset[str]:
    """Return the words of a name without those for what a rater gives, and without numbers."""
    return frozenset(word for word in tokens_of(name) if not word.isdecimal()) - _GIVEN


def _is_first_name(name: str) -> bool:
    """Return True for a first name, alone or beside a word for what a rater gives, such as score_anna."""
    words = _words_of(name)
    return plain_name(name) in FIRST_NAMES or (len(words) == 1 and words <= FIRST_NAMES - _ORDINARY)


def _is_full_name(name: str) -> bool:
    """Return True for a first name with a last name, such as Anna Rossi."""
    first, space, _ = name.strip()[:_LONGEST].partition(" ")
    return (
        bool(space) and plain_name(first) in FIRST_NAMES and _FIRST_NAME.fullmatch(name.strip()) is not None
    )


def is_called_answer(name: str) -> bool:
    """Return True for a name of nothing but words for answers, such as Decision."""
    words = tokens_of(name)
    return bool(words) and words <= _GIVEN


def are_groups(names: Sequence[str]) -> bool:
    """Return True where all names are words for groups of raters, such as crowd and lab."""
    return len(names) > 1 and all(plain_name(name) in GROUPS for name in names)


def groups_of(names: Sequence[str]) -> tuple[str, ...]:
    """Return the groups of raters that are named by their group and a number, or are people and models; none unless
    there are several.

    >>> groups_of(["crowd 1", "crowd 2", "lab 1"]), groups_of(["human_1", "human_2", "gpt4"]), groups_of(["ann", "bob"])
    (('crowd', 'crowd', 'lab'), ('human', 'human', 'gpt4'), ())
    """
    upper = tuple(level for level, _ in levels_of(names))
    if are_groups([*{*upper}]):
        return upper
    matches = [_NUMBERED.fullmatch(name.strip()[:_LONGEST]) for name in names]
    with_people = any(_words_of(name) & _PEOPLE for name in names)
    models = [
        is_model(name) or (with_people and bool(_words_of(name)) and _words_of(name) <= _JUDGES)
        for name in names
    ]
    if any(models) and not all(models):
        stems = {
            _AFTER.sub("", match[1] if match else name[:_LONGEST])
            for name, match, model in zip(names, matches, models, strict=True)
            if not model
        }
        people = stems.pop() if len(stems) == 1 else "people"
        return tuple(
            _AFTER.sub("", name[:_LONGEST]) or name if model else people
            for name, model in zip(names, models, strict=True)
        )
    groups = tuple(match[1].strip() for match in matches if match and plain_name(match[1]) in _GROUPS)
    return groups if len(groups) == len(names) and len(set(groups)) > 1 else ()


def look_like_people(names: Sequence[str]) -> float:
    """Return a score from 0 to 1 of names as those of individual people."""
    if not names:
        return 0.0
    measures, items = look_like_measures(names), look_like_items(names)
    ids = max(share_matching(names, _EMAIL), share_matching(names, _PLATFORM))
    numbered = sum(_stem(name) in _RATER_WORDS - _GROUPS for name in names) / len(names)
    lettered = 0.55 * sum(_stem(name) in _LETTERS for name in names) / len(names)
    first_name_share = sum(plain_name(name) in FIRST_NAMES or _is_full_name(name) for name in names) / len(
        names
    )
    initials = 0.7 * share_matching(names, _INITIALS) if max(measures, items) < 0.5 else 0.0
    named = 0.9 if first_name_share >= 0.5 or sum(map(_is_first_name, names)) > 0.5 * len(names) else 0.0
    return max(ids, numbered, lettered, named, initials, 0.95 * share_titled(names))


def are_lettered(names: Sequence[str]) -> bool:
    """Return True for a letter with numbers, such as S1 and S2, that may stand for raters or for anything else."""
    return bool(names) and all(_stem(name) in _LETTERS - {*"raj"} for name in names)


def look_like_items(names: Sequence[str]) -> float:
    """Return a score from 0 to 1 of names as those of rated items."""
    if not names:
        return 0.0
    numbered = sum(_stem(name) in _ITEM_WORDS for name in names) / len(names)
    sentences = 0.7 * share_matching([_DATE.sub("", name[:_LONGEST]) for name in names], _SENTENCE)
    return max(
        numbered,
        share_matching(names, _FILE),
        share_matching(names, _URL),
        share_matching(names, _ASKS),
        sentences,
    )


def look_like_measures(names: Sequence[str]) -> float:
    """Return the share of names that are words for what is judged, or of several short ones that begin such words."""
    are_short = len({*names}) > 1 and all(name.isalpha() and len(name) in (3, 4) for name in names)
    if are_short and all(name.casefold() in _BEGINNINGS for name in names):
        return 1.0
    return sum(_is_measure(name) for name in names) / max(len(names), 1)


@lru_cache(maxsize=4096)
def _is_measure(name: str) -> bool:
    name = _RANGE.sub("", name[:_LONGEST])
    words = {word for word in tokens_of(name) if not word.isdecimal()}
    is_given = bool(words & {"rating", "score"}) and len(words) > 1 and "complete" not in words
    field = name.rpartition(".")[2]  # of a field in an object
    return not MEASURES.isdisjoint((plain_name(name), plain_name(field))) or (
        is_given and not is_rater(name) and not _is_first_name(name)
    )


def hold_measures(names: Sequence[str]) -> bool:
    """Return True where a statement holds a word for what is judged, or a name is the beginning of one.

    A word alone may be anything, as natural speech is called Natural beside systems.

    >>> hold_measures(["The voice is pleasant", "I like it"]), hold_measures(["nat", "sym"]), hold_measures(["Natural"])
    (True, True, False)
    """
    return any(
        (len(name.split()) > 2 and tokens_of(name) & MEASURES) or name.casefold() in _BEGINNINGS
        for name in names
    )


def is_personal(name: str) -> bool:
    """Return True for a personal attribute or question, such as gender or "How old are you?"."""
    return plain_name(name) in ATTRIBUTES or _PERSONAL.fullmatch(name) is not None


TIMES = frozenset("time sec secs seconds ms rt duration dauer zeit duree tiempo duracion durata".split())


def is_called_time(name: str) -> bool:
    """Return True for names such as response time, time_on_task or t_ms, unlike time pressure."""
    words = {token.casefold() for token in _TOKEN.findall(name[:_LONGEST])}
    return bool(words & TIMES) and "pressure" not in words


_OF_RESPONDENT = re.compile(r"how (?:many|old|long)\b.*\b(?:have|are) you\b", re.IGNORECASE)
"""Questions about the respondents, such as how many films they have seen."""


def is_about(name: str) -> bool:
    """Return True for names of numbers that are not ratings."""
    words = [token.casefold() for token in _TOKEN.findall(name[:_LONGEST])]
    # not of a sentence
    last = [*words[-1:], "".join(words[-2:])] if len(name.split()) <= _MOST_WORDS else []
    last = [] if len(words) == 2 and name.endswith("N") else last  # MOS_N, of naturalness
    unit = _UNIT.search(name[:_LONGEST])
    of_rater = unit is not None and look_like_raters([unit[0].strip(" ()[]")]) >= 0.5  # cost (Coder A)
    forms = {plain_name(name), plain_name(name if of_rater else _UNIT.sub("", name)), *last}
    begins_about = (
        " " not in name and bool(words) and words[0] in _BEGIN_ABOUT and (len(words) > 1 or words[0] != "n")
    )
    is_known_word = bool(forms & (METRICS | ABOUT)) or bool({*words} & _COMPUTED) or _stem(name) in _LENGTHS
    begins_about |= _OF_RESPONDENT.match(name) is not None
    return is_known_word or begins_about or is_personal(name) or _TRAP.fullmatch(name) is not None


def is_abbreviation(name: str) -> bool:
    """Return True for two or three capital letters."""
    return _INITIALS.fullmatch(name.strip()[:_LONGEST]) is not None


def is_slot(name: str) -> bool:
    """Return True for a name that numbers the ratings of an item and identifies no person."""
    return _SLOT.fullmatch(name.strip()[:_LONGEST]) is not None


def shape_of(name: str) -> str:
    """Return the pattern of a column's name, such as a word with a number or an address, to group similar columns."""
    stem = _stem(name)
    if is_beside_model(name):
        return "rater"
    if name[:1].isdigit() or name[:1] in "+-":
        return "number"
    for shape, test in (
        ("email", _EMAIL),
        ("platform id", _PLATFORM),
        ("part", _PART),
        ("file", _FILE),
        ("question", _ASKS),
    ):
        if test.fullmatch(name.strip()[:_LONGEST]):
            return shape
    if stem:
        plain = re.sub("(in|a)$", "", stem)  # Evaluadora 1 next to Evaluador 2
        word = "group" if stem in _GROUPS else plain if plain in RATER else stem
        return f"{word} with a number"
    if plain_name(name) in ABOUT | METRICS:
        return "about"
    if plain_name(name) in MEASURES:
        return "measure"
    return "name" if _FIRST_NAME.fullmatch(name.strip()[:_LONGEST]) else "word"
