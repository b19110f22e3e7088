"""Unicorn's Cortex-M7 and what it leaves out: device registers, the MPU, faults, interrupts.

Code runs until something asks for a stop. A handler of an interrupt runs to its end, a fault's
never returns, as in firmware/ports/cortex_m.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from deployer_hil.register_model import mpu

Reaction = Callable[[int], int]  # the value that is stored to the one that is read

SHCSR, CFSR, HFSR, MMFAR, BFAR = 0xE000ED24, 0xE000ED28, 0xE000ED2C, 0xE000ED34, 0xE000ED38
HARD, MEMMANAGE, BUS, USAGE = 3, 4, 5, 6
_ACTIVE = {MEMMANAGE: 1, BUS: 1 << 1, USAGE: 1 << 3}  # in SHCSR
_INSTRUCTION, _DATA, _STACKING, _MMFAR_VALID = 1, 1 << 1, 1 << 4, 1 << 7  # in CFSR
_PRECISE, _BFAR_VALID, _UNDEFINED = 1 << 9, 1 << 15, 1 << 16
_FORCED = 1 << 30  # in HFSR
_RETURN = 0x1FF00000  # of a handler; nothing is executed there
_EXC_RETURN = 0xFFFFFFF9
_FRAME_BYTES = 32


class Core:
    """``memories`` and ``devices`` are ranges of addresses. ``reads`` reacts to the reading of a
    register, ``written`` is told of every write to one as (address, value)."""

    def __init__(
        self,
        memories: Sequence[range],
        read_only: Sequence[range],
        devices: Sequence[range],
        reads: Mapping[int, Reaction],
        written: Callable[[int, int], None],
    ):
        import unicorn
        from unicorn import arm_const

        self.registers: dict[int, int] = {}
        self.locked = False  # a fault in the handler of the last resort
        self.asleep = False  # at a WFI
        self._stopped: bool  # since the last run began
        self._unicorn, self._arm = unicorn, arm_const
        self._memories = (*memories, *read_only)
        self._reads, self._written = reads, written
        self._hooks: list[int] = []
        self._fault: tuple[int, int, int, int] | None = None  # exception, status, address, pc
        self._bad = 0  # address of the last access to no memory
        self._active: list[int] = []
        self._pc: int
        self._cpu = unicorn.Uc(unicorn.UC_ARCH_ARM, unicorn.UC_MODE_THUMB | unicorn.UC_MODE_MCLASS)
        self._cpu.ctl_set_cpu_model(arm_const.UC_CPU_ARM_CORTEX_M7)
        self._map(memories, read_only, devices)

    def _map(
        self, memories: Sequence[range], read_only: Sequence[range], devices: Sequence[range]
    ) -> None:
        constant = self._unicorn.UC_PROT_READ | self._unicorn.UC_PROT_EXEC
        for memory in memories:
            self._cpu.mem_map(memory.start, len(memory))
        for memory in (*read_only, range(_RETURN, _RETURN + 0x1000)):
            self._cpu.mem_map(memory.start, len(memory), constant)
        for device in devices:
            base = device.start
            self._cpu.mmio_map(base, len(device), self._read, base, self._write, base)
        self._cpu.hook_add(self._unicorn.UC_HOOK_MEM_INVALID, self._invalid)

    def load(self, address: int, data: bytes) -> None:
        self._cpu.mem_write(address, data)

    def reset(self, vectors: int) -> None:
        """Registers as after a reset, memory as it was; the vectors lie at ``vectors``."""
        self.registers.clear()
        self._active, self._fault, self.locked, self.asleep = [], None, False, False
        self._guard()
        self._vectors = vectors
        self._set("SP", self.word(vectors))
        self._set("XPSR", 1 << 24)
        self._set("PRIMASK", 0)
        self._pc = self.word(vectors + 4)

    def word(self, address: int) -> int:
        """Of memory."""
        return int.from_bytes(self._cpu.mem_read(address, 4), "little")

    @property
    def masked(self) -> bool:
        """Whether no interrupt is let through."""
        return bool(self._get("PRIMASK"))

    def stop(self) -> None:
        """Within a reaction: ``run`` ends soon."""
        self._stopped = True
        self._cpu.emu_stop()

    def run(self) -> None:
        """Until a stop, a sleep, or a fault that has been entered."""
        self._stopped = self.asleep = False
        if not self.locked:
            entered = not self._go(0)
            self.asleep = not (entered or self._stopped)

    def interrupt(self, vector: int) -> None:
        """Call the handler of ``vector``; what ran before it goes on after it."""
        before, pc = self._cpu.context_save(), self._pc
        self._set("LR", _RETURN | 1)
        self._pc = self.word(self._vectors + 4 * vector)
        while self._go(_RETURN):
            if self._pc == _RETURN:
                self._cpu.context_restore(before)
                self._pc = pc
                return

    def _go(self, until: int) -> bool:
        """False once a fault has been entered."""
        errors = self._unicorn.UcError
        try:
            self._cpu.emu_start(self._pc | 1, until)
        except errors as error:
            self._fault = self._fault or self._broken(error)
        self._pc = self._get("PC")
        fault, self._fault = self._fault, None
        if fault:
            self._enter(*fault)
        return fault is None

    # -- registers

    def _read(self, _cpu: Any, offset: int, _size: int, base: int) -> int:
        address = base + offset
        reaction = self._reads.get(address)
        if reaction:
            self.registers[address] = reaction(self.registers.get(address, 0)) & 0xFFFFFFFF
        return self.registers.get(address, 0)

    def _write(self, _cpu: Any, offset: int, _size: int, value: int, base: int) -> None:
        address = base + offset
        self.registers[address] = value
        if address == mpu.RASR:
            number = self.registers.get(mpu.RNR, 0)
            self.registers[mpu.stored(number)] = self.registers.get(mpu.RBAR, 0)
            self.registers[mpu.stored(number) + 4] = value
        if address in (mpu.CTRL, mpu.RASR):
            self._guard()
        self._written(address, value)

    # -- protection

    def _guard(self) -> None:
        """Watch what the MPU forbids of the memory that is there."""
        for hook in self._hooks:
            self._cpu.hook_del(hook)
        self._hooks = []
        for region in mpu.regions(self.registers):
            if region.restricts and any(_meet(region.span, memory) for memory in self._memories):
                self._watch(region)

    def _watch(self, region: mpu.Region) -> None:
        """Reads and code only where both are forbidden: code runs at full speed elsewhere."""
        kinds, span = self._unicorn, {"begin": region.span.start, "end": region.span.stop - 1}
        watched: list[tuple[int, Callable[..., None]]] = [(kinds.UC_HOOK_MEM_WRITE, self._access)]
        if region.closed:
            watched += [(kinds.UC_HOOK_MEM_READ, self._access), (kinds.UC_HOOK_CODE, self._fetch)]
        self._hooks += [self._cpu.hook_add(kind, call, **span) for kind, call in watched]

    def _access(self, _cpu: Any, kind: int, at: int, _size: int, _value: int, _user: Any) -> None:
        if mpu.forbids(self.registers, at, writes=kind == self._unicorn.UC_MEM_WRITE):
            self._stop_at(_DATA | _MMFAR_VALID, at)

    def _fetch(self, _cpu: Any, at: int, _size: int, _user: Any) -> None:
        if mpu.forbids(self.registers, at):
            self._stop_at(_INSTRUCTION, 0)

    def _stop_at(self, status: int, address: int) -> None:
        """The first one counts: a few instructions follow before the core stops."""
        if self._fault is None:
            self._fault = MEMMANAGE, status, address, self._get("PC")
            self._cpu.emu_stop()

    # -- faults

    def _invalid(self, _cpu: Any, _kind: int, at: int, _size: int, _value: int, _user: Any) -> bool:
        self._bad = at
        return False

    def _broken(self, error: Any) -> tuple[int, int, int, int]:
        """The fault that stands for what Unicorn gives up at."""
        kinds, pc = self._unicorn, self._get("PC")
        if error.errno == kinds.UC_ERR_INSN_INVALID:
            return USAGE, _UNDEFINED, 0, pc
        writes = error.errno in (kinds.UC_ERR_WRITE_UNMAPPED, kinds.UC_ERR_WRITE_PROT)
        if mpu.forbids(self.registers, self._bad, writes=writes):
            return MEMMANAGE, _DATA | _MMFAR_VALID, self._bad, pc
        return BUS, _PRECISE | _BFAR_VALID, self._bad, pc

    def _enter(self, exception: int, status: int, address: int, pc: int) -> None:
        """The core on the first instruction of the handler, on a stack with the frame."""
        if HARD in self._active:
            self.locked = True
            return
        registers = self.registers
        registers[CFSR] = registers.get(CFSR, 0) | status
        if address or status & (_MMFAR_VALID | _BFAR_VALID):
            registers[BFAR if exception == BUS else MMFAR] = address
        if self._active or not registers.get(SHCSR, 0) >> (12 + exception) & 1:
            registers[HFSR] = registers.get(HFSR, 0) | _FORCED
            exception = HARD
        registers[SHCSR] = registers.get(SHCSR, 0) | _ACTIVE.get(exception, 0)
        self._active.append(exception)
        self._push_frame(pc)
        self._set("LR", _EXC_RETURN)
        self._set("IPSR", exception)
        self._pc = self.word(self._vectors + 4 * exception)

    def _push_frame(self, pc: int) -> None:
        """What cannot be written on an overflowed stack is left out and said."""
        names = ("R0", "R1", "R2", "R3", "R12", "LR")
        values = [*(self._get(name) for name in names), pc, self._get("XPSR")]
        stack = (self._get("SP") & ~7) - _FRAME_BYTES
        self._set("SP", stack)
        there = any(stack in memory for memory in self._memories)
        if not there or mpu.forbids(self.registers, stack, writes=True):
            self.registers[CFSR] |= _STACKING
            return
        self.load(stack, b"".join(value.to_bytes(4, "little") for value in values))

    def _get(self, name: str) -> int:
        return int(self._cpu.reg_read(getattr(self._arm, f"UC_ARM_REG_{name}")))

    def _set(self, name: str, value: int) -> None:
        self._cpu.reg_write(getattr(self._arm, f"UC_ARM_REG_{name}"), value)


def _meet(a: range, b: range) -> bool:
    return a.start < b.stop and b.start < a.stop
