/* Power and clocks of GAP8. It has NOT MET SILICON: the sequence is that of gap_sdk's pmu_driver.c,
 * the registers those of its fll_v1.h and pmu_v1.h, with waits by time where that waits for events.
 *
 * The FC and the cluster get the same frequency, so that cycles of one are cycles of the other. The
 * converter's 1.2 V after a cold start allow 175 MHz of the cluster and 250 MHz of the FC. */
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
#define MULTIPLIER (DPL_CLOCK_HZ / REFERENCE_HZ)
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

#define FC_CACHE DPL_REG(0x1B201400)

#define SETTLE 50000u /* cycles for a change of power: 1 ms at the clock after reset, 50 MHz */
#define TRIES 64u     /* of 30 us, a cycle of the reference, for a loop to settle */
#define TRY (CLOCK_MHZ * 30u)

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

static bool settled(const fll *f) {
    uint32_t now = f->status & STATUS_MULTIPLIER;
    uint32_t off = now > MULTIPLIER ? now - MULTIPLIER : MULTIPLIER - now;
    return off <= MULTIPLIER / 64;
}

/* The UART needs 2 %. */
static bool settles(const fll *f) {
    for (uint32_t i = 0; i < TRIES && !settled(f); i++) {
        wait(TRY);
    }
    return settled(f);
}

static bool lock(fll *f) {
    f->loop = LOOP_FAST;
    if (!(f->config & CONFIG_CLOSED_LOOP)) {
        f->integrator = INTEGRATOR_START;
    }
    f->config = CONFIG_CLOSED_LOOP | CONFIG_UNDIVIDED | MULTIPLIER;
    bool done = settles(f);
    f->loop = LOOP_CALM;
    return done;
}

void dpl_clock_start(void) {
    FC_CACHE = UINT32_MAX;
    power_cluster();
    if (!lock(FLL_SOC)) {
        fault = "the clock of the fabric controller does not settle";
    }
    if (!lock(FLL_CLUSTER)) {
        fault = "the clock of the cluster does not settle";
    }
}

const char *dpl_clock_fault(void) {
    return fault;
}
#endif
