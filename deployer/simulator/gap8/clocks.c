/* Voltage, and the clocks of the fabric controller and of the cluster: what a program sets, and the
 * bounds of gap_sdk's pmu_driver.c. Time counts cycles of the cluster. With two clocks the fabric
 * controller's instructions, its accesses included, and the HyperBus take cycles of their own. What
 * the cluster reads in L2 takes it as many cycles as with one clock: no less than on a chip whose
 * fabric controller is the faster one. */
#include "parts.h"

enum fll { FLL_CONFIG_SOC = 0x04, FLL_CONFIG_CLUSTER = 0x14 }; /* words of the SoC's registers */
enum pmu { CONVERTER = 0x4100, PMU_COMMAND = 0x7000, PMU_FLAGS = 0x7010 };
enum { AT_WORK = 2, AT_LOW = 3, DONE = 1 << 4, STATE_REGISTER = 3 };
enum { LOW_MV = 1000, STEP_MV = 50, FIRST_MV = 550, RESET_MV = 1200, REFERENCE_HZ = 32768 };

static void bounded(core *c, const char *who, uint32_t hz, uint32_t least_hz, uint32_t hz_per_mv) {
    uint32_t millivolts = c->machine->millivolts ? c->machine->millivolts : RESET_MV;
    int64_t most = (int64_t)least_hz + ((int64_t)millivolts - LOW_MV) * hz_per_mv;
    if (hz > most)
        fault(c, "%s at %u Hz: %lld Hz is the most at %u mV", who, hz, (long long)most, millivolts);
}

static void check(core *c) {
    bounded(c, "the fabric controller", c->machine->fabric * REFERENCE_HZ, 150000000, 500000);
    bounded(c, "the cluster", c->machine->cluster * REFERENCE_HZ, 87000000, 440000);
}

/* The multiplier of a loop that is closed and undivided. */
static uint32_t multiplier(core *c, uint32_t config) {
    if (!(config >> 31) || (config >> 26 & 15) != 1)
        fault(c, "an open or divided loop of a clock is not modelled");
    return config & 0xffff;
}

static void change_state(core *c, uint32_t command, uint32_t converter) {
    uint32_t state = command >> 16;
    if ((command & 0x7fff) != (STATE_REGISTER << 1 | 1) || !(state & (1 << AT_WORK | 1 << AT_LOW)))
        fault(c, "command 0x%08x of the PMU is not modelled", command);
    uint32_t setting = converter >> (state >> AT_LOW & 1 ? 16 : 0) & 31;
    c->machine->millivolts = FIRST_MV + STEP_MV * setting;
    check(c);
}

void clocks_store(core *c, uint32_t offset, uint32_t value) {
    machine *m = c->machine;
    switch (offset) {
    case FLL_CONFIG_SOC: m->fabric = multiplier(c, value), check(c); break;
    case FLL_CONFIG_CLUSTER: m->cluster = multiplier(c, value), check(c); break;
    case PMU_COMMAND:
        change_state(c, value, m->soc[CONVERTER / 4]);
        m->soc[PMU_FLAGS / 4] |= DONE;
        break;
    case PMU_FLAGS: value = m->soc[PMU_FLAGS / 4] & ~value; break;
    default: break;
    }
    m->soc[offset / 4] = value;
    m->two_clocks = m->cluster && m->fabric && m->cluster != m->fabric;
}

/* Time of so many cycles of the fabric controller and what shares its clock. */
uint64_t fabric_time(const machine *m, uint64_t cycles) {
    return m->two_clocks ? cycles * m->cluster / m->fabric : cycles;
}

/* What the fabric controller did since `from` took cycles of its own; the rest of a cycle is kept.
 * `slept` is how far its cycles are behind time, which may be negative. */
void take_fabric_cycles(core *c, uint64_t from) {
    machine *m = c->machine;
    uint64_t own = c->now - from;
    uint64_t scaled = own * m->cluster + m->fabric_rest;
    c->now = from + scaled / m->fabric;
    m->fabric_rest = scaled % m->fabric;
    c->slept += c->now - from - own;
}

/* The core goes on then, and has counted its cycles meanwhile. */
void wait_until(core *c, uint64_t when) {
    machine *m = c->machine;
    if (when <= c->now)
        return;
    uint64_t waited = when - c->now;
    c->now = when;
    if (m->two_clocks && c->id == FC)
        c->slept += waited - waited * m->fabric / m->cluster;
}
