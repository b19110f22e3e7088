/* Maximum pools of windows of nine rows of one column, two or three rows apart, down the columns: a
 * body. A file has `args`, what extreme_word.h needs, and PADDING, the output of a window without
 * taps.
 *
 * Rows that two windows share are in groups of as many as windows are apart, so that each is taken
 * once. A word of a pixel, or of a row of pixels where windows lie at each, is a column. */
#include "dpl/cortex_m/extreme_word.h"
#include "dpl/window.h"

enum { COLUMN_TAPS = 9, COLUMN_WORD = 4 / sizeof(element) };

/* `count` outputs so far apart, of windows that begin `stride` rows apart, the first at row `first`
 * of `height`, which may lie beyond them. */
typedef struct {
    int32_t pitch, to_pitch, first, height, stride, count;
} column_shape;

static inline uint32_t no_row(void) {
    const uint32_t one = sizeof(element) == 1 ? 0x01010101U : 0x00010001U;
    return (uint32_t)(PADDING & (sizeof(element) == 1 ? 0xff : 0xffff)) * one;
}

static inline __attribute__((always_inline)) uint32_t elements_at(const element *x, int words) {
    return words ? load_word(x) : (uint32_t)(int32_t)*x;
}

static inline __attribute__((always_inline)) void put_elements(element *to, uint32_t x, int words) {
    if (words) {
        store_word(to, x);
    } else {
        *to = (element)x;
    }
}

static inline __attribute__((always_inline)) uint32_t
row_or_none(const column_shape *s, const element *x, int32_t y, int words) {
    return y >= 0 && y < s->height ? elements_at(x + y * s->pitch, words) : no_row();
}

/* The best of `rows` rows from y on. */
static inline __attribute__((always_inline)) uint32_t
best_of_rows(const column_shape *s, const element *x, int32_t y, int32_t rows, int words) {
    uint32_t best = row_or_none(s, x, y, words);
    for (int32_t i = 1; i < rows; i++) {
        best = better_word(best, row_or_none(s, x, y + i, words));
    }
    return best;
}

/* Outputs from row `y` of the input's on whose new rows lie inside, of so many. */
static inline int32_t inside_from(const column_shape *s, int32_t y, int32_t rows, int32_t count) {
    const int32_t left = s->height - y - rows, most = left < 0 ? 0 : left / s->stride + 1;
    return y < 0 ? 0 : most < count ? most : count;
}

/* Three groups of three rows. */
static inline __attribute__((always_inline)) void by_threes(const column_shape *s, const element *x,
                                                            element *to, int words) {
    const int32_t pitch = s->pitch, to_pitch = s->to_pitch;
    int32_t y = s->first + 6;
    uint32_t last = best_of_rows(s, x, s->first + 3, 3, words);
    uint32_t two = better_word(best_of_rows(s, x, s->first, 3, words), last);
    for (int32_t count = s->count; count > 0;) {
        const int32_t inside = inside_from(s, y, 3, count);
        const element *p = x + y * pitch;
        for (int32_t n = inside; n > 0; n--, p += 3 * pitch, to += to_pitch) {
            const uint32_t upper =
                better_word(elements_at(p, words), elements_at(p + pitch, words));
            const uint32_t three = better_word(upper, elements_at(p + 2 * pitch, words));
            put_elements(to, better_word(two, three), words);
            two = better_word(last, three);
            last = three;
        }
        count -= inside;
        y += 3 * inside;
        if (count > 0) {
            const uint32_t three = best_of_rows(s, x, y, 3, words);
            put_elements(to, better_word(two, three), words);
            two = better_word(last, three);
            last = three;
            to += to_pitch;
            y += 3;
            count--;
        }
    }
}

/* Four groups of two rows and a row: of two groups each, the best of the first two and of those one
 * further, and the last of them. */
static inline __attribute__((always_inline)) void by_twos(const column_shape *s, const element *x,
                                                          element *to, int words) {
    const int32_t pitch = s->pitch, to_pitch = s->to_pitch;
    int32_t y = s->first + 7;
    const uint32_t middle = best_of_rows(s, x, s->first + 2, 2, words);
    uint32_t last = best_of_rows(s, x, s->first + 4, 2, words);
    uint32_t first = better_word(best_of_rows(s, x, s->first, 2, words), middle);
    uint32_t second = better_word(middle, last), next = row_or_none(s, x, s->first + 6, words);
    for (int32_t count = s->count; count > 0;) {
        const int32_t inside = inside_from(s, y, 2, count);
        const element *p = x + y * pitch;
        for (int32_t n = inside; n > 0; n--, p += 2 * pitch, to += to_pitch) {
            const uint32_t group = better_word(next, elements_at(p, words));
            const uint32_t third = better_word(last, group);
            next = elements_at(p + pitch, words);
            put_elements(to, better_word(better_word(first, third), next), words);
            first = second;
            second = third;
            last = group;
        }
        count -= inside;
        y += 2 * inside;
        if (count > 0) {
            const uint32_t group = better_word(next, row_or_none(s, x, y, words));
            const uint32_t third = better_word(last, group);
            next = row_or_none(s, x, y + 1, words);
            put_elements(to, better_word(better_word(first, third), next), words);
            first = second;
            second = third;
            last = group;
            to += to_pitch;
            y += 2;
            count--;
        }
    }
}

static __attribute__((noinline)) void word_column(const column_shape *s, const element *x,
                                                  element *to) {
    if (s->stride == 2) {
        by_twos(s, x, to, 1);
    } else {
        by_threes(s, x, to, 1);
    }
}

static __attribute__((noinline)) void element_column(const column_shape *s, const element *x,
                                                     element *to) {
    if (s->stride == 2) {
        by_twos(s, x, to, 0);
    } else {
        by_threes(s, x, to, 0);
    }
}

/* The columns of a run; the last word is one over those before. */
static inline void columns_of_run(const column_shape *s, const element *x, element *to,
                                  int32_t length) {
    if (length < COLUMN_WORD) {
        for (int32_t i = 0; i < length; i++) {
            element_column(s, x + i, to + i);
        }
        return;
    }
    for (int32_t i = 0; i < length; i += COLUMN_WORD) {
        const int32_t at = i + COLUMN_WORD > length ? length - COLUMN_WORD : i;
        word_column(s, x + at, to + at);
    }
}

static inline int in_columns(const args *a) {
    const dpl_window *w = &a->window;
    const int column = w->kernel_height == COLUMN_TAPS && w->kernel_width == 1;
    const int apart = w->stride_height == 2 || w->stride_height == 3;
    const int near = w->dilation_height == 1 && w->pads.left == 0 && w->pads.right == 0;
    const int rings = a->input.ring_height != 0 || a->output.ring_height != 0;
    const int whole = a->requant.low == LOWEST && a->requant.high == HIGHEST;
    return column && apart && near && whole && !rings;
}

/* Rows of the output. */
static inline void make_columns(const args *a, int32_t begin, int32_t end) {
    const dpl_window *w = &a->window;
    const int32_t channels = a->output.channels, width = a->output.width;
    const int32_t step = w->stride_width * a->input.pixel_pitch, pitch = a->output.pixel_pitch;
    const int one = step == channels && pitch == channels;
    const column_shape s = {
        a->input.row_pitch, a->output.row_pitch, begin * w->stride_height - w->pads.top,
        a->input.height,    w->stride_height,    end - begin};
    const element *x = a->input.data;
    element *to = row_of(&a->output, begin);
    for (int32_t i = one ? 1 : width; i > 0; i--, x += step, to += pitch) {
        columns_of_run(&s, x, to, one ? width * channels : channels);
    }
}
