/* PRelu of either type, by any rule. A row of pixels of few channels takes PIXELS_OF_RUN of them at
 * a time, by as many copies of the slopes' tables. */
#include "dpl/cores.h"
#include "dpl/elementwise.h"
#include "dpl/neon/eight.h"
#include "dpl/neon/rules.h"

enum { PIXELS_OF_RUN = 8, FEW_CHANNELS = 16 };

/* Entries of the slopes, at least eight. */
typedef struct {
    const int32_t *multiplier, *rounding;
    const uint8_t *shift;
} slopes;

typedef struct {
    factors straight;
    int32x4_t zero_point; /* of the rule that has one alone */
    int16x8_t input_zero;
    limits within;
} constants;

/* Four from entry `i` on; `shift` of those. */
INLINED factors slope_at(dpl_rule rule, const constants *k, const slopes *s, int32_t i,
                         int16x4_t shift) {
    const factors f = {vld1q_s32(s->multiplier + i),
                       rule == DPL_Q32 ? k->zero_point : vld1q_s32(s->rounding + i),
                       vsubq_s32(vdupq_n_s32(0), vmovl_s16(shift))};
    return f;
}

INLINED int16x8_t shifts_at(dpl_rule rule, const slopes *s, int32_t i) {
    return rule == DPL_Q32 ? vdupq_n_s16(0)
                           : vreinterpretq_s16_u16(vmovl_u8(vld1_u8(s->shift + i)));
}

/* From zero up by the entry of all, below by the channel's. */
INLINED int32x4_t bent(dpl_rule rule, const factors *straight, const factors *slope, int32x4_t x) {
    const uint32x4_t below = vcltq_s32(x, vdupq_n_s32(0));
    const factors by = {
        vbslq_s32(below, slope->multiplier, straight->multiplier),
        vbslq_s32(below, slope->rounding, straight->rounding),
        vbslq_s32(below, slope->shift, straight->shift),
    };
    return scaled(rule, &by, x);
}

INLINED int16x8_t eight(dpl_rule rule, const constants *k, const slopes *s, int32_t i,
                        int16x8_t x) {
    const int16x8_t shifts = shifts_at(rule, s, i);
    const factors first = slope_at(rule, k, s, i, vget_low_s16(shifts));
    const factors last = slope_at(rule, k, s, i + EIGHT / 2, vget_high_s16(shifts));
    x = vsubq_s16(x, k->input_zero);
    const int32x4_t low = bent(rule, &k->straight, &first, vmovl_s16(vget_low_s16(x)));
    const int32x4_t high = bent(rule, &k->straight, &last, vmovl_high_s16(x));
    return narrowed(low, high, &k->within);
}

/* Elements whose slopes are the first of the tables. The last eight are read before anything is
 * written, since the output may take the input's place: they overlap those before. */
INLINED void run_by(dpl_rule rule, const constants *given, const slopes *slope,
                    const element *input, element *out, int32_t count) {
    const constants k = *given; /* a store could change them */
    const slopes s = *slope;
    if (count < EIGHT) {
        store_few(out, eight(rule, &k, &s, 0, load_few(input, count)), count);
        return;
    }
    const int32_t last = count - EIGHT;
    const int16x8_t end = load_eight(input + last);
    int32_t i = 0;
    for (; i + 2 * EIGHT <= count; i += 2 * EIGHT) {
        const int16x8_t x = eight(rule, &k, &s, i, load_eight(input + i));
        const int16x8_t y = eight(rule, &k, &s, i + EIGHT, load_eight(input + i + EIGHT));
        store_eight(out + i, x);
        store_eight(out + i + EIGHT, y);
    }
    if (i < last) {
        store_eight(out + i, eight(rule, &k, &s, i, load_eight(input + i)));
    }
    if (i < count) {
        store_eight(out + last, eight(rule, &k, &s, last, end));
    }
}

static void run(dpl_rule rule, const constants *k, const slopes *s, const element *input,
                element *out, int32_t count) {
    switch (rule) {
    case DPL_SHIFT: run_by(DPL_SHIFT, k, s, input, out, count); break;
    case DPL_I32: run_by(DPL_I32, k, s, input, out, count); break;
    case DPL_Q16: run_by(DPL_Q16, k, s, input, out, count); break;
    case DPL_Q32: run_by(DPL_Q32, k, s, input, out, count); break;
    default: run_by(DPL_Q31, k, s, input, out, count); break;
    }
}

/* Copies of few channels' tables for several pixels. */
typedef struct {
    int32_t multiplier[PIXELS_OF_RUN * FEW_CHANNELS], rounding[PIXELS_OF_RUN * FEW_CHANNELS];
    uint8_t shift[PIXELS_OF_RUN * FEW_CHANNELS];
} slope_copies;

static slopes repeat(slope_copies *to, const slopes *from, int32_t channels, int has_one) {
    for (int32_t i = 0, c = 0; i < PIXELS_OF_RUN * channels;
         i++, c = c + 1 < channels ? c + 1 : 0) {
        to->multiplier[i] = from->multiplier[c];
        to->rounding[i] = has_one ? 0 : from->rounding[c];
        to->shift[i] = has_one ? 0 : from->shift[c];
    }
    const slopes found = {to->multiplier, to->rounding, to->shift};
    return found;
}

/* A row of `width` in runs of `pixels` pixels. */
static void run_row(const args *a, const constants *k, const slopes *s, int32_t y,
                    dpl_share channels, int32_t pixels, int32_t width) {
    const int32_t count = channels.end - channels.begin;
    const element *input = row_of(&a->input, y) + channels.begin;
    element *out = row_of(&a->output, y) + channels.begin;
    for (int32_t x = 0; x < width; x += pixels) {
        const int32_t rest = width - x < pixels ? width - x : pixels;
        run(a->requant.rule, k, s, input, out, rest * count);
        input += pixels * a->input.pixel_pitch;
        out += pixels * a->output.pixel_pitch;
    }
}

void KERNEL(const args *a) {
    const dpl_part part = dpl_core_part(a->output.height, a->output.channels);
    const int32_t first = part.channels.begin, count = part.channels.end - first;
    const dpl_requant *q = &a->requant;
    const int32_t at = 1 + a->first, has_one = q->rule == DPL_Q32;
    const constants k = {factors_of(q, 0), vdupq_n_s32(q->rounding[at]),
                         vdupq_n_s16((int16_t)a->input_zero), limits_of(q->low, q->high)};
    const int whole = a->input.pixel_pitch == count && a->output.pixel_pitch == count;
    slopes s = {q->multiplier + at + first, q->rounding + at + first, q->shift + at + first};
    slope_copies copies;
    if (count < FEW_CHANNELS) {
        s = repeat(&copies, &s, count, has_one);
    }
    const int32_t pixels = whole && count < FEW_CHANNELS ? PIXELS_OF_RUN : 1;
    const int32_t row = a->output.width * count;
    const int one = whole && DPL_ROWS_FOLLOW(&a->input, row) && DPL_ROWS_FOLLOW(&a->output, row);
    const int32_t joined = one ? part.rows.end - part.rows.begin : 1;
    for (int32_t y = part.rows.begin; y < part.rows.end; y += joined) {
        run_row(a, &k, &s, y, part.channels, pixels, a->output.width * joined);
    }
}
