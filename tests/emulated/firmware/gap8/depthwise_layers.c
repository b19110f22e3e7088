/* Depthwise layers of cases.h on the cluster, all they read and write in L1: cycles of a warm call
 * from barrier to barrier, bytes that are wrong or behind the scratch and touched, bytes of
 * stack. */
#include "dpl/cores.h"
#include "dpl/depthwise_conv2d.h"
#include "gap8.h"

typedef struct {
    const char *name;
    void (*kernel)(const dpl_depthwise_conv2d_s8_args *);
    dpl_depthwise_conv2d_s8_args args; /* tensors and tables in L2 */
    const int8_t *expected;
    int32_t weight_bytes, scratch_bytes;
} layer;

#include "cases.h"

enum { STACK = 1024, PAINT = 0x5a5a5a5a, GUARD = 0x3c, COUNT = sizeof layers / sizeof *layers };

extern char __l1_stacks[];

static L1 _Alignas(16) int8_t pool[54 * 1024];
static L1 dpl_depthwise_conv2d_s8_args args;
static int8_t *guard;
static volatile int32_t took[COUNT], wrong[COUNT], stacks[8], finished;

#if DPL_CORES > 1
int32_t dpl_core_id(void) {
    return READ_CSR(mhartid) & 31;
}
#endif

void *memcpy(void *to, const void *from, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        ((char *)to)[i] = ((const char *)from)[i];
    return to;
}

void *memset(void *to, int value, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        ((char *)to)[i] = (char)value;
    return to;
}

static __attribute__((noinline)) int8_t *placed(int8_t **next, const void *from, int32_t bytes) {
    int8_t *to = *next;
    if (from)
        memcpy(to, from, (unsigned)bytes);
    *next += (bytes + 15) & ~15;
    return to;
}

static int32_t size_of(const dpl_tensor_s8 *t) {
    return (t->height - 1) * t->row_pitch + t->width * t->channels;
}

static __attribute__((noinline)) void place(const layer *l) {
    int8_t *next = pool;
    args = l->args;
    args.input.data = placed(&next, args.input.data, size_of(&args.input));
    args.weights = placed(&next, args.weights, l->weight_bytes);
    args.output.data = placed(&next, 0, size_of(&args.output));
    args.scratch = placed(&next, 0, l->scratch_bytes);
    memset(args.output.data, 0x5a, (unsigned)size_of(&args.output));
    if (next + 16 > pool + sizeof pool)
        put_text("does not fit\n");
    memset(next, GUARD, 16);
    guard = next;
}

static __attribute__((noinline)) int32_t differing(const int8_t *expected) {
    int32_t count = 0;
    for (int32_t i = 0; i < size_of(&args.output); i++)
        count += args.output.data[i] != expected[i];
    for (int32_t i = 0; i < 16; i++)
        count += guard[i] != GUARD;
    return count;
}

static __attribute__((noinline)) void run(uint32_t core, int i) {
    uint32_t start = 0;
    if (core == 0)
        place(&layers[i]);
    for (int times = 0; times < 3; times++) {
        meet();
        if (core == 0)
            start = REG(TIMER + 8);
        layers[i].kernel(&args);
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
