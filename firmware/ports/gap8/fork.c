/* Eight harts share a step. Nobody spins: a sleeping hart is woken by its software interrupt, since
 * under -icount QEMU runs one hart at a time and a spinning one would burn the others'
 * instructions. */
#include "dpl/cores.h"
#include "dpl_port.h"
#include "gap8.h"

#define WORKERS (DPL_CORE_COUNT - 1)
#define CANARY 0x5afe57acu

extern char dpl_stack_low[], dpl_stack_high[];

void dpl_worker(void);

static struct {
    void (*fn)(void);
    uint32_t left; /* workers not done yet */
} job;

int32_t dpl_core_id(void) {
    return (int32_t)csr_read(mhartid);
}

/* As start.S cuts it. */
uint32_t dpl_stack_share(void) {
    return (uint32_t)(dpl_stack_high - dpl_stack_low) / DPL_CORE_COUNT & ~15u;
}

uint32_t *dpl_stack_of(uint32_t hart) {
    return (uint32_t *)(void *)(dpl_stack_high - (hart + 1) * dpl_stack_share());
}

void dpl_guard_stack(uint32_t hart) {
    uint32_t *word = dpl_stack_of(hart);
    for (int i = 0; i < DPL_CANARY_WORDS; i++) {
        word[i] = CANARY;
    }
}

static void run_step(uint32_t hart) {
    const uint32_t *word = dpl_stack_of(hart);
    job.fn();
    for (int i = 0; i < DPL_CANARY_WORDS; i++) {
        if (word[i] != CANARY) {
            dpl_die("stack overflow");
        }
    }
}

static void await_signal(uint32_t hart) {
    while (!(csr_read(mip) & MIE_SOFTWARE)) {
        dpl_sleep(MIE_SOFTWARE);
    }
    CLINT_MSIP(hart) = 0;
}

/* The last one to finish wakes hart 0. */
static void serve(uint32_t hart) {
    await_signal(hart);
    run_step(hart);
    if (__atomic_sub_fetch(&job.left, 1, __ATOMIC_ACQ_REL) == 0) {
        CLINT_MSIP(0) = 1;
    }
}

void dpl_worker(void) {
    uint32_t hart = csr_read(mhartid);
    dpl_protect();
    dpl_guard_stack(hart);
    for (;;) {
        serve(hart);
    }
}

void dpl_port_fork(void (*fn)(void)) {
    job.fn = fn;
    job.left = WORKERS;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    for (uint32_t hart = 1; hart <= WORKERS; hart++) {
        CLINT_MSIP(hart) = 1;
    }
    run_step(0);
    await_signal(0);
}
