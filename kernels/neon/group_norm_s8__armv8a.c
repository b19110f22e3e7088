/* GroupNorm, int8: eight channels of all pixels, whatever groups they are of. Their factors stay in
 * registers along the image. Groups of fewer channels are taken together. */
#include "dpl/cores.h"
#include "dpl/neon/norm.h"

typedef dpl_norm_s8_args args;

enum { SUMMED = 1 << 16, MOST_GROUPS = 8 }; /* squares whose sum fits 32 bits */

/* Groups that are taken together: channels `first` to `last`. */
typedef struct {
    int32_t first, last, size;
} joined_groups;

typedef struct {
    int32x4_t total[2], squares[2];
} eight_sums;

INLINED int16x8_t load_some(const int8_t *x, int32_t count) {
    return count < EIGHT ? load_few_s8(x, count) : load_eight_s8(x);
}

INLINED void add_row(const int8_t *x, int32_t pitch, int32_t width, int32_t count, eight_sums *s) {
    for (int32_t i = 0; i < width; i++, x += pitch) {
        const int16x8_t value = load_some(x, count);
        const int16x4_t low = vget_low_s16(value), high = vget_high_s16(value);
        s->total[0] = vaddw_s16(s->total[0], low);
        s->total[1] = vaddw_s16(s->total[1], high);
        s->squares[0] = vmlal_s16(s->squares[0], low, low);
        s->squares[1] = vmlal_s16(s->squares[1], high, high);
    }
}

/* Sums of `count` channels from c on to those of their groups; they begin again. */
static void flush(const joined_groups *g, int32_t c, int32_t count, eight_sums *s, moments *to) {
    int32_t total[EIGHT], squares[EIGHT];
    for (int i = 0; i < 2; i++) {
        vst1q_s32(total + EIGHT / 2 * i, s->total[i]);
        vst1q_s32(squares + EIGHT / 2 * i, s->squares[i]);
        s->total[i] = s->squares[i] = vdupq_n_s32(0);
    }
    for (int32_t i = 0; i < count; i++) {
        moments *m = to + (c - g->first + i) / g->size;
        m->total += total[i];
        m->squares += (uint32_t)squares[i];
    }
}

/* Up to eight channels of all pixels, as many rows together as do not overflow. */
INLINED void sum_channels(const args *a, const joined_groups *g, int32_t c, int32_t count,
                          moments *to) {
    const int32_t width = a->input.width, pitch = a->input.pixel_pitch;
    eight_sums s = {{vdupq_n_s32(0), vdupq_n_s32(0)}, {vdupq_n_s32(0), vdupq_n_s32(0)}};
    int32_t summed = 0;
    for (int32_t y = 0; y < a->input.height; y++, summed += width) {
        if (summed + width > SUMMED) {
            flush(g, c, count, &s, to);
            summed = 0;
        }
        add_row(dpl_row_s8(&a->input, y) + c, pitch, width, count, &s);
    }
    flush(g, c, count, &s, to);
}

/* Of channels c to c + 7; where there are fewer, of the last again. */
static void factors_of_eight(const args *a, const joined_groups *g, const normalizer *by, int32_t c,
                             channel_factors *low, channel_factors *high) {
    int32_t lane[CHANNEL_FACTORS][EIGHT];
    int16_t scale[EIGHT];
    for (int32_t i = 0; i < EIGHT; i++) {
        const int32_t at = c + i < g->last ? c + i : g->last - 1;
        const normalizer *n = by + (at - g->first) / g->size;
        const int32_t up = shift_up(n);
        lane[0][i] = (int32_t)((uint32_t)n->count << up);
        lane[1][i] = (int32_t)((uint32_t)n->total << up);
        lane[2][i] = n->over.multiplier;
        lane[3][i] = 31 - up - n->over.shift;
        lane[4][i] = a->offset[at];
        scale[i] = a->scale[at];
    }
    *low = factors_at(&lane[0][0], scale);
    *high = factors_at(&lane[0][EIGHT / 2], scale + EIGHT / 2);
}

