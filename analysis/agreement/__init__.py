"""Agreement of raters beyond chance: Krippendorff's alpha, kappas, intraclass correlations."""

from analysis.agreement.alpha import interval_alpha, krippendorff_alpha
from analysis.agreement.intraclass import Intraclass, icc
from analysis.agreement.kappas import cohen_kappa, fleiss_kappa, masi_distance
from analysis.agreement.label_sets import LabelSets, set_agreement, set_alpha

__all__ = [
    "Intraclass",
    "LabelSets",
    "cohen_kappa",
    "fleiss_kappa",
    "icc",
    "interval_alpha",
    "krippendorff_alpha",
    "masi_distance",
    "set_agreement",
    "set_alpha",
]
