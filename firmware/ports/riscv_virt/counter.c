/* mcycle. Under -icount shift=N it counts the instructions of all harts together, times 2^N, since
 * QEMU runs one hart at a time on one virtual clock. Otherwise it is host time, which says nothing;
 * a loop of known length tells which it is. */
#include <stdbool.h>

#include "dpl_port.h"
#include "riscv_virt.h"

#define LOOPS 10000u /* of two instructions */
#define FEW_LOOPS 1000u

static const char *const POWERS[] = {"1", "2", "4", "8", "16", "32", "64", "128", "256"};

static const char *per_instruction;

uint32_t dpl_port_counter(void) {
    return csr_read(mcycle);
}

__attribute__((noinline)) static uint32_t counts_of(uint32_t loops) {
    uint32_t before = dpl_port_counter();
    __asm__ volatile("1: addi %0, %0, -1\n bnez %0, 1b" : "+r"(loops));
    return dpl_port_counter() - before;
}

static bool fits(uint32_t shift) {
    for (int i = 0; i < 3; i++) {
        if (counts_of(LOOPS) - counts_of(FEW_LOOPS) != 2 * (LOOPS - FEW_LOOPS) << shift) {
            return false;
        }
    }
    return true;
}

void dpl_counter_start(void) {
    per_instruction = 0;
    for (uint32_t shift = 0; shift < sizeof POWERS / sizeof POWERS[0]; shift++) {
        if (fits(shift)) {
            per_instruction = POWERS[shift];
            return;
        }
    }
}

const char *dpl_counter_per(void) {
    return per_instruction;
}
