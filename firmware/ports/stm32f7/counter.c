/* Cycles: the DWT counter, or SysTick where the DWT does not move.
 *
 * DWT wraps after 2^32 cycles, 19.9 s at 216 MHz; dpl_port_microseconds extends it and must be
 * asked more often than that. SysTick has 24 bits and wraps in an interrupt every 78 ms. */
#include "stm32f7.h"

#include "dpl_port.h"

#define DEMCR_TRCENA (1u << 24)
#define LAR_UNLOCK 0xC5ACCE55u /* the M7 needs it [several public drivers] */
#define DWT_CYCCNTENA (1u << 0)
#define SYST_MAX 0xFFFFFFu
#define SYST_ENABLE (1u << 0)
#define SYST_INTERRUPT (1u << 1)
#define SYST_CORE_CLOCK (1u << 2)

static struct {
    bool dwt;
    uint32_t per_microsecond;
    uint64_t extended;
    volatile uint32_t wraps; /* of SysTick */
} counter;

static bool start_dwt(void) {
    DEMCR |= DEMCR_TRCENA;
    DWT_LAR = LAR_UNLOCK;
    DWT_CYCCNT = 0;
    DWT_CTRL |= DWT_CYCCNTENA;
    uint32_t before = DWT_CYCCNT;
    for (int i = 0; i < 100; i++) {
        __asm__ volatile("nop");
    }
    return DWT_CYCCNT != before;
}

static void start_systick(void) {
    SYST_RVR = SYST_MAX;
    SYST_CVR = 0;
    SYST_CSR = SYST_CORE_CLOCK | SYST_INTERRUPT | SYST_ENABLE;
}

void dpl_systick_handler(void) {
    counter.wraps++;
}

/* CVR counts down and interrupts on reaching 0, so 0 is the begin of a period; it also reads 0 from
 * the start until the first reload. Read again when a wrap came in between. */
static uint32_t systick_cycles(void) {
    uint32_t wraps, left;
    do {
        wraps = counter.wraps;
        left = SYST_CVR;
    } while (wraps != counter.wraps);
    return (wraps << 24) + ((0 - left) & SYST_MAX);
}

void dpl_counter_start(void) {
    counter.per_microsecond = dpl_clock_hz() / 1000000;
    counter.dwt = start_dwt();
    if (!counter.dwt) {
        start_systick();
    }
}

bool dpl_counter_is_dwt(void) {
    return counter.dwt;
}

uint32_t dpl_port_counter(void) {
    return counter.dwt ? DWT_CYCCNT : systick_cycles();
}

uint64_t dpl_port_microseconds(void) {
    counter.extended += (uint32_t)(dpl_port_counter() - (uint32_t)counter.extended);
    return counter.extended / counter.per_microsecond;
}
