/* DepthwiseConv2d of any window and multiplier, pixel after pixel (dpl/cortex_m/channel_taps.h):
 * small planes and large strides. The body of a kernel of int8 or int16; its file names `args`,
 * `KERNEL`, BITS and STORE.
 *
 * Four input channels have as many runs as the multiplier says: run j makes the outputs j of each.
 * Where channels fill no words, input rows are copied to a ring whose pixels do: their last four
 * channels lie there again, since a word that crosses a boundary is loaded in 3 or 4 cycles more.
 * A single column is computed as a row, whose pixels share a list of taps. */
#include "dpl/cores.h"
#include "dpl/cortex_m/blocking.h"
#include "dpl/cortex_m/channel_taps.h"
#include "dpl/cortex_m/depthwise_turn.h"

typedef struct {
    const args *a;
    channel_loop loop;
    int32_t taps, groups;   /* of the window; of four input channels */
    int32_t group;          /* words of weights of four channels */
    int32_t multiplier;     /* output channels of an input channel */
    int32_t inside, beyond; /* columns of the output whose windows lie inside, and the one behind */
    int32_t pitch;          /* elements from a pixel that taps are taken from to the next */
    int32_t ring;           /* rows of the ring; 0: taps are taken from the input */
    int32_t copied;         /* input rows before this one are in the ring, or never needed */
    int listed;             /* whether the list of windows inside serves all rows, and is there */
    int32_t *rows;          /* of taps, as elements from the first: BEYOND for those outside */
    int32_t *within;        /* taps of windows that lie inside, from the first tap's pixel */
    int32_t *list;          /* taps of another window, from the first element */
    element *zeros;         /* a pixel of zero points */
    element *first;         /* what the list counts from */
} plan;

enum { BEYOND = INT32_MIN };

static inline int fills_words(int32_t channels) {
    return channels * (int32_t)sizeof(element) % 4 == 0;
}

static void plan_columns(plan *p) {
    const dpl_window *w = &p->a->window;
    const int32_t reach = (w->kernel_width - 1) * w->dilation_width;
    const int32_t free = p->a->input.width + w->pads.left - reach;
    p->inside = (w->pads.left + w->stride_width - 1) / w->stride_width;
    p->beyond = free > 0 ? (free + w->stride_width - 1) / w->stride_width : 0;
}

static void plan_scratch(plan *p) {
    const dpl_window *w = &p->a->window;
    p->rows = p->a->scratch;
    p->within = p->rows + w->kernel_height;
    p->list = p->within + p->taps + 2;
    p->zeros = (element *)(p->list + p->taps + 2);
    for (int32_t c = 0; c < p->groups * FOUR; c++) {
        p->zeros[c] = (element)p->a->input_zero;
    }
    p->ring = 0;
    p->first = p->a->input.data;
    p->pitch = p->a->input.pixel_pitch;
    if (!fills_words(p->a->input.channels)) {
        p->ring = (w->kernel_height - 1) * w->dilation_height + 1;
        p->pitch = p->groups * FOUR;
        p->first = p->zeros + p->pitch;
    }
}

/* The loop that makes four channels' outputs after another; none: in C. */
static channel_loop loop_of(const args *a, int32_t taps) {
#if defined(__ARM_FEATURE_DSP)
    const dpl_requant *q = &a->requant;
    if (q->rule == DPL_Q32 && q->high == HIGHEST) {
        if (q->low == LOWEST) {
            return taps == NINE ? run_nine : run_some;
        }
#if BITS == 16
        return q->low == 0 ? run_positive : 0;
#endif
    }
#else
    (void)a, (void)taps;
#endif
    return 0;
}

static void plan_call(plan *p, const args *a) {
    p->a = a;
    p->taps = a->window.kernel_height * a->window.kernel_width;
    p->groups = (a->input.channels + FOUR - 1) / FOUR;
    p->group = 2 * p->taps + 2 * FOUR;
    p->multiplier = a->output.channels / a->input.channels;
    p->loop = loop_of(a, p->taps);
    p->copied = 0;
    p->listed = 0;
    plan_columns(p);
    plan_scratch(p);
}

/* Four elements, from any address to one of words. */
static inline void copy_four(const element *from, element *to) {
    uint32_t *words = (uint32_t *)(void *)to;
    for (int32_t i = 0; i < (int32_t)sizeof(element); i++) {
        words[i] = load_word((const char *)from + 4 * i);
    }
}

