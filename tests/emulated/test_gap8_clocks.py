"""Two clocks and a voltage in gap8_sim: what a program sets, what then takes how long."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from deployer.errors import BenchError
from deployer.simulator.gap8 import run
from tests.emulated.gap8_programs import COMPILER, build_text, reported

MHZ = 1_000_000
# set_clocks, set_voltage; main() measures: FC cycles, cycles of the cluster, those of a transfer
PROGRAM = """
#include "gap8.h"
enum { SOC = 0x1A100000, HYPER = 0x1A102180, BYTES = 4096 };
static uint8_t data[BYTES] __attribute__((aligned(4)));
static void set_clock(uint32_t fll, uint32_t hz) {
    REG(SOC + fll + 4) = 1u << 31 | 1u << 26 | hz / 32768;
}
static void set_voltage(uint32_t millivolts) {
    REG(SOC + 0x4100) = (millivolts - 550) / 50 << 16;
    REG(SOC + 0x7000) = 1u << 19 | 7;
    report("done", REG(SOC + 0x7010) >> 4 & 1);
    REG(SOC + 0x7010) = 1u << 4;
    report("cleared", !(REG(SOC + 0x7010) >> 4 & 1));
}
static void read_l3(void) {
    REG(HYPER + 0x00) = (uint32_t)data;
    REG(HYPER + 0x04) = BYTES;
    REG(HYPER + 0x08) = 0x14;
    while (REG(HYPER + 0x08) & 0x30)
        ;
}
static void work(void) {
    for (int i = 0; i < 2000; i++)
        __asm__ volatile("mul x0, %0, %0" ::"r"(i));
}
static void measure(const char *fabric, const char *cluster, void (*what)(void)) {
    uint32_t begin = cycles(), timer = REG(CLUSTER + 0x408);
    what();
    uint32_t passed = REG(CLUSTER + 0x408) - timer, own = cycles() - begin;
    report(cluster, passed);
    report(fabric, own);
}
int main(void) {
    SETTINGS
    use_code_cache();
    count_from_zero();
    REG(CLUSTER + 0x400) = 3;
    measure("first", "warms", work);
    measure("work", "work_time", work);
    measure("l3", "l3_time", read_l3);
    return 0;
}
"""


@pytest.fixture
def ran(tmp_path: Path, tool: Callable[[str], str]) -> Callable[[str], dict[str, int]]:
    """ran(settings): what the program reports behind them."""
    for name in (COMPILER, "gcc"):
        tool(name)

    def call(settings: str) -> dict[str, int]:
        return reported(run(build_text(tmp_path, PROGRAM.replace("SETTINGS", settings))))

    return call


def clocks(fabric: int, cluster: int) -> str:
    return f"set_clock(0x00, {fabric * MHZ}); set_clock(0x10, {cluster * MHZ});"


@pytest.mark.parametrize(("fabric", "cluster"), [(250, 175), (150, 87), (200, 50), (100, 150)])
def test_the_fabric_controller_and_the_hyperbus_take_cycles_of_their_own(
    ran: Callable[[str], dict[str, int]], fabric: int, cluster: int
) -> None:
    one, two = ran(clocks(100, 100)), ran(clocks(fabric, cluster))
    assert two["work"] == pytest.approx(one["work"], abs=2)
    for name in ("work", "l3"):
        ratio = two[f"{name}_time"] / one[f"{name}_time"]
        assert ratio == pytest.approx(cluster / fabric, rel=0.02)
        assert two[f"{name}_time"] == pytest.approx(two[name] * cluster / fabric, rel=0.03)


def test_equal_clocks_change_nothing(ran: Callable[[str], dict[str, int]]) -> None:
    """As after reset."""
    assert ran("") == ran(clocks(175, 175)) == ran(clocks(87, 87))


def test_the_voltage_goes_down_and_says_so(ran: Callable[[str], dict[str, int]]) -> None:
    found = ran(f"set_voltage(1000); {clocks(150, 87)}")
    assert (found["done"], found["cleared"]) == (1, 1)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (f"set_voltage(1000); {clocks(151, 87)}", "controller at 150994944 Hz: 150000000 Hz is"),
        (f"set_voltage(1000); {clocks(100, 88)}", "cluster at 87982080 Hz: 87000000 Hz is the"),
        (f"{clocks(250, 175)} set_voltage(1000);", "is the most at 1000 mV"),
        (f"set_voltage(1100); {clocks(201, 100)}", "200000000 Hz is the most at 1100 mV"),
        (clocks(100, 176), "the cluster at 175996928 Hz: 175000000 Hz is the most at 1200 mV"),
        ("REG(SOC + 4) = 1u << 26 | 1526;", "an open or divided loop"),
        ("REG(SOC + 4) = 1u << 31 | 2u << 26 | 1526;", "an open or divided loop"),
        ("REG(SOC + 0x7000) = 1u << 16 | 7;", "command 0x00010007 of the PMU is not modelled"),
    ],
)
def test_what_the_chip_does_not_promise_is_told(
    ran: Callable[[str], dict[str, int]], settings: str, told: str
) -> None:
    with pytest.raises(BenchError) as caught:
        ran(settings)
    assert told in caught.value.why[0]
