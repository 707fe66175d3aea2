# ruff: noqa: SIM905 - lists of words read better as words
"""Column names as they are compared, and the words that people use for columns in six languages."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache

BETWEEN_LEVELS = " / "
"""Joins the levels of several header rows."""
PREFIX = re.compile(r"^(input|output|answer|golden|assignment|hint|data|meta|labels?)[:.]+", re.IGNORECASE)
"""Prefixes that platforms put before names of columns."""


def levels_of(names: Sequence[str]) -> list[tuple[str, str]]:
    """Return the first level of each name and what is below it; nothing unless all names have two levels.

    >>> levels_of(["crowd / 1", "lab / 1"]), levels_of(["crowd / 1", "lab"])
    ([('crowd', '1'), ('lab', '1')], [])
    """
    parts = [name.partition(BETWEEN_LEVELS) for name in names]
    return [(upper, lower) for upper, _, lower in parts] if all(between for _, between, _ in parts) else []


@lru_cache(maxsize=4096)
def plain_name(name: str) -> str:
    """Return a column's name without a platform's prefix, in lower case, letters and digits only, without accents."""
    normalized = unicodedata.normalize("NFKC", PREFIX.sub("", name)).casefold()
    return "".join(_without_accent(c) for c in normalized if c.isalnum())


def _without_accent(letter: str) -> str:
    plain = unicodedata.normalize("NFD", letter)[0]
    return plain if plain.isascii() else letter


_NUMBERED = re.compile(r"(.*?)[ _.-]?(\d{1,3}|(?<![A-Za-z])[A-Za-z]|(?<=[a-z])[A-Z])")


def stem_and_number(name: str) -> tuple[str, str]:
    """Return a column's name without the number or letter at its end, and that; "" for none.

    >>> stem_and_number("item2"), stem_and_number("Text B"), stem_and_number("optionC"), stem_and_number("best")
    (('item', '2'), ('Text', 'B'), ('option', 'C'), ('best', ''))
    """
    match = _NUMBERED.fullmatch(name.strip())
    return (match[1], match[2]) if match else (name, "")


def names_of_options(names: Sequence[str]) -> list[frozenset[str]]:
    """Return the names, numbers and letters, in lower case, that may refer to the options in these columns.

    >>> [sorted(names) for names in names_of_options(["item2", "item1"])]
    [['2', 'b', 'item2'], ['1', 'a', 'item1']]
    """
    endings = [stem_and_number(name)[1].casefold() for name in names]
    if not all(endings) or len({*endings}) < len(endings):
        endings = [str(position) for position in range(1, len(names) + 1)]
    order = sorted(endings, key=lambda end: (len(end), end))
    names_by_option = []
    for name, end in zip(names, endings, strict=True):
        position = order.index(end)
        letter = chr(97 + position) if end.isdecimal() else str(position + 1)
        names_by_option.append(frozenset((name.casefold(), end, letter)))
    return names_by_option


FOREIGN: Mapping[str, list[str]] = {
    "item": (
        "element elementid objekt objektid reiz datei aufgabe aufgabenid aufgabennummer bild dokument "
        "beispiel satz objet fichier tache idtache phrase exemple elementnumero elemento objeto archivo "
        "fichero tarea idtarea estimulo imagen frase ejemplo 项目 项目编号 项目id 条目 条目编号 样本 "
        "muestra producto produkt produit prodotto aufsatz redaccion campione stimolo riassunto testo immagine compito "
        "amostra resumo texto imagem tarefa resumen resume "
        "样本编号 样本id 题目 题号 任务 任务编号 任务id 对象 刺激 文件 图片 视频 項目 項目id アイテム 対象 "
        "サンプル サンプルid 課題 タスク タスクid ファイル 画像 動画 音声 刺激 要約 文章 音频 语音 句子 摘要 文本 样例"
    ).split(),
    "rater": (
        "bewerter bewerterin bewertende bewerterid beurteiler beurteilerin gutachter gutachterin "
        "teilnehmer teilnehmerin teilnehmerid proband probandin probandenid versuchsperson "
        "versuchspersonid vp vpn vpnr nutzer nutzerid prufer pruefer horer hoerer arbeiter annotatorin richter "
        "richterin kampfrichter preisrichter juror jurorin "
        "evaluateur evaluatrice annotateur annotatrice juge participante sujet utilisateur notateur "
        "travailleur auditeur evaluador evaluadora anotador anotadora juez sujeto usuario calificador "
        "trabajador oyente valutatore valutatrice annotatore annotatrice giudice partecipante ascoltatore utente "
        "avaliador avaliadora juiz ouvinte correcteur correctrice korrektor korrektorin corrector correctora "
        "catador catadora degustador degustadora panelista jurado testperson degustateur examinateur examinatrice "
        "examinador examinadora verkoster avaliadores provador beoordelaar luisteraar "
        "评分者 评价者 评估者 评委 评分员 标注者 标注员 参与者 被试 被试编号 受试者 用户 "
        "用户id 工人 评分者编号 评分者id 評価者 評価者id 評定者 被験者 被験者id 参加者 参加者id "
        "アノテーター ユーザー ユーザーid 回答者 ワーカー"
    ).split(),
    "score": (
        "bewertung note punkte punktzahl wertung urteil beurteilung punktwert evaluation appreciation "
        "notation jugement punteggio voto valutazione giudizio pontuacao avaliacao "
        "puntuacion calificacion nota valoracion puntaje evaluacion 评分 分数 得分 打分 "
        "评价 评级 評価 評点 得点 スコア 点数 評定 評価値"
    ).split(),
    "value": "wert valeur valor 数值 値".split(),
    "choice": (
        "wahl auswahl etikett klasse praferenz praeferenz bevorzugt kategorie antwort choix etiquette "
        "classe categorie reponse eleccion etiqueta clase preferencia categoria respuesta 选择 标签 偏好 "
        "类别 答案 回答 選択 ラベル 選好 カテゴリ カテゴリー"
    ).split(),
    "first": (
        "modella optioneins opciona sistemaa modeloa systemea modelea 选项a 系统a 模型a 選択肢a システムa "
        "モデルa"
    ).split(),
    "second": (
        "modellb optionzwei opcionb sistemab modelob systemeb modeleb 选项b 系统b 模型b 選択肢b システムb "
        "モデルb"
    ).split(),
    "group": (
        "gruppe bewertergruppe plattform groupe plateforme grupo plataforma 组 组别 分组 群组 平台 "
        "グループ 群 プラットフォーム"
    ).split(),
    "measure": (
        "kriterium aspekt merkmal messgrosse skala frage misura dimensione domanda pergunta "
        "mesure critere echelle medida criterio aspecto escala "
        "pregunta 指标 维度 标准 方面 尺度 指標 観点 基準 評価項目"
    ).split(),
    "system": (
        "modell verfahren methode systeme modele sistema modelo metodo 系统 模型 方法 システム モデル 手法"
    ).split(),
    "topic": "thema inhalt szene theme thematique scene tema contenido 主题 话题 トピック 話題 主題".split(),
    "condition": "bedingung versuchsbedingung runde condicion ronda 条件 实验条件 轮次 実験条件".split(),
    "order": (
        "reihenfolge durchgang wiederholung ordre repetition essai orden repeticion ensayo 顺序 次序 順序 "
        "順番 試行"
    ).split(),
    "rated_at": (
        "zeitpunkt zeitstempel datum uhrzeit horodatage heure fecha hora marcadetiempo 时间 时间戳 日期 "
        "提交时间 日時 日付 タイムスタンプ 時刻"
    ).split(),
    "seconds": (
        "sekunden dauer bearbeitungszeit antwortzeit reaktionszeit zeitinsekunden dauerinsekunden secondes "
        "duree temps tempsdereponse dureeensecondes segundos duracion tiempo tiempoderespuesta "
        "duracionensegundos 秒 秒数 用时 时长 耗时 答题时间 反应时间 所要時間 回答時間 反応時間"
    ).split(),
    "check": (
        "kontrolle kontrollfrage fangfrage fallenfrage aufmerksamkeitstest controle piege trampa "
        "verificacion 检查 陷阱 注意力检查 確認 チェック"
    ).split(),
    "expected": (
        "richtigeantwort korrekteantwort erwartet erwarteteantwort sollwert wahrheit goldstandard "
        "reponsecorrecte reponseattendue attendu verite respuestacorrecta respuestaesperada esperado "
        "verdad 正确答案 标准答案 真值 真实标签 金标准 正解 正答 正解ラベル 期待値"
    ).split(),
    "status": "statut estado etat 状态 状態".split(),
    "attribute": (
        "alter geschlecht land gerat geraet muttersprache bildung sexe pays langue edad sexo genero pais "
        "eta genere sesso paese idade madrelingua "
        "年龄 性别 国家 年齢 性別 国"
    ).split(),
}