static void copy_row(const plan *p, int32_t y) {
    const tensor *input = &p->a->input;
    const int32_t last = input->channels - FOUR;
    const element *from = row_of(input, y);
    element *to = p->first + y % p->ring * input->width * p->pitch;
    for (int32_t x = 0; x < input->width; x++, from += input->pixel_pitch) {
        for (int32_t c = 0; c < last; c += FOUR, to += FOUR) {
            copy_four(from + c, to);
        }
        copy_four(from + last, to);
        to += FOUR;
    }
}

/* The rows that output row y reads. */
static void copy_rows(plan *p, int32_t y) {
    const dpl_window *w = &p->a->window;
    const int32_t begin = y * w->stride_height - w->pads.top, end = begin + p->ring;
    p->copied = p->copied > begin ? p->copied : begin;
    for (; p->copied < end && p->copied < p->a->input.height; p->copied++) {
        copy_row(p, p->copied);
    }
}

static int32_t offset_of_row(const plan *p, int32_t y) {
    if (p->ring > 0) {
        return y % p->ring * p->a->input.width * p->pitch;
    }
    return (int32_t)(row_of(&p->a->input, y) - p->first);
}

/* Offsets of the rows of taps of output row y; whether all lie inside. */
static int find_rows(const plan *p, int32_t y) {
    const dpl_window *w = &p->a->window;
    int32_t row = y * w->stride_height - w->pads.top, all = 1;
    for (int32_t r = 0; r < w->kernel_height; r++, row += w->dilation_height) {
        const int is_inside = row >= 0 && row < p->a->input.height;
        p->rows[r] = is_inside ? offset_of_row(p, row) : BEYOND;
        all &= is_inside;
    }
    return all;
}

/* What leads from the first element to the zero points; entries of the list are bytes. */
static inline int32_t zeros_offset(const plan *p) {
#if defined(__ARM_FEATURE_DSP)
    return (int32_t)((char *)p->zeros - (char *)p->first);
#else
    (void)p;
    return BEYOND;
#endif
}

/* The taps of a window inside, and the last of them twice more, which loops read. */
static void list_within(const plan *p) {
    const dpl_window *w = &p->a->window;
    const int32_t size = sizeof(element), step = w->dilation_width * p->pitch * size;
    int32_t *to = p->within;
    for (int32_t r = 0; r < w->kernel_height; r++) {
        int32_t offset = (p->rows[r] - p->rows[0]) * size;
        for (int32_t k = w->kernel_width; k > 0; k--, offset += step) {
            *to++ = offset;
        }
    }
    to[0] = to[1] = to[-1];
}

/* Those of the pixel in column x. */
static void list_taps(const plan *p, int32_t x) {
    const dpl_window *w = &p->a->window;
    const int32_t size = sizeof(element), step = w->dilation_width * p->pitch * size;
    const int32_t zeros = zeros_offset(p), first = x * w->stride_width - w->pads.left;
    int32_t *to = p->list;
    for (int32_t r = 0; r < w->kernel_height; r++) {
        const int32_t row = p->rows[r], beyond = row == BEYOND;
        int32_t offset = ((beyond ? 0 : row) + first * p->pitch) * size, column = first;
        for (int32_t k = w->kernel_width; k > 0; k--, offset += step) {
            const int is_inside = column >= 0 && column < p->a->input.width;
            *to++ = !beyond && is_inside ? offset : zeros;
            column += w->dilation_width;
        }
    }
    to[0] = to[1] = to[-1];
}

static inline const element *tap_at(const plan *p, const element *at, int32_t offset, int32_t c) {
#if defined(__ARM_FEATURE_DSP)
    (void)p, (void)c;
    return (const element *)(const void *)((const char *)at + offset);
#else
    return offset == BEYOND ? p->zeros + c : at + offset / (int32_t)sizeof(element);
#endif
}

/* Four channels in C, by any rule: from channel c of a pixel that taps are taken from. `channel`:
 * the first output's. */
