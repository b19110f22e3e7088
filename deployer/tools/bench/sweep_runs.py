"""Layers of a sweep on one board: built into images, run, compared, counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from deployer.analysis import Launch
from deployer.board import load_board
from deployer.choices import (
    Calibration,
    ConstantCopies,
    Correction,
    Restructuring,
    SchemeName,
    Sharing,
)
from deployer.errors import DeployerError, FitError, MismatchError, ModelError
from deployer.ir import Graph
from deployer.pipeline import (
    BUILD,
    IMPORT,
    QUANTIZE,
    SCHEDULE,
    Job,
    Options,
    Store,
    execute,
    make_job,
    open_store,
)
from deployer.tools.bench.row import DIFFERS, EXACT, NO_FIT, UNSUPPORTED
from deployer.tools.bench.sweep_counts import NOTHING, Counted, Differing, counted
from deployer.tools.bench.sweep_layers import FLOAT_BITS, SweepLayer
from deployer.tools.bench.sweep_nets import SweepNet, sweep_net
from deployer.tools.bench.sweep_packs import halves, packs
from deployer.tools.bench.sweep_peer import SweepPeer
from deployer.tools.bench.sweep_row import StepCount, SweepRow
from deployer.tools.timing import Machine

Pack = Sequence[SweepLayer]
_MUCH_CODE = 1 << 30  # so that no layer's kernel yields to those of the others in its image
_REFUSED = {FitError: NO_FIT, ModelError: UNSUPPORTED}


@dataclass
class SweepBench:
    """Layers on ``board``. With a ``machine`` cycles are estimated, else they are what the board's
    first runner counts. ``peer`` runs the same layers. ``made``: how the figures of the last image
    came about."""

    board: str
    machine: Machine | None = None
    board_dir: Path | None = None
    peer: SweepPeer | None = None
    made: Counted = NOTHING

    def rows(self, layers: Sequence[SweepLayer]) -> Iterator[SweepRow]:
        """Image by image. Raises BenchError when tools fail."""
        for pack in packs(layers, load_board(self.board, self.board_dir)):
            yield from self._pack(pack)

    def _pack(self, pack: Pack) -> Iterator[SweepRow]:
        """Of a pack that is refused, its halves."""
        try:
            rows = self._image(pack)
        except (FitError, ModelError) as error:
            if len(pack) == 1:
                yield _refused(pack[0], error)
                return
            for half in halves(pack):
                yield from self._pack(half)
            return
        yield from rows

    def _image(self, pack: Pack) -> list[SweepRow]:
        """Layers that differ are told, and the others run again without them: what follows a layer
        reads an element of it."""
        with TemporaryDirectory() as folder:
            net = sweep_net("sweep", pack)
            job = self._job(Path(folder), pack[0].bits)
            store = _built(job, net)
            launches = net.launches_of(store.get(SCHEDULE))
            try:
                self.made = counted(job, store.get(BUILD), self.machine)
            except Differing as found:
                wrong = [any(one.index in found.steps for one in own) for own in launches]
                return self._without(pack, wrong, found)
            theirs = self._theirs(net, store.get(QUANTIZE).graph)
        steps = [self._steps(net, own) for own in launches]
        return [
            SweepRow(layer, EXACT, steps=own, theirs_by_part=parts)
            for layer, own, parts in zip(pack, steps, theirs, strict=True)
        ]

    def _steps(self, net: SweepNet, own: Sequence[Launch]) -> tuple[StepCount, ...]:
        parts = net.parts_of([one.steps[0].node for one in own])
        return tuple(
            replace(self.made.steps[one.index], part=part)
            for one, part in zip(own, parts, strict=True)
        )

    def _theirs(self, net: SweepNet, graph: Graph) -> Sequence[Sequence[float | None]]:
        return self.peer.cycles(net, graph) if self.peer else [()] * len(net.ends)

    def _without(self, pack: Pack, wrong: Sequence[bool], found: Differing) -> list[SweepRow]:
        if not any(wrong):
            raise MismatchError("a step between the layers of a sweep is not exact") from found
        pairs = list(zip(pack, wrong, strict=True))
        rows = [SweepRow(layer, DIFFERS, "not golden") for layer, differs in pairs if differs]
        rest = [layer for layer, differs in pairs if not differs]
        return [*rows, *(self._pack(rest) if rest else ())]

    def _job(self, folder: Path, bits: int) -> Job:
        """No layer's place depends on the others: nothing shares bytes, no constants are copied."""
        model = folder / "sweep.onnx"
        model.write_bytes(b"the graph stands in for the imported file")
        return make_job(
            model,
            self.board,
            options=_options(bits),
            runner=self.machine.runner if self.machine else "",
            output=folder,
            board_dir=self.board_dir,
        )


def _options(bits: int) -> Options:
    plain = Options(
        golden_samples=1,
        kernel_code=_MUCH_CODE,
        restructure=Restructuring.OFF,
        share=Sharing.OFF,
        place=ConstantCopies.OFF,
    )
    if bits == FLOAT_BITS:
        return replace(plain, scheme=SchemeName.FLOAT)
    return replace(
        plain,
        calibrate=Calibration.MINMAX,
        equalize=Correction.OFF,
        bias_correction=Correction.OFF,
        bits=bits,
    )


def _built(job: Job, net: SweepNet) -> Store:
    open_store(job).put(IMPORT, net.graph)
    return execute(job, first=QUANTIZE)


def _refused(layer: SweepLayer, error: DeployerError) -> SweepRow:
    outcome = next(name for kind, name in _REFUSED.items() if isinstance(error, kind))
    return SweepRow(layer, outcome, "; ".join([error.what, *error.why[:1]]))
