/* Conv2d, int8, groups of few output channels: each channel by itself, three pixels at a time, on
 * windows where they lie (single_windows.h). No columns: of few outputs they cost more than
 * products. Taps outside the input read a pixel of zero points, which is the scratch. */
#include "dpl/body/s8.h"
#include "dpl/conv2d.h"
#include "dpl/cortex_m/bound_rows.h"
#include "dpl/cortex_m/single_windows.h"
#include "dpl/window.h"

typedef struct {
    const dpl_conv2d_s8_args *a;
    int32_t depth, channels; /* of a group */
    int32_t words;           /* of a tap */
    int32_t entries;         /* of the list, for each tap */
    int32_t last;            /* bytes to the last first word of a tap */
    int32_t addend;          /* of an output by the high-word rule */
    single_job job;
    single_loops loops;
} singles;

/* Words that hold a tap of any group: where groups begin in a word depends on their depth. */
static inline int32_t words_of_tap(int32_t depth) {
    const int32_t before = depth % 4 == 0 ? 0 : depth % 2 == 0 ? 2 : 3;
    const int32_t words = (depth + before + 3) / 4;
    return words > MOST_ENTRY_WORDS ? words + (words & 1) : words;
}

static inline int32_t words_of_entry(int32_t words) {
    return words <= MOST_ENTRY_WORDS ? words : words % 4 == 0 ? 4 : words % 3 == 0 ? 3 : 2;
}

/* In place: a copy of it would be a call of memcpy. */
static inline void plan_singles(const dpl_conv2d_s8_args *a, singles *v) {
    v->a = a;
    v->depth = a->input.channels / a->groups;
    v->channels = a->output.channels / a->groups;
    v->words = words_of_tap(v->depth);
    v->job.words = words_of_entry(v->words);
    v->loops = loops_of(v->job.words);
    v->entries = v->words / v->job.words;
    v->last = a->input.channels - 4 * v->words;
    v->addend = addend_below(&a->requant);
}

/* Taps of output pixel (y, x) to window i of the list, for each its words. */
static __attribute__((noinline)) void list_window(const singles *v, int32_t y, int32_t x, int32_t i,
                                                  three_bytes *list) {
    const dpl_conv2d_s8_args *a = v->a;
    const dpl_window *w = &a->window;
    const int32_t left = x * w->stride_width - w->pads.left, bytes = 4 * v->job.words;
    int32_t down = y * w->stride_height - w->pads.top;
    for (int32_t ky = 0; ky < w->kernel_height; ky++, down += w->dilation_height) {
        const int inside = (uint32_t)down < (uint32_t)a->input.height;
        const int8_t *const row = inside ? dpl_row_s8(&a->input, down) : 0;
        int32_t right = left;
        for (int32_t kx = 0; kx < w->kernel_width; kx++, right += w->dilation_width) {
            const int here = inside && (uint32_t)right < (uint32_t)a->input.width;
            const int8_t *at = here ? row + right * a->input.pixel_pitch : a->scratch;
            for (int32_t n = 0; n < v->entries; n++, at += bytes) {
                list++->at[i] = at;
            }
        }
    }
}

/* Whether three neighbours from output pixel (y, x) on have all their taps inside. */
static inline int are_inside(const dpl_conv2d_s8_args *a, int32_t y, int32_t x) {
    const dpl_window *w = &a->window;
    const int32_t left = x * w->stride_width - w->pads.left;
    const int32_t top = y * w->stride_height - w->pads.top;
    const int32_t bottom = top + (w->kernel_height - 1) * w->dilation_height;
    const int32_t right =
        left + (WINDOWS - 1) * w->stride_width + (w->kernel_width - 1) * w->dilation_width;
    return x + WINDOWS <= a->output.width && left >= 0 && right < a->input.width && top >= 0 &&
           bottom < a->input.height;
}

/* The first of three output pixels in the order of rows, and whether all their taps are inside. */
typedef struct {
    int32_t y, x, inside;
} place;

/* Whether a pixel is behind p. */
static inline int to_next(const dpl_tensor_s8 *output, place *p) {
    if (p->x + 1 < output->width) {
        p->x++;
        return 1;
    }
    if (p->y + 1 < output->height) {
        p->x = 0;
        p->y++;
        return 1;
    }
    return 0;
}

/* The next three. Those at the end of a row begin earlier, so that most are neighbours. */
static inline int to_next_three(const dpl_tensor_s8 *output, place *p) {
    const int32_t last = output->width - WINDOWS;
    if (p->x < last) {
        p->x = p->x + WINDOWS < last ? p->x + WINDOWS : last;
        return 1;
    }
    int more = 1;
    for (int32_t i = 0; more && i < WINDOWS; i++) {
        more = to_next(output, p);
    }
    return more;
}

