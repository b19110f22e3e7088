"""Fine-tuning of integer networks by PyTorch."""

from deployer.tools.train.augment import CHANGES
from deployer.tools.train.finetune import Tuned, finetune
from deployer.tools.train.options import Device, Optimizer, Rounding, TrainOptions, require_torch
from deployer.tools.train.tuned_facts import GainFacts, TunedFacts

__all__ = [
    "CHANGES",
    "Device",
    "GainFacts",
    "Optimizer",
    "Rounding",
    "TrainOptions",
    "Tuned",
    "TunedFacts",
    "finetune",
    "require_torch",
]
