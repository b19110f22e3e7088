/* Maximum pools of windows of nine rows of one column, two or three rows apart, down the columns: a
 * body. A file has `args`, COLUMN_BYTES of an element and what extreme_word.h needs.
 *
 * Rows that two windows share are in groups of as many as windows are apart, so that each is taken
 * once. A word of a pixel, or of a row of pixels where windows lie at each, is a column. Rows are
 * listed once for all columns: for one beyond the input the nearest that it has, which every such
 * window takes anyway, so that no window is cut. */
#include "dpl/cortex_m/extreme_word.h"
#include "dpl/window.h"

enum { COLUMN_TAPS = 9, COLUMN_WORD = 4 / sizeof(element) };
enum { LISTED_OUTPUTS = 32, LISTED_ROWS = 3 * (LISTED_OUTPUTS - 1) + COLUMN_TAPS };

/* `count` outputs so far apart, of windows that begin `stride` rows apart; elements from the
 * column's first row to each of theirs. */
typedef struct {
    int32_t to_pitch, stride, count;
    int32_t rows[LISTED_ROWS];
} column_shape;

/* So many bytes of elements: a word, two of bytes, or one. */
static inline __attribute__((always_inline)) uint32_t elements_at(const element *x, int bytes) {
    uint16_t half;
    if (bytes == 4) {
        return load_word(x);
    }
    if (bytes == (int)sizeof(element)) {
        return (uint32_t)(int32_t)*x;
    }
    __builtin_memcpy(&half, x, sizeof half);
    return half;
}

static inline __attribute__((always_inline)) void put_elements(element *to, uint32_t x, int bytes) {
    const uint16_t half = (uint16_t)x;
    if (bytes == 4) {
        store_word(to, x);
    } else if (bytes == (int)sizeof(element)) {
        *to = (element)x;
    } else {
        __builtin_memcpy(to, &half, sizeof half);
    }
}

/* The best of `count` rows. */
static inline __attribute__((always_inline)) uint32_t
best_of_rows(const int32_t *rows, const element *x, int32_t count, int bytes) {
    uint32_t best = elements_at(x + rows[0], bytes);
    for (int32_t i = 1; i < count; i++) {
        best = better_word(best, elements_at(x + rows[i], bytes));
    }
    return best;
}

/* Three groups of three rows. */
static inline __attribute__((always_inline)) void by_threes(const column_shape *s, const element *x,
                                                            element *to, int bytes) {
    const int32_t *rows = s->rows + 6, to_pitch = s->to_pitch;
    uint32_t last = best_of_rows(s->rows + 3, x, 3, bytes);
    uint32_t two = better_word(best_of_rows(s->rows, x, 3, bytes), last);
    for (int32_t n = s->count; n > 0; n--, rows += 3, to += to_pitch) {
        const uint32_t three = best_of_rows(rows, x, 3, bytes);
        put_elements(to, better_word(two, three), bytes);
        two = better_word(last, three);
        last = three;
    }
}

/* Four groups of two rows and a row: of two groups each, the best of the first two and of those one
 * further, and the last of them. */
static inline __attribute__((always_inline)) void by_twos(const column_shape *s, const element *x,
                                                          element *to, int bytes) {
    const int32_t *rows = s->rows + 7, to_pitch = s->to_pitch;
    const uint32_t middle = best_of_rows(s->rows + 2, x, 2, bytes);
    uint32_t last = best_of_rows(s->rows + 4, x, 2, bytes);
    uint32_t first = better_word(best_of_rows(s->rows, x, 2, bytes), middle);
    uint32_t second = better_word(middle, last), next = elements_at(x + s->rows[6], bytes);
    for (int32_t n = s->count; n > 0; n--, rows += 2, to += to_pitch) {
        const uint32_t group = better_word(next, elements_at(x + rows[0], bytes));
        const uint32_t third = better_word(last, group);
        next = elements_at(x + rows[1], bytes);
        put_elements(to, better_word(better_word(first, third), next), bytes);
        first = second;
        second = third;
        last = group;
    }
}

#define COLUMN(NAME, BYTES)                                                                        \
    static __attribute__((noinline)) void NAME(const column_shape *s, const element *x,            \
                                               element *to) {                                      \
        if (s->stride == 2) {                                                                      \
            by_twos(s, x, to, BYTES);                                                              \
        } else {                                                                                   \
            by_threes(s, x, to, BYTES);                                                            \
        }                                                                                          \
    }

COLUMN(word_column, 4)
COLUMN(half_column, 2)
#define element_column half_column
#if COLUMN_BYTES == 1
#undef element_column
COLUMN(element_column, 1)
#endif

/* The columns of a run, as wide as it allows; the last one may lie over those before. */
static inline void columns_of_run(const column_shape *s, const element *x, element *to,
                                  int32_t length) {
    enum { HALF = 2 / sizeof(element) };
    const int32_t each = length >= COLUMN_WORD ? COLUMN_WORD : length >= HALF ? HALF : 1;
    for (int32_t i = 0; i < length; i += each) {
        const int32_t at = i + each > length ? length - each : i;
        (each == COLUMN_WORD ? word_column
         : each == HALF      ? half_column
                             : element_column)(s, x + at, to + at);
    }
}

/* Windows that all meet the input. */
static inline int in_columns(const args *a) {
    const dpl_window *w = &a->window;
    const int32_t last = (a->output.height - 1) * w->stride_height - w->pads.top;
    const int column = w->kernel_height == COLUMN_TAPS && w->kernel_width == 1;
    const int apart = w->stride_height == 2 || w->stride_height == 3;
    const int near = w->dilation_height == 1 && w->pads.left == 0 && w->pads.right == 0;
    const int met = w->pads.top < COLUMN_TAPS && last < a->input.height;
    const int rings = a->input.ring_height != 0 || a->output.ring_height != 0;
    const int whole = a->requant.low == LOWEST && a->requant.high == HIGHEST;
    return column && apart && near && met && whole && !rings;
}

/* The rows of so many outputs, from input row `first` on, which may lie beyond it. */
static inline void list_rows(const args *a, int32_t first, column_shape *s) {
    const int32_t behind = a->input.height - 1, pitch = a->input.row_pitch;
    for (int32_t i = 0; i < (s->count - 1) * s->stride + COLUMN_TAPS; i++) {
        const int32_t y = dpl_clamp(first + i, 0, behind);
        s->rows[i] = y * pitch;
    }
}

/* Rows of the output that have been listed. */
static inline void columns_of_rows(const args *a, const column_shape *s, element *to) {
    const int32_t channels = a->output.channels, width = a->output.width;
    const int32_t step = a->window.stride_width * a->input.pixel_pitch;
    const int32_t pitch = a->output.pixel_pitch;
    const int one = step == channels && pitch == channels;
    const element *x = a->input.data;
    for (int32_t i = one ? 1 : width; i > 0; i--, x += step, to += pitch) {
        columns_of_run(s, x, to, one ? width * channels : channels);
    }
}

/* Rows of the output. */
static inline void make_columns(const args *a, int32_t begin, int32_t end) {
    const dpl_window *w = &a->window;
    column_shape s;
    s.to_pitch = a->output.row_pitch;
    s.stride = w->stride_height;
    for (int32_t y = begin; y < end; y += s.count) {
        s.count = end - y < LISTED_OUTPUTS ? end - y : LISTED_OUTPUTS;
        list_rows(a, y * s.stride - w->pads.top, &s);
        columns_of_rows(a, &s, row_of(&a->output, y));
    }
}
