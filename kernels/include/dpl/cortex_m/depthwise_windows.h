/* Windows of a depthwise convolution as lists of taps, for kernels that walk pixels: how far each
 * tap lies from a first element, in bytes. All windows of a row that lie inside share a list; taps
 * beyond the input are in a pixel of zero points. Of a row that reaches beyond, the list of a pixel
 * is that of the one before, moved on. A file names `tensor`, `args` and `element`. */
#ifndef DPL_CORTEX_M_DEPTHWISE_WINDOWS_H
#define DPL_CORTEX_M_DEPTHWISE_WINDOWS_H

#include "dpl/cortex_m/simd.h"

enum { BEYOND = INT32_MIN, READ_BEHIND = 3 };

typedef struct {
    const args *a;
    int32_t taps;
    int32_t inside, beyond; /* columns of the output whose windows lie inside, and the one behind */
    int32_t pitch;          /* elements from a pixel that taps are taken from to the next */
    int32_t ring;           /* rows of a ring of input rows; 0: taps are taken from the input */
    int32_t *rows;          /* of taps inside, as elements from the first */
    dpl_share within_rows;  /* which of them lie inside */
    int32_t *within;        /* taps of windows that lie inside, from the first tap's pixel */
    int32_t *list;          /* taps of another window, from the first element */
    element *zeros;         /* a pixel of zero points */
    element *first;         /* what the list counts from */
    int steps;              /* whether lists have steps from tap to tap, back from the last one */
    int32_t begin;          /* bytes to the first tap of `list`, where it has steps */
    int listed;             /* whether the list of windows inside serves all rows, and is there */
} windows;

/* Words of the rows of taps and both lists, with the taps behind that loops read. */
static inline int32_t list_words(const dpl_window *w) {
    return w->kernel_height + 2 * (w->kernel_height * w->kernel_width + READ_BEHIND);
}

/* Elements from an address of words on. */
static inline void fill_zeros(element *to, element zero, int32_t count) {
    const int32_t of_word = 4 / (int32_t)sizeof(element);
    const uint32_t word =
        sizeof(element) == 1 ? 0x01010101u * (uint8_t)zero : 0x00010001u * (uint16_t)zero;
    for (; count >= of_word; count -= of_word, to += of_word) {
        store_word(to, word);
    }
    if (count & 2) {
        to[0] = to[1] = zero;
        to += 2;
    }
    if (count & 1) {
        *to = zero;
    }
}

/* Windows that are taken from the input; the pixel of zero points has so many channels. */
static void plan_windows(windows *s, const args *a, int32_t channels) {
    const dpl_window *w = &a->window;
    const int32_t reach = (w->kernel_width - 1) * w->dilation_width;
    const int32_t free = a->input.width + w->pads.left - reach;
    s->a = a;
    s->taps = w->kernel_height * w->kernel_width;
    s->inside = (w->pads.left + w->stride_width - 1) / w->stride_width;
    s->beyond = free > 0 ? (free + w->stride_width - 1) / w->stride_width : 0;
    s->rows = a->scratch;
    s->within = s->rows + w->kernel_height;
    s->list = s->within + s->taps + READ_BEHIND;
    s->zeros = (element *)(s->rows + list_words(w));
    fill_zeros(s->zeros, (element)a->input_zero, channels);
    s->ring = 0;
    s->first = a->input.data;
    s->pitch = a->input.pixel_pitch;
    s->listed = 0;
    s->steps = 0;
}

static int32_t offset_of_row(const windows *s, int32_t y) {
    if (s->ring > 0) {
        return y % s->ring * s->a->input.width * s->pitch;
    }
    return (int32_t)(row_of(&s->a->input, y) - s->first);
}

/* What leads from the first element to the zero points; entries of a list are bytes. */
static inline int32_t zeros_offset(const windows *s) {
#if defined(__ARM_FEATURE_DSP)
    return (int32_t)((char *)s->zeros - (char *)s->first);
#else
    (void)s;
    return BEYOND;
#endif
}

/* Behind a list its last tap is there three times more, which loops read, or steps to nowhere. */
static void end_list(const windows *s, int32_t *list) {
    int32_t *const last = list + s->taps - 1, first = *list;
    last[1] = last[2] = last[3] = s->steps ? 0 : *last;
    if (s->steps) {
        for (; list < last; list++) {
            list[0] = list[1] - list[0];
        }
        *last = first - *last;
    }
}

/* The taps of a window inside. */
static void list_within(const windows *s) {
    const dpl_window *w = &s->a->window;
    const int32_t size = sizeof(element), step = w->dilation_width * s->pitch * size;
    int32_t *to = s->within;
    for (int32_t r = 0; r < w->kernel_height; r++) {
        int32_t offset = (s->rows[r] - s->rows[0]) * size;
        for (int32_t k = w->kernel_width; k > 0; k--, offset += step) {
            *to++ = offset;
        }
    }
    end_list(s, s->within);
}

/* Finds the rows of taps of output row y, and lists them; whether all lie inside. */
static int find_rows(windows *s, int32_t y) {
    const dpl_window *w = &s->a->window;
    int32_t row = y * w->stride_height - w->pads.top, begin = 0, end = 0;
    for (int32_t r = 0; r < w->kernel_height; r++, row += w->dilation_height) {
        if (row < 0) {
            begin = r + 1;
        } else if (row < s->a->input.height) {
            s->rows[r] = offset_of_row(s, row);
            end = r + 1;
        }
    }
    s->within_rows = (dpl_share){begin, end > begin ? end : begin};
    const int all = begin == 0 && end == w->kernel_height;
    if (all && !s->listed) {
        list_within(s);
        s->listed = s->ring == 0 && s->a->input.ring_height == 0;
    }
    return all;
}

