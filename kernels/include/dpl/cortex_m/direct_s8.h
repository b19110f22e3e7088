/* Convolutions of int8 on windows of copied rows, whose values are halfwords (direct.h). */
#ifndef DPL_CORTEX_M_DIRECT_S8_H
#define DPL_CORTEX_M_DIRECT_S8_H

#include "dpl/body/s8.h"
#include "dpl/cortex_m/bound_rows.h"
#include "dpl/cortex_m/high_s8.h"

#define ELEMENT_BYTES "1"
#define AS_TYPE(S) "ssat %[" S "], #8, %[" S "]\n"
#define BY_ENDING(T, END) "cmp %[" T "], #0\n bgt 6f\n" END(AS_TYPE)
#define HIGH_WORD(S, M) "smmlar %[" S "], %[" S "], %[" M "], %[x0]\n"
#define PUT(S, AT) "strb %[" S "], [" AT "]\n"
#define FETCH_ADDEND "ldr %[x0], %[addend]\n"
#define GIVEN_ADDEND const int32_t addend = j->addend
#define ADDEND_OPERAND , [addend] "m"(addend)

enum { POINTS_ALONE = 0 }; /* whether windows of few words are loops of their own */

#include "dpl/cortex_m/direct_block.h"

static inline direct_ending ending_of(const dpl_requant *q) {
    return q->rule == DPL_Q32 ? WHOLE_TYPE : SUMS;
}

#include "dpl/cortex_m/direct_plan.h"

#define LOAD_VALUE "ldrsb"
#include "dpl/cortex_m/direct_fours.h"

/* Of a copy, which is of halfwords: bytes are read in place nowhere. */
static inline const int16_t *halves_at(const tensor *t, int32_t y) {
    return (const int16_t *)(const void *)t->data + y * t->row_pitch;
}

static inline int32_t put_points(const plan *p, const direct_job *j, int32_t count, int is_pair) {
    (void)p, (void)j, (void)is_pair;
    return count;
}

/* Outputs by the high-word rule to their bounds: all at once, since a run takes some 60 cycles. */
static inline void bound_all(const tensor *output, const dpl_requant *q) {
    if (q->rule == DPL_Q32) {
        bound_rows(output, q);
    }
}

static inline void copy_four(const int8_t *from, int16_t *to) {
    const uint32_t four = load_word(from), even = even_bytes(four), odd = odd_bytes(four);
    store_word(to, low_halves(even, odd));
    store_word(to + 2, high_halves(even, odd));
}

/* n values. The loop reads four more than it copies, which C copies then. */
static inline void copy_pixel(const int8_t *from, int16_t *to, int32_t n) {
    if (n >= 12) {
        const int32_t fours = n / 4 - 1;
        copy_fours(&(copied_pixels){from, to, fours, 1, 0, 0});
        from += 4 * fours;
        to += 4 * fours;
        n -= 4 * fours;
    }
    if (n >= 4) {
        copy_four(from, to);
        from += 4;
        to += 4;
        n -= 4;
    }
    for (; n > 0; n--) {
        *to++ = *from++;
    }
}

/* The same of a pixel of less than eight values before others. */
static inline void copy_beyond(const int8_t *from, int16_t *to, int32_t n) {
    copy_pixel(from, to, n);
}

#include "dpl/cortex_m/direct.h"

#endif
