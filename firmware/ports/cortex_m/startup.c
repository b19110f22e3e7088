#include "cortex_m.h"
#include "scs.h"

#define CPACR_FPU (0xFu << 20)
#define SHCSR_FAULTS (7u << 16) /* MemManage, BusFault, UsageFault */

extern uint32_t dpl_vectors[];
extern uint32_t dpl_bss_start[], dpl_bss_end[];

/* The linker script's table of what lies elsewhere in the image than it does when it runs. */
typedef struct {
    const uint32_t *from;
    uint32_t *to;
    uint32_t bytes; /* a multiple of 8 */
} copy;

extern const copy dpl_copies_start[], dpl_copies_end[];

int main(void);

/* GCC must not turn these loops into calls of memcpy and memset. */
#define PLAIN_LOOP __attribute__((optimize("no-tree-loop-distribute-patterns")))

/* Initial values, and constants and code that lie in a faster memory than the image has them. */
PLAIN_LOOP static void copy_image(void) {
    for (const copy *c = dpl_copies_start; c < dpl_copies_end; c++) {
        for (uint32_t i = 0; i < c->bytes / 4; i++) {
            c->to[i] = c->from[i];
        }
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
    copy_image();
    dpl_dsb();
    dpl_isb(); /* what was copied may be code */
    clear_bss();
    dpl_fault_recall();
    main();
    for (;;) {
    }
}