/* Columns of taps of the window that begins in column `first` that lie in the input. */
static dpl_share columns_inside(const windows *s, int32_t first) {
    const dpl_window *w = &s->a->window;
    const int32_t last = s->a->input.width - 1, count = w->kernel_width;
    dpl_share inside = {0, count};
    int32_t column = first;
    for (; inside.begin < count && column < 0; column += w->dilation_width) {
        inside.begin++;
    }
    column = first + (count - 1) * w->dilation_width;
    for (; inside.end > inside.begin && column > last; column -= w->dilation_width) {
        inside.end--;
    }
    return inside;
}

/* So many times the same entry; where the next goes. */
static inline int32_t *list_same(int32_t *to, int32_t entry, int32_t count) {
    for (; count > 0; count--) {
        *to++ = entry;
    }
    return to;
}

/* The taps of a row that lie inside; where the next go. */
static inline int32_t *list_row(const windows *s, int32_t first, int32_t *to) {
    const dpl_window *w = &s->a->window;
    const int32_t size = sizeof(element), step = w->dilation_width * s->pitch * size;
    const int32_t zeros = zeros_offset(s);
    const dpl_share inside = columns_inside(s, first);
    int32_t offset = (s->rows[s->within_rows.begin] + first * s->pitch) * size;
    offset += inside.begin * step;
    to = list_same(to, zeros, inside.begin);
    for (int32_t k = inside.end - inside.begin; k > 0; k--, offset += step) {
        *to++ = offset;
    }
    return list_same(to, zeros, w->kernel_width - inside.end);
}

/* The taps of the pixel in column x: rows inside follow from the first of them. Not inlined: gcc
 * then finds the registers. */
static __attribute__((noinline)) void list_taps(windows *s, int32_t x) {
    const dpl_window *w = &s->a->window;
    const int32_t width = w->kernel_width, zeros = zeros_offset(s);
    const dpl_share rows = s->within_rows;
    int32_t *to = list_same(s->list, zeros, rows.begin * width);
    if (rows.end > rows.begin) {
        to = list_row(s, x * w->stride_width - w->pads.left, to);
    }
    for (int32_t r = rows.begin + 1; r < rows.end; r++) {
        const int32_t down = (s->rows[r] - s->rows[r - 1]) * (int32_t)sizeof(element);
        for (int32_t k = width; k > 0; k--, to++) {
            const int32_t above = to[-width];
            *to = above + (down & -(int32_t)(above != zeros));
        }
    }
    list_same(to, zeros, (w->kernel_height - rows.end) * width);
    s->begin = s->list[0];
    end_list(s, s->list);
}

/* Taps inside of so many, the others of so far `across` moved windows are zero points: steps change
 * between the two alone. */
static inline void move_steps(windows *s, dpl_share inside, int32_t across) {
    int32_t *const list = s->list, last = s->taps - 1;
    const int at_first = inside.begin == 0, at_last = inside.end > last;
    if (!at_first) {
        list[inside.begin - 1] += across;
    }
    if (!at_last) {
        list[inside.end - 1] -= across;
    }
    list[last] += (at_first - at_last) * across;
    s->begin += at_first * across;
}

/* The same of the pixel behind the one that is listed, columns of both inside: zero points stay. */
static void step_taps(windows *s) {
    const dpl_window *w = &s->a->window;
    const int32_t across = w->stride_width * s->pitch * (int32_t)sizeof(element);
    const int32_t width = w->kernel_width;
    const dpl_share inside = {s->within_rows.begin * width, s->within_rows.end * width};
    if (s->steps) {
        move_steps(s, inside, across);
        return;
    }
    for (int32_t n = inside.begin; n < inside.end; n++) {
        s->list[n] += across;
    }
    end_list(s, s->list);
}

static inline int meets_rows(const windows *s) {
    return s->within_rows.end > s->within_rows.begin;
}

/* The list of the pixel in column x, and where it counts from: of all pixels of a row that share
 * none, one after another. */
static inline const int32_t *list_of(windows *s, int all, int32_t x, const element **at) {
    const dpl_window *w = &s->a->window;
    if (all && x >= s->inside && x < s->beyond) {
        const int32_t column = x * w->stride_width - w->pads.left;
        *at = s->first + s->rows[0] + column * s->pitch;
        return s->within;
    }
    if (x > s->inside && x < s->beyond && (!s->steps || meets_rows(s))) {
        step_taps(s);
    } else {
        list_taps(s, x);
    }
    *at = (const element *)(const void *)((const char *)s->first + (s->steps ? s->begin : 0));
    return s->list;
}

/* A tap from channel c on; `at`: where the list counts from, and c channels more. */
static inline const element *tap_at(const windows *s, const element *at, int32_t offset,
                                    int32_t c) {
#if defined(__ARM_FEATURE_DSP)
    (void)s, (void)c;
    return (const element *)(const void *)((const char *)at + offset);
#else
    return offset == BEYOND ? s->zeros + c : at + offset / (int32_t)sizeof(element);
#endif
}

#endif
