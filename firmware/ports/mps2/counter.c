/* Timer 0, 25 MHz. Under -icount shift=N an instruction takes 2^N ns, so 2^N / 40 ticks: with
 * shift=7 that is 3.2, and ticks / 3.2, rounded, are the instructions exactly (the reading is one
 * tick off at most). Whether QEMU counts instructions is found by counting a known loop. */
#include <stdbool.h>

#include "dpl_port.h"
#include "mps2.h"

#define LOOPS 10000u    /* of two instructions */
#define FEW_LOOPS 1000u /* the same reading around a shorter loop */
#define TICKS_PER_US (DPL_CLOCK_HZ / 1000000u)

static const struct {
    uint32_t tenths; /* of a tick an instruction */
    const char *text;
} RATES[] = {{8, "0.8"}, {16, "1.6"}, {32, "3.2"}, {64, "6.4"}, {128, "12.8"}, {256, "25.6"}};

static const char *per_instruction;
static uint64_t extended; /* ticks */

uint32_t dpl_port_counter(void) {
    return ~TIMER_VALUE(TIMER0); /* it counts down */
}

uint64_t dpl_port_microseconds(void) {
    extended += (uint32_t)(dpl_port_counter() - (uint32_t)extended);
    return extended / TICKS_PER_US;
}

__attribute__((noinline)) static uint32_t ticks_of(uint32_t loops) {
    uint32_t before = dpl_port_counter();
    __asm__ volatile("1: subs %0, %0, #1\n bne 1b" : "+r"(loops)::"cc");
    return dpl_port_counter() - before;
}

/* Ticks of 2 * (LOOPS - FEW_LOOPS) instructions. */
static uint32_t probe(void) {
    return ticks_of(LOOPS) - ticks_of(FEW_LOOPS);
}

static bool fits(uint32_t tenths) {
    uint32_t expected = 2 * (LOOPS - FEW_LOOPS) * tenths / 10;
    for (int i = 0; i < 3; i++) {
        if (probe() - expected + 1 > 2) { /* more than one tick off */
            return false;
        }
    }
    return true;
}

static const char *find_rate(void) {
    for (uint32_t i = 0; i < sizeof RATES / sizeof RATES[0]; i++) {
        if (fits(RATES[i].tenths)) {
            return RATES[i].text;
        }
    }
    return 0;
}

void dpl_counter_start(void) {
    TIMER_RELOAD(TIMER0) = UINT32_MAX;
    TIMER_VALUE(TIMER0) = UINT32_MAX;
    TIMER_CTRL(TIMER0) = TIMER_ENABLE;
    per_instruction = find_rate();
}

const char *dpl_counter_per(void) {
    return per_instruction;
}
