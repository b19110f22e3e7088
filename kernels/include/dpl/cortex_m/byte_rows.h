/* Windows of bytes where they lie in the input: a run of each kernel row, or of each tap where
 * taps do not lie next to one another. */
#ifndef DPL_CORTEX_M_BYTE_ROWS_H
#define DPL_CORTEX_M_BYTE_ROWS_H

#include "dpl/cortex_m/byte_block.h"
#include "dpl/cortex_m/byte_outputs.h"

typedef struct {
    const tensor *input, *output;
    const dpl_window *window;
    uint32_t zero;  /* what a tap outside reads, as two halfwords */
    int32_t row;    /* values of a kernel row */
    int32_t merged; /* whether its taps lie next to one another */
    int32_t point;  /* whether a window is a pixel */
    int32_t step;   /* bytes of the input from an output column to the next */
    dpl_span inner; /* output columns whose windows lie between the sides */
} byte_rows;

static inline dpl_span columns_between(const tensor *input, const tensor *output,
                                       const dpl_window *w) {
    const int32_t left = w->pads.left, stride = w->stride_width;
    const int32_t last = input->width + left - (w->kernel_width - 1) * w->dilation_width - 1;
    dpl_span inner = {left > 0 ? (left + stride - 1) / stride : 0,
                      last < 0 ? 0 : last / stride + 1};
    inner.end = inner.end < output->width ? inner.end : output->width;
    return inner;
}

static inline byte_rows byte_rows_of(const tensor *input, const tensor *output, const dpl_window *w,
                                     int32_t zero) {
    const uint32_t half = (uint16_t)zero;
    return (byte_rows){input,
                       output,
                       w,
                       half | half << 16,
                       w->kernel_width * input->channels,
                       w->dilation_width == 1 && input->pixel_pitch == input->channels,
                       w->kernel_height * w->kernel_width == 1,
                       w->stride_width * input->pixel_pitch,
                       columns_between(input, output, w)};
}

/* The words of weights of so many values of a pair of channels. */
static inline int32_t words_of(int32_t values) {
    return values / 2;
}

/* The biases at `w`, and what rows above and below the input add. */
static inline sums_2x3 begin_sums(const byte_rows *v, const dpl_taps *t, const uint32_t *w) {
    const int32_t above = t->y.begin * v->row;
    const int32_t end = t->y.end * v->row, below = v->window->kernel_height * v->row - end;
    sums_2x3 s = biases_2x3(w);
    if (above + below > 0) {
        w += BIAS_WORDS;
        s = add_constant(s, w, v->zero, above);
        s = add_constant(s, w + words_of(end), v->zero, below);
        s.a1 = s.a2 = s.a0;
        s.b1 = s.b2 = s.b0;
    }
    return s;
}

/* The runs of three windows between the sides, of one kernel row where taps are apart. */
static inline byte_runs runs_of(const byte_rows *v, const dpl_taps *t) {
    const int8_t *const row = v->input->data + t->rows.offset, *const at = row + t->column;
    const int32_t depth = v->input->channels;
    if (!v->merged) {
        return (byte_runs){
            at, v->step, depth, t->pitch - depth, UINTPTR_MAX, 0, v->window->kernel_width};
    }
    const int ring = v->input->ring_height > 0;
    return (byte_runs){at,
                       v->step,
                       v->row,
                       t->rows.step - v->row,
                       ring ? (uintptr_t)at - (uintptr_t)t->rows.offset + (uintptr_t)t->rows.wrap
                            : UINTPTR_MAX,
                       t->rows.wrap,
                       t->y.end - t->y.begin};
}

/* Of three windows between the sides, `runs` of them, whose taps are apart. */
static __attribute__((noinline)) sums_2x3 add_taps(const byte_rows *v, const dpl_taps *t,
                                                   sums_2x3 s, byte_runs runs, const uint32_t *w) {
    dpl_row_walk rows = t->rows;
    for (int32_t y = t->y.begin; y < t->y.end; y++, w += words_of(v->row)) {
        runs.at = v->input->data + rows.offset + t->column;
        s = add_runs_2x3(s, w, &runs);
        dpl_next_row(&rows);
    }
    return s;
}

/* A kernel row of one window, some of it outside. */
static inline sums_2x3 add_row(const byte_rows *v, sums_2x3 s, const dpl_taps *t, const uint32_t *w,
                               const int8_t *x) {
    const int32_t depth = v->input->channels, begin = t->x.begin * depth, end = t->x.end * depth;
    const int32_t run = v->merged ? end - begin : depth;
    s = add_constant(s, w, v->zero, begin);
    for (int32_t done = begin; done < end; done += run, x += t->pitch) {
        s = add_bytes_2x1(s, w + words_of(done), x, run);
    }
    return add_constant(s, w + words_of(end), v->zero, v->row - end);
}

static inline sums_2x3 sum_one(const byte_rows *v, const dpl_taps *t, const uint32_t *w) {
    sums_2x3 s = begin_sums(v, t, w);
    dpl_row_walk rows = t->rows;
    w += BIAS_WORDS + words_of(t->y.begin * v->row);
    for (int32_t y = t->y.begin; y < t->y.end; y++, dpl_next_row(&rows)) {
        s = add_row(v, s, t, w, v->input->data + rows.offset + t->column);
        w += words_of(v->row);
    }
    return s;
}

