/* An image whose steps count the cycles of TIMED_KERNEL alone, for deployer bench kernels.
 *
 * The linker gives the calls of the kernel and of the harness's counter to the functions here
 * (--wrap). A call of the kernel, one for each tile, is made CALLS times on what lies in L1; the
 * last of them is warm, and its time from barrier to barrier is added to the counter. */
#include "gap8_kernel.h"

#include "dpl/cores.h"
#include "dpl_port.h"

#define JOINED(prefix, name) prefix##name
#define NAME(prefix, name) JOINED(prefix, name)
#define REAL NAME(__real_, TIMED_KERNEL)
#define WRAP NAME(__wrap_, TIMED_KERNEL)

/* The cluster's timer, which runs while cores sleep. */
#define TIMER_CONFIG (*(volatile uint32_t *)0x00200400)
#define TIMER_COUNT (*(volatile uint32_t *)0x00200408)

enum { CALLS = 3 };

static volatile uint32_t total;

void REAL(const void *args);
void WRAP(const void *args);
uint32_t __wrap_dpl_port_counter(void);

void dpl_timed(const void *args) {
    uint32_t taken = 0;
    TIMER_CONFIG = 1;
    for (int32_t call = 0; call < CALLS; call++) {
        dpl_barrier();
        const uint32_t start = TIMER_COUNT;
        REAL(args);
        dpl_barrier();
        taken = TIMER_COUNT - start;
    }
    if (dpl_core_id() == 0) {
        total += taken;
    }
}

#ifndef TIMED_PLANE
void WRAP(const void *args) {
    dpl_timed(args);
}
#endif

uint32_t __wrap_dpl_port_counter(void) {
    return total;
}
