/* Every layer of cases.h on the cluster: cycles of a warm call from barrier to barrier, what
 * `differing` finds, bytes of stack. It stands behind `layers`, `place`, `call` and `differing`. */
#ifndef TIMED_H
#define TIMED_H

#include "gap8.h"

enum { STACK = 1024, PAINT = 0x5a5a5a5a, COUNT = sizeof layers / sizeof *layers };

extern char __l1_stacks[];

static volatile int32_t took[COUNT], wrong[COUNT], stacks[8], finished;

static __attribute__((noinline)) void run(uint32_t core, int i) {
    uint32_t start = 0;
    if (core == 0)
        place(&layers[i]);
    for (int times = 0; times < 3; times++) {
        meet();
        if (core == 0)
            start = REG(TIMER + 8);
        call(&layers[i]);
        meet();
        if (core == 0)
            took[i] = (int32_t)(REG(TIMER + 8) - start);
    }
    if (core == 0)
        wrong[i] = differing(layers[i].expected);
}

static volatile uint32_t *stack_of(uint32_t core) {
    return (volatile uint32_t *)(void *)(__l1_stacks + core * STACK);
}

void cluster(uint32_t core);

void cluster(uint32_t core) {
    volatile uint32_t *stack = stack_of(core);
    uint32_t here;
    int free = 0, top;
    __asm__ volatile("mv %0, sp" : "=r"(here));
    top = (int)((volatile uint32_t *)(uintptr_t)here - stack);
    for (int i = 0; i < top; i++)
        stack[i] = PAINT;
    join_cluster(core, (1u << DPL_CORES) - 1);
    REG(TIMER) = 1;
    for (int i = 0; i < COUNT; i++)
        run(core, i);
    while (stack[free] == PAINT)
        free++;
    stacks[core] = 4 * (top - free);
    meet();
    if (core == 0)
        finished = 1;
}

int main(void) {
    int32_t most = 0;
    start_cluster(1);
    while (!finished)
        for (volatile int i = 0; i < 100; i++)
            ;
    for (int i = 0; i < COUNT; i++) {
        report(layers[i].name, (uint32_t)took[i]);
        put_text("wrong_");
        report(layers[i].name, (uint32_t)wrong[i]);
    }
    for (int i = 0; i < DPL_CORES; i++)
        most = stacks[i] > most ? stacks[i] : most;
    report("stack", (uint32_t)most);
    return 0;
}

#endif
