/* The SysTick fallback of ports/stm32f7/counter.c on a machine that has no DWT, against the
 * machine's own 25 MHz timer, over several wraps of the 24 bits. Ends with status 0, or with the
 * number of the check that failed. */
#include <stdbool.h>

#include "../../../firmware/ports/cortex_m/cortex_m.h"
#include "../../../firmware/ports/mps2/mps2.h"
#include "dpl_port.h"

/* Of stm32f7.h, whose names clash with those of mps2.h. */
void dpl_counter_start(void);
bool dpl_counter_is_dwt(void);
void dpl_systick_handler(void);
uint32_t dpl_clock_hz(void);

#define TICKS (4u << 24)
#define READING 400u /* ticks that two readings one after the other may differ */

typedef struct {
    uint32_t *stack;
    dpl_handler handler[15];
} table;

__attribute__((section(".dpl_vectors"), used)) const table dpl_vectors = {
    dpl_stack_high,
    {[0] = dpl_reset, [1 ... 13] = dpl_fault, [14] = dpl_systick_handler},
};

static void end(uint32_t status) {
    uint32_t block[2] = {0x20026, status};
    register uint32_t call __asm__("r0") = 0x20;
    register uint32_t *argument __asm__("r1") = block;
    __asm__ volatile("bkpt 0xAB" : "+r"(call) : "r"(argument) : "memory");
}

void dpl_fault(void) {
    end(9);
}

void dpl_fault_recall(void) {}

uint32_t dpl_clock_hz(void) {
    return DPL_CLOCK_HZ;
}

static uint32_t reference(void) {
    return ~TIMER_VALUE(TIMER0);
}

/* 0, or the check that failed. */
static uint32_t compare(void) {
    uint32_t begin = dpl_port_counter() - reference();
    uint64_t last = dpl_port_microseconds();
    while (reference() < TICKS) {
        uint32_t drift = dpl_port_counter() - reference() - begin;
        uint64_t now = dpl_port_microseconds();
        if (drift + READING > 2 * READING) {
            return 2;
        }
        if (now < last || now - last > 2 * READING) {
            return 3;
        }
        last = now;
    }
    return last >= TICKS / 25 - READING ? 0 : 4;
}

int main(void) {
    TIMER_RELOAD(TIMER0) = UINT32_MAX;
    TIMER_VALUE(TIMER0) = UINT32_MAX;
    TIMER_CTRL(TIMER0) = TIMER_ENABLE;
    dpl_counter_start();
    end(dpl_counter_is_dwt() ? 1 : compare());
    return 0;
}
