"""The reference networks on one board, and the same layers through CMSIS-NN."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from deployer.build import Library
from deployer.choices import ConstantCopies
from deployer.ir import Schedule
from deployer.pipeline import SCHEDULE, Job, Notice, make_job, open_store
from deployer.tools.bench.cmsis_nn import Peer, link_app, measure
from deployer.tools.bench.model_time import ModelTime, time_model
from deployer.tools.bench.reference import reference_model
from deployer.tools.timing import Machine


@dataclass(frozen=True)
class KernelsBench:
    """Each network is built and profiled in ``folder``; its layers also go through ``library``, if
    one is given. ``peers``: what the library took for the networks timed so far."""

    machine: Machine
    board_dir: Path | None
    library: Library | None
    folder: Path
    place: ConstantCopies
    hot_code: str
    peers: dict[str, tuple[Schedule, Peer]] = field(default_factory=dict)

    def time(self, name: str, notice: Notice) -> ModelTime:
        """What network ``name`` takes; told as soon as it is known."""
        path, options = reference_model(name, self.folder)
        job = make_job(
            path,
            self.machine.name,
            options=replace(options, place=self.place, hot_code=self.hot_code),
            runner=self.machine.runner,
            output=self.folder,
            board_dir=self.board_dir,
        )
        found = time_model(job, self.machine, name=name)
        notice(f"{name}: {found.instructions:,} instructions")
        if self.library is not None:
            schedule = open_store(job).get(SCHEDULE)
            self.peers[name] = schedule, self._peer(self.library, schedule, job)
        return found

    def _peer(self, library: Library, schedule: Schedule, job: Job) -> Peer:
        app = link_app(library, job.target, self.folder)
        return measure(schedule, app, board=job.target, machine=self.machine, work=self.folder)
