/* Power and clocks of GAP8. It has NOT MET SILICON: the sequence is that of gap_sdk's pmu_driver.c,
 * the registers those of its fll_v1.h and pmu_v1.h, with waits by time where that waits for events.
 *
 * A cold start leaves 1.2 V and some 50 MHz: a lower voltage comes before the clocks, which
 * port.toml bounds by it. */
#include "gap8.h"

#ifdef DPL_PULP_OPEN
void dpl_clock_start(void) {}

const char *dpl_clock_fault(void) {
    return 0;
}
#else

typedef struct {
    volatile uint32_t status, config, loop, integrator;
} fll;

#define FLL_SOC ((fll *)0x1A100000)
#define FLL_CLUSTER ((fll *)0x1A100010)
#define REFERENCE_HZ 32768u
#define STATUS_MULTIPLIER 0xffffu
#define CONFIG_UNDIVIDED (1u << 26)
#define CONFIG_CLOSED_LOOP (1u << 31)
#define LOOP_FAST 0x81004107u         /* gain 7, dither, lock within 0x100 for 16 cycles */
#define LOOP_CALM 0x8100410Bu         /* the same with gain 11 */
#define INTEGRATOR_START (332u << 16) /* about 50 MHz, from where the loop takes over */

#define CLUSTER_ISOLATED DPL_REG(0x1A10400C)
#define POWER DPL_REG(0x1A104070)
#define POWER_BYPASS (1u << 0 | 1u << 9) /* the cluster's power, clock and reset are ours */
#define POWER_CLUSTER_ON (1u << 3)
#define POWER_CLOCK_GATED (1u << 10)
#define POWER_CLUSTER_RESET (1u << 13)

#define CONVERTER DPL_REG(0x1A104100) /* bytes: at work, unused, at low voltage, asleep */
#define CONVERTER_LOW 16u             /* from 550 mV in steps of 50 */
#define CONVERTER_MASK 31u
#define CONVERTER_STEPS ((DPL_MILLIVOLTS - 550u) / 50u)
#define PMU_COMMAND DPL_REG(0x1A107000)
#define PMU_FLAGS DPL_REG(0x1A107010) /* write: clears */
#define PMU_TO_LOW (1u << (16 + 3) | 3u << 1 | 1u)
#define PMU_DONE (1u << 4)
#define MILLIVOLTS_AFTER_RESET 1200u

#define FC_CACHE DPL_REG(0x1B201400)

#define SETTLE 50000u /* cycles for a change of power: 1 ms at the clock after reset, 50 MHz */
#define TRIES 64u     /* of 30 us, a cycle of the reference, for a loop to settle */
#define TRY (FABRIC_MHZ * 30u)

static const char *fault;

static void wait(uint32_t cycles) {
    uint64_t end = dpl_cycles() + cycles;
    while (dpl_cycles() < end) {
    }
}

static void power_cluster(void) {
    POWER |= POWER_BYPASS | POWER_CLOCK_GATED;
    wait(SETTLE);
    POWER |= POWER_CLUSTER_ON;
    wait(SETTLE);
    CLUSTER_ISOLATED = 0;
    POWER &= ~POWER_CLUSTER_RESET;
    POWER &= ~POWER_CLOCK_GATED;
    wait(SETTLE);
}

/* What the converter gives at low voltage is set, then the chip goes there. */
static bool lower_voltage(void) {
    CONVERTER = (CONVERTER & ~(CONVERTER_MASK << CONVERTER_LOW)) | CONVERTER_STEPS << CONVERTER_LOW;
    PMU_FLAGS = PMU_DONE;
    PMU_COMMAND = PMU_TO_LOW;
    for (uint32_t i = 0; i < TRIES && !(PMU_FLAGS & PMU_DONE); i++) {
        wait(SETTLE);
    }
    return PMU_FLAGS & PMU_DONE;
}

static bool settled(const fll *f, uint32_t multiplier) {
    uint32_t now = f->status & STATUS_MULTIPLIER;
    uint32_t off = now > multiplier ? now - multiplier : multiplier - now;
    return off <= multiplier / 64;
}

/* The UART needs 2 %. */
static bool settles(const fll *f, uint32_t multiplier) {
    for (uint32_t i = 0; i < TRIES && !settled(f, multiplier); i++) {
        wait(TRY);
    }
    return settled(f, multiplier);
}

static bool lock(fll *f, uint32_t multiplier) {
    f->loop = LOOP_FAST;
    if (!(f->config & CONFIG_CLOSED_LOOP)) {
        f->integrator = INTEGRATOR_START;
    }
    f->config = CONFIG_CLOSED_LOOP | CONFIG_UNDIVIDED | multiplier;
    bool done = settles(f, multiplier);
    f->loop = LOOP_CALM;
    return done;
}

void dpl_clock_start(void) {
    FC_CACHE = UINT32_MAX;
    if (DPL_MILLIVOLTS != MILLIVOLTS_AFTER_RESET && !lower_voltage()) {
        fault = "the voltage does not change";
        return;
    }
    power_cluster();
    if (!lock(FLL_SOC, DPL_FABRIC_HZ / REFERENCE_HZ)) {
        fault = "the clock of the fabric controller does not settle";
    }
    if (!lock(FLL_CLUSTER, DPL_CLOCK_HZ / REFERENCE_HZ)) {
        fault = "the clock of the cluster does not settle";
    }
}

const char *dpl_clock_fault(void) {
    return fault;
}
#endif