static void four_in_c(const plan *p, const channel_run *r, int32_t c, int32_t channel) {
    int32_t sums[FOUR] = {r->w[0], r->w[1], r->w[2], r->w[3]};
    const int16_t *w = (const int16_t *)(r->w + FOUR);
    char *out = r->out;
    for (int32_t t = 0; t < p->taps; t++, w += FOUR) {
        const element *x = tap_at(p, r->at, r->list[t], c);
        for (int32_t i = 0; i < FOUR; i++) {
            sums[i] += x[i] * w[LANE(i)];
        }
    }
    for (int32_t i = 0; i < FOUR; i++, out += r->step) {
        const int32_t of = channel + i * p->multiplier;
        *(element *)(void *)out = (element)dpl_requantize(&p->a->requant, sums[i], of);
    }
}

/* So many fours of channels, from channel c of a pixel that taps are taken from. */
static inline void run_groups(const plan *p, channel_run *r, int32_t count, int32_t c,
                              int32_t channel) {
    if (p->loop) {
        r->end = r->at + count * FOUR;
        p->loop(r);
        return;
    }
    for (; count > 0; count--, r->at += FOUR, r->out += FOUR * r->step, r->w += p->group) {
        four_in_c(p, r, c, channel);
        c += FOUR;
        channel += FOUR * p->multiplier;
    }
}

/* All channels of the pixel at `at`, the outputs in `share` of each. */
static void run_pixel(const plan *p, channel_run *r, const element *at, element *out,
                      dpl_share share) {
    const int32_t channels = p->a->input.channels, whole = channels / FOUR;
    const int32_t last = channels - FOUR, from = p->ring > 0 ? whole * FOUR : last;
    const int32_t *w = (const int32_t *)(const void *)p->a->weights;
    w += share.begin * p->groups * p->group;
    for (int32_t j = share.begin; j < share.end; j++, w += p->groups * p->group) {
        r->w = w;
        r->at = at;
        r->out = (char *)(out + j);
        run_groups(p, r, whole, 0, j);
        if (whole < p->groups) {
            r->w = w + whole * p->group;
            r->at = at + from;
            r->out = (char *)(out + last * p->multiplier + j);
            run_groups(p, r, 1, from, last * p->multiplier + j);
        }
    }
}

/* A row of pixels, the outputs in `share` of each channel; whether all rows of taps lie inside. */
static void run_pixels(const plan *p, element *out, int all, dpl_share share) {
    const dpl_window *w = &p->a->window;
    channel_run r;
    r.taps = p->taps;
    r.zero = p->a->requant.rounding[0];
    r.step = p->multiplier * (int32_t)sizeof(element);
    for (int32_t x = 0; x < p->a->output.width; x++, out += p->a->output.pixel_pitch) {
        if (all && x >= p->inside && x < p->beyond) {
            const int32_t column = x * w->stride_width - w->pads.left;
            r.list = p->within;
            run_pixel(p, &r, p->first + p->rows[0] + column * p->pitch, out, share);
        } else {
            list_taps(p, x);
            r.list = p->list;
            run_pixel(p, &r, p->first, out, share);
        }
    }
}

/* Weights that the cache does not hold are taken once a row. */
static void run_row(plan *p, int32_t y) {
    const int32_t bytes = 4 * p->multiplier * p->groups * p->group;
    const int32_t step = bytes > DPL_PASS_BYTES ? 1 : p->multiplier;
    const int all = find_rows(p, y);
    if (all && !p->listed) {
        list_within(p);
        p->listed = p->ring == 0 && p->a->input.ring_height == 0;
    }
    for (int32_t j = 0; j < p->multiplier; j += step) {
        run_pixels(p, row_of(&p->a->output, y), all, (dpl_share){j, j + step});
    }
}

/* Whether the image is a column that can be a row: pixels follow one another either way. */
static int is_column(const args *a) {
    const int one = a->input.width == 1 && a->output.width == 1 && a->window.kernel_width == 1;
    const int rings = a->input.ring_height || a->output.ring_height;
    return one && !rings && fills_words(a->input.channels);
}

void KERNEL(const args *a) {
    args own;
    copy_args(&own, a);
    if (is_column(a)) {
        turn(&own);
    }
    const dpl_share share = dpl_core_share(own.output.height);
    plan p;
    plan_call(&p, &own);
    for (int32_t y = share.begin; y < share.end; y++) {
        if (p.ring > 0) {
            copy_rows(&p, y);
        }
        run_row(&p, y);
    }
}
