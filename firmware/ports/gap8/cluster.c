/* The cluster: eight cores that sleep until the FC posts a step. All run it, meet, and the first
 * tells the FC. A core's mask has one event at a time, so that no wait takes another's event. */
#include "dpl/cores.h"
#include "dpl_l3.h"
#include "dpl_port.h"
#include "gap8.h"

#define ALL_CORES ((1u << DPL_CORE_COUNT) - 1)

extern char dpl_vectors[], dpl_stack_low[], dpl_stack_high[];
extern uint32_t dpl_fc_stack[];

void dpl_cluster_core(uint32_t core) __attribute__((noreturn));

static struct {
    void (*volatile run)(void);
    volatile uint32_t done; /* steps */
    uint32_t posted;
} steps;

/* As start.S cuts it. */
uint32_t dpl_stack_share(void) {
    return (uint32_t)(dpl_stack_high - dpl_stack_low) / DPL_CORE_COUNT & ~15u;
}

uint32_t *dpl_stack_of(uint32_t core) {
    return (uint32_t *)(void *)(dpl_stack_high - (core + 1) * dpl_stack_share());
}

#if DPL_CORE_COUNT > 1 /* one core needs neither */
int32_t dpl_core_id(void) {
    return (int32_t)(csr_read(mhartid) & 31);
}

void dpl_barrier(void) {
    (void)dpl_await(BARRIER_WAIT);
}
#endif

/* The first core comes alone, says who meets, and starts the others. */
static void join(uint32_t core) {
    dpl_guard(dpl_stack_of(core));
    if (core == 0) {
        BARRIER_MEMBERS = ALL_CORES;
        BARRIER_WOKEN = ALL_CORES;
        OWN_FETCH = ALL_CORES;
    }
}

static void serve(uint32_t core) {
    EVENT_MASK = 1u << EVENT_STEP;
    (void)dpl_await(EVENT_WAIT_CLEAR);
    EVENT_MASK = 1u << EVENT_BARRIER;
    steps.run();
    if (!dpl_guarded(dpl_stack_of(core))) {
        dpl_die("stack overflow");
    }
    dpl_barrier();
    if (core == 0) {
        steps.done++;
    }
}

void dpl_cluster_core(uint32_t core) {
    join(core);
    for (;;) {
        serve(core);
    }
}

void dpl_cluster_start(void) {
    for (uint32_t core = 0; core < DPL_CORE_COUNT; core++) {
        CLUSTER_BOOT(core) = (uint32_t)dpl_vectors + BOOT_OFFSET;
    }
    CLUSTER_CACHE = UINT32_MAX; /* off after reset */
    CLUSTER_FETCH = 1;
}

/* About 60 cycles in two instructions: the FC should not crowd L2, where the cluster's code is. */
static void pause(void) {
    __asm__ volatile("div zero, %0, %0\n div zero, %0, %0" : : "r"(INT32_MAX));
}

/* A step posted before a core has started waits in the core's event buffer. */
void dpl_port_fork(void (*fn)(void)) {
    steps.run = fn;
    steps.posted++;
    CLUSTER_EVENT(EVENT_STEP) = ALL_CORES;
    while (steps.done != steps.posted) {
        dpl_l3_poll();
        pause();
    }
    if (!dpl_guarded(dpl_fc_stack)) {
        dpl_die("stack overflow of the fabric controller");
    }
}
