/* Four windows by four output channels (fours_outputs.S), and what of a layer does not come in
 * fours. */
#ifndef DPL_PULP_FOURS_H
#define DPL_PULP_FOURS_H

#include <stdint.h>

#include "dpl/pulp/bytes.h"
#include "dpl/requant.h"

enum { FOUR = 4, FOUR_TABLES = 48 }; /* bytes behind the weights of a group, layout "fours" */

/* A window is read as runs of whole words that follow one another nowhere else than in the weights:
 * at runs[4 * r + i] begins run r of window i. The assembler has these offsets, too. */
typedef struct {
    const int8_t *const *runs;
    const int8_t *const *runs_end;
    int32_t words;         /* of a run, at least 1 */
    const int8_t *weights; /* of the first group */
    int8_t *out[FOUR];     /* of each window; moved on behind the last group */
    int32_t groups;        /* of four channels, at least 1 */
    int32_t bounded;       /* whether low and high say more than int8 does */
    uint32_t low, high;    /* in each byte */
} dpl_four_windows;

/* The outputs of all groups; rules i32 and shift, whose tables are in the weights. */
void dpl_fours_outputs(dpl_four_windows *f);

/* The sums of the first group without biases: sums[4 * channel + window]. */
void dpl_fours_sums(const dpl_four_windows *f, int32_t *sums);

/* What the channels of a layer have in common. */
typedef struct {
    const int32_t *bias;
    const dpl_requant *requant;
    int32_t channels;    /* of the output */
    int32_t group_bytes; /* of the weights of four channels */
} dpl_fours_layer;

static inline int32_t dpl_fours_rule(const dpl_requant *q) {
    return q->rule == DPL_I32 || q->rule == DPL_SHIFT;
}

static inline void dpl_fours_bounds(dpl_four_windows *f, const dpl_requant *q) {
    f->bounded = q->low > INT8_MIN || q->high < INT8_MAX;
    f->low = dpl_bytes_of(q->low);
    f->high = dpl_bytes_of(q->high);
}

/* A last group of one to three channels: four bytes of each window beside the output. */
static inline void dpl_fours_rest(dpl_four_windows *f, int32_t count) {
    int8_t bytes[FOUR][FOUR], *out[FOUR];
    for (int32_t i = 0; i < FOUR; i++) {
        out[i] = f->out[i];
        f->out[i] = bytes[i];
    }
    f->groups = 1;
    dpl_fours_outputs(f);
    for (int32_t i = 0; i < FOUR; i++) {
        for (int32_t c = 0; c < count; c++) {
            out[i][c] = bytes[i][c];
        }
    }
}

/* Any other rule: sums, then one output after the other. */
static inline void dpl_fours_any_rule(dpl_four_windows *f, const dpl_fours_layer *l, int32_t first,
                                      int32_t count) {
    int32_t sums[FOUR * FOUR];
    dpl_fours_sums(f, sums);
    for (int32_t i = 0; i < FOUR; i++) {
        for (int32_t c = 0; c < count; c++) {
            int32_t sum = sums[FOUR * c + i] + l->bias[first + c];
            f->out[i][c] = (int8_t)dpl_requantize(l->requant, sum, first + c);
        }
        f->out[i] += FOUR;
    }
    f->weights += l->group_bytes;
}

/* Groups begin to end - 1 of four windows whose runs are set; out: their first channel of all. */
static inline void dpl_fours_groups(dpl_four_windows *f, const dpl_fours_layer *l,
                                    const int8_t *weights, int32_t begin, int32_t end) {
    int32_t whole = l->channels / FOUR < end ? l->channels / FOUR : end;
    f->weights = weights + begin * l->group_bytes;
    for (int32_t i = 0; i < FOUR; i++) {
        f->out[i] += FOUR * begin;
    }
    if (!dpl_fours_rule(l->requant)) {
        for (int32_t g = begin; g < end; g++) {
            int32_t left = l->channels - FOUR * g;
            dpl_fours_any_rule(f, l, FOUR * g, left < FOUR ? left : FOUR);
        }
        return;
    }
    if (begin < whole) {
        f->groups = whole - begin;
        dpl_fours_outputs(f);
    }
    if (whole < end) {
        f->weights = weights + whole * l->group_bytes;
        dpl_fours_rest(f, l->channels - FOUR * whole);
    }
}

#endif
