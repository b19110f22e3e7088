/* Where the windows of a rectangle of outputs lie: in the input, or in a copy of the part of it
 * that they read, with zero points around it (dpl/cortex_m/pixel_plan.h). Rows of a copy begin as
 * far from a word as those of the input do, so that words are copied. */
#ifndef DPL_CORTEX_M_PIXEL_COPIES_H
#define DPL_CORTEX_M_PIXEL_COPIES_H

#include "dpl/cortex_m/pixel_plan.h"

/* Bytes from the input's first element to the first window, from a window to the one beside it and
 * the one below, and from a row of taps to the next. */
typedef struct {
    int32_t at, right, down, row;
} source;

/* Where the next copy goes. */
typedef struct {
    char *to;
} copies;

#if defined(__ARM_FEATURE_DSP)
static inline int32_t offset_of(const plan *p, const char *copy) {
    return (int32_t)(copy - (const char *)p->a->input.data);
}

static inline const char *first_of(const plan *p, const pixel_run *r, const four_pixels *four) {
    (void)p;
    return (const char *)r->x + four->at;
}
#else
enum { COPIED = 1 << 30 }; /* added to offsets in copies, which may lie anywhere in 64 bits */

static inline int32_t offset_of(const plan *p, const char *copy) {
    return (int32_t)(copy - p->copies) + COPIED;
}

static inline const char *first_of(const plan *p, const pixel_run *r, const four_pixels *four) {
    if (four->at < COPIED / 2) {
        return (const char *)r->x + four->at;
    }
    return p->copies + (four->at - COPIED) + (r->x - p->a->input.data) * SIZE;
}
#endif

static source windows_in_place(const plan *p, const rect *of) {
    const dpl_window *w = &p->a->window;
    const int32_t pixel = p->a->input.channels * SIZE, pitch = p->a->input.row_pitch * SIZE;
    const int32_t y = of->rows.begin * w->stride_height - w->pads.top;
    const int32_t x = of->columns.begin * w->stride_width - w->pads.left;
    return (source){y * pitch + x * pixel, w->stride_width * pixel, w->stride_height * pitch,
                    w->dilation_height * pitch};
}

/* Zero points, from an address of words on. */
static void fill_words(char *to, int32_t zero, int32_t bytes) {
    const uint32_t word = SIZE == 1 ? 0x01010101u * (uint8_t)zero : 0x00010001u * (uint16_t)zero;
    for (; bytes >= 16; bytes -= 16, to += 16) {
        store_word(to, word);
        store_word(to + 4, word);
        store_word(to + 8, word);
        store_word(to + 12, word);
    }
    for (; bytes > 0; bytes -= 4, to += 4) {
        store_word(to, word);
    }
}

/* So many times four words, in 6 cycles: two loads stand beside each other, others beside stores.
 */
static inline void copy_fours(element **to, const element **from, int32_t fours) {
#if defined(__ARM_FEATURE_DSP)
    uint32_t a, b, c;
    if (fours > 0) {
        __asm__ volatile("1:\n"
                         "ldr %[a], [%[from]]\n ldr %[b], [%[from], #4]\n"
                         "str %[a], [%[to]]\n ldr %[c], [%[from], #8]\n"
                         "str %[b], [%[to], #4]\n ldr %[a], [%[from], #12]\n"
                         "str %[c], [%[to], #8]\n add %[from], %[from], #16\n"
                         "str %[a], [%[to], #12]\n add %[to], %[to], #16\n"
                         "subs %[fours], %[fours], #1\n bne 1b\n"
                         : [from] "+r"(*from), [to] "+r"(*to), [fours] "+r"(fours), [a] "=&r"(a),
                           [b] "=&r"(b), [c] "=&r"(c)
                         :
                         : "cc", "memory");
    }
#else
    for (; fours > 0; fours--, *to += 16 / SIZE, *from += 16 / SIZE) {
        for (int32_t i = 0; i < 16 / SIZE; i += 4 / SIZE) {
            store_word(*to + i, load_word(*from + i));
        }
    }
#endif
}

/* Both begin as far from a word. */
static inline void copy_elements(element *to, const element *from, int32_t count) {
    for (; count > 0 && ((uintptr_t)to & 3) > 0; count--) {
        *to++ = *from++;
    }
    const int32_t fours = count / (16 / SIZE);
    copy_fours(&to, &from, fours);
    count -= fours * (16 / SIZE);
    for (; count >= 4 / SIZE; count -= 4 / SIZE, to += 4 / SIZE, from += 4 / SIZE) {
        store_word(to, load_word(from));
    }
    for (; count > 0; count--) {
        *to++ = *from++;
    }
}

/* Of `rows` rows and `columns` columns of the input from (y, x) on, which may lie outside, what
 * lies inside; rows that no window reads are left out. `pitch`: bytes from a copied row to the
 * next. */
static void copy_inside(const plan *p, int32_t y, int32_t x, rect inside, char *to, int32_t pitch) {
    const tensor *input = &p->a->input;
    const dpl_window *w = &p->a->window;
    const int32_t channels = input->channels, count = count_of(inside.columns) * channels;
    const int32_t stride = w->stride_height, height = w->kernel_height;
    const int skips = w->dilation_height == 1 && stride > height;
    const element *from = row_of(input, y + inside.rows.begin);
    from += (x + inside.columns.begin) * channels;
    to += inside.rows.begin * pitch + inside.columns.begin * channels * SIZE;
    for (int32_t r = inside.rows.begin; r < inside.rows.end; r++) {
        if (!skips || r % stride < height) {
            copy_elements((element *)(void *)to, from, count);
        }
        from += input->row_pitch;
        to += pitch;
    }
}

/* Which of so many lines from `first` on lie in an input of `extent` lines. */
static inline dpl_share lines_inside(int32_t first, int32_t count, int32_t extent) {
    const int32_t before = first < 0 ? -first : 0, begin = before < count ? before : count;
    const int32_t behind = extent - first, end = behind < count ? behind : count;
    return (dpl_share){begin, end > begin ? end : begin};
}

static source copy_windows(const plan *p, const rect *of, copies *c) {
    const dpl_window *w = &p->a->window;
    const int32_t stride = w->stride_height, height = w->kernel_height;
    const int32_t pixel = p->a->input.channels * SIZE, from = p->a->input.row_pitch * SIZE;
    const int32_t y = of->rows.begin * stride - w->pads.top;
    const int32_t x = of->columns.begin * w->stride_width - w->pads.left;
    const int32_t rows = reach_of(count_of(of->rows), stride, height, w->dilation_height);
    const int32_t columns =
        reach_of(count_of(of->columns), w->stride_width, w->kernel_width, w->dilation_width);
    const int32_t pitch = columns * pixel + ((from - columns * pixel) & 3);
    const uintptr_t first = (uintptr_t)p->a->input.data + (uintptr_t)(y * from + x * pixel);
    char *const to = c->to + (first & 3);
    const rect inside = {lines_inside(y, rows, p->a->input.height),
                         lines_inside(x, columns, p->a->input.width)};
    const int32_t bytes = (rows * pitch + 6) / 4 * 4;
    fill_words(c->to, p->a->input_zero, bytes);
    if (count_of(inside.rows) > 0 && count_of(inside.columns) > 0) {
        copy_inside(p, y, x, inside, to, pitch);
    }
    c->to += bytes;
    return (source){offset_of(p, to), w->stride_width * pixel, stride * pitch,
                    w->dilation_height * pitch};
}

#endif
