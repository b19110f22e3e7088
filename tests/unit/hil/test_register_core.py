"""Unicorn's core with the faults of an ARMv7-M core [ARMv7-M Architecture Reference Manual, B1.5,
B3.2], met by programs of a few instructions."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

pytest.importorskip("unicorn")

from deployer_hil.register_model import core as cores
from deployer_hil.register_model.core import Core
from deployer_hil.register_model.mpu import CTRL, RASR, RBAR, RNR

FLASH, RAM, DEVICE = 0x08000000, 0x20000000, 0x40000000
SYSTEM = 0xE000E000
SHCSR, CFSR, HFSR, MMFAR, BFAR = 0xE000ED24, 0xE000ED28, 0xE000ED2C, 0xE000ED34, 0xE000ED38
STACK = RAM + 0x8000
HARD, MEMMANAGE, BUS, USAGE, DEVICE_VECTOR = 3, 4, 5, 6, 55
ENABLED = {MEMMANAGE: 1 << 16, BUS: 1 << 17, USAGE: 1 << 18}

# store r3 pairs (address, value) from r2 on, load r0 and r1; then the instructions under test
PROLOGUE = bytes.fromhex("1bb103ca0160013bfae703ca")
STORE, LOAD, BYTE, UNDEFINED, BRANCH = 0x6001, 0x6801, 0x7001, 0xDE00, 0x4700
NEW_STACK, PUSH, COUNT, RETURN, SLEEP, MASK = 0x4685, 0xB402, 0x3401, 0x4770, 0xBF30, 0xB672
# store the handler's number, IPSR, LR and SP at r6; sleep
HANDLER = "3760eff305877760 7746b7606f46f76030bffee7"
ENTRY, HANDLERS, TABLE = FLASH + 0x200, FLASH + 0x400, RAM + 0x1000


def handler(number: int) -> bytes:
    return struct.pack("<H", 0x2700 | number) + bytes.fromhex(HANDLER)


@dataclass
class Machine:
    """A core with 2 MiB flash, 512 KiB RAM and two ranges of devices, each vector's handler saying
    which it is. ``told``: the writes to devices."""

    told: list[tuple[int, int]] = field(default_factory=list)
    reads: dict[int, int] = field(default_factory=dict)
    stops: int = 0  # so many reads
    slept: list[bool] = field(default_factory=list)

    def __post_init__(self) -> None:
        devices = (range(DEVICE, DEVICE + 0x1000), range(SYSTEM, SYSTEM + 0x1000))
        self.core = Core(
            (range(RAM, RAM + 0x80000),),
            (range(FLASH, FLASH + 0x200000),),
            devices,
            {at: self.reaction(value) for at, value in self.reads.items()},
            lambda address, value: self.told.append((address, value)),
        )
        for number in range(2, 64):
            at = HANDLERS + 0x20 * number
            self.core.load(FLASH + 4 * number, struct.pack("<I", at | 1))
            self.core.load(at, handler(number))
        self.core.load(FLASH, struct.pack("<2I", STACK, ENTRY | 1))

    def reaction(self, value: int) -> Callable[[int], int]:
        def react(old: int) -> int:
            if self.stops:
                self.stops -= 1
                self.core.stop()
            return old + value

        return react

    def start(self, *code: int, setup: list[tuple[int, int]] | None = None, **given: int) -> None:
        """Writes the device registers of ``setup``, then runs ``code`` with registers ``given``."""
        self.core.load(ENTRY, PROLOGUE + struct.pack(f"<{len(code)}H", *code))
        pairs = [*(setup or []), (given.get("R0", 0), given.get("R1", 0))]
        self.core.load(TABLE, b"".join(struct.pack("<2I", *pair) for pair in pairs))
        self.restart(len(pairs) - 1, **given)

    def restart(self, pairs: int = 0, **given: int) -> None:
        self.core.reset(FLASH)
        for name, value in {"R2": TABLE, "R3": pairs, "R6": DEVICE, **given}.items():
            self.core._set(name, value)
        self.run()

    def run(self) -> None:
        """Until it sleeps or is locked, past the entering of faults."""
        for _ in range(9):
            self.core.run()
            self.slept.append(self.core.asleep)
            if self.core.asleep or self.core.locked:
                return

    def handled(self) -> list[int]:
        """What handlers said: number, IPSR, LR, SP each."""
        return [value for address, value in self.told if DEVICE <= address < DEVICE + 16]

    def register(self, address: int) -> int:
        return self.core.registers.get(address, 0)


def closed(base: int, log2: int, *, permission: int = 0, number: int = 0) -> list[tuple[int, int]]:
    """The writes that set up one region, and switch the MPU on with the default map behind it."""
    attributes = permission << 24 | (log2 - 1) << 1 | 1
    return [(RNR, number), (RBAR, base), (RASR, attributes), (CTRL, 5)]


FORBIDDEN = RAM + 0x10000
MEMORY = closed(FORBIDDEN, 8)
READ_ONLY = closed(FORBIDDEN, 8, permission=6)
FAULTS = {  # code, setup, r0: exception, CFSR, the register of the address and what it has
    "no memory, read": ((LOAD,), [], 0x70000000, BUS, 0x8200, BFAR),
    "no memory, written": ((STORE,), [], 0x70000004, BUS, 0x8200, BFAR),
    "flash, written": ((STORE,), [], FLASH + 0x100, BUS, 0x8200, BFAR),
    "address 0, read": ((LOAD,), [], 0, BUS, 0x8200, BFAR),
    "closed, read": ((LOAD,), MEMORY, FORBIDDEN + 252, MEMMANAGE, 0x82, MMFAR),
    "closed, written": ((STORE,), MEMORY, FORBIDDEN, MEMMANAGE, 0x82, MMFAR),
    "closed, no memory": ((STORE,), closed(0x60000000, 28), 0x6000FFF0, MEMMANAGE, 0x82, MMFAR),
    "read-only, written": ((BYTE,), READ_ONLY, FORBIDDEN + 255, MEMMANAGE, 0x82, MMFAR),
    "closed, run": ((BRANCH,), MEMORY, FORBIDDEN | 1, MEMMANAGE, 0x01, 0),
    "undefined": ((UNDEFINED,), [], 0, USAGE, 0x10000, 0),
}


@pytest.mark.parametrize("case", FAULTS.values(), ids=FAULTS.keys())
@pytest.mark.parametrize("enabled", [True, False])
def test_a_fault_enters_its_handler_or_the_hard_one(
    case: tuple[tuple[int, ...], list[tuple[int, int]], int, int, int, int], enabled: bool
) -> None:
    code, setup, address, exception, status, where = case
    machine = Machine()
    enable = [(SHCSR, ENABLED[exception])] if enabled else []
    machine.start(*code, SLEEP, setup=[*enable, *setup], R0=address, R1=0xBF30BF30)
    number = exception if enabled else HARD
    assert machine.handled() == [number, number, 0xFFFFFFF9, STACK - 32]
    assert machine.register(CFSR) == status
    assert machine.register(HFSR) == (0 if enabled else 1 << 30)
    active = {MEMMANAGE: 1, BUS: 2, USAGE: 8}[exception]
    assert machine.register(SHCSR) == (ENABLED[exception] | active if enabled else 0)
    found = {register: machine.core.registers.get(register) for register in (BFAR, MMFAR)}
    assert found == {BFAR: None, MMFAR: None} | ({where: address} if where else {})
    assert (machine.core.asleep, machine.core.locked) == (True, False)


@pytest.mark.parametrize(
    ("code", "setup", "address"),
    [
        ((STORE, LOAD), MEMORY, FORBIDDEN + 256),
        ((STORE, LOAD), MEMORY, FORBIDDEN - 4),
        ((LOAD,), READ_ONLY, FORBIDDEN),
        ((STORE, LOAD), [*MEMORY, (CTRL, 4)], FORBIDDEN),
        ((STORE, LOAD), [*MEMORY, (RASR, 0)], FORBIDDEN),
        ((STORE, LOAD), [*MEMORY, *closed(FORBIDDEN, 8, permission=3, number=7)], FORBIDDEN),
        ((STORE, LOAD), closed(FORBIDDEN, 8, number=8), FORBIDDEN),  # there are eight
        ((LOAD,), [], FLASH),
        ((STORE, LOAD), [], RAM),
        ((STORE, LOAD), [], RAM + 0x7FFFC),
    ],
)
def test_what_is_allowed_is_no_fault(
    code: tuple[int, ...], setup: list[tuple[int, int]], address: int
) -> None:
    machine = Machine()
    machine.start(*code, SLEEP, setup=setup, R0=address, R1=0x12345678)
    assert machine.handled() == []
    assert machine.core.asleep
    assert machine.register(CFSR) == 0
    if STORE in code:
        assert machine.core.word(address) == 0x12345678


def test_the_frame_has_what_the_program_had() -> None:
    machine = Machine()
    values = {"R0": 0x70000010, "R1": 11, "R12": 12, "LR": 14, "SP": STACK - 0x14}
    machine.start(STORE, SLEEP, **values)
    frame = (STACK - 0x14 & ~7) - 32
    assert machine.handled()[3] == frame
    words = [machine.core.word(frame + 4 * i) for i in range(8)]
    fixed = [0x70000010, 11, TABLE + 8, 0, 12, 14, ENTRY + len(PROLOGUE)]
    assert words[:7] == fixed
    assert words[7] >> 24 & 1
    assert machine.core.word(frame - 4) == 0
    assert machine.core.word(frame + 32) == 0


@pytest.mark.parametrize(
    ("stack", "setup", "status"),
    [
        (RAM + 16, [], 0x8200 | 0x10),
        (FORBIDDEN + 128, MEMORY, 0x82 | 0x10),
        (FORBIDDEN + 32 + 256, MEMORY, 0x82),
        (FORBIDDEN + 128, READ_ONLY, 0x82 | 0x10),
    ],
)
def test_an_overflowed_stack_is_said_and_its_frame_left_out(
    stack: int, setup: list[tuple[int, int]], status: int
) -> None:
    machine = Machine()
    address = FORBIDDEN if setup else 0x70000000
    machine.start(STORE, SLEEP, setup=setup, SP=stack, R0=address)
    assert machine.register(CFSR) == status
    assert machine.handled() == [HARD, HARD, 0xFFFFFFF9, stack - 32]
    if stack > RAM + 32:
        written = any(machine.core.word(stack - 32 + 4 * i) for i in range(8))
        assert written == (not status & 0x10)


def test_a_fault_of_a_handler_is_a_hard_one_and_of_that_one_the_end() -> None:
    machine = Machine()
    machine.core.load(HANDLERS + 0x20 * BUS, struct.pack("<2H", LOAD, SLEEP))
    machine.start(LOAD, setup=[(SHCSR, ENABLED[BUS])], R0=0x70000000)
    assert machine.handled() == [HARD, HARD, 0xFFFFFFF9, STACK - 64]
    assert machine.register(HFSR) == 1 << 30
    machine = Machine()
    machine.core.load(HANDLERS + 0x20 * HARD, struct.pack("<2H", LOAD, SLEEP))
    machine.start(LOAD, SLEEP, R0=0x70000000)
    assert (machine.core.locked, machine.handled()) == (True, [])
    machine.run()
    assert machine.core.locked
    machine.core.load(TABLE, struct.pack("<2I", RAM, 0))
    machine.restart()
    assert (machine.core.locked, machine.core.asleep) == (False, True)


def test_an_interrupt_is_handled_and_what_ran_goes_on() -> None:
    machine = Machine()
    machine.core.load(HANDLERS + 0x20 * DEVICE_VECTOR, struct.pack("<3H", STORE, COUNT, RETURN))
    machine.start(SLEEP, COUNT, COUNT, SLEEP, R0=DEVICE + 0x20, R1=77, R4=5)
    machine.told.clear()
    machine.core.interrupt(DEVICE_VECTOR)
    assert machine.told == [(DEVICE + 0x20, 77)]
    assert machine.core._get("R4") == 5  # the handler's own count is forgotten
    machine.run()
    assert machine.core._get("R4") == 7


def test_a_fault_of_an_interrupt_ends_it() -> None:
    machine = Machine()
    machine.core.load(HANDLERS + 0x20 * DEVICE_VECTOR, struct.pack("<2H", UNDEFINED, RETURN))
    machine.start(SLEEP, SLEEP)
    machine.core.interrupt(DEVICE_VECTOR)
    machine.run()
    assert machine.handled()[:2] == [HARD, HARD]


def test_registers_react_to_their_reading_and_writes_are_told() -> None:
    machine = Machine(reads={DEVICE + 0x40: 3})
    machine.start(LOAD, STORE, LOAD, SLEEP, R0=DEVICE + 0x40)
    assert machine.told == [(DEVICE + 0x40, 3)]
    assert machine.core._get("R1") == 6
    machine.core.registers[DEVICE + 0x40] = 0xFFFFFFFF
    assert machine.core._read(None, 0x40, 4, DEVICE) == 2
    assert machine.core._read(None, 0x44, 4, DEVICE) == 0


def test_a_core_that_was_never_reset_is_neither_asleep_nor_locked() -> None:
    core = Machine().core
    assert (core.asleep, core.locked) == (False, False)


def test_a_stop_ends_a_run_and_is_no_sleep() -> None:
    machine = Machine(reads={DEVICE: 1}, stops=2)
    machine.start(LOAD, COUNT, SLEEP, R0=DEVICE, R4=1)
    assert machine.slept == [False, False, True]
    assert machine.core._get("R4") == 2


@pytest.mark.parametrize(("code", "masked"), [((SLEEP,), False), ((MASK, SLEEP), True)])
def test_masked_interrupts_are_known(code: tuple[int, ...], masked: bool) -> None:
    machine = Machine()
    machine.start(*code)
    assert machine.core.masked is masked


def test_the_number_of_the_exceptions_are_the_manual_s() -> None:
    found = (cores.HARD, cores.MEMMANAGE, cores.BUS, cores.USAGE)
    assert found == (HARD, MEMMANAGE, BUS, USAGE)
    assert (cores.SHCSR, cores.CFSR, cores.HFSR) == (SHCSR, CFSR, HFSR)
    assert (cores.MMFAR, cores.BFAR) == (MMFAR, BFAR)


def test_a_reset_forgets_all_but_the_memories() -> None:
    """Registers, what the MPU forbids, the handler it was in, and that interrupts are masked."""
    machine = Machine()
    machine.start(MASK, STORE, SLEEP, setup=MEMORY, R0=FORBIDDEN, R1=7)
    assert machine.handled()[1] == HARD
    machine.told.clear()
    machine.core.load(TABLE, struct.pack("<2I", FORBIDDEN, 8))
    machine.core.reset(FLASH)
    assert machine.core.registers == {}
    assert not machine.core.masked
    assert machine.core._get("IPSR") == 0
    assert machine.core._get("SP") == STACK
    machine.restart()
    assert machine.handled() == []
    assert machine.core.word(FORBIDDEN) == 8
