"""The sources that methods paragraphs cite, as a list in words and as BibTeX."""

import re
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Source:
    """A publication: `cited` in the text, its BibTeX kind and fields."""

    cited: str
    kind: str
    fields: dict[str, str]

    @property
    def listed(self) -> str:
        """As it stands in the list of sources."""
        where = [
            self.fields[name]
            for name in ("journal", "booktitle", "howpublished", "publisher")
            if name in self.fields
        ]
        pages = self.fields.get("pages", "").replace("--", "–")
        place = ", ".join(
            part
            for part in (
                *where,
                " ".join(
                    part
                    for part in (self.fields.get("volume", ""), _in_brackets(self.fields.get("number")))
                    if part
                ),
                f"pp. {pages}" if pages else "",
            )
            if part
        )
        authors = ", ".join(_surname_last(one) for one in self.fields["author"].split(" and "))
        return _plain(f"{authors} ({self.fields['year']}). {self.fields['title']}. {place}.")


def _in_brackets(number: str | None) -> str:
    return f"({number})" if number else ""


def _surname_last(author: str) -> str:
    surname, _, given = author.partition(", ")
    return f"{given} {surname}".strip()


def _plain(text: str) -> str:
    for tex, letter in (
        ("``", "“"),
        ("''", "”"),
        ('{\\"o}', "ö"),
        ('{\\"u}', "ü"),
        ('{\\"a}', "ä"),
        ("{\\'e}", "é"),
    ):
        text = text.replace(tex, letter)
    return re.sub(r"[{}]", "", text)


def _source(cited: str, kind: str, author: str, title: str, year: int, **more: str) -> Source:
    return Source(cited, kind, {"author": author, "title": title, "year": str(year), **more})


