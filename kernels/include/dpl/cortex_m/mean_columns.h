/* Average pools of windows of one column, down the columns: a body. A file has `args` and what
 * nine_means.h needs, included before this.
 *
 * A column's sums from its first row on are kept, so that any window's is the difference of two:
 * what windows are cut of, how far apart they are and how many taps they have costs nothing. Where
 * these sums lie and how they become an output is listed once for all columns. */
#include "dpl/cortex_m/mean_of.h"
#include "dpl/window.h"

enum {
    MEAN_TAPS = 16,
    MEAN_STRIDE = 3,
    MEAN_OUTPUTS = 32, /* that are listed at once */
    MEAN_SUMS = MEAN_STRIDE * (MEAN_OUTPUTS - 1) + MEAN_TAPS + 1
};

/* An output's factors, and bytes to the next output's sums. */
typedef struct {
    int32_t multiplier, rounding, shift, end, begin;
} listed_mean;

/* Elements from row to row, of which there are so many, and from output to output. */
typedef struct {
    int32_t pitch, rows, to_pitch, count;
    int high;
    listed_mean *means; /* before the first output an entry for its sums */
} mean_columns;

#if defined(__ARM_FEATURE_DSP)

#define SUM_OF(S) "add %[sum], %[sum], %[" S "]\n"
#define FIRST_ROW LINE_LOAD " %[s], [%[x]]\n"
#define SECOND_ROW LINE_LOAD " %[t], [%[x], %[step]]\n"
#define ON_ROWS "add %[x], %[x], %[step], lsl #1\n"
#define KEEP_FIRST "str %[sum], [%[to]], #8\n"
#define KEEP_SECOND "str %[sum], [%[to], #-4]\n"
#define LESS_ROWS "subs %[pairs], %[pairs], #1\n"

/* Two rows are loaded beside the two before: 5 cycles. An odd one comes first. */
static inline void sum_rows(const element *x, int32_t pitch, int32_t rows, int32_t *to) {
    const int32_t step = pitch * (int32_t)sizeof(element);
    int32_t sum = 0, pairs = rows / 2, s, t;
    *to++ = 0;
    if (rows & 1) {
        *to++ = sum = *x;
        x += pitch;
    }
    if (pairs > 0) {
        __asm__ volatile(FIRST_ROW SECOND_ROW ON_ROWS LESS_ROWS "beq 2f\n1:\n" SUM_OF("s")
                             FIRST_ROW KEEP_FIRST SUM_OF("t")
                                 SECOND_ROW ON_ROWS KEEP_SECOND LESS_ROWS "bne 1b\n2:\n" SUM_OF("s")
                                     KEEP_FIRST SUM_OF("t") KEEP_SECOND
                         : [x] "+r"(x), [to] "+r"(to), [sum] "+r"(sum), [pairs] "+r"(pairs),
                           [s] "=&r"(s), [t] "=&r"(t)
                         : [step] "r"(step)
                         : "cc", "memory");
    }
}

#define MEAN_BY_SHIFT "mla %[m], %[f], %[m], %[r]\n"
#define MEAN_DOWN_SHIFT "asr %[m], %[m], %[t]\n"
#define MEAN_BY_HIGH "smmlar %[m], %[f], %[m], %[r]\n"
#define MEAN_DOWN_HIGH ""
#define SUM_ENDS "ldr %[u], [%[sums], %[u]]\n ldr %[v], [%[sums], %[v]]\n"

/* An output is finished beside the next one's sum: 9 cycles. Behind the last the first sum is read
 * twice. */
#define COLUMN_MEANS(BY)                                                                           \
    __asm__ volatile("ldrd %[u], %[v], [%[at], #-8]\n" SUM_ENDS "sub %[f], %[u], %[v]\n1:\n"       \
                     "ldrd %[m], %[r], [%[at]], #20\n ldrd %[u], %[v], [%[at], #-8]\n"             \
                     "ldr %[t], [%[at], #-12]\n" MEAN_BY_##BY                                      \
                     "subs %[left], %[left], #1\n" SUM_ENDS MEAN_DOWN_##BY                         \
                     "ssat %[m], #" LIMIT ", %[m]\n sub %[f], %[u], %[v]\n" LINE_STORE             \
                     " %[m], [%[to]]\n add %[to], %[to], %[step]\n bne 1b\n"                       \
                     : [at] "+r"(at), [to] "+r"(to), [left] "+r"(left), [f] "=&r"(f),              \
                       [m] "=&r"(m), [r] "=&r"(r), [t] "=&r"(t), [u] "=&r"(u), [v] "=&r"(v)        \
                     : [sums] "r"(sums), [step] "r"(step)                                          \
                     : "cc", "memory")

