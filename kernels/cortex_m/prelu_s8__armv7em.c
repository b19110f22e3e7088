/* PRelu, int8: the sign of an element makes the index of its entry, so there is no branch, by the
 * rules i32 and q32 with the bounds of int8. Four are read before the first is written: the output
 * may take the input's place. */
#include "dpl/body/s8.h"
#include "dpl/cortex_m/affine.h"
#include "dpl/elementwise.h"

#define KERNEL dpl_prelu_s8__armv7em
typedef dpl_prelu_s8_args args;

#include "dpl/body/prelu_pixel.h"

/* Entry 0 serves values from zero up, entry `below` of the same tables those below. */
typedef struct {
    const int32_t *multiplier, *rounding;
    const uint8_t *shift;
    int32_t zero;
} slopes;

static inline int8_t by_i32(const slopes *s, int32_t x, int32_t below) {
    const int32_t i = below & (x >> 31);
    const affine f = {s->multiplier[i], s->rounding[i], s->shift[i]};
    return (int8_t)saturate8(affine_value(&f, x));
}

static inline int8_t by_q32(const slopes *s, int32_t x, int32_t below) {
    return (int8_t)saturate8(scale_high(x, s->multiplier[below & (x >> 31)], s->rounding[0]));
}

#define X4(NAME, RULE)                                                                             \
    static void NAME(const slopes *given, const int8_t *input, int8_t *out, int32_t below,         \
                     int32_t count) {                                                              \
        const slopes s = *given;                                                                   \
        for (; count > 0; count -= 4, below += 4, input += 4, out += 4) {                          \
            const uint32_t word = load_word(input);                                                \
            const int8_t y0 = RULE(&s, (int8_t)word - s.zero, below);                              \
            const int8_t y1 = RULE(&s, (int8_t)(word >> 8) - s.zero, below + 1);                   \
            const int8_t y2 = RULE(&s, (int8_t)(word >> 16) - s.zero, below + 2);                  \
            const int8_t y3 = RULE(&s, ((int32_t)word >> 24) - s.zero, below + 3);                 \
            out[0] = y0;                                                                           \
            out[1] = y1;                                                                           \
            out[2] = y2;                                                                           \
            out[3] = y3;                                                                           \
        }                                                                                          \
    }

X4(x4_by_i32, by_i32)
X4(x4_by_q32, by_q32)

static void pixel_x4(const args *a, dpl_share channels, const int8_t *input, int8_t *out) {
    const dpl_requant *q = &a->requant;
    const slopes s = {q->multiplier, q->rounding, q->shift, a->input_zero};
    const int32_t first = channels.begin, count = (channels.end - first) / 4 * 4;
    const int full = q->low == LOWEST && q->high == HIGHEST;
    if (full && q->rule == DPL_I32) {
        x4_by_i32(&s, input + first, out + first, 1 + a->first + first, count);
        channels.begin += count;
    } else if (full && q->rule == DPL_Q32) {
        x4_by_q32(&s, input + first, out + first, 1 + a->first + first, count);
        channels.begin += count;
    }
    if (channels.begin < channels.end) {
        pixel(a, channels, input, out);
    }
}

#define pixel pixel_x4
#include "dpl/body/prelu.h"
