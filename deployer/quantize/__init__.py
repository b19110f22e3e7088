"""Integer networks from float ones: ranges, scales, rules, widths."""

from deployer.quantize.calibrate import Progress, no_progress
from deployer.quantize.doubts import classes_of, label_doubts, sample_doubts
from deployer.quantize.goal import Goal, GoalKind, parse_goal
from deployer.quantize.hoist import hoist_clamps
from deployer.quantize.integer_graph import assemble
from deployer.quantize.mixed import WidthSearch
from deployer.quantize.quantize import SCHEMES, QuantOptions, choose_scheme, quantize
from deployer.quantize.report import Decisions, accuracy, top1
from deployer.quantize.samples import (
    Dataset,
    Samples,
    load_dataset,
    load_samples,
    synthetic_samples,
)
from deployer.quantize.scheme import Scheme
from deployer.quantize.stated import stated_quantization
from deployer.quantize.thresholds import METHODS

__all__ = [
    "METHODS",
    "SCHEMES",
    "Dataset",
    "Decisions",
    "Goal",
    "GoalKind",
    "Progress",
    "QuantOptions",
    "Samples",
    "Scheme",
    "WidthSearch",
    "accuracy",
    "assemble",
    "choose_scheme",
    "classes_of",
    "hoist_clamps",
    "label_doubts",
    "load_dataset",
    "load_samples",
    "no_progress",
    "parse_goal",
    "quantize",
    "sample_doubts",
    "stated_quantization",
    "synthetic_samples",
    "top1",
]