/* From the list of three neighbours at p to that of others at q: 6 cycles an entry. */
static inline void move_list(const singles *v, place p, place q, three_bytes *list) {
    const dpl_tensor_s8 *const t = &v->a->input;
    const int32_t distance = (q.y - p.y) * v->a->window.stride_height * t->row_pitch +
                             (q.x - p.x) * v->a->window.stride_width * t->pixel_pitch;
    for (; list < v->job.end; list++) {
        for (int32_t i = 0; i < WINDOWS; i++) {
            list->at[i] += distance;
        }
    }
}

/* Whether no pixel follows. */
static inline int is_last(const dpl_tensor_s8 *output, place p) {
    return p.x + 1 == output->width && p.y + 1 == output->height;
}

/* Behind the last pixel the same is listed again, unless it is alone. */
static inline void list_windows(const singles *v, place p, three_bytes *list) {
    const int32_t windows = is_last(&v->a->output, p) ? 1 : WINDOWS;
    for (int32_t i = 0; i < windows; i++) {
        list_window(v, p.y, p.x, i, list);
        to_next(&v->a->output, &p);
    }
}

/* By other rules than that of the high words: out of line, since an image seldom needs them. */
static __attribute__((noinline)) void put_other(const dpl_requant *q, const int32_t *sums,
                                                int32_t channel, int8_t *const *out) {
    for (int32_t i = 0; i < WINDOWS; i++) {
        out[i][channel] = (int8_t)dpl_requantize(q, sums[i], channel);
    }
}

/* Outputs that ssat cuts below their bounds, which all get at last: limits that are compared would
 * be branches, mispredicted as often as not. */
static inline void put_outputs(const singles *v, const int32_t *sums, int32_t channel,
                               int8_t *const *out) {
    const dpl_requant *q = &v->a->requant;
    if (q->rule != DPL_Q32) {
        put_other(q, sums, channel, out);
        return;
    }
    const int32_t multiplier = q->multiplier[channel * q->channel_step], addend = v->addend;
    const int32_t y0 = saturate8(scale_high(sums[0], multiplier, addend));
    const int32_t y1 = saturate8(scale_high(sums[1], multiplier, addend));
    const int32_t y2 = saturate8(scale_high(sums[2], multiplier, addend));
    out[0][channel] = (int8_t)y0;
    out[1][channel] = (int8_t)y1;
    out[2][channel] = (int8_t)y2;
}

/* All channels of three pixels, or of the last alone, which are three times the same. */
static inline void put_pixels(singles *v, place p) {
    const dpl_conv2d_s8_args *a = v->a;
    const int last = is_last(&a->output, p);
    int8_t *out[WINDOWS];
    for (int32_t i = 0; i < WINDOWS; i++) {
        out[i] = dpl_row_s8(&a->output, p.y) + p.x * a->output.pixel_pitch;
        to_next(&a->output, &p);
    }
    const single_sums_of sums = last ? v->loops.one : v->loops.three;
    const int32_t filter = 4 * v->job.words * (int32_t)(v->job.end - v->job.list);
    int32_t from = 0, channel = 0;
    v->job.weights = a->weights;
    for (int32_t group = 0; group < a->groups; group++, from += v->depth) {
        v->job.first = from - from % 4 < v->last ? from - from % 4 : v->last;
        for (const int32_t end = channel + v->channels; channel < end; channel++) {
            v->job.sums[0] = a->bias[channel];
            sums(&v->job);
            v->job.weights += filter;
            put_outputs(v, v->job.sums, channel, out);
        }
    }
}

static inline void fill_outside(const dpl_conv2d_s8_args *a) {
    int8_t *const outside = a->scratch;
    for (int32_t c = 0; c < a->input.channels; c++) {
        outside[c] = (int8_t)a->input_zero;
    }
}

/* Some pixels are computed twice. */
void dpl_conv2d_s8__armv7em_singles(const dpl_conv2d_s8_args *a) {
    three_bytes list[DPL_SINGLE_ENTRIES];
    singles v;
    place before = {0, 0, 0}, here = {0, 0, 0};
    int more = a->output.width > 0 && a->output.height > 0;
    plan_singles(a, &v);
    v.job.list = list;
    v.job.end = list + a->window.kernel_height * a->window.kernel_width * v.entries;
    fill_outside(a);
    for (; more; more = to_next_three(&a->output, &here)) {
        here.inside = are_inside(a, here.y, here.x);
        if (before.inside && here.inside && a->input.ring_height == 0) {
            move_list(&v, before, here, list);
        } else {
            list_windows(&v, here, list);
        }
        before = here;
        put_pixels(&v, here);
    }
    if (a->requant.rule == DPL_Q32) {
        bound_rows(&a->output, &a->requant);
    }
}
