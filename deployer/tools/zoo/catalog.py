"""The networks by name: what draws them, their usual input, and where they come from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from deployer.errors import UsageError, near_hints
from deployer.tools.zoo import (
    concatenated,
    image_to_image,
    inception,
    mobilenet,
    resnet,
    sequential,
    shufflenet,
)
from deployer.tools.zoo.builder import NetworkBuilder
from deployer.tools.zoo.layers import Shape

Draw = Callable[[NetworkBuilder, str], str | dict[str, str]]


@dataclass(frozen=True)
class Entry:
    """``classes``: usual number, 0 for a network without. ``multiple``: of height and width.

    ``norm``, ``act``, ``slope``: what convolutions have unless told otherwise, see NetworkBuilder.
    """

    draw: Draw
    source: str
    input: Shape = (3, 224, 224)
    classes: int = 1000
    multiple: int = 1
    norm: bool = True
    act: str = "relu"
    slope: float = 0.0


CATALOG: Mapping[str, Entry] = MappingProxyType(
    {
        "mobilenetv1": Entry(
            mobilenet.mobilenet_v1, "Howard et al. 2017, arXiv:1704.04861, table 1", act="relu6"
        ),
        "mobilenetv2": Entry(
            mobilenet.mobilenet_v2, "Sandler et al. 2018, arXiv:1801.04381, table 2", act="relu6"
        ),
        "mobilenetv3-small": Entry(
            mobilenet.mobilenet_v3_small, "Howard et al. 2019, arXiv:1905.02244, table 2"
        ),
        "resnet8": Entry(
            resnet.resnet8,
            "MLPerf Tiny v1, image classification; logits",
            input=(3, 32, 32),
            classes=10,
        ),
        "resnet9": Entry(
            resnet.resnet9,
            "Page 2018, How to Train Your ResNet",
            input=(3, 32, 32),
            classes=10,
        ),
        "resnet18": Entry(resnet.resnet18, "He et al. 2015, arXiv:1512.03385, table 1"),
        "cifar10-cnn": Entry(
            sequential.cifar10_cnn,
            "paper 003, section 5 (e); ARM-software/ML-examples, cmsisnn-cifar10, code/m4; logits",
            input=(3, 32, 32),
            classes=10,
            norm=False,
        ),
        "ds-cnn": Entry(
            sequential.ds_cnn,
            "MLPerf Tiny v1, keyword spotting; Zhang et al. 2017, arXiv:1711.07128; logits",
            input=(1, 49, 10),
            classes=12,
        ),
        "squeezenet1.1": Entry(
            concatenated.squeezenet,
            "Iandola et al. 2016, arXiv:1602.07360, its repository's version 1.1",
            norm=False,
        ),
        "vgg16": Entry(
            sequential.vgg16, "Simonyan and Zisserman 2014, arXiv:1409.1556, table 1 D", norm=False
        ),
        "googlenet": Entry(
            inception.googlenet, "Szegedy et al. 2014, arXiv:1409.4842, table 1; as in torchvision"
        ),
        "inception-v3": Entry(
            inception.inception_v3,
            "Szegedy et al. 2015, arXiv:1512.00567; as in torchvision",
            input=(3, 299, 299),
        ),
        "densenet121": Entry(
            concatenated.densenet121, "Huang et al. 2016, arXiv:1608.06993, table 1"
        ),
        "efficientnet-lite0": Entry(
            mobilenet.efficientnet_lite0,
            "Tan and Le 2019, arXiv:1905.11946, table 1; lite variant of its repository",
            act="relu6",
        ),
        "shufflenetv1": Entry(
            shufflenet.shufflenet_v1, "Zhang et al. 2017, arXiv:1707.01083, table 1, three groups"
        ),
        "shufflenetv2": Entry(
            shufflenet.shufflenet_v2, "Ma et al. 2018, arXiv:1807.11164, table 5"
        ),
        "unet": Entry(
            image_to_image.unet,
            "Ronneberger et al. 2015, arXiv:1505.04597, figure 1, a quarter of its channels",
            input=(3, 128, 128),
            classes=2,
            multiple=16,
        ),
        "pydnet": Entry(
            image_to_image.pydnet,
            "Poggi et al. 2018, arXiv:1806.11430; paper 001, section 3.3.2",
            input=(3, 256, 512),
            classes=0,
            multiple=64,
            norm=False,
            act="leaky",
            slope=0.2,
        ),
        "upydnet": Entry(
            image_to_image.upydnet,
            "paper 001, section 3.4.2",
            input=(3, 48, 48),
            classes=0,
            multiple=4,
            norm=False,
            act="leaky",
            slope=0.125,
        ),
    }
)


def find(name: str) -> Entry:
    """The entry of that name. Raises UsageError with the nearest known name."""
    if name in CATALOG:
        return CATALOG[name]
    raise UsageError(f"unknown network {name!r}", hints=near_hints(name.lower(), CATALOG))
