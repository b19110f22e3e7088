/* DepthwiseConv2d, int8, 3x3 at stride 1 or 2, channels in fours: two taps of one channel at a time
 * (dpl/cortex_m/taps.h).
 *
 * A group of channels goes through the image before the next does; two output rows are made at a
 * time from planes of packed rows, each input row being packed once a group. */
#include "dpl/body/s8.h"
#include "dpl/cores.h"
#include "dpl/cortex_m/bound_rows.h"
#include "dpl/cortex_m/four.h"
#include "dpl/cortex_m/taps.h"
#include "dpl/depthwise_conv2d.h"

typedef struct {
    const dpl_depthwise_conv2d_s8_args *a;
    int32_t stride;
    int32_t columns; /* of a plane: what the output's columns read, padding included */
    int32_t left;    /* of them padding before the input */
    int32_t inside;  /* of them in the input */
    int32_t plane;   /* words of a plane, which holds four channels */
    int32_t step;    /* words from the sums of an output column to those of the next */
    int high;        /* by the high-word rule; bounds come behind */
    uint32_t *planes;
} plan;

static plan plan_of(const dpl_depthwise_conv2d_s8_args *a) {
    plan p = {.a = a, .stride = a->window.stride_width, .planes = a->scratch};
    const int32_t left = a->window.pads.left, end = left + a->input.width;
    p.columns = (a->output.width - 1) * p.stride + 3;
    p.left = left < p.columns ? left : p.columns;
    p.inside = (end < p.columns ? end : p.columns) - p.left;
    p.plane = p.columns * COLUMN_WORDS;
    p.step = p.stride * COLUMN_WORDS;
    p.high = a->requant.rule == DPL_Q32;
    return p;
}

static int32_t channels_of_group(const plan *p) {
    int32_t planes = DPL_TAP_GROUP_BYTES / 4 / p->plane;
    return planes > 0 ? planes * TAP_CHANNELS : TAP_CHANNELS;
}

/* A row of the input, or none: it is padding. */
static const int8_t *row_at(const plan *p, int32_t y) {
    return y >= 0 && y < p->a->input.height ? dpl_row_s8(&p->a->input, y) : 0;
}

/* Columns of padding, whose rows are all the zero point. */
static uint32_t *pack_padding(const plan *p, int32_t count, uint32_t *to) {
    const uint32_t zero = (uint16_t)p->a->input_zero * 0x10001u;
    for (; count > 0; count--, to += COLUMN_WORDS) {
        to[0] = to[1] = to[2] = to[3] = zero;
    }
    return to;
}

/* A pair of rows of channels c to c + 3 into a slot. */
static void pack_pair(const plan *p, two_walks from, int32_t c, uint32_t *to) {
    const uint32_t zero = (uint8_t)p->a->input_zero * 0x01010101u;
    const int8_t *padding = (const int8_t *)&zero;
    from.top = from.top ? from.top + c : padding;
    from.bottom = from.bottom ? from.bottom + c : padding;
    to = pack_padding(p, p->left, to);
    if (p->inside > 0) {
        pack_walks(from, p->inside, 4 * COLUMN_WORDS, to);
        to += p->inside * COLUMN_WORDS;
    }
    pack_padding(p, p->columns - p->left - p->inside, to);
}

/* Pair q holds input rows 2q and 2q + 1, counted from the top of the padding. */
static void pack_group(const plan *p, int32_t q, int32_t first, int32_t end) {
    const int32_t y = 2 * q - p->a->window.pads.top;
    const int32_t pitch = p->a->input.pixel_pitch;
    two_walks from = {row_at(p, y), row_at(p, y + 1), pitch, pitch};
    from.top_pitch = from.top ? pitch : 0;
    from.bottom_pitch = from.bottom ? pitch : 0;
    uint32_t *to = p->planes + q % SLOTS * SLOT_WORDS;
    for (int32_t c = first; c < end; c += TAP_CHANNELS, to += p->plane) {
        pack_pair(p, from, c, to);
    }
}

