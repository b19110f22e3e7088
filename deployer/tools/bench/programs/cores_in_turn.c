/* The cores of the linux port on one thread, for deployer bench threads: in place of dpl_threads.c.
 *
 * Each core has a stack of its own and does its share of a step until a barrier, where the next one
 * has its turn. So a profiler that sees a single thread counts every core's work, without what it
 * would wait, and in the same way in every run. It sees turns by calls of turn_0, turn_1, ... */
#include <stdbool.h>
#include <stddef.h>
#include <ucontext.h>

#include "dpl/cores.h"
#include "dpl_threads.h"

enum { STACK_BYTES = 256 * 1024 };

/* A function of its own for each core, which no compiler joins with another's. */
#define TURN(core)                                                                                 \
    void turn_##core(void);                                                                        \
    __attribute__((noipa)) void turn_##core(void) {                                                \
        __asm__ volatile("" : : "i"(core));                                                        \
    }
TURN(0)
TURN(1)
TURN(2)
TURN(3)

static void (*const TURNS[])(void) = {turn_0, turn_1, turn_2, turn_3};

static struct {
    ucontext_t harness, core[DPL_CORES];
    bool left[DPL_CORES];
    void (*step)(void);
    int32_t own, sharing;
} cores = {.sharing = 1};

static char stacks[DPL_CORES][STACK_BYTES] __attribute__((aligned(16)));

const char *dpl_threads_start(void) {
    return NULL;
}

int32_t dpl_core_id(void) {
    return cores.own;
}

int32_t dpl_core_count(void) {
    return cores.sharing;
}

void dpl_barrier(void) {
    if (cores.sharing > 1) {
        swapcontext(&cores.core[cores.own], &cores.harness);
    }
}

static void share(void) {
    cores.step();
    cores.left[cores.own] = false;
}

static void begin(int32_t core) {
    ucontext_t *context = &cores.core[core];
    getcontext(context);
    context->uc_stack.ss_sp = stacks[core];
    context->uc_stack.ss_size = STACK_BYTES;
    context->uc_link = &cores.harness; /* where it goes on when its share is done */
    makecontext(context, share, 0);
    cores.left[core] = true;
}

static void take_turn(int32_t core) {
    cores.own = core;
    TURNS[core]();
    swapcontext(&cores.harness, &cores.core[core]);
}

void dpl_threads_run(void (*fn)(void)) {
    cores.step = fn;
    cores.sharing = DPL_CORES;
    for (int32_t core = 0; core < DPL_CORES; core++) {
        begin(core);
    }
    while (cores.left[0]) { /* all meet at as many barriers, so all end in one round */
        for (int32_t core = 0; core < DPL_CORES; core++) {
            take_turn(core);
        }
    }
    cores.sharing = 1;
    cores.own = 0;
    TURNS[0]();
}
