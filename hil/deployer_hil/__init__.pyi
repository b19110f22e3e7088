from . import gate, lab, matrix, tools
from .compare import TOLERANCE, far_floats
from .constants import INTACT
from .cycles import Cycles, measure_cycles
from .energy.live import MeasuredEnergy, measure_energy
from .energy.meter import AssumedPower, Source, create_meter
from .energy.meters.replay import Replay, keep_recordings, live_meter
from .energy.per_inference import Energy, EnergyWindow, energy_of
from .energy.recording import Recording
from .energy.timed import Meter
from .exchange import Timeouts
from .figures import (
    ColdAndWarm,
    EnergyFacts,
    EnergyFigures,
    SpreadFacts,
    ThroughputFacts,
    energy_figures,
    throughput_facts,
)
from .gvsoc import MODELS
from .measure import connect, infer_dataset, prove
from .process import find_program
from .record import LayerRecord, RunRecord
from .results import Result, Results, json_line
from .runner import Runner, create
from .runners.qemu_system import machine
from .runners.ssh import ssh_host
from .runners.tcp import tcp_address
from .samples import is_golden
from .serial_log import SerialLog
from .spread import Spread, spread_of
from .throughput import Load, Throughput, measure_throughput

__all__ = [
    "INTACT",
    "MODELS",
    "TOLERANCE",
    "AssumedPower",
    "ColdAndWarm",
    "Cycles",
    "Energy",
    "EnergyFacts",
    "EnergyFigures",
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
