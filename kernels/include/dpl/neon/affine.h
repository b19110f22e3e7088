/* Runs of elements of type `source` by one entry of the tables, to `element`. */
#include "dpl/neon/eight.h"
#include "dpl/neon/rules.h"

typedef struct {
    factors by;
    limits within;
} constants;

INLINED int16x8_t eight(int way, const constants *k, int16x8_t x, int16x8_t unused) {
    (void)unused;
    const int32x4_t low = vmovl_s16(vget_low_s16(x)), high = vmovl_high_s16(x);
    return narrowed(scaled(way, &k->by, low), scaled(way, &k->by, high), &k->within);
}

static inline constants constants_of(const dpl_requant *q, int32_t entry) {
    const constants k = {factors_of(q, entry), limits_of(q->low, q->high)};
    return k;
}

#include "dpl/neon/elements.h"
