/* A convolution of any groups, windows, strides and dilations on planes (dpl/cortex_m/planes.h):
 * for few channels, of the input or of the output. The file of a kernel says what
 * dpl/cortex_m/slide.h asks for and, where outputs may be ReLUs, RELU_WORDS. */
#ifndef DPL_CORTEX_M_PLANES_CONV_H
#define DPL_CORTEX_M_PLANES_CONV_H

#include "dpl/cores.h"
#include "dpl/cortex_m/planes_pack.h"
#include "dpl/cortex_m/turn_convolution.h"

#if defined(RELU_WORDS) && defined(__ARM_FEATURE_DSP)
RUN(run_relu, RELU_WORDS END_BLOCK(STORE))
#endif

/* Bytes from an output to the next of its phase. */
static inline int32_t pitch_of(const plan *p) {
    return p->v->columns.step * p->v->output.pixel_pitch * phases_of(p) * (int32_t)sizeof(element);
}

static inline char *output_row(const plan *p, int32_t y) {
    const convolution *v = p->v;
    return (char *)(row_of(&v->output, v->rows.first + y * v->rows.step) +
                    v->columns.first * v->output.pixel_pitch);
}

/* Words from the planes to those that windows of the band's row y begin with. */
static inline int32_t words_of(const plan *p, int32_t y) {
    const dpl_window *w = &p->v->window;
    const int32_t dilation = w->dilation_height, at = y * w->stride_height;
    return p->row * (dilation > 1 ? at % dilation * p->rest + at / dilation : y * p->step);
}

/* Where lists of blocks end. */
typedef struct {
    int32_t whole, others;
} block_counts;

/* Appends the blocks of a phase, whose first output and its words are so many bytes away. */
static inline void list_phase(const plan *p, int32_t outputs, int32_t x, int32_t out,
                              block_counts *n) {
    const int32_t next = OUTPUTS * pitch_of(p), words = 4 * block_words(&p->f);
    for (; outputs > 0; outputs -= OUTPUTS, x += words, out += next) {
        if (outputs >= OUTPUTS && p->ending != BY_ROOM) {
            p->whole[n->whole++] = (block){x, out, OUTPUTS};
            continue;
        }
        p->others[n->others] = (block){x, n->others % ROOM * OUTPUTS * 4, least(outputs, OUTPUTS)};
        p->places[n->others++] = out;
    }
}

/* Lists the blocks of a band of whose first row `first` is the output. */
static inline void list_band(const plan *p, dpl_share rows, const char *first) {
    const int32_t beside = p->v->columns.step * p->v->output.pixel_pitch * (int32_t)sizeof(element);
    block_counts count = {0, 0};
    for (int32_t y = rows.begin; y < rows.end; y++) {
        const int32_t x = 4 * words_of(p, y - rows.begin);
        const int32_t out = (int32_t)(output_row(p, y) - first);
        for (int32_t n = 0; n < phases_of(p); n++) {
            list_phase(p, outputs_of_phase(p, n), x + 4 * n * p->line, out + n * beside, &count);
        }
    }
}

/* Whole blocks, straight to their outputs. */
static inline void run_whole(const plan *p, slide_run *r) {
    const filter f = p->f;
#if defined(__ARM_FEATURE_DSP)
#if defined(RELU_WORDS)
    if (p->ending == BY_RELU) {
        run_relu(&f, r);
        return;
    }
#endif
    run_rows(&f, r);
#else
    run_in_c(&f, r, 1);
#endif
}

static inline void run_to_room(const plan *p, slide_run *r) {
    const filter f = p->f;
#if defined(__ARM_FEATURE_DSP)
    run_sums(&f, r);
#else
    run_in_c(&f, r, 0);
#endif
}

static inline element output_of(const dpl_requant *q, int32_t sum, int32_t channel) {
    if (q->rule != DPL_Q32) {
        return (element)dpl_requantize(q, sum, channel);
    }
    const int32_t m = q->multiplier[channel * q->channel_step];
    return (element)dpl_clamp(scale_high(sum, m, q->rounding[0]), q->low, q->high);
}

