/* Layers of cases.h on the cluster, all they read and write in L1: cycles of a warm call from
 * barrier to barrier, bytes that are wrong, bytes of stack. */
#include "dpl/conv2d.h"
#include "dpl/cores.h"
#include "dpl/fully_connected.h"
#include "placed.h"

typedef struct {
    const char *name;
    dpl_conv2d_s8_args args; /* tensors and tables in L2; a kernel of height 0: a dense layer */
    const int8_t *expected;
    int32_t weight_bytes, scratch_bytes;
} layer;

#include "cases.h"

void dpl_barrier(void) {
    meet();
}

static L1 dpl_conv2d_s8_args args;
static L1 dpl_fully_connected_s8_args dense;

static __attribute__((noinline)) void place(const layer *l) {
    int8_t *next = pool;
    args = l->args;
    args.input.data = placed(&next, args.input.data, size_of(&args.input));
    args.weights = placed(&next, args.weights, l->weight_bytes);
    args.output.data = placed(&next, 0, size_of(&args.output));
    args.scratch = placed(&next, 0, l->scratch_bytes);
    memset(args.output.data, 0x5a, (unsigned)size_of(&args.output));
    if (next > pool + sizeof pool)
        put_text("does not fit\n");
    dense.input = args.input;
    dense.output = args.output;
    dense.weights = args.weights;
    dense.bias = args.bias;
    dense.requant = args.requant;
    dense.scratch = args.scratch;
}

static __attribute__((noinline)) int32_t differing(const int8_t *expected) {
    int32_t count = 0;
    for (int32_t i = 0; i < size_of(&args.output); i++)
        count += args.output.data[i] != expected[i];
    return count;
}

static __attribute__((noinline)) void call(const layer *l) {
    (void)l;
    if (args.window.kernel_height == 0)
        dpl_fully_connected_s8__xpulpv2(&dense);
    else
        dpl_conv2d_s8__xpulpv2(&args);
}

#include "timed.h"