/* Channels from an even one on of three pixels. */
static inline void any_three(const byte_rows *v, const channel_job *j, const dpl_taps *t,
                             const byte_runs *runs, int32_t first, int8_t *out) {
    const int32_t pitch = v->output->pixel_pitch;
    const int32_t skipped = BIAS_WORDS + words_of(t->y.begin * v->row);
    const uint32_t *w = j->weights + first / 2 * j->piece;
    for (int32_t c = first; c < j->channels; c += 2, w += j->piece) {
        sums_2x3 s = begin_sums(v, t, w);
        if (!v->merged) {
            s = add_taps(v, t, s, *runs, w + skipped);
        } else if (runs->count > 0) {
            s = add_runs_2x3(s, w + skipped, runs);
        }
        finish_pair(j, &s, w, c, out, pitch, 2 * pitch);
    }
}

#if defined(__ARM_FEATURE_DSP)

/* All pairs of channels from the pieces at `w` to `last` by the high-word rule, which adds
 * `addend`: of three windows, `r` all runs of each, outputs `second` bytes apart from `out` on. 24
 * cycles a pair beside its runs. */
static __attribute__((noinline)) void high_runs_2x3(const uint32_t *w, const uint32_t *last,
                                                    const byte_runs *runs, int32_t addend,
                                                    int8_t *out, int32_t second) {
    const byte_runs r = *runs;
    const int8_t *const first_end = r.at + r.values, *end, *x;
    int32_t left, a0, a1, a2, b0, b1, b2;
    uint32_t a, b, n, p, q;
    __asm__ volatile(
        "3:\n"
        "ldr %[a0], [%[w]]\n ldr %[b0], [%[w], #4]\n"
        "ldr %[n], [%[w], #8]\n ldr %[x], %[at]\n"
        "ldr %[p], %[first_end]\n ldr %[q], %[count]\n"
        "mov %[a1], %[a0]\n mov %[b1], %[b0]\n"
        "mov %[a2], %[a0]\n mov %[b2], %[b0]\n"
        "str %[p], %[end]\n add %[w], #12\n"
        "str %[q], %[left]\n" SUM_RUNS "ldr %[a], [%[w]], #4\n ldr %[b], %[addend]\n"
        "ldr %[p], %[out]\n ldr %[q], %[second]\n"
        "smmlar %[a2], %[a2], %[n], %[b]\n smmlar %[a1], %[a1], %[n], %[b]\n"
        "smmlar %[a0], %[a0], %[n], %[b]\n ldr %[n], %[last]\n"
        "ssat %[a2], #8, %[a2]\n smmlar %[b2], %[b2], %[a], %[b]\n"
        "ssat %[a1], #8, %[a1]\n smmlar %[b1], %[b1], %[a], %[b]\n"
        "ssat %[a0], #8, %[a0]\n smmlar %[b0], %[b0], %[a], %[b]\n"
        "ssat %[b2], #8, %[b2]\n strb %[a2], [%[p], %[q], lsl #1]\n"
        "ssat %[b1], #8, %[b1]\n strb %[a1], [%[p], %[q]]\n"
        "ssat %[b0], #8, %[b0]\n strb %[a0], [%[p]], #1\n"
        "strb %[b2], [%[p], %[q], lsl #1]\n"
        "cmp %[w], %[n]\n strb %[b1], [%[p], %[q]]\n"
        "strb %[b0], [%[p]], #1\n"
        "str %[p], %[out]\n bne 3b\n"
        : [a0] "=&r"(a0), [a1] "=&r"(a1), [a2] "=&r"(a2), [b0] "=&r"(b0), [b1] "=&r"(b1),
          [b2] "=&r"(b2), [w] "+r"(w), [x] "=&r"(x), [a] "=&r"(a), [b] "=&r"(b), [n] "=&r"(n),
          [p] "=&r"(p), [q] "=&r"(q), [end] "=&m"(end), [left] "=&m"(left), [out] "+m"(out)
        : [pitch] "r"(r.pitch), [at] "m"(r.at), [first_end] "m"(first_end), [count] "m"(r.count),
          [jump] "m"(r.jump), [limit] "m"(r.limit), [wrap] "m"(r.wrap), [values] "m"(r.values),
          [addend] "m"(addend), [last] "m"(last), [second] "m"(second)
        : "cc", "memory");
}

#endif

/* All channels of three pixels: pairs of whole windows by the loop over them, if the rule is its.
 */
static inline void run_three(const byte_rows *v, const channel_job *j, const dpl_taps *t,
                             int8_t *out) {
    const byte_runs runs = runs_of(v, t);
    int32_t first = 0;
#if defined(__ARM_FEATURE_DSP)
    const int32_t even = j->channels & ~1;
    if (j->high && v->merged && runs.count == v->window->kernel_height && even > 0) {
        high_runs_2x3(j->weights, j->weights + even / 2 * j->piece, &runs, j->zero, out,
                      v->output->pixel_pitch);
        first = even;
    }
#endif
    any_three(v, j, t, &runs, first, out);
    bound_triple(j, out, v->output->pixel_pitch, 2 * v->output->pixel_pitch);
}

/* All channels of one pixel. */
static inline void run_one(const byte_rows *v, const channel_job *j, const dpl_taps *t,
                           int8_t *out) {
    const uint32_t *w = j->weights;
    for (int32_t c = 0; c < j->channels; c += 2, w += j->piece) {
        sums_2x3 s = sum_one(v, t, w);
        s.a1 = s.a2 = s.a0;
        s.b1 = s.b2 = s.b0;
        finish_pair(j, &s, w, c, out, 0, 0);
    }
    bound_triple(j, out, 0, 0);
}

#endif