INLINED void normalize_channels(dpl_rule rule, const args *a, const joined_groups *g,
                                const normalizer *by, int32_t c, int32_t count) {
    const output_factors outputs = output_factors_of(&a->requant);
    const int32_t pitch = a->input.pixel_pitch, out_pitch = a->output.pixel_pitch;
    channel_factors first, last;
    factors_of_eight(a, g, by, c, &first, &last);
    const channel_factors low = first, high = last; /* a store could change the others */
    for (int32_t y = 0; y < a->output.height; y++) {
        const int8_t *x = dpl_row_s8(&a->input, y) + c;
        int8_t *out = dpl_row_s8(&a->output, y) + c;
        for (int32_t i = a->output.width; i > 0; i--, x += pitch, out += out_pitch) {
            const int16x8_t all = eight_outputs(rule, &outputs, &low, &high, load_some(x, count));
            if (count < EIGHT) {
                store_few_s8(out, all, count);
            } else {
                store_eight_s8(out, all);
            }
        }
    }
}

INLINED void normalize_any(const args *a, const joined_groups *g, const normalizer *by, int32_t c,
                           int32_t count) {
    switch (a->requant.rule) {
    case DPL_SHIFT: normalize_channels(DPL_SHIFT, a, g, by, c, count); break;
    case DPL_I32: normalize_channels(DPL_I32, a, g, by, c, count); break;
    case DPL_Q16: normalize_channels(DPL_Q16, a, g, by, c, count); break;
    case DPL_Q32: normalize_channels(DPL_Q32, a, g, by, c, count); break;
    default: normalize_channels(DPL_Q31, a, g, by, c, count); break;
    }
}

static void sum_groups(const args *a, const joined_groups *g, moments *to) {
    int32_t c = g->first;
    for (; c + EIGHT <= g->last; c += EIGHT) {
        sum_channels(a, g, c, EIGHT, to);
    }
    if (c < g->last) {
        sum_channels(a, g, c, g->last - c, to);
    }
}

/* The last eight overlap those before. */
static void normalize_groups(const args *a, const joined_groups *g, const normalizer *by) {
    const int32_t channels = g->last - g->first;
    if (channels < EIGHT) {
        normalize_any(a, g, by, g->first, channels);
        return;
    }
    for (int32_t c = g->first; c < g->last; c += EIGHT) {
        normalize_any(a, g, by, c + EIGHT <= g->last ? c : g->last - EIGHT, EIGHT);
    }
}

static void run_groups(const args *a, const joined_groups *g) {
    const int32_t count = a->input.height * a->input.width * g->size;
    const int32_t groups = (g->last - g->first) / g->size;
    moments sums[MOST_GROUPS];
    normalizer by[MOST_GROUPS];
    for (int32_t i = 0; i < groups; i++) {
        sums[i].total = 0;
        sums[i].squares = 0;
    }
    sum_groups(a, g, sums);
    for (int32_t i = 0; i < groups; i++) {
        by[i] = normalizer_of(a, sums[i], count);
    }
    normalize_groups(a, g, by);
}

/* How many groups together have whole eights of channels; of larger ones each is by itself. */
static int32_t groups_together(int32_t size) {
    int32_t together = size < EIGHT ? MOST_GROUPS : 1;
    for (; together > 1 && size % 2 == 0; size /= 2) {
        together /= 2;
    }
    return together;
}

/* Cores share what is taken together. */
void dpl_group_norm_s8__armv8a(const dpl_norm_s8_args *a) {
    const int32_t channels = a->input.channels, size = channels / a->groups;
    const int32_t step = size * groups_together(size);
    const dpl_share share = dpl_core_share((channels + step - 1) / step);
    for (int32_t i = share.begin; i < share.end; i++) {
        const int32_t first = i * step, last = first + step < channels ? first + step : channels;
        const joined_groups g = {first, last, size};
        run_groups(a, &g);
    }
}
