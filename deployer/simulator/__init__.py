"""Machines of ours that run images where no other emulator does."""

from deployer.simulator.gap8 import simulator

__all__ = [
    "simulator",
]
