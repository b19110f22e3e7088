/* The cluster: eight cores that sleep until the FC calls. All run what it wants, meet, and the
 * first tells the FC. Calls have two events in turn, so that one can wait behind the one that runs.
 * A core's mask has one event at a time, so that no wait takes another's event. */
#include "dpl/cores.h"
#include "dpl/dma.h"
#include "dpl/offload.h"
#include "dpl_l3.h"
#include "dpl_port.h"
#include "gap8.h"

#define ALL_CORES ((1u << DPL_CORE_COUNT) - 1)

extern char dpl_vectors[], dpl_stack_high[];
extern char dpl_stack_low[] __attribute__((aligned(16)));
extern uint32_t dpl_fc_stack[];

void dpl_cluster_core(uint32_t core) __attribute__((noreturn));

/* Below the stacks in L1, where the cores read it in a cycle. */
typedef struct {
    struct {
        void (*fn)(const void *args);
        const void *args;
    } calls[2];
    uint32_t done;
} mailbox;
_Static_assert(sizeof(mailbox) <= DPL_MAILBOX_BYTES, "start.S leaves as much");

#define MAILBOX ((volatile mailbox *)(void *)dpl_stack_low)

static struct { uint32_t made, awaited; } calls;

/* As start.S cuts it. */
uint32_t dpl_stack_share(void) {
    uint32_t bytes = (uint32_t)(dpl_stack_high - dpl_stack_low) - DPL_MAILBOX_BYTES;
    return bytes / DPL_CORE_COUNT & ~15u;
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

static void serve(uint32_t core, uint32_t number, const uint32_t *stack) {
    uint32_t slot = number & 1;
    EVENT_MASK = 1u << (EVENT_CALL + slot);
    (void)dpl_await(EVENT_WAIT_CLEAR);
    EVENT_MASK = 1u << EVENT_BARRIER;
    MAILBOX->calls[slot].fn(MAILBOX->calls[slot].args);
    if (!dpl_guarded(stack)) {
        dpl_die("stack overflow");
    }
    dpl_barrier();
    if (core == 0) {
        MAILBOX->done = number + 1;
    }
}

void dpl_cluster_core(uint32_t core) {
    join(core);
    const uint32_t *stack = dpl_stack_of(core);
    for (uint32_t number = 0;; number++) {
        serve(core, number, stack);
    }
}

void dpl_cluster_start(void) {
    for (uint32_t core = 0; core < DPL_CORE_COUNT; core++) {
        CLUSTER_BOOT(core) = (uint32_t)dpl_vectors + BOOT_OFFSET;
    }
    MAILBOX->done = 0;
    CLUSTER_CACHE = UINT32_MAX; /* off after reset */
    CLUSTER_FETCH = 1;
}

/* What was written before is in memory, what is read after is read after. */
static inline void in_order(void) {
    __asm__ volatile("" ::: "memory");
}

/* A call made before a core has started waits in the core's event buffer. */
void dpl_offload_call(void (*fn)(const void *args), const void *args) {
    uint32_t slot = calls.made++ & 1;
    MAILBOX->calls[slot].fn = fn;
    MAILBOX->calls[slot].args = args;
    in_order(); /* whatever `fn` reads is not volatile */
    CLUSTER_EVENT(EVENT_CALL + slot) = ALL_CORES;
}

/* It wraps: what counts is whether the call has been reached. */
static bool is_done(uint32_t number) {
    return (int32_t)(MAILBOX->done - number) >= 0;
}

int dpl_offload_moved(uint32_t group) {
    for (uint32_t polls = 0; dpl_dma_moving(group); polls++) {
        if (is_done(calls.awaited + 1)) {
            return 0;
        }
        dpl_l3_poll_seldom(polls);
    }
    return 1;
}

void dpl_offload_wait(void) {
    uint32_t number = ++calls.awaited;
    for (uint32_t polls = 0; !is_done(number); polls++) {
        dpl_l3_poll_seldom(polls);
    }
    in_order();
    if (!dpl_guarded(dpl_fc_stack)) {
        dpl_die("stack overflow of the fabric controller");
    }
}

static void (*forked)(void);

static void run_forked(const void *args) {
    (void)args;
    forked();
}

void dpl_port_fork(void (*fn)(void)) {
    forked = fn;
    dpl_offload_call(run_forked, 0);
    dpl_offload_wait();
}
