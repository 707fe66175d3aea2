# ruff: noqa: E501 - the headers of exports are as long as they are
"""Each platform's format after its own documents, small enough to convert by eye."""

import csv
import io
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from data.errors import NoRatings
from data.formats.readers import recognise, sniff
from data.kinds.definitions import KINDS
from tests.data.formats.conftest import Save, Saved

IDS = {
    (doc, system, measure, rater): 1 + (3 * doc + len(measure) + ord(system) + ord(rater[0])) % 5
    for doc in range(3)
    for system in "AB"
    for measure in ("fluency", "coherence")
    for rater in ("Ann", "Bob")
}

FIGURE_EIGHT = """_unit_id,_created_at,_golden,_id,_missed,_started_at,_tainted,_channel,_trust,_worker_id,_country,sentiment,sentiment_gold,text,url
101,1/31/2017 17:31:05,false,900,,1/31/2017 17:30:05,false,elite,0.95,w1,USA,positive,,Nice day,http://a
102,1/31/2017 17:31:05,false,901,,1/31/2017 17:30:05,false,elite,0.95,w1,USA,negative,,Bad day,http://b
101,1/31/2017 17:33:00,false,902,,1/31/2017 17:32:00,false,clix,0.81,w2,GBR,negative,,Nice day,http://a
102,1/31/2017 17:33:00,false,903,,1/31/2017 17:32:00,false,clix,0.81,w2,GBR,negative,,Bad day,http://b
103,1/31/2017 17:33:00,true,904,,1/31/2017 17:32:00,false,clix,0.81,w2,GBR,positive,negative,Gold day,http://c
103,1/31/2017 17:40:00,true,905,,1/31/2017 17:39:00,false,clix,0.70,w3,GBR,negative,negative,Gold day,http://c
"""
TOLOKA = """INPUT:image\tOUTPUT:result\tGOLDEN:result\tHINT:text\tASSIGNMENT:link\tASSIGNMENT:task_id\tASSIGNMENT:assignment_id\tASSIGNMENT:worker_id\tASSIGNMENT:status\tASSIGNMENT:started\tASSIGNMENT:submitted
a.jpg\tcat\t\t\thttp://x\tt1\tas1\tw1\tAPPROVED\t2020-10-01T10:00:00\t2020-10-01T10:00:20
b.jpg\tdog\tdog\t\thttp://x\tt2\tas1\tw1\tAPPROVED\t2020-10-01T10:00:00\t2020-10-01T10:00:20
a.jpg\tdog\t\t\thttp://x\tt1\tas2\tw2\tAPPROVED\t2020-10-01T10:01:00\t2020-10-01T10:01:10
c.jpg\t\t\t\thttp://x\tt3\tas3\tw2\tEXPIRED\t2020-10-01T10:02:00\t
"""
MTURK = """HITId,AssignmentId,WorkerId,AssignmentStatus,WorkTimeInSeconds,MaxAssignments,Reward,LifetimeApprovalRate,SubmitTime,Input.image_url,Answer.quality,Answer.comment
h1,a1,w1,Approved,30,2,$0.05,100% (3/3),Mon Jul 06 11:30:59 PDT 2020,http://x/1.png,4,fine by me
h1,a2,w2,Approved,20,2,$0.05,90% (9/10),Mon Jul 06 11:31:59 PDT 2020,http://x/1.png,5,I like it
h2,a3,w1,Approved,10,2,$0.05,100% (3/3),Mon Jul 06 11:32:59 PDT 2020,http://x/2.png,2,blurred
h2,a4,w2,Rejected,12,2,$0.05,90% (9/10),Mon Jul 06 11:33:59 PDT 2020,http://x/2.png,,
"""
MQM = """system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity
A\tnews\t1\t1\tr1\tQuelle\tA <v>bad</v> text\tAccuracy/Mistranslation\tMajor
A\tnews\t1\t1\tr1\tQuelle\tA bad text<v>,</v>\tFluency/Punctuation\tMinor
A\tnews\t1\t1\tr2\tQuelle\tA bad text\tNo-error\tNo-error
B\tnews\t1\t1\tr1\tQuelle\tNothing\tNon-translation!\tMajor
B\tnews\t1\t1\tr2\tQuelle\tNothing\tStyle/Awkward\tMinor
B\tnews\t1\t2\tr2\tQuelle\tSo\tStyle/Awkward\tHorrible
"""
DIRECT = """HITId	WorkerId	sys_id	type	sid	score
3A	M1	A.1	SYSTEM	7	0.5
3A	M1	A.1	BAD_REF	7	-1.25
3A	M2	B.2	SYSTEM	7	-0.5
3B	M2	A.1	SYSTEM	7	1.5
"""
APPRAISE = """eng0501,online-A,7,TGT,eng,deu,85,news.1#online-A,False,[],1620000000.0,1620000030.5
eng0501,online-B,7,TGT,eng,deu,40,news.1#online-B,False,[],1620000031.0,1620000050.0
eng0502,online-A,7,TGT,eng,deu,75,news.1#online-A,False,[],1620000100.0,1620000110.0
eng0501,online-A,7,BAD,eng,deu,12,news.1#bad3,False,[],1620000060.0,1620000070.0
eng0501,online-A,7,TGT,eng,deu,80,news.1#online-A,True,[],1620000080.0,1620000090.0
"""
ARENA = """question_id,model_a,model_b,winner,judge,turn,language,tstamp
q1,gpt,llama,model_a,arena_user_1,1,English,1682351591.1
q2,llama,gpt,tie (bothbad),arena_user_2,1,German,1682351592.1
q3,gpt,claude,model_b,arena_user_1,2,English,1682351593.1
q4,gpt,claude,tie,arena_user_3,1,English,1682351594.1
"""
ONE_HOT = """id,model_a,model_b,prompt,winner_model_a,winner_model_b,winner_tie
30192,gpt,llama,hello,1,0,0
53567,gpt,llama,again,0,0,1
53568,gpt,llama,broken,0,0,0
"""
_IDS = ",".join(
    f'"{{""ImportId"":""{name}""}}"'
    for name in ("startDate", "status", "finished", "duration", "_recordId", "a1", "a2", "b1", "b2", "c")
)
QUALTRICS = f"""StartDate,Status,Finished,Duration (in seconds),ResponseId,Q1_1,Q1_2,Q2_1,Q2_2,Q9
Start Date,Response Type,Finished,Duration (in seconds),Response ID,How fluent? - clip a,How fluent? - clip b,How loud? - clip a,How loud? - clip b,Your age
{_IDS}
2024-01-01 10:00:00,IP Address,True,40,R_1,4,5,1,2,31
2024-01-01 10:00:00,IP Address,True,20,R_2,3,,2,2,44
2024-01-01 10:00:00,IP Address,False,9,R_3,3,1,,,44
2024-01-01 10:00:00,Survey Preview,True,9,R_4,1,1,1,1,44
"""
SOSCI = """CASE,SERIAL,REF,QUESTNNR,MODE,STARTED,AB01_01,AB01_02,AB01_03,SD02,TIME001,TIME002,TIME_SUM,LASTDATA,FINISHED
1,,,base,interview,2024-01-01 10:00:00,4,-9,2,1,20,10,30,2024-01-01 10:01:00,1
2,,,base,interview,2024-01-01 10:00:00,5,1,2,2,20,10,30,2024-01-01 10:01:00,1
3,,,base,interview,2024-01-01 10:00:00,5,-1,-9,-9,20,,20,2024-01-01 10:01:00,0
"""
LIMESURVEY = """id,submitdate,lastpage,startlanguage,seed,Q1[SQ001],Q1[SQ002],Q1[SQ003],age,interviewtime
1,2024-01-01 10:00:00,3,en,77,4,5,2,31,60
2,2024-01-01 10:10:00,3,en,78,3,5,1,28,30
3,,1,en,79,3,,,,12
"""
WEBMUSHRA = """session_test_id,email,age,session_uuid,trial_id,rating_stimulus,rating_score,rating_time,rating_comment
test1,anna@example.invalid,31,u1,trial_a,reference,100,5000,
test1,anna@example.invalid,31,u1,trial_a,anchor35,20,5000,
test1,anna@example.invalid,31,u1,trial_a,codec_x,80,5000,hm
test1,bert@example.invalid,44,u2,trial_a,codec_x,70,2500,
"""
WEBMUSHRA_PAIRS = """session_test_id,age,session_uuid,trial_id,choice_reference,choice_non_reference,choice_answer,choice_time,choice_comment
test1,31,u1,trial_a,codec_x,codec_y,codec_x,5000,
test1,44,u2,trial_a,codec_x,codec_y,codec_y,2500,
"""
PSYCHOPY = """stimulus,trials.thisN,rating.response,rating.rt,key_resp.keys,participant,session,date,expName,psychopyVersion,frameRate
,,,,space,p1,1,2024-01-01,study,2023.1,60
a.wav,0,4,1.5,,p1,1,2024-01-01,study,2023.1,60
b.wav,1,2,2.5,,p1,1,2024-01-01,study,2023.1,60
a.wav,0,5,0.5,,p2,1,2024-01-01,study,2023.1,60
b.wav,1,1,3.5,,p2,1,2024-01-01,study,2023.1,60
"""
JSPSYCH = """rt,stimulus,response,trial_type,trial_index,time_elapsed,internal_node_id,subject_id
900,Welcome,,html-keyboard-response,0,900,0.0-0.0,s1
1500,a.wav,80,audio-slider-response,1,2400,0.0-1.0,s1
2500,b.wav,20,audio-slider-response,2,4900,0.0-2.0,s1
1100,a.wav,70,audio-slider-response,1,2000,0.0-1.0,s2
1200,b.wav,35,audio-slider-response,2,3200,0.0-2.0,s2
"""
GORILLA = """Event Index,Participant Private ID,Zone Type,Response,Reaction Time,Trial Number,Spreadsheet: stimulus
1,11,continue_button,Next,300.5,1,a.wav
2,11,response_slider_endValue,80,1500,1,a.wav
3,11,response_slider_endValue,20,2500,2,b.wav
1,12,response_slider_endValue,70,1000,1,a.wav
2,12,response_slider_endValue,35,1200,2,b.wav
"""
POTATO = """user,instance_id,displayed_text,quality,sentiment:::positive,sentiment:::negative
u1,i1,A nice text,4,true,
u1,i2,A bad text,2,,true
u2,i1,A nice text,5,true,
u2,i2,A bad text,1,,true
"""
LABEL_STUDIO = """annotation_id,annotator,audio,created_at,id,lead_time,rating,updated_at
1,7,/data/a.wav,2024-01-01T10:00:00Z,1,12.5,"[{""rating"": 4}]",2024-01-01T10:00:00Z
2,8,/data/a.wav,2024-01-01T10:01:00Z,1,10,"[{""rating"": 5}]",2024-01-01T10:01:00Z
3,7,/data/b.wav,2024-01-01T10:02:00Z,2,8,"[{""rating"": 2}]",2024-01-01T10:02:00Z
4,8,/data/b.wav,2024-01-01T10:03:00Z,2,6,"[{""rating"": 1}]",2024-01-01T10:03:00Z
"""
LABEL_STUDIO_TWO = """annotation_id,annotator,audio,created_at,id,lead_time,clear,loud,updated_at
1,7,/data/a.wav,2024-01-01T10:00:00Z,1,12.5,"[{""rating"": 4}]","[{""rating"": 1}]",2024-01-01T10:00:00Z
2,8,/data/a.wav,2024-01-01T10:01:00Z,1,10,"[{""rating"": 5}]","[{""rating"": 2}]",2024-01-01T10:01:00Z
3,7,/data/b.wav,2024-01-01T10:02:00Z,2,8,"[{""rating"": 2}]","[{""rating"": 4}]",2024-01-01T10:02:00Z
4,8,/data/b.wav,2024-01-01T10:03:00Z,2,6,"[{""rating"": 1}]","[{""rating"": 3}]",2024-01-01T10:03:00Z
"""
LANGFUSE = """id,trace_id,observation_id,name,value,string_value,source,author_user_id,timestamp
s1,t1,,helpfulness,0.8,,ANNOTATION,anna,2024-01-01T10:00:00Z
s2,t1,,helpfulness,0.5,,EVAL,,2024-01-01T10:00:05Z
s3,t2,o1,helpfulness,0.1,,ANNOTATION,bert,2024-01-01T10:01:00Z
"""
LANGSMITH = """run_id,example_id,session_name,inputs.question,feedback.correctness,feedback.style
r1,e1,gpt,Why?,1,0.5
r2,e1,llama,Why?,0,0.75
r3,e2,gpt,How?,0,
"""
Row = tuple[Any, ...]
SAMPLES: dict[str, tuple[str, str, list[Row]]] = {
    # format: (file, kind, [(item, rater, answer, measure or design, check, seconds)])
    "Figure Eight / CrowdFlower": (
        FIGURE_EIGHT,
        "choices",
        [
            ("101", "w1", "positive", None, None, 30.0),
            ("102", "w1", "negative", None, None, 30.0),
            ("101", "w2", "negative", None, None, 20.0),
            ("102", "w2", "negative", None, None, 20.0),
            ("103", "w2", "positive", None, "gold", 20.0),
            ("103", "w3", "negative", None, "gold", 60.0),
        ],
    ),
    "Toloka TSV": (
        TOLOKA,
        "choices",
        [
            ("a.jpg", "w1", "cat", None, None, 10.0),
            ("b.jpg", "w1", "dog", None, "gold", 10.0),
            ("a.jpg", "w2", "dog", None, None, 10.0),
        ],
    ),
    "MTurk batch": (
        MTURK,
        "ratings",
        [
            ("http://x/1.png", "w1", 4, None, None, 30.0),
            ("http://x/1.png", "w2", 5, None, None, 20.0),
            ("http://x/2.png", "w1", 2, None, None, 10.0),
        ],
    ),
    "MQM TSV": (
        MQM,
        "ratings",
        [
            ("news#1__A", "r1", 5.1, "MQM penalty", None, None),
            ("news#1__A", "r2", 0, "MQM penalty", None, None),
            ("news#1__B", "r1", 25, "MQM penalty", None, None),
            ("news#1__B", "r2", 1, "MQM penalty", None, None),
        ],
    ),
    "Direct assessment (WMT)": (
        DIRECT,
        "ratings",
        [
            ("7__A.1", "M1", 0.5, None, None, None),
            ("7__A.1__BAD_REF", "M1", -1.25, None, "BAD_REF", None),
            ("7__B.2", "M2", -0.5, None, None, None),
            ("7__A.1", "M2", 1.5, None, None, None),
        ],
    ),
    "Appraise (WMT)": (
        APPRAISE,
        "ratings",
        [
            ("news.1#7__online-A", "eng0501", 85, "segment", None, 30.5),
            ("news.1#7__online-B", "eng0501", 40, "segment", None, 19),
            ("news.1#7__online-A", "eng0502", 75, "segment", None, 10),
            ("news.1#7__online-A", "eng0501", 12, "segment", "BAD", 10),
            ("news.1#7__online-A", "eng0501", 80, "document", None, 10),
        ],
    ),
    "arena battles": (
        ARENA,
        "choices",
        [
            ("q1", "arena_user_1", "model_a", "turn 1", None, None),
            ("q2", "arena_user_2", "tie (bothbad)", "turn 1", None, None),
            ("q3", "arena_user_1", "model_b", "turn 2", None, None),
            ("q4", "arena_user_3", "tie", "turn 1", None, None),
        ],
    ),
    "Qualtrics": (
        QUALTRICS,
        "ratings",
        [
            ("clip a", "R_1", 4, "Q1", None, 10),
            ("clip b", "R_1", 5, "Q1", None, 10),
            ("clip a", "R_1", 1, "Q2", None, 10),
            ("clip b", "R_1", 2, "Q2", None, 10),
            ("clip a", "R_2", 3, "Q1", None, pytest.approx(20 / 3, rel=1e-5)),
            ("clip a", "R_2", 2, "Q2", None, pytest.approx(20 / 3, rel=1e-5)),
            ("clip b", "R_2", 2, "Q2", None, pytest.approx(20 / 3, rel=1e-5)),
        ],
    ),
    "SoSci Survey": (
        SOSCI,
        "ratings",
        [
            ("01", "1", 4, None, None, 15),
            ("03", "1", 2, None, None, 15),
            ("01", "2", 5, None, None, 10),
            ("02", "2", 1, None, None, 10),
            ("03", "2", 2, None, None, 10),
        ],
    ),
    "LimeSurvey": (
        LIMESURVEY,
        "ratings",
        [
            ("SQ001", "1", 4, None, None, 20),
            ("SQ002", "1", 5, None, None, 20),
            ("SQ003", "1", 2, None, None, 20),
            ("SQ001", "2", 3, None, None, 10),
            ("SQ002", "2", 5, None, None, 10),
            ("SQ003", "2", 1, None, None, 10),
        ],
    ),
    "webMUSHRA": (
        WEBMUSHRA,
        "ratings",
        [
            ("trial_a__reference", "u1", 100, None, None, 5),
            ("trial_a__anchor35", "u1", 20, None, None, 5),
            ("trial_a__codec_x", "u1", 80, None, None, 5),
            ("trial_a__codec_x", "u2", 70, None, None, 2.5),
        ],
    ),
    "VoiceMOS": (
        "sysA,sysA-utt1.wav,4,na,lis1\nsysA,sysA-utt1.wav,5,na,lis2\nsysA,sysA-utt2.wav,3,na,lis1\n"
        "sysB,sysB-utt1.wav,2,na,lis1\nsysB,sysB-utt1.wav,1,na,lis2\n",
        "ratings",
        [
            ("sysA-utt1.wav", "lis1", 4, None, None, None),
            ("sysA-utt1.wav", "lis2", 5, None, None, None),
            ("sysA-utt2.wav", "lis1", 3, None, None, None),
            ("sysB-utt1.wav", "lis1", 2, None, None, None),
            ("sysB-utt1.wav", "lis2", 1, None, None, None),
        ],
    ),
    "ids of several parts": (
        "id,annotator,score\n"
        + "".join(
            f"doc_{doc}__sys{system}__{measure},{rater},{score}\n"
            for (doc, system, measure, rater), score in IDS.items()
        ),
        "ratings",
        [
            (f"doc_{doc}__sys{system}", rater, score, measure, None, None)
            for (doc, system, measure, rater), score in IDS.items()
        ],
    ),
    "PsychoPy": (
        PSYCHOPY,
        "ratings",
        [
            ("a.wav", "p1", 4, None, None, 1.5),
            ("b.wav", "p1", 2, None, None, 2.5),
            ("a.wav", "p2", 5, None, None, 0.5),
            ("b.wav", "p2", 1, None, None, 3.5),
        ],
    ),
    "jsPsych": (
        JSPSYCH,
        "ratings",
        [
            ("a.wav", "s1", 80, None, None, 1.5),
            ("b.wav", "s1", 20, None, None, 2.5),
            ("a.wav", "s2", 70, None, None, 1.1),
            ("b.wav", "s2", 35, None, None, 1.2),
        ],
    ),
    "Gorilla": (
        GORILLA,
        "ratings",
        [
            ("a.wav", "11", 80, None, None, 1.5),
            ("b.wav", "11", 20, None, None, 2.5),
            ("a.wav", "12", 70, None, None, 1.0),
            ("b.wav", "12", 35, None, None, 1.2),
        ],
    ),
    "Label Studio CSV": (
        LABEL_STUDIO,
        "ratings",
        [
            ("1", "7", 4, None, None, 12.5),
            ("1", "8", 5, None, None, 10),
            ("2", "7", 2, None, None, 8),
            ("2", "8", 1, None, None, 6),
        ],
    ),
    "Langfuse": (
        LANGFUSE,
        "ratings",
        [
            ("t1", "anna", 0.8, "helpfulness", None, None),
            ("t1", "EVAL helpfulness", 0.5, "helpfulness", None, None),
            ("t2/o1", "bert", 0.1, "helpfulness", None, None),
        ],
    ),
    "LangSmith": (
        LANGSMITH,
        "ratings",
        [
            ("e1__gpt", "feedback correctness", 1, "correctness", None, None),
            ("e1__gpt", "feedback style", 0.5, "style", None, None),
            ("e1__llama", "feedback correctness", 0, "correctness", None, None),
            ("e1__llama", "feedback style", 0.75, "style", None, None),
            ("e2__gpt", "feedback correctness", 0, "correctness", None, None),
        ],
    ),
    "a row per label": (
        "item,rater,label\n"
        + "".join(f"i{at},{rater},joy\n" for at in range(3) for rater in ("r1", "r2"))
        + "".join(
            f"i{at},{rater},fear\n" for at in range(3) for rater in ("r1", "r2") if (at, rater) != (2, "r2")
        ),
        "label sets",
        [
            *[
                (f"i{at}", rater, '["fear", "joy"]', None, None, None)
                for at in range(2)
                for rater in ("r1", "r2")
            ],
            ("i2", "r1", '["fear", "joy"]', None, None, None),
            ("i2", "r2", '["joy"]', None, None, None),
        ],
    ),
    "translations and check rows": (
        "annotator,system,segment,type,score\n"
        + "".join(
            f"{rater},{system},{at},TGT,{10 * at + place}\n"
            for place, rater in enumerate(("r1", "r2"))
            for system in ("A", "B")
            for at in range(1, 5)
        )
        + "r1,A,1,BAD,3\nr2,A,1,BAD,4\n",
        "ratings",
        [
            (f"{at} / {system}", rater, 10 * at + place, None, None, None)
            for place, rater in enumerate(("r1", "r2"))
            for system in ("A", "B")
            for at in range(1, 5)
        ],
    ),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_a_documented_sample_is_right_without_a_word(save: Save, name: str) -> None:
    content, kind, expected = SAMPLES[name]
    saved = save(content)
    assert (saved.found.format, saved.found.kind) == (name, kind)
    answer = {"ratings": "score", "label sets": "labels"}.get(kind, "choice")
    measure = "measure" if kind == "ratings" else "design"
    rows = [
        tuple(row.get(column) for column in ("item_id", "rater_id", answer, measure, "check", "seconds"))
        for row in saved.rows
    ]
    assert sorted(rows, key=repr) == sorted(expected, key=repr)
    assert saved.report.rows_read == saved.report.kept + saved.report.set_aside


RANKED = """prompt,judge,verdict
p1,anna,a > b > c
p1,bert,b>a=c
p2,anna,c > a > b
p2,bert,a > c
"""


def test_rankings_in_a_cell_may_have_ties_and_lack_options(save: Save) -> None:
    saved = save(RANKED)
    assert (saved.found.format, saved.found.kind) == ("rankings in a cell", "rankings")
    rows = {(row["item_id"], row["rater_id"], row["option"]): row["rank"] for row in saved.rows}
    assert rows == {
        ("p1", "anna", "a"): 1, ("p1", "anna", "b"): 2, ("p1", "anna", "c"): 3,
        ("p1", "bert", "b"): 1, ("p1", "bert", "a"): 2, ("p1", "bert", "c"): 2,
        ("p2", "anna", "c"): 1, ("p2", "anna", "a"): 2, ("p2", "anna", "b"): 3,
        ("p2", "bert", "a"): 1, ("p2", "bert", "c"): 2,
    }  # fmt: skip
    beyond = "".join(f"p{at},anna,a > b > c\n" for at in range(3, 3000)) + "p3000,anna,who knows\n"
    [aside] = save(RANKED + beyond).report.reasons
    assert "no ranking" in str(aside)


@pytest.mark.parametrize(
    "cells",
    [
        ["see > this", "that > one", "no > way"],
        ["<b>", "a > b", "b > a"],
        ["a > a", "b > a", "a > b"],
        ["joy;fear", "fear;joy", "joy"],
        ["5 > 3", "5 > 3", "5 > 3"],
    ],
)
def test_other_cells_are_no_rankings(save: Save, cells: list[str]) -> None:
    rows = [
        f"i{at},r{who},{cell},{(at * 3 + who) % 5 + 1}" for at in range(6) for who, cell in enumerate(cells)
    ]
    saved = save("\n".join(["item,rater,remark,score", *rows]) + "\n")
    assert (saved.found.format, saved.found.kind) == ("long table", "ratings")


POTATO_SCALE = """user_id,instance_id,clarity:1,clarity:2,clarity:3
u1,i1,,,true
u1,i2,true,,
u2,i1,,true,
"""


def test_potato_writes_a_scale_as_a_number_or_as_a_column_per_point(save: Save) -> None:
    numbers = save(POTATO)
    assert (numbers.found.format, numbers.found.kind) == ("Potato", "ratings")
    assert votes(numbers) == [("i1", "u1", 4), ("i2", "u1", 2), ("i1", "u2", 5), ("i2", "u2", 1)]
    assert any("'sentiment'" in note for note in numbers.found.notes)
    assert votes(save(POTATO_SCALE)) == [("i1", "u1", 3), ("i2", "u1", 1), ("i1", "u2", 2)]


POTATO_DOTS = """user,instance_id,tone.positive,tone.negative,length.short,length.long
u1,i1,true,,true,
u1,i2,,true,true,
u2,i1,true,,,true
"""
LIMESURVEY_FULL = """Response ID,Date submitted,Last page,Start language,Seed,How good is it? [Clip A],How good is it? [Clip B],How old are you?,Total time,Group time: clips
1,2024-01-01 10:00:00,3,en,77,4,5,31,60,50
2,2024-01-01 10:10:00,3,en,78,3,5,28,30,20
3,,1,en,79,3,,,12,9
"""
MQM_DOC_SEGMENT = """system\tdoc\tdocSegId\trater\tcategory\tseverity
A\tnews\t1\tr1\tAccuracy/Addition\tmajor
A\tnews\t2\tr1\tNo-error\tNo-error
A\tspeech\t1\tr1\tFluency/Grammar\tminor
"""
DOCCANO_ALONE = """{"id": 1, "text": "Nice day", "label": ["good"]}
{"id": 2, "text": "Bad day", "label": ["bad"]}
{"id": 3, "text": "A day", "label": ["good", "bad"]}
"""
FIGURE_EIGHT_LISTS = """_unit_id,_created_at,_trust,_worker_id,_started_at,animals,url
101,1/31/2017 17:31:05,0.95,w1,1/31/2017 17:30:05,"[""dog"",""cat""]",http://a
101,1/31/2017 17:31:05,0.95,w2,1/31/2017 17:30:05,"[""cat"",""dog""]",http://a
102,1/31/2017 17:31:05,0.95,w1,1/31/2017 17:30:05,"[""cat""]",http://b
102,1/31/2017 17:31:05,0.95,w2,1/31/2017 17:30:05,"[""dog"",""cat""]",http://b
"""


@pytest.mark.parametrize(
    ("content", "format", "answer", "expected"),
    [
        (
            POTATO_DOTS,
            "Potato",
            "choice",
            [
                *[
                    ("i1", "u1", "positive"),
                    ("i1", "u1", "short"),
                    ("i2", "u1", "negative"),
                    ("i2", "u1", "short"),
                ],
                *[("i1", "u2", "positive"), ("i1", "u2", "long")],
            ],
        ),
        (
            LIMESURVEY_FULL,
            "LimeSurvey",
            "score",
            [("Clip A", "1", 4), ("Clip B", "1", 5), ("Clip A", "2", 3), ("Clip B", "2", 5)],
        ),
        (
            MQM_DOC_SEGMENT,
            "MQM TSV",
            "score",
            [("news#1__A", "r1", 5), ("news#2__A", "r1", 0), ("speech#1__A", "r1", 1)],
        ),
        (
            DOCCANO_ALONE,
            "Doccano",
            "labels",
            [
                ("1", "annotator", '["good"]'),
                ("2", "annotator", '["bad"]'),
                ("3", "annotator", '["bad", "good"]'),
            ],
        ),
        (
            FIGURE_EIGHT_LISTS,
            "Figure Eight / CrowdFlower",
            "labels",
            [
                ("101", "w1", '["cat", "dog"]'),
                ("101", "w2", '["cat", "dog"]'),
                ("102", "w1", '["cat"]'),
                ("102", "w2", '["cat", "dog"]'),
            ],
        ),
    ],
)
def test_other_spellings_of_a_format(
    save: Save, content: str, format: str, answer: str, expected: list[Row]
) -> None:
    saved = save(content)
    assert saved.found.format == format
    assert [(row["item_id"], row["rater_id"], row[answer]) for row in saved.rows] == expected


@pytest.mark.parametrize("content", [POTATO_DOTS, LABEL_STUDIO_TWO])
def test_several_answers_in_a_row_are_measures_or_items_of_their_own(save: Save, content: str) -> None:
    measures, items = save(content), save(content, several="items of their own")
    column = "measure" if measures.found.kind == "ratings" else "design"
    answer = "score" if measures.found.kind == "ratings" else "choice"
    assert len({row[column] for row in measures.rows}) == 2
    assert {row[column] for row in items.rows} == {"all answers"}
    assert [(row["item_id"], row[answer]) for row in items.rows] == [
        (f"{row['item_id']}__{row[column]}", row[answer]) for row in measures.rows
    ]


APPRAISE_SPANS = """eng0501,online-A,7,TGT,eng,deu,85,news.1#online-A,False,"[{""start_i"": 0, ""end_i"": 4, ""severity"": ""minor""}, {""start_i"": 6, ""end_i"": 9, ""severity"": ""major""}]",1620000000.0,1620000030.5
eng0501,online-B,7,TGT,eng,deu,40,news.1#online-B,False,[],1620000031.0,1620000050.0
eng0502,online-A,7,TGT,eng,deu,75,news.1#online-A,False,"[{""start_i"": 1, ""end_i"": 2, ""severity"": ""undecided""}]",1620000100.0,1620000110.0
eng0502,online-B,7,TGT,eng,deu,75,news.1#online-B,False,,1620000100.0,1620000110.0
"""


def test_error_spans_of_appraise_may_be_penalties(save: Save) -> None:
    scores = save(APPRAISE_SPANS)
    assert [row["score"] for row in scores.rows] == [85, 40, 75, 75]
    spans = save(APPRAISE_SPANS, score="the weighted sum of error spans: major 5, minor 1")
    assert [(row["item_id"], row["score"]) for row in spans.rows] == [
        ("news.1#7__online-A", 6),
        ("news.1#7__online-B", 0),
    ]
    assert spans.report.rejects.line.tolist() == [3, 4]


def test_pairs_of_webmushra_are_choices_between_two_systems(save: Save) -> None:
    saved = save(WEBMUSHRA_PAIRS)
    assert (saved.found.format, saved.found.kind) == ("webMUSHRA", "choices")
    assert [
        (row["item_id"], row["rater_id"], row["choice"], row["option_a"], row["option_b"], row["seconds"])
        for row in saved.rows
    ] == [
        ("trial_a", "u1", "codec_x", "codec_x", "codec_y", 5.0),
        ("trial_a", "u2", "codec_y", "codec_x", "codec_y", 2.5),
    ]


def test_battles_with_a_column_that_may_be_their_item_are_no_arenas(tmp_path: Path) -> None:
    path = tmp_path / "battles.csv"
    path.write_text("sentence,model_a,model_b,winner\ns1,gpt,llama,model_a\ns1,gpt,llama,tie\n")
    assert sniff(path).format == ""


def test_an_arena_may_have_a_column_for_each_outcome(save: Save) -> None:
    saved = save(ONE_HOT)
    assert (saved.found.format, saved.found.kind) == ("arena battles", "choices")
    assert [(row["item_id"], row["choice"]) for row in saved.rows] == [("30192", "model_a"), ("53567", "tie")]
    assert saved.report.reasons == (("winner", "no outcome is told", 1),)


def battle(number: int, winner: str, **metadata: object) -> dict[str, object]:
    return {
        "question_id": f"q{number}",
        "model_a": "gpt",
        "model_b": "llama",
        "winner": winner,
        "judge": f"u{number}",
        "turn": 1,
        "conv_metadata": metadata,
    }


METADATA = [
    battle(
        number,
        winner,
        sum_assistant_a_tokens=100 * number,
        sum_assistant_b_tokens=50,
        header_count_a={"h1": 1, "h2": 2, "h3": number},
        header_count_b={"h1": 0, "h2": 0, "h3": 0},
        bold_count_a={"**": 4, "__": 0},
        bold_count_b={"**": 0, "__": 1},
        turns=1,
    )
    for number, winner in ((1, "model_a"), (2, "tie"), (3, "model_b"))
]


@pytest.mark.parametrize("nested", [True, False], ids=["JSON lines", "CSV with JSON in a cell"])
def test_an_arena_keeps_what_is_counted_of_both_answers(save: Save, nested: bool) -> None:
    if nested:
        text = "".join(f"{json.dumps(each)}\n" for each in METADATA)
    else:
        names = list(METADATA[0])
        rows = [[json.dumps(v) if isinstance(v, dict) else v for v in each.values()] for each in METADATA]
        lines = io.StringIO()
        csv.writer(lines).writerows([names, *rows])
        text = lines.getvalue()
    saved = save(text)
    assert saved.found.format == "arena battles"
    told = ("tokens_a", "tokens_b", "header_count_a", "header_count_b", "bold_count_a", "bold_count_b")
    assert [tuple(row[name] for name in told) for row in saved.rows] == [
        (100, 50, 4, 0, 4, 1),
        (200, 50, 5, 0, 4, 1),
        (300, 50, 6, 0, 4, 1),
    ]


def test_an_arena_keeps_the_weights_of_its_battles(save: Save) -> None:
    head = "question_id,model_a,model_b,winner,judge,weight\n"
    saved = save(head + "q1,gpt,llama,model_a,ann,0.5\nq2,gpt,llama,tie,ben,2\n")
    assert saved.found.format == "arena battles"
    assert [row["weight"] for row in saved.rows] == [0.5, 2]
    assert len(save(head + "q1,gpt,llama,model_a,ann,heavy\nq2,gpt,llama,tie,ben,light\n").rows) == 2


@pytest.mark.parametrize(
    ("name", "first", "second"),
    [
        ("response", '["four", null, "more"]', "a text of 21 letters!"),
        (
            "conversation",
            '[{"role": "user", "content": "hello"}, {"role": "assistant", "content": "eight ch"}]',
            '[{"role": "user", "content": "hello"}, {"role": "assistant", "content": "twenty-one characters"}]',
        ),
    ],
)
def test_of_answers_that_nobody_counted_characters_are(
    save: Save, name: str, first: str, second: str
) -> None:
    lines = io.StringIO()
    csv.writer(lines).writerows(
        [
            ["question_id", "model_a", "model_b", "winner", f"{name}_a", f"{name}_b"],
            ["q1", "gpt", "llama", "model_a", first, second],
            ["q2", "llama", "gpt", "tie", second, first],
            ["q3", "llama", "gpt", "model_b", second, ""],
        ]
    )
    saved = save(lines.getvalue())
    assert saved.found.format == "arena battles"
    assert [(row["characters_a"], row["characters_b"]) for row in saved.rows] == [
        (8, 21),
        (21, 8),
        (21, None),
    ]


def votes(saved: Saved) -> list[Row]:
    return [(row["item_id"], row["rater_id"], row["score"]) for row in saved.rows]


# --- half-known and broken files ------------------------------------------------------------------------------------


def test_a_file_without_ratings_is_read_as_it_stands(tmp_path: Path) -> None:
    path = tmp_path / "upload"
    rows = "".join(f"h{n},a{n},w1,Once upon a time there were {n} bears\n" for n in range(6))
    path.write_text(f"HITId,AssignmentId,WorkerId,Answer.story\n{rows}")
    found = sniff(path)
    assert (found.format, found.names) == ("", ("HITId", "AssignmentId", "WorkerId", "Answer.story"))
    assert (
        "The columns are those of MTurk batch, but no row of this file holds a rating" in found.problems[-1]
    )


@pytest.mark.parametrize("name", SAMPLES)
def test_a_file_with_a_column_less_or_more_is_read(tmp_path: Path, name: str) -> None:
    content = SAMPLES[name][0]
    rows = list(csv.reader(content.splitlines(), delimiter="\t" if "\t" in content else ","))
    path = tmp_path / "variant"
    variants = [[row[:at] + row[at + 1 :] for row in rows] for at in range(len(rows[0]))]
    for variant in [*variants, [[*row, "more"] for row in rows], [*rows, ["x"] * len(rows[0])]]:
        path.write_text(_written(variant))
        with suppress(NoRatings):  # the column of the results is gone
            assert recognise(path).kind in KINDS


def _written(rows: list[list[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


# --- what is set aside is counted, and switched --------------------------------------------------------------------

ASIDE = {
    "Toloka TSV": (TOLOKA, (("ASSIGNMENT:status", "the task holds no answer", 1),)),
    "MTurk batch": (MTURK, (("AssignmentStatus", "the assignment holds no rating", 1),)),
    "MQM TSV": (MQM, (("severity", "the severity is neither minor, major nor no error", 1),)),
    "Qualtrics": (
        QUALTRICS,
        (("Finished", "the response is unfinished", 1), ("Status", "it is a preview of the survey", 1)),
    ),
    "SoSci Survey": (SOSCI, (("FINISHED", "the interview is unfinished", 1),)),
    "LimeSurvey": (LIMESURVEY, (("submitdate", "the response is unfinished", 1),)),
    "PsychoPy": (PSYCHOPY, (("", "the row is no rating", 1),)),
    "jsPsych": (JSPSYCH, (("trial_type", "the row is no rating", 1),)),
    "Gorilla": (GORILLA, (("Zone Type", "the row is no rating", 1),)),
}


@pytest.mark.parametrize("name", ASIDE)
def test_what_is_no_rating_is_reported_with_its_reason(save: Save, name: str) -> None:
    content, reasons = ASIDE[name]
    saved = save(content)
    assert saved.report.reasons == reasons
    assert all(any(reason in note for note in saved.found.notes) for _, reason, _ in reasons)


def test_a_row_that_is_set_aside_has_the_line_of_the_file(save: Save) -> None:
    rejects = save(JSPSYCH).report.rejects
    assert (rejects.line.tolist(), rejects.value.tolist()) == ([2], ["html-keyboard-response"])


@pytest.mark.parametrize(
    ("content", "switches", "kept"),
    [
        (QUALTRICS, {"unfinished": "keep"}, 9),
        (QUALTRICS, {"previews": "keep"}, 11),
        (QUALTRICS, {"previews": "keep", "unfinished": "keep"}, 13),
        (SOSCI, {"unfinished": "keep"}, 6),
        (LIMESURVEY, {"unfinished": "keep"}, 7),
    ],
)
def test_a_switch_keeps_them(save: Save, content: str, switches: dict[str, str], kept: int) -> None:
    assert save(content, **switches).report.kept == kept


def test_questions_may_be_the_items(save: Save) -> None:
    rows = save(QUALTRICS, parts="questions are items").rows
    assert [(row["item_id"], row["measure"], row["score"]) for row in rows[:4]] == [
        ("Q1", "clip a", 4),
        ("Q1", "clip b", 5),
        ("Q2", "clip a", 1),
        ("Q2", "clip b", 2),
    ]


@pytest.mark.parametrize(
    ("weights", "penalties"),
    [
        ("major 5, minor 1", [6, 0, 5, 1]),
        ("major 10, minor 1", [11, 0, 10, 1]),
        ("every error 1", [2, 0, 1, 1]),
    ],
)
def test_weights_of_errors_are_a_choice(save: Save, weights: str, penalties: list[float]) -> None:
    assert [row["score"] for row in save(MQM, weights=weights).rows] == penalties


# --- what a format knows besides the rating ------------------------------------------------------------------------


def test_what_is_known_of_raters_and_items_is_kept(save: Save) -> None:
    crowd = save(FIGURE_EIGHT).rows
    assert [(row["rater_country"], row["rater_channel"]) for row in crowd][:3] == [("USA", "elite")] * 2 + [
        ("GBR", "clix")
    ]
    assert [row["gold"] for row in crowd] == [None] * 4 + ["negative"] * 2
    assert {row["rater_q9"] for row in save(QUALTRICS).rows} == {"31", "44"}
    assert {row["rater_sd02"] for row in save(SOSCI).rows} == {"1", "2"}
    assert {row["rater_age"] for row in save(WEBMUSHRA).rows} == {"31", "44"}
    assert [row["system_kind"] for row in save(WEBMUSHRA).rows] == ["reference", "anchor", "system", "system"]
    assert save(MQM).rows[0]["text"] == "A bad text"


def test_a_check_row_far_down_is_still_one(save: Save) -> None:
    rows = "".join(f"{n}.jpg\t{n % 5}\t{'3' if n == 2500 else ''}\tw{n % 7}\n" for n in range(2501))
    saved = save(f"INPUT:image\tOUTPUT:result\tGOLDEN:result\tASSIGNMENT:worker_id\n{rows}")
    assert saved.report.check_rows == 1
