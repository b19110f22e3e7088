/* Copies of short runs, and windows as one run each. */
#ifndef DPL_NEON_COPIES_H
#define DPL_NEON_COPIES_H

#include "dpl/neon/simd.h"
#include "dpl/window.h"

#define RUN_BYTES 16
#define LONG_BYTES (4 * RUN_BYTES)

static inline void copy_word(int8_t *to, const int8_t *from) {
    uint32_t word;
    __builtin_memcpy(&word, from, sizeof word);
    __builtin_memcpy(to, &word, sizeof word);
}

/* From 8 bytes to two times as many. */
static inline void copy_halves(int8_t *to, const int8_t *from, int32_t count) {
    const int8x8_t first = vld1_s8(from), last = vld1_s8(from + count - 8);
    vst1_s8(to, first);
    vst1_s8(to + count - 8, last);
}

/* Fewer than RUN_BYTES: two copies that overlap. A loop over bytes would become a call of
 * memcpy. */
static inline void copy_short(int8_t *to, const int8_t *from, int32_t count) {
    if (count >= 8) {
        copy_halves(to, from, count);
    } else if (count >= 4) {
        copy_word(to, from);
        copy_word(to + count - 4, from + count - 4);
    } else if (count > 0) {
        to[0] = from[0];
        to[count / 2] = from[count / 2];
        to[count - 1] = from[count - 1];
    }
}

/* The last whole vector overlaps the one before. */
static inline void copy_run(int8_t *to, const int8_t *from, int32_t count) {
    if (count < RUN_BYTES) {
        copy_short(to, from, count);
        return;
    }
    for (int32_t i = 0; i < count - RUN_BYTES; i += RUN_BYTES) {
        vst1q_s8(to + i, vld1q_s8(from + i));
    }
    vst1q_s8(to + count - RUN_BYTES, vld1q_s8(from + count - RUN_BYTES));
}

/* A longer one: four vectors at a time hide each other's loads. */
static inline void copy_long(int8_t *to, const int8_t *from, int32_t count) {
    int32_t i = 0;
    for (; i < count - LONG_BYTES; i += LONG_BYTES) {
        const int8x16_t a = vld1q_s8(from + i), b = vld1q_s8(from + i + RUN_BYTES);
        const int8x16_t c = vld1q_s8(from + i + 2 * RUN_BYTES);
        const int8x16_t d = vld1q_s8(from + i + 3 * RUN_BYTES);
        vst1q_s8(to + i, a);
        vst1q_s8(to + i + RUN_BYTES, b);
        vst1q_s8(to + i + 2 * RUN_BYTES, c);
        vst1q_s8(to + i + 3 * RUN_BYTES, d);
    }
    copy_run(to + i, from + i, count - i);
}

static inline void fill_run(int8_t *to, int8_t value, int32_t count) {
    const int8x16_t all = vdupq_n_s8(value);
    int8_t some[RUN_BYTES];
    if (count < RUN_BYTES) {
        vst1q_s8(some, all);
        copy_short(to, some, count);
        return;
    }
    for (int32_t i = 0; i < count - RUN_BYTES; i += RUN_BYTES) {
        vst1q_s8(to + i, all);
    }
    vst1q_s8(to + count - RUN_BYTES, all);
}

/* Taps of a kernel row: one run where pixels follow each other. */
static inline void copy_taps(int8_t *to, const int8_t *from, const dpl_taps *taps,
                             int32_t channels) {
    const int32_t count = taps->x.end - taps->x.begin;
    if (taps->pitch == channels) {
        copy_run(to, from, count * channels);
        return;
    }
    for (int32_t t = 0; t < count; t++) {
        copy_run(to + t * channels, from + t * taps->pitch, channels);
    }
}

/* The window of `taps` as kernel rows of taps of channels; a padded tap is `zero`. */
static inline void copy_window(int8_t *to, const dpl_tensor_s8 *input, const dpl_window *w,
                               const dpl_taps *taps, int8_t zero) {
    const int32_t channels = input->channels, row = w->kernel_width * channels;
    const int32_t before = taps->x.begin * channels, after = taps->x.end * channels;
    dpl_row_walk rows = taps->rows;
    for (int32_t y = 0; y < w->kernel_height; y++, to += row) {
        if (y < taps->y.begin || y >= taps->y.end || before == after) {
            fill_run(to, zero, row);
            continue;
        }
        fill_run(to, zero, before);
        copy_taps(to + before, input->data + rows.offset + taps->column, taps, channels);
        fill_run(to + after, zero, row - after);
        dpl_next_row(&rows);
    }
}

/* A run and where it goes; the next ones lie so far behind. */
typedef struct {
    int8_t *to;
    const int8_t *from;
    int32_t to_step, from_step;
} strided_run;

static inline void fill_runs(strided_run at, int8_t value, int32_t bytes, int32_t count) {
    for (; count > 0; count--, at.to += at.to_step) {
        fill_run(at.to, value, bytes);
    }
}

/* `count` runs of equal length, each by COPY. */
#define COPY_EACH(COPY)                                                                            \
    for (; count > 0; count--, at.to += at.to_step, at.from += at.from_step) {                     \
        COPY;                                                                                      \
    }

/* The kind of copy is decided once. */
static inline void copy_runs(strided_run at, int32_t bytes, int32_t count) {
    if (bytes >= LONG_BYTES) {
        COPY_EACH(copy_long(at.to, at.from, bytes))
    } else if (bytes >= RUN_BYTES) {
        COPY_EACH(copy_run(at.to, at.from, bytes))
    } else if (bytes >= 8) {
        COPY_EACH(copy_halves(at.to, at.from, bytes))
    } else if (bytes == 4) {
        COPY_EACH(copy_word(at.to, at.from))
    } else {
        COPY_EACH(copy_short(at.to, at.from, bytes))
    }
}

/* The same of a kernel row: `taps` runs of `channels`, `pitch` apart, one where pixels follow each
 * other. */
static inline void copy_row_runs(strided_run at, int32_t pitch, int32_t channels, int32_t taps,
                                 int32_t count) {
    if (pitch == channels) {
        copy_runs(at, taps * channels, count);
        return;
    }
    for (int32_t t = 0; t < taps; t++, at.to += channels, at.from += pitch) {
        copy_runs(at, channels, count);
    }
}

#endif
