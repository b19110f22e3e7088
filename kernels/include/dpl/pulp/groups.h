/* Groups of four channels of blocks that are ready: those of four_by_four_*.S, a last one of fewer
 * channels, and rules that the assembler does not know. */
#ifndef DPL_PULP_GROUPS_H
#define DPL_PULP_GROUPS_H

#include "dpl/pulp/four_by_four.h"

/* What the channels of a layer have in common. */
typedef struct {
    const int8_t *weights;
    const int32_t *bias;
    const dpl_requant *requant;
    int32_t channels;    /* of the output */
    int32_t group_bytes; /* of the weights of four channels */
} dpl_four_by_four_layer;

/* Groups begin to end - 1 of the layer; where their outputs go is set. */
static inline void dpl_four_by_four_select(dpl_four_by_four *f, const dpl_four_by_four_layer *l,
                                           int32_t begin, int32_t end) {
    f->weights = l->weights + begin * l->group_bytes;
    f->weights_end = l->weights + end * l->group_bytes;
    f->groups = end - begin;
}

static inline void dpl_four_by_four_stepped(dpl_four_by_four *f) {
    if (f->count == 1) {
        dpl_four_by_four_point(f);
    } else {
        dpl_four_by_four_rows(f);
    }
}

/* A last group of one to three channels: four bytes of each window beside the output. */
static __attribute__((noinline)) void dpl_four_by_four_rest(dpl_four_by_four *f, int32_t stepped,
                                                            int32_t count) {
    int8_t bytes[FOUR][FOUR];
    int8_t *to = f->out, *outs[FOUR];
    const int32_t pitch = f->pitch;
    for (int32_t i = 0; i < FOUR; i++) {
        outs[i] = stepped ? to + i * pitch : f->outs[i];
        f->outs[i] = bytes[i];
    }
    if (stepped) {
        f->out = bytes[0];
        f->pitch = FOUR;
        dpl_four_by_four_stepped(f);
        f->pitch = pitch;
    } else {
        dpl_four_by_four_table(f);
    }
    for (int32_t i = 0; i < FOUR; i++) {
        for (int32_t c = 0; c < count; c++) {
            outs[i][c] = bytes[i][c];
        }
    }
}

/* The same of windows a step apart; rules i32 and shift. */
static inline void dpl_four_by_four_of_steps(dpl_four_by_four *f, const dpl_four_by_four_layer *l,
                                             int32_t begin, int32_t end) {
    const int32_t all = l->channels / FOUR, whole = all < end ? all : end;
    const dpl_columns *copies = f->copies;
    f->out += FOUR * begin;
    if (begin < whole) {
        dpl_four_by_four_select(f, l, begin, whole);
        dpl_four_by_four_stepped(f);
        f->copies = 0; /* are there */
    }
    if (whole < end) {
        f->out += FOUR * (whole - begin);
        dpl_four_by_four_select(f, l, whole, end);
        dpl_four_by_four_rest(f, 1, l->channels - FOUR * whole);
    }
    f->copies = copies;
}

#endif
