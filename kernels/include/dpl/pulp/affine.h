/* A run brought from one scale to another, four elements at a time (affine_words.S). */
#ifndef DPL_PULP_AFFINE_H
#define DPL_PULP_AFFINE_H

#include <stdint.h>

#include "dpl/pulp/bytes.h"
#include "dpl/requant.h"

/* The assembler has these offsets, too. */
typedef struct {
    const int8_t *from;
    int8_t *out;   /* may be from */
    int32_t words; /* at least 1 */
    int32_t multiplier, rounding, shift;
    uint32_t low, high; /* in each byte */
} dpl_affine_run;

void dpl_affine_words(const dpl_affine_run *r);

/* Whether words take the rule. */
static inline int dpl_affine(const dpl_requant *q) {
    return q->rule == DPL_I32 || q->rule == DPL_SHIFT;
}

/* The first entry of the tables for count elements, by any rule. */
static inline void dpl_affine_bytes(const dpl_requant *q, const int8_t *from, int8_t *out,
                                    int32_t count) {
    int32_t done = 0;
    if (dpl_affine(q) && count >= 4) {
        dpl_affine_run r = {.from = from, .out = out, .words = count >> 2};
        r.multiplier = q->rule == DPL_I32 ? *q->multiplier : 1;
        r.rounding = *q->rounding;
        r.shift = *q->shift;
        r.low = dpl_bytes_of(q->low);
        r.high = dpl_bytes_of(q->high);
        dpl_affine_words(&r);
        done = count & ~3;
    }
    for (; done < count; done++) {
        out[done] = (int8_t)dpl_requantize(q, from[done], 0);
    }
}

#endif
