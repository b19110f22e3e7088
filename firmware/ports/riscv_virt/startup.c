#include "riscv_virt.h"

extern uint32_t dpl_bss_start[], dpl_bss_end[];

int main(void);
void dpl_first_hart(void);

/* GCC must not turn the loop into a call of memset. The image is loaded into RAM, .data with it. */
__attribute__((optimize("no-tree-loop-distribute-patterns"))) static void clear_bss(void) {
    for (uint32_t *to = dpl_bss_start; to < dpl_bss_end; to++) {
        *to = 0;
    }
}

void dpl_first_hart(void) {
    clear_bss();
    dpl_protect();
    main();
    for (;;) {
    }
}
