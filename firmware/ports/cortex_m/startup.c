#include "cortex_m.h"
#include "scs.h"

#define CPACR_FPU (0xFu << 20)
#define SHCSR_FAULTS (7u << 16) /* MemManage, BusFault, UsageFault */

extern uint32_t dpl_vectors[];
extern uint32_t dpl_data_start[], dpl_data_end[], dpl_bss_start[], dpl_bss_end[];
extern const uint32_t dpl_data_load[];

int main(void);

/* GCC must not turn these loops into calls of memcpy and memset. */
#define PLAIN_LOOP __attribute__((optimize("no-tree-loop-distribute-patterns")))

PLAIN_LOOP static void copy_data(void) {
    const uint32_t *from = dpl_data_load;
    for (uint32_t *to = dpl_data_start; to < dpl_data_end; to++) {
        *to = *from++;
    }
}

PLAIN_LOOP static void clear_bss(void) {
    for (uint32_t *to = dpl_bss_start; to < dpl_bss_end; to++) {
        *to = 0;
    }
}

void dpl_reset(void) {
    SCB_CPACR |= CPACR_FPU;
    dpl_dsb();
    dpl_isb();
    SCB_VTOR = (uint32_t)dpl_vectors;
    SCB_SHCSR |= SHCSR_FAULTS;
    copy_data();
    clear_bss();
    main();
    for (;;) {
    }
}
