/* An image that counts the cycles of TIMED_KERNEL alone, for deployer bench kernels.
 *
 * The linker gives some calls to the functions here (--wrap). A run whose steps are counted counts
 * kernels: each call of the kernel, one for each tile, is made CALLS times on what lies in L1, and
 * the last of them, which is warm, adds its time from barrier to barrier. Behind a run that is not
 * counted, as "x-layers 1" has it, whole steps are counted as in any image, but for a load and a
 * branch a tile: the kernel is timed while the cluster's timer runs. The input lies in the image,
 * which saves the way over the console. */
#include "gap8_kernel.h"

#include <stdbool.h>

#include "dpl/cores.h"
#include "dpl_port.h"
#include "network.h"

#define JOINED(prefix, name) prefix##name
#define NAME(prefix, name) JOINED(prefix, name)
#define REAL NAME(__real_, TIMED_KERNEL)
#define WRAP NAME(__wrap_, TIMED_KERNEL)

/* The cluster's timer, which runs while cores sleep; as the FC sees it, and its own cores. */
#define CLUSTER_TIMER (*(volatile uint32_t *)0x10200400)
#define TIMER_RUNS (*(volatile uint32_t *)0x00200400)
#define TIMER_COUNT (*(volatile uint32_t *)0x00200408)

enum { CALLS = 3 };

extern const uint8_t timed_input[];

static volatile uint32_t total;
static bool whole_steps;

void REAL(const void *args);
void WRAP(const void *args);
void __real_dpl_run(void);
void __wrap_dpl_run(void);
void __real_dpl_run_counted(dpl_step_done done);
void __wrap_dpl_run_counted(dpl_step_done done);
uint32_t __real_dpl_port_counter(void);
uint32_t __wrap_dpl_port_counter(void);
void __wrap_dpl_input_read(uint32_t offset, uint8_t *into, uint32_t count);

void dpl_timed(const void *args) {
    uint32_t taken = 0;
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
    if (TIMER_RUNS) {
        dpl_timed(args);
    } else {
        REAL(args);
    }
}
#endif

void __wrap_dpl_run(void) {
    whole_steps = true;
    CLUSTER_TIMER = 0;
    __real_dpl_run();
}

void __wrap_dpl_run_counted(dpl_step_done done) {
    CLUSTER_TIMER = !whole_steps;
    __real_dpl_run_counted(done);
    whole_steps = false;
}

uint32_t __wrap_dpl_port_counter(void) {
    return whole_steps ? __real_dpl_port_counter() : total;
}

void __wrap_dpl_input_read(uint32_t offset, uint8_t *into, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        into[i] = timed_input[offset + i];
    }
}
