"""Recordings whose energy is known: a board that idles, works between two pulses, and idles."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from deployer_hil.energy.recording import Recording


@dataclass(frozen=True)
class Scene:
    """Seconds, volts and amps of one window; ``slope``: the part by which the current grows within
    it; ``noise``: of each sample, amps."""

    rate_hz: int = 2_000
    window: float = 10.5
    around: float = 0.3
    pulse: float = 1e-3
    volts: float = 3.3
    idle: float = 0.01
    work: float = 0.1
    slope: float = 0.0
    noise: float = 1e-4
    seed: int = 0

    @property
    def count(self) -> int:
        """Samples in the window."""
        return round(self.window * self.rate_hz)

    @property
    def joules(self) -> float:
        """What the window takes, without noise."""
        return self.volts * self.work * (1 + self.slope / 2) * self.count / self.rate_hz

    @property
    def noise_joules(self) -> float:
        """Far more than the noise of the window adds up to: eight of its standard deviations."""
        return 8 * self.noise * self.volts * self.count**0.5 / self.rate_hz


def recorded(scene: Scene) -> Recording:
    """One window."""
    around, count = round(scene.around * scene.rate_hz), scene.count
    rise = (np.arange(count) + 0.5) / count
    idle = np.full(around, scene.idle)
    amps = np.concatenate([idle, scene.work * (1 + scene.slope * rise), idle])
    amps = amps + np.random.default_rng(scene.seed).normal(0, scene.noise, len(amps))
    trigger = np.ones(len(amps), bool)
    low = max(1, round(scene.pulse * scene.rate_hz))
    for edge in (around, around + count):
        trigger[edge : edge + low] = False
    return Recording(scene.rate_hz, np.full(len(amps), scene.volts), amps, trigger)


def five(scene: Scene) -> list[Recording]:
    """Windows of the same scene, with noise of their own."""
    return [recorded(replace(scene, seed=scene.seed + at)) for at in range(5)]


def waiting(scene: Scene, seconds: float = 2.0) -> Recording:
    """The idle board: the trigger stays high."""
    count = round(seconds * scene.rate_hz)
    noise = np.random.default_rng(scene.seed + 99).normal(0, scene.noise, count)
    return Recording(
        scene.rate_hz, np.full(count, scene.volts), scene.idle + noise, np.ones(count, bool)
    )


def joined(recordings: list[Recording]) -> Recording:
    """One long recording of them, one after another."""
    columns = (
        [getattr(each, name) for each in recordings] for name in ("volts", "amps", "trigger")
    )
    return Recording(recordings[0].rate_hz, *map(np.concatenate, columns))
