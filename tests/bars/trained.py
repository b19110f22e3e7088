"""The trained networks of ``../shared/models`` with real samples of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

SHARED = Path(__file__).resolve().parents[3] / "shared" / "models"
_CALIBRATE = 100  # at most, from the front


@dataclass(frozen=True, eq=False)
class Trained:
    """A float network and its samples, float32 in the model's layout, batch first.

    ``calibrating`` are those that its ranges are taken from, ``judging`` those it is compared on.
    """

    name: str
    path: Path
    calibrating: np.ndarray
    judging: np.ndarray


def trained(name: str, folder: Path = SHARED) -> Trained:
    """Raises KeyError for a name that is not one of NAMES."""
    model, samples = NAMES[name]
    found = samples(folder / name)
    rest = found[_CALIBRATE:] if len(found) > 2 * _CALIBRATE else found
    return Trained(name, folder / name / model, found[:_CALIBRATE], rest)


def _stored(file: str) -> Callable[[Path], np.ndarray]:
    def read(folder: Path) -> np.ndarray:
        return np.asarray(np.load(folder / file)["input"])

    return read


def _photos(folder: Path) -> np.ndarray:
    """The 20 golden ones, mirrored, and moved by a few pixels, which come in at the other side."""
    photos = np.load(folder / "golden.npz")["input"]
    both = np.concatenate([photos, photos[..., ::-1]])
    return np.concatenate([np.roll(both, 3 * i, axis=(2, 3)) for i in range(12)])


def _words(folder: Path) -> np.ndarray:
    """Spectra whose frames come in at the front again as they go at the end."""
    spectra = np.load(folder / "calib45.npz")["input"]
    return np.concatenate([np.roll(spectra, 7 * i, axis=1) for i in range(6)])


def _digits(folder: Path) -> np.ndarray:
    images = [np.load(folder / f"mnist5k_{part}.npz")["image"] for part in ("calib200", "test1000")]
    return (np.concatenate(images)[:400, None] / np.float32(255)).astype(np.float32)


def _windows(folder: Path) -> np.ndarray:
    """Five frames of a clip, moved by one."""
    frames = np.load(folder / "clip_normal_id_01_00000000.npz")["log_mel"]
    return np.stack([frames[i : i + 5].ravel() for i in range(len(frames) - 4)])


NAMES = {
    "ad_autoencoder": ("ad_autoencoder.onnx", _windows),
    "kws_dscnn": ("kws_dscnn.onnx", _stored("tts360.npz")),
    "mnist_dscnn": ("mnist_dscnn.onnx", _digits),
    "resnet8_cifar10": ("resnet8_cifar10.onnx", _photos),
    "sww_ds1d": ("sww_ds1d.onnx", _words),
    "vww_mobilenetv1_025_96": ("vww_mobilenetv1_025_96.onnx", _photos),
}
