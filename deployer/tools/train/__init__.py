"""Fine-tuning of integer networks by PyTorch."""

from deployer.tools.train.augment import CHANGES
from deployer.tools.train.finetune import Tuned, finetune
from deployer.tools.train.options import TrainOptions, require_torch

__all__ = [
    "CHANGES",
    "TrainOptions",
    "Tuned",
    "finetune",
    "require_torch",
]
