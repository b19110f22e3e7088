/* Depthwise layers of cases.h on the cluster, all they read and write in L1: cycles of a warm call
 * from barrier to barrier, bytes that are wrong or behind the scratch and touched, bytes of
 * stack. */
#include "dpl/cores.h"
#include "dpl/depthwise_conv2d.h"
#include "placed.h"

typedef struct {
    const char *name;
    void (*kernel)(const dpl_depthwise_conv2d_s8_args *);
    dpl_depthwise_conv2d_s8_args args; /* tensors and tables in L2 */
    const int8_t *expected;
    int32_t weight_bytes, scratch_bytes;
} layer;

#include "cases.h"

enum { GUARD = 0x3c };

static L1 dpl_depthwise_conv2d_s8_args args;
static int8_t *guard;

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

static void call(const layer *l) {
    l->kernel(&args);
}

#include "timed.h"
