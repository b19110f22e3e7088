/* Eight harts share a step. Nobody spins: a sleeping hart is woken by its software interrupt, since
 * under -icount QEMU runs one hart at a time and a spinning one would burn the others'
 * instructions. */
#include "dpl/cores.h"
#include "dpl_port.h"
#include "riscv_virt.h"

#define WORKERS (DPL_CORE_COUNT - 1)
#define CANARY 0x5afe57acu

extern char dpl_stack_low[], dpl_stack_high[];

void dpl_worker(void);

static struct {
    void (*fn)(void);
    uint32_t generation; /* steps begun */
    uint32_t left;       /* workers not done yet */
} job;

static struct {
    uint32_t generation; /* times all have met */
    uint32_t arrived;    /* harts that wait */
} meeting;

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

static uint32_t load(const uint32_t *word) {
    return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

/* A signal only wakes: it may be one that an earlier wait did not need. It is cleared before what
 * it may have announced is read, so none is lost. */
static void take_signal(uint32_t hart) {
    while (!(csr_read(mip) & MIE_SOFTWARE)) {
        dpl_sleep(MIE_SOFTWARE);
    }
    CLINT_MSIP(hart) = 0;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* Sleeps until *word is no longer `old`. */
static void await_change(uint32_t hart, const uint32_t *word, uint32_t old) {
    while (load(word) == old) {
        take_signal(hart);
    }
}

static void signal_others(uint32_t hart) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    for (uint32_t other = 0; other < DPL_CORE_COUNT; other++) {
        if (other != hart) {
            CLINT_MSIP(other) = 1;
        }
    }
}

/* The last one to arrive wakes the others. */
void dpl_barrier(void) {
    uint32_t hart = csr_read(mhartid), generation = load(&meeting.generation);
    if (__atomic_add_fetch(&meeting.arrived, 1, __ATOMIC_SEQ_CST) < DPL_CORE_COUNT) {
        await_change(hart, &meeting.generation, generation);
        return;
    }
    meeting.arrived = 0;
    __atomic_store_n(&meeting.generation, generation + 1, __ATOMIC_SEQ_CST);
    signal_others(hart);
}

/* Every step is announced by a signal; before the first one hart 0 may not have cleared .bss. The
 * last one to finish wakes hart 0. */
static void serve(uint32_t hart, uint32_t generation) {
    do {
        take_signal(hart);
    } while (load(&job.generation) == generation);
    run_step(hart);
    if (__atomic_sub_fetch(&job.left, 1, __ATOMIC_SEQ_CST) == 0) {
        CLINT_MSIP(0) = 1;
    }
}

void dpl_worker(void) {
    uint32_t hart = csr_read(mhartid);
    dpl_protect();
    dpl_guard_stack(hart);
    for (uint32_t generation = 0;; generation++) {
        serve(hart, generation);
    }
}

void dpl_port_fork(void (*fn)(void)) {
    job.fn = fn;
    job.left = WORKERS;
    __atomic_store_n(&job.generation, job.generation + 1, __ATOMIC_SEQ_CST);
    signal_others(0);
    run_step(0);
    for (uint32_t left = load(&job.left); left != 0; left = load(&job.left)) {
        await_change(0, &job.left, left);
    }
}