_ARTICLE, _TALK, _BOOK, _OTHER = "article", "inproceedings", "book", "techreport"
SOURCES = {
    "iskender2020": _source(
        "Iskender, Polzehl and Möller 2020",
        _TALK,
        'Iskender, Neslihan and Polzehl, Tim and M{\\"o}ller, Sebastian',
        "Towards a Reliable and Robust Methodology for Crowd-Based Subjective Quality Assessment of Query-Based "
        "Extractive Text Summarization",
        2020,
        booktitle="Proceedings of LREC 2020",
    ),
    "krippendorff2011": _source(
        "Krippendorff 2011",
        _OTHER,
        "Krippendorff, Klaus",
        "Computing {Krippendorff's} Alpha-Reliability",
        2011,
        howpublished="University of Pennsylvania",
    ),
    "mcgraw1996": _source(
        "McGraw and Wong 1996",
        _ARTICLE,
        "McGraw, Kenneth O. and Wong, S. P.",
        "Forming Inferences about Some Intraclass Correlation Coefficients",
        1996,
        journal="Psychological Methods",
        volume="1",
        number="1",
        pages="30--46",
    ),
    "spearman1910": _source(
        "Spearman 1910",
        _ARTICLE,
        "Spearman, Charles",
        "Correlation Calculated from Faulty Data",
        1910,
        journal="British Journal of Psychology",
        volume="3",
        number="3",
        pages="271--295",
    ),
    "spearman1904": _source(
        "Spearman 1904",
        _ARTICLE,
        "Spearman, Charles",
        "The Proof and Measurement of Association between Two Things",
        1904,
        journal="The American Journal of Psychology",
        volume="15",
        number="1",
        pages="72--101",
    ),
    "calderon2025": _source(
        "Calderon, Reichart and Dror 2025",
        _OTHER,
        "Calderon, Nitay and Reichart, Roi and Dror, Rotem",
        "The Alternative Annotator Test for {LLM}-as-a-Judge: How to Statistically Justify Replacing Human Annotators "
        "with {LLMs}",
        2025,
        howpublished="arXiv 2501.10970",
    ),
    "kocmi2024": _source(
        "Kocmi et al. 2024",
        _OTHER,
        "Kocmi, Tom and Zouhar, Vil\\'em and Federmann, Christian and Post, Matt",
        "Navigating the Metrics Maze: Reconciling Score Magnitudes and Accuracies",
        2024,
        howpublished="arXiv 2401.06760",
    ),
    "thompson2024": _source(
        "Thompson et al. 2024",
        _OTHER,
        "Thompson, Brian and Mathur, Nitika and Deutsch, Daniel and Khayrallah, Huda",
        "Improving Statistical Significance in Human Evaluation of Automatic Metrics via Soft Pairwise Accuracy",
        2024,
        howpublished="arXiv 2409.09598",
    ),
    "deutsch2023": _source(
        "Deutsch, Foster and Freitag 2023",
        _OTHER,
        "Deutsch, Daniel and Foster, George and Freitag, Markus",
        "Ties Matter: Meta-Evaluating Modern Metrics with Pairwise Accuracy and Tie Calibration",
        2023,
        howpublished="arXiv 2305.14324",
    ),
    "rogan1978": _source(
        "Rogan and Gladen 1978",
        _ARTICLE,
        "Rogan, Walter J. and Gladen, Beth",
        "Estimating Prevalence from the Results of a Screening Test",
        1978,
        journal="American Journal of Epidemiology",
        volume="107",
        number="1",
        pages="71--76",
    ),
    "lee2025": _source(
        "Lee et al. 2025",
        _OTHER,
        "Lee, Chungpa and Zeng, Thomas and Jeong, Jongwon and Sohn, Jy-yong and Lee, Kangwook",
        "How to Correctly Report {LLM}-as-a-Judge Evaluations",
        2025,
        howpublished="arXiv 2511.21140",
    ),
    "angelopoulos2023": _source(
        "Angelopoulos et al. 2023",
        _ARTICLE,
        "Angelopoulos, Anastasios N. and Bates, Stephen and Fannjiang, Clara and Jordan, Michael I. and Zrnic, Tijana",
        "Prediction-powered inference",
        2023,
        journal="Science",
        volume="382",
        number="6671",
        pages="669--674",
    ),
    "benjamini1995": _source(
        "Benjamini and Hochberg 1995",
        _ARTICLE,
        "Benjamini, Yoav and Hochberg, Yosef",
        "Controlling the False Discovery Rate: A Practical and Powerful Approach to Multiple Testing",
        1995,
        journal="Journal of the Royal Statistical Society: Series B",
        volume="57",
        number="1",
        pages="289--300",
    ),
    "benjamini2001": _source(
        "Benjamini and Yekutieli 2001",
        _ARTICLE,
        "Benjamini, Yoav and Yekutieli, Daniel",
        "The Control of the False Discovery Rate in Multiple Testing under Dependency",
        2001,
        journal="The Annals of Statistics",
        volume="29",
        number="4",
        pages="1165--1188",
    ),
    "westfall2014": _source(
        "Westfall, Kenny and Judd 2014",
        _ARTICLE,
        "Westfall, Jacob and Kenny, David A. and Judd, Charles M.",
        "Statistical Power and Optimal Design in Experiments in Which Samples of Participants Respond to Samples of "
        "Stimuli",
        2014,
        journal="Journal of Experimental Psychology: General",
        volume="143",
        number="5",
        pages="2020--2045",
    ),
    "hoenig2001": _source(
        "Hoenig and Heisey 2001",
        _ARTICLE,
        "Hoenig, John M. and Heisey, Dennis M.",
        "The Abuse of Power: The Pervasive Fallacy of Power Calculations for Data Analysis",
        2001,
        journal="The American Statistician",
        volume="55",
        number="1",
        pages="19--24",
    ),
    "cochran1977": _source(
        "Cochran 1977",
        _BOOK,
        "Cochran, William G.",
        "Sampling Techniques",
        1977,
        publisher="John Wiley and Sons",
        edition="3rd",
    ),
    "dawid1979": _source(
        "Dawid and Skene 1979",
        _ARTICLE,
        "Dawid, A. P. and Skene, A. M.",
        "Maximum Likelihood Estimation of Observer Error-Rates Using the {EM} Algorithm",
        1979,
        journal="Journal of the Royal Statistical Society, Series C (Applied Statistics)",
        volume="28",
        number="1",
        pages="20--28",
    ),
    "whitehill2009": _source(
        "Whitehill et al. 2009",
        _TALK,
        "Whitehill, Jacob and Ruvolo, Paul and Wu, Tingfan and Bergsma, Jacob and Movellan, Javier",
        "Whose Vote Should Count More: Optimal Integration of Labels from Labelers of Unknown Expertise",
        2009,
        booktitle="Advances in Neural Information Processing Systems 22",
        pages="2035--2043",
    ),
    "box1953": _source(
        "Box 1953",
        _ARTICLE,
        "Box, G. E. P.",
        "Non-Normality and Tests on Variances",
        1953,
        journal="Biometrika",
        volume="40",
        number="3/4",
        pages="318--335",
    ),
    "brennan2001": _source(
        "Brennan 2001",
        _BOOK,
        "Brennan, Robert L.",
        "Generalizability Theory",
        2001,
        publisher="Springer",
    ),
    "searle1992": _source(
        "Searle, Casella and McCulloch 1992",
        _BOOK,
        "Searle, Shayle R. and Casella, George and McCulloch, Charles E.",
        "Variance Components",
        1992,
        publisher="John Wiley and Sons",
    ),
    "holm1979": _source(
        "Holm 1979",
        _ARTICLE,
        "Holm, Sture",
        "A Simple Sequentially Rejective Multiple Test Procedure",
        1979,
        journal="Scandinavian Journal of Statistics",
        volume="6",
        number="2",
        pages="65--70",
    ),
    "satopaa2011": _source(
        "Satopää et al. 2011",
        _TALK,
        'Satop{\\"a}{\\"a}, Ville and Albrecht, Jeannie and Irwin, David and Raghavan, Barath',
        "Finding a ``Kneedle'' in a Haystack: Detecting Knee Points in System Behavior",
        2011,
        booktitle="31st International Conference on Distributed Computing Systems Workshops",
        pages="166--171",
    ),
    "owczarzak2012": _source(
        "Owczarzak, Rankel, Dang and Conroy 2012",
        _TALK,
        "Owczarzak, Karolina and Rankel, Peter A. and Dang, Hoa Trang and Conroy, John M.",
        "Assessing the Effect of Inconsistent Assessors on Summarization Evaluation",
        2012,
        booktitle="Proceedings of the 50th Annual Meeting of the Association for Computational Linguistics",
        pages="359--362",
    ),
    "nenkova2004": _source(
        "Nenkova and Passonneau 2004",
        _TALK,
        "Nenkova, Ani and Passonneau, Rebecca",
        "Evaluating Content Selection in Summarization: The Pyramid Method",
        2004,
        booktitle="Proceedings of the Human Language Technology Conference of the North American Chapter of the "
        "Association for Computational Linguistics",
        pages="145--152",
    ),
    "bt500": _source(
        "ITU-R BT.500",
        _OTHER,
        "{ITU-R}",
        "Recommendation {BT.500}: Methodologies for the Subjective Assessment of the Quality of Television Images",
        2023,
        howpublished="International Telecommunication Union",
    ),
    "p913": _source(
        "ITU-T P.913",
        _OTHER,
        "{ITU-T}",
        "Recommendation {P.913}: Methods for the Subjective Assessment of Video Quality, Audio Quality and Audiovisual "
        "Quality of Internet Video and Distribution Quality Television in Any Environment",
        2021,
        howpublished="International Telecommunication Union",
    ),
    "bradley1952": _source(
        "Bradley and Terry 1952",
        _ARTICLE,
        "Bradley, Ralph Allan and Terry, Milton E.",
        "Rank Analysis of Incomplete Block Designs: {I}. The Method of Paired Comparisons",
        1952,
        journal="Biometrika",
        volume="39",
        number="3/4",
        pages="324--345",
    ),
    "davidson1970": _source(
        "Davidson 1970",
        _ARTICLE,
        "Davidson, Roger R.",
        "On Extending the {Bradley-Terry} Model to Accommodate Ties in Paired Comparison Experiments",
        1970,
        journal="Journal of the American Statistical Association",
        volume="65",
        number="329",
        pages="317--328",
    ),
    "chiang2024": _source(
        "Chiang et al. 2024",
        _TALK,
        "Chiang, Wei-Lin and Zheng, Lianmin and Sheng, Ying and Angelopoulos, Anastasios Nikolas and Li, Tianle and "
        "Li, Dacheng and Zhang, Hao and Zhu, Banghua and Jordan, Michael and Gonzalez, Joseph E. and Stoica, Ion",
        "{Chatbot Arena}: An Open Platform for Evaluating {LLMs} by Human Preference",
        2024,
        booktitle="Proceedings of the 41st International Conference on Machine Learning",
    ),
    "habibi2012": _source(
        "Habibi and Popescu-Belis 2012",
        _TALK,
        "Habibi, Maryam and Popescu-Belis, Andrei",
        "Using Crowdsourcing to Compare Document Recommendation Strategies for Conversations",
        2012,
        booktitle="Workshop on Recommendation Utility Evaluation: Beyond {RMSE} ({RUE} 2012)",
    ),
    "cameron2011": _source(
        "Cameron, Gelbach and Miller 2011",
        _ARTICLE,
        "Cameron, A. Colin and Gelbach, Jonah B. and Miller, Douglas L.",
        "Robust Inference with Multiway Clustering",
        2011,
        journal="Journal of Business and Economic Statistics",
        volume="29",
        number="2",
        pages="238--249",
    ),
    "kolluru2005": _source(
        "Kolluru and Gotoh 2005",
        _TALK,
        "Kolluru, BalaKrishna and Gotoh, Yoshihiko",
        "On the Subjectivity of Human Authored Short Summaries",
        2005,
        booktitle="Proceedings of the {ACL} Workshop on Intrinsic and Extrinsic Evaluation Measures for Machine "
        "Translation and/or Summarization",
        pages="9--16",
    ),
    "hobson2007": _source(
        "Hobson, Dorr, Monz and Schwartz 2007",
        _ARTICLE,
        "Hobson, Stacy President and Dorr, Bonnie J. and Monz, Christof and Schwartz, Richard",
        "Task-Based Evaluation of Text Summarization Using Relevance Prediction",
        2007,
        journal="Information Processing and Management",
        volume="43",
        number="6",
        pages="1482--1499",
    ),
    "cohen1960": _source(
        "Cohen 1960",
        _ARTICLE,
        "Cohen, Jacob",
        "A Coefficient of Agreement for Nominal Scales",
        1960,
        journal="Educational and Psychological Measurement",
        volume="20",
        number="1",
        pages="37--46",
    ),
    "belz2025": _source(
        "Belz and Thomson 2025",
        _TALK,
        "Belz, Anya and Thomson, Craig",
        "{HEDS} 3.0: The Human Evaluation Data Sheet Version 3.0",
        2025,
        booktitle="Proceedings of the Fourth Workshop on Generation, Evaluation and Metrics (GEM²)",
        pages="60--81",
    ),
}


def bibtex(keys: Iterable[str]) -> str:
    """The entries of these sources."""
    return "\n".join(_entry(key, SOURCES[key]) for key in keys)


def _entry(key: str, source: Source) -> str:
    body = ",\n".join(f"  {name} = {{{value.replace('²', '2')}}}" for name, value in source.fields.items())
    kind = "misc" if source.kind == _OTHER else source.kind
    return f"@{kind}{{{key},\n{body}\n}}\n"
