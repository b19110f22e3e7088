"""Fine-tuning of integer networks by PyTorch."""

from deployer.tools.train.augment import CHANGES
from deployer.tools.train.finetune import Tuned, finetune
from deployer.tools.train.options import Device, Optimizer, Rounding, TrainOptions, require_torch

__all__ = [
    "CHANGES",
    "Device",
    "Optimizer",
    "Rounding",
    "TrainOptions",
    "Tuned",
    "finetune",
    "require_torch",
]
