"""The rig: bundles run on boards and in emulators, and records of what happened."""

from deployer_hil import gate, lab, matrix, tools
from deployer_hil.compare import TOLERANCE, far_floats
from deployer_hil.constants import INTACT
from deployer_hil.cycles import Cycles, measure_cycles
from deployer_hil.energy.live import MeasuredEnergy, measure_energy
from deployer_hil.energy.meter import AssumedPower, Meter, Source, create_meter
from deployer_hil.energy.meters.replay import Replay, keep_recordings, live_meter
from deployer_hil.energy.per_inference import Energy, EnergyWindow, energy_of
from deployer_hil.energy.recording import Recording
from deployer_hil.exchange import Timeouts
from deployer_hil.figures import (
    ColdAndWarm,
    EnergyFacts,
    SpreadFacts,
    ThroughputFacts,
    energy_figures,
    throughput_facts,
)
from deployer_hil.measure import connect, infer_dataset, prove
from deployer_hil.process import find_program
from deployer_hil.record import LayerRecord, RunRecord
from deployer_hil.results import Result, Results, json_line
from deployer_hil.runner import Runner, create
from deployer_hil.runners.qemu_system import machine
from deployer_hil.runners.ssh import ssh_host
from deployer_hil.runners.tcp import tcp_address
from deployer_hil.samples import is_golden
from deployer_hil.serial_log import SerialLog
from deployer_hil.spread import Spread, spread_of
from deployer_hil.throughput import Load, Throughput, measure_throughput

__all__ = [
    "INTACT",
    "TOLERANCE",
    "AssumedPower",
    "ColdAndWarm",
    "Cycles",
    "Energy",
    "EnergyFacts",
    "EnergyWindow",
    "LayerRecord",
    "Load",
    "MeasuredEnergy",
    "Meter",
    "Recording",
    "Replay",
    "Result",
    "Results",
    "RunRecord",
    "Runner",
    "SerialLog",
    "Source",
    "Spread",
    "SpreadFacts",
    "Throughput",
    "ThroughputFacts",
    "Timeouts",
    "connect",
    "create",
    "create_meter",
    "energy_figures",
    "energy_of",
    "far_floats",
    "find_program",
    "gate",
    "infer_dataset",
    "is_golden",
    "json_line",
    "keep_recordings",
    "lab",
    "live_meter",
    "machine",
    "matrix",
    "measure_cycles",
    "measure_energy",
    "measure_throughput",
    "prove",
    "spread_of",
    "ssh_host",
    "tcp_address",
    "throughput_facts",
    "tools",
]
