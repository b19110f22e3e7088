/* Convolutions of int16 on windows where they lie (direct.h). */
#ifndef DPL_CORTEX_M_DIRECT_S16_H
#define DPL_CORTEX_M_DIRECT_S16_H

#include "dpl/body/s16.h"

#define ELEMENT_BYTES "2"
#define AS_TYPE(S) "ssat %[" S "], #16, %[" S "]\n"
#define AS_RELU(S) "usat %[" S "], #15, %[" S "]\n"
#define BY_ENDING(T, END) "cmp %[" T "], #0\n bgt 6f\n bmi 5f\n" END(AS_RELU) "5:\n" END(AS_TYPE)
#define HIGH_WORD(S, M) "smmulr %[" S "], %[" S "], %[" M "]\n"
#define PUT(S, AT) "strh %[" S "], [" AT "]\n"
#define FETCH_ADDEND /* none */
#define GIVEN_ADDEND
#define ADDEND_OPERAND

enum { POINTS_ALONE = 1 }; /* whether windows of few words are loops of their own */

#include "dpl/cortex_m/direct_block.h"

static inline direct_ending ending_of(const dpl_requant *q) {
    if (q->rule != DPL_Q32 || q->rounding[0] != 0 || q->high != HIGHEST) {
        return SUMS;
    }
    return q->low == LOWEST ? WHOLE_TYPE : q->low == 0 ? RELU : SUMS;
}

static inline int32_t addend_of(const dpl_requant *q) {
    (void)q;
    return 0;
}

static inline void bound_all(const tensor *output, const dpl_requant *q) {
    (void)output, (void)q;
}

static inline const int16_t *halves_at(const tensor *t, int32_t y) {
    return row_of(t, y);
}

#define LOAD_VALUE "ldrsh"
#include "dpl/cortex_m/direct_fours.h"
#include "dpl/cortex_m/direct_points.h"
#include "dpl/cortex_m/run.h"

static inline void copy_pixel(const element *from, element *to, int32_t n) {
    const int32_t lines = n / 8; /* of 16 bytes */
    if (lines > 0) {
        const int8_t *x = (const int8_t *)from;
        int8_t *y = (int8_t *)to;
        move_lines(&y, &x, lines);
        from += 8 * lines;
        to += 8 * lines;
    }
    for (n -= 8 * lines; n >= 2; n -= 2, from += 2, to += 2) {
        store_word(to, load_word(from));
    }
    if (n > 0) {
        *to = *from;
    }
}

static inline void copy_two(const element *from, element *to) {
    store_word(to, load_word(from));
}

/* The same of a pixel before others, to the end of its last word. No loop ends it, which would be
 * mispredicted for every pixel of few words. */
static inline void copy_beyond(const element *from, element *to, int32_t n) {
    for (; n > 6; n -= 2, from += 2, to += 2) {
        copy_two(from, to);
    }
    if (n > 4) {
        copy_two(from + 4, to + 4);
    }
    if (n > 2) {
        copy_two(from + 2, to + 2);
    }
    copy_two(from, to);
}

#include "dpl/cortex_m/direct.h"

#endif