static inline void put_means(const mean_columns *p, const int32_t *sums, element *to) {
    const int32_t step = p->to_pitch * (int32_t)sizeof(element);
    const listed_mean *at = p->means + 1;
    int32_t left = p->count, f, m, r, t, u, v;
    if (p->high) {
        COLUMN_MEANS(HIGH);
    } else {
        COLUMN_MEANS(SHIFT);
    }
}

#else

static inline void sum_rows(const element *x, int32_t pitch, int32_t rows, int32_t *to) {
    to[0] = 0;
    for (int32_t i = 0; i < rows; i++) {
        to[i + 1] = to[i] + x[i * pitch];
    }
}

static inline void put_means(const mean_columns *p, const int32_t *sums, element *to) {
    for (int32_t i = 0; i < p->count; i++, to += p->to_pitch) {
        const listed_mean *before = &p->means[i], *m = before + 1;
        const int32_t sum = sums[before->end / 4] - sums[before->begin / 4];
        *to = (element)SATURATE(p->high ? scale_high(sum, m->multiplier, m->rounding)
                                        : (sum * m->multiplier + m->rounding) >> m->shift);
    }
}

#endif

/* The channels of a column of pixels. */
static __attribute__((noinline)) void mean_pixels(const mean_columns *p, const element *x,
                                                  int32_t channels, element *to) {
    int32_t sums[MEAN_SUMS];
    for (const element *end = x + channels; x != end; x++, to++) {
        sum_rows(x, p->pitch, p->rows, sums);
        put_means(p, sums, to);
    }
}

/* Of outputs whose first window begins at row `first` of the input, which may lie beyond it.
 * Returns the first row that one of them reads. */
static inline int32_t list_means(const args *a, int32_t first, mean_columns *p) {
    const dpl_window *w = &a->window;
    const int32_t top = first < 0 ? 0 : first;
    p->rows = 0;
    for (int32_t i = 0; i < p->count; i++) {
        const int32_t y = first + i * w->stride_height, last = y + w->kernel_height;
        const int32_t begin = (y < 0 ? 0 : y) - top;
        const int32_t end = (last < a->input.height ? last : a->input.height) - top;
        const mean m = mean_of(&a->requant, end - begin, 1, 0);
        p->means[i].begin = 4 * begin;
        p->means[i].end = 4 * end;
        p->means[i + 1] = (listed_mean){m.multiplier, m.rounding, m.shift, 0, 0};
        p->rows = end;
    }
    return top;
}

/* Windows of one column, near each other, that all meet the input. */
static inline int has_mean_columns(const args *a) {
    const dpl_window *w = &a->window;
    const int32_t last = (a->output.height - 1) * w->stride_height - w->pads.top;
    const int column = w->kernel_width == 1 && w->kernel_height > 1 && w->dilation_height == 1;
    const int few = w->kernel_height <= MEAN_TAPS && w->stride_height <= MEAN_STRIDE;
    const int met = w->pads.top < w->kernel_height && last < a->input.height;
    return column && few && met && w->pads.left == 0 && w->pads.right == 0;
}

/* Rows of the output. */
static inline void make_mean_columns(const args *a, dpl_span rows) {
    const dpl_window *w = &a->window;
    const int32_t across = w->stride_width * a->input.pixel_pitch, channels = a->output.channels;
    listed_mean means[MEAN_OUTPUTS + 1];
    mean_columns p;
    p.pitch = a->input.row_pitch;
    p.to_pitch = a->output.row_pitch;
    p.high = a->requant.rule == DPL_Q32;
    p.means = means;
    for (int32_t y = rows.begin; y < rows.end; y += p.count) {
        p.count = rows.end - y < MEAN_OUTPUTS ? rows.end - y : MEAN_OUTPUTS;
        const int32_t first = list_means(a, y * w->stride_height - w->pads.top, &p);
        const element *x = a->input.data + first * p.pitch;
        element *to = row_of(&a->output, y);
        for (int32_t i = a->output.width; i > 0; i--, x += across, to += a->output.pixel_pitch) {
            mean_pixels(&p, x, channels, to);
        }
    }
}
