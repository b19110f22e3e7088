/* Sums to outputs of either type, eight channels at a time. */
#include "dpl/cores.h"
#include "dpl/neon/eight.h"
#include "dpl/neon/rules.h"

/* Entries of four channels from `c` on. */
INLINED factors entries_at(dpl_rule rule, const dpl_requant *q, int32_t c, int16x4_t shift) {
    const factors f = {
        vld1q_s32(q->multiplier + c),
        rule == DPL_Q32 ? vdupq_n_s32(q->rounding[0]) : vld1q_s32(q->rounding + c),
        vsubq_s32(vdupq_n_s32(0), vmovl_s16(shift)),
    };
    return f;
}

INLINED int16x8_t shifts_at(dpl_rule rule, const dpl_requant *q, int32_t c) {
    return rule == DPL_Q32 ? vdupq_n_s16(0)
                           : vreinterpretq_s16_u16(vmovl_u8(vld1_u8(q->shift + c)));
}

INLINED int16x8_t eight_of(dpl_rule rule, const dpl_requant *q, const int32_t *sums, int32_t c) {
    const limits within = limits_of(q->low, q->high);
    factors low = factors_of(q, 0), high = low;
    if (q->channel_step != 0) {
        const int16x8_t shifts = shifts_at(rule, q, c);
        low = entries_at(rule, q, c, vget_low_s16(shifts));
        high = entries_at(rule, q, c + EIGHT / 2, vget_high_s16(shifts));
    }
    return narrowed(scaled(rule, &low, vld1q_s32(sums)),
                    scaled(rule, &high, vld1q_s32(sums + EIGHT / 2)), &within);
}

/* The last eight overlap those before. */
INLINED void run_by(dpl_rule rule, const dpl_requant *given, const int32_t *sums, int32_t first,
                    int32_t count, element *out) {
    const dpl_requant q = *given; /* a store could change it */
    const int32_t last = count - EIGHT;
    for (int32_t c = 0; c < last; c += EIGHT) {
        store_eight(out + c, eight_of(rule, &q, sums + c, first + c));
    }
    store_eight(out + last, eight_of(rule, &q, sums + last, first + last));
}

static void run(const dpl_requant *q, const int32_t *sums, int32_t first, int32_t count,
                element *out) {
    if (count < EIGHT) {
        for (int32_t c = 0; c < count; c++) {
            out[c] = (element)dpl_requantize(q, sums[c], first + c);
        }
        return;
    }
    switch (q->rule) {
    case DPL_SHIFT: run_by(DPL_SHIFT, q, sums, first, count, out); break;
    case DPL_I32: run_by(DPL_I32, q, sums, first, count, out); break;
    case DPL_Q16: run_by(DPL_Q16, q, sums, first, count, out); break;
    case DPL_Q32: run_by(DPL_Q32, q, sums, first, count, out); break;
    default: run_by(DPL_Q31, q, sums, first, count, out); break;
    }
}

void KERNEL(const args *a) {
    const dpl_part part = dpl_core_part(a->output.height, a->output.channels);
    const int32_t first = part.channels.begin, count = part.channels.end - first;
    for (int32_t y = part.rows.begin; y < part.rows.end; y++) {
        const int32_t *sums = dpl_row_s32(&a->input, y) + first;
        element *out = row_of(&a->output, y) + first;
        for (int32_t x = 0; x < a->output.width; x++) {
            run(&a->requant, sums, first, count, out);
            sums += a->input.pixel_pitch;
            out += a->output.pixel_pitch;
        }
    }
}