static inline void put_outputs(const plan *p, int32_t first, int32_t count, int32_t channel,
                               char *out) {
    const int32_t pitch = pitch_of(p), *sums = p->room;
    for (int32_t i = first; i < first + count; i++, sums += OUTPUTS) {
        char *at = out + p->places[i];
        for (int32_t n = 0; n < p->others[i].count; n++, at += pitch) {
            *(element *)(void *)at = output_of(p->v->requant, sums[n], channel);
        }
    }
}

/* All outputs of a channel in a band of so many rows. */
static __attribute__((noinline)) void run_channel(const plan *p, int32_t rows, int32_t channel,
                                                  const uint32_t *weights, char *out) {
    const dpl_requant *q = p->v->requant;
    const int32_t whole = rows * p->whole_of_row, others = rows * p->others_of_row;
    slide_run r;
    r.w = weights;
    r.x = (const char *)p->planes;
    r.bias = whole_bias(p, channel);
    if (whole > 0) {
        r.list = p->whole;
        r.end = p->whole + whole;
        r.out = out;
        r.pitch = pitch_of(p);
        r.multiplier = q->multiplier[channel * q->channel_step];
        r.low = p->ending == BY_RELU ? q->low : 0;
        r.zero = q->rounding[0] - r.low;
        run_whole(p, &r);
    }
    for (int32_t i = 0; i < others; i += ROOM) {
        const int32_t count = least(ROOM, others - i);
        r.list = p->others + i;
        r.end = r.list + count;
        r.out = (char *)p->room;
        r.pitch = 4;
        run_to_room(p, &r);
        put_outputs(p, i, count, channel, out);
    }
}

static inline void run_band(const plan *p, dpl_share rows, int32_t group, char *out) {
    const int32_t count = rows.end - rows.begin;
    uint32_t *weights = p->taps;
    for (int32_t i = 0, channel = group * p->channels; i < p->channels; i++, channel++) {
        if (!p->resident) {
            pack_filter(p, channel, weights);
        }
        run_channel(p, count, channel, weights, out + channel * (int32_t)sizeof(element));
        weights += p->resident ? p->weights : 0;
    }
}

/* The list of a band serves the others, unless rows wrap in a ring. */
static inline void run_group(const plan *p, int32_t group) {
    const convolution *v = p->v;
    const int32_t height = v->rows.count, kept = kept_rows(p);
    for (int32_t i = 0; p->resident && i < p->channels; i++) {
        pack_filter(p, group * p->channels + i, p->taps + i * p->weights);
    }
    for (int32_t y = 0; y < height; y += p->band) {
        const dpl_share rows = {y, least(y + p->band, height)};
        char *const ring = v->output.ring_height > 0 ? (char *)v->output.data : 0;
        if (y > 0 && kept > 0) {
            keep_rows(p);
        }
        pack_band(p, rows, y > 0 ? kept : 0, group * p->depth);
        if (ring || (y == 0 && group == 0)) {
            list_band(p, rows, ring ? ring : output_row(p, y));
        }
        run_band(p, rows, group, ring ? ring : output_row(p, y));
    }
}

/* Rows for columns, those of taps in the weights too. */
static inline void turn_with_taps(convolution *v) {
    turn(v);
    v->tap_column = swap(&v->tap_row, v->tap_column);
}

/* What rows of the image cost: products of blocks. */
static inline int32_t products_of(int32_t width, int32_t height, int32_t kernel, int32_t dilation) {
    const int32_t outputs = (width + dilation - 1) / dilation;
    return (kernel / 2 + 1) * blocks_of(outputs) * dilation * height;
}

/* Whether columns of the image fill blocks better than its rows, by a quarter. Rings have no
 * columns that lie as rows do. */
static inline int turns(const convolution *v) {
    const dpl_window *w = &v->window;
    const int32_t tall = v->rows.count, wide = v->columns.count;
    if (v->input.ring_height || v->output.ring_height || w->stride_height != w->stride_width) {
        return 0;
    }
    const int32_t rows =
        w->kernel_height * products_of(wide, tall, w->kernel_width, w->dilation_width);
    const int32_t columns =
        w->kernel_width * products_of(tall, wide, w->kernel_height, w->dilation_height);
    return 5 * columns < 4 * rows;
}

static inline void convolve_planes(convolution *v) {
    plan p;
    if (turns(v)) {
        turn_with_taps(v);
    }
    plan_planes(v, &p);
    for (int32_t group = 0; group < v->groups; group++) {
        run_group(&p, group);
    }
}

#endif
