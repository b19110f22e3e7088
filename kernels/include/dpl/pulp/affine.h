/* Runs brought from one scale to another, four elements at a time (affine_runs.S). */
#ifndef DPL_PULP_AFFINE_H
#define DPL_PULP_AFFINE_H

#include <stdint.h>

#include "dpl/pulp/bytes.h"
#include "dpl/requant.h"

/* The assembler has these offsets, too. */
typedef struct {
    const int8_t *from;
    int8_t *out;               /* may be from */
    int32_t words, runs;       /* at least 1 */
    int32_t from_gap, out_gap; /* bytes from the end of a run to the next */
    int32_t multiplier, rounding, shift;
    uint32_t low, high; /* in each byte */
} dpl_affine_job;

void dpl_affine_runs(const dpl_affine_job *j);

/* Whether words take the rule. */
static inline int dpl_affine(const dpl_requant *q) {
    return q->rule == DPL_I32 || q->rule == DPL_SHIFT;
}

/* The first entry of the tables; words, runs and gaps are left to set. */
static inline dpl_affine_job dpl_affine_of(const dpl_requant *q, const int8_t *from, int8_t *out) {
    dpl_affine_job j = {.from = from, .out = out, .runs = 1};
    j.multiplier = q->rule == DPL_I32 ? *q->multiplier : 1;
    j.rounding = *q->rounding;
    j.shift = *q->shift;
    j.low = dpl_bytes_of(q->low);
    j.high = dpl_bytes_of(q->high);
    return j;
}

/* The first entry of the tables for count elements, by any rule. */
static inline void dpl_affine_bytes(const dpl_requant *q, const int8_t *from, int8_t *out,
                                    int32_t count) {
    int32_t done = 0;
    if (dpl_affine(q) && count >= 4) {
        dpl_affine_job j = dpl_affine_of(q, from, out);
        j.words = count >> 2;
        dpl_affine_runs(&j);
        done = count & ~3;
    }
    for (; done < count; done++) {
        out[done] = (int8_t)dpl_requantize(q, from[done], 0);
    }
}

/* The same for count pixels of length elements, some bytes apart. */
static inline void dpl_affine_pixels(const dpl_requant *q, const int8_t *from, int32_t from_pitch,
                                     int8_t *out, int32_t out_pitch, int32_t length,
                                     int32_t count) {
    if (from_pitch == length && out_pitch == length) {
        dpl_affine_bytes(q, from, out, count * length);
        return;
    }
    if (dpl_affine(q) && (length & 3) == 0) {
        dpl_affine_job j = dpl_affine_of(q, from, out);
        j.words = length >> 2;
        j.runs = count;
        j.from_gap = from_pitch - length;
        j.out_gap = out_pitch - length;
        dpl_affine_runs(&j);
        return;
    }
    for (; count > 0; count--, from += from_pitch, out += out_pitch) {
        dpl_affine_bytes(q, from, out, length);
    }
}

#endif