/* The sums of four channels of two output rows, whose first pair of rows is q. */
static inline void sum_block(const plan *p, int32_t q, int32_t c, uint32_t *plane) {
    const uint32_t *weights = (const uint32_t *)(const void *)p->a->weights + c * TAP_WORDS;
    const int32_t words = p->a->output.width * p->step, *bias = p->a->bias + c;
    if (p->stride == 1) {
        taps_stride_1(weights, bias, plane, words, q % SLOTS);
    } else {
        taps_stride_2(weights, bias, plane, words, q % SLOTS);
    }
}

/* An output row of four channels: their sums and where they go. */
typedef struct {
    const int32_t *sums;
    int8_t *out;
} four_of_row;

static __attribute__((noinline)) void finish_high(const plan *p, const four_of_row *rows,
                                                  int32_t count, int32_t c) {
    const dpl_requant *q = &p->a->requant;
    const int32_t each = q->channel_step, zero = addend_below(q);
    const int32_t *table = q->multiplier + c * each;
    const int32_t m[] = {table[0], table[each], table[2 * each], table[3 * each]};
    const int32_t step = p->step, pitch = p->a->output.pixel_pitch;
    for (; count > 0; count--, rows++) {
        const int32_t *sums = rows->sums, *end = sums + p->a->output.width * step;
        int8_t *out = rows->out;
        for (; sums != end; sums += step, out += pitch) {
            finish_four(sums, m, zero, out);
        }
    }
}

static void finish_any(const plan *p, const four_of_row *rows, int32_t count, int32_t c) {
    for (; count > 0; count--, rows++) {
        const int32_t *sums = rows->sums;
        int8_t *out = rows->out;
        for (int32_t x = 0; x < p->a->output.width; x++, sums += p->step) {
            for (int32_t i = 0; i < TAP_CHANNELS; i++) {
                out[i] = (int8_t)dpl_requantize(&p->a->requant, sums[i], c + i);
            }
            out += p->a->output.pixel_pitch;
        }
    }
}

/* Output rows y and, if there is one, y + 1. */
static void two_rows(const plan *p, int32_t y, int32_t first, int32_t last) {
    const dpl_tensor_s8 *output = &p->a->output;
    const int32_t q = y / 2 * p->stride, count = y + 1 < output->height ? 2 : 1;
    const int32_t upper = q % SLOTS, lower = (q + (p->stride == 1 ? 2 : 1)) % SLOTS;
    int8_t *out[] = {dpl_row_s8(output, y), dpl_row_s8(output, y + count - 1)};
    uint32_t *plane = p->planes;
    for (int32_t c = first; c < last; c += TAP_CHANNELS, plane += p->plane) {
        const int32_t *sums = (int32_t *)plane;
        const four_of_row rows[] = {{sums + upper * SLOT_WORDS, out[0] + c},
                                    {sums + lower * SLOT_WORDS, out[1] + c}};
        sum_block(p, q, c, plane);
        (p->high ? finish_high : finish_any)(p, rows, count, c);
    }
}

void dpl_depthwise_conv2d_s8__armv7em_3x3(const dpl_depthwise_conv2d_s8_args *a) {
    const plan p = plan_of(a);
    const int32_t group = channels_of_group(&p);
    const dpl_share share = dpl_core_share((a->output.height + 1) / 2);
    for (int32_t c = 0; c < a->output.channels; c += group) {
        const int32_t last = c + group < a->output.channels ? c + group : a->output.channels;
        int32_t packed = share.begin * p.stride;
        for (int32_t pair = share.begin; pair < share.end; pair++) {
            for (; packed < pair * p.stride + p.stride + 1; packed++) {
                pack_group(&p, packed, c, last);
            }
            two_rows(&p, 2 * pair, c, last);
        }
    }
    if (p.high) {
        bound_rows(&a->output, &a->requant);
    }
}
