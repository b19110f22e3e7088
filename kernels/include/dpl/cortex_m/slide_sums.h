/* Sums over rows, from those of the output row above: a body for average pools. A file has
 * `element` and `folded`. Rows that a window leaves are taken away, and those that it
 * meets are added, so that its height does not matter. */
#ifndef DPL_CORTEX_M_SLIDE_SUMS_H
#define DPL_CORTEX_M_SLIDE_SUMS_H

/* A row's share of the cycles that sixteen sums take. */
enum { SLIDE_COST = 60 };

/* `length` sums, from those `from`. Elements by themselves, since no row need begin at a word:
 * three cycles each. */
static __attribute__((noinline)) void slide_run(const element *plus, const element *minus,
                                                const folded *from, folded *to, int32_t length) {
    int32_t i = 0;
    for (; i + 4 <= length; i += 4) {
        const int32_t s0 = from[i] + plus[i] - minus[i];
        const int32_t s2 = from[i + 2] + plus[i + 2] - minus[i + 2];
        const int32_t s1 = from[i + 1] + plus[i + 1] - minus[i + 1];
        const int32_t s3 = from[i + 3] + plus[i + 3] - minus[i + 3];
        to[i] = (folded)s0;
        to[i + 1] = (folded)s1;
        to[i + 2] = (folded)s2;
        to[i + 3] = (folded)s3;
    }
    for (; i < length; i++) {
        to[i] = (folded)(from[i] + plus[i] - minus[i]);
    }
}

/* The same along a row of few channels: `to` follows what it is made of. */
static inline __attribute__((always_inline)) void
slide_near(const element *minus, int32_t reach, folded *to, int32_t channels, int32_t length) {
    for (int32_t c = 0; c < channels; c++) {
        const element *out = minus + c, *in = out + reach;
        folded *sums = to + c;
        int32_t sum = sums[-channels], left = length / channels;
        for (; left >= 2; left -= 2) {
            const int32_t next = sum + in[0] - out[0];
            sum = next + in[channels] - out[channels];
            sums[0] = (folded)next;
            sums[channels] = (folded)sum;
            in += 2 * channels;
            out += 2 * channels;
            sums += 2 * channels;
        }
        if (left > 0) {
            *sums = (folded)(sum + *in - *out);
        }
    }
}

/* Sums of pixels to the right of the one before `to`: `reach` elements after what a window leaves
 * lies what it meets. */
static __attribute__((noinline)) void slide_along(const element *minus, int32_t reach, folded *to,
                                                  int32_t channels, int32_t length) {
    switch (channels) {
    case 1: slide_near(minus, reach, to, 1, length); break;
    case 2: slide_near(minus, reach, to, 2, length); break;
    case 3: slide_near(minus, reach, to, 3, length); break;
    default: slide_run(minus + reach, minus, to - channels, to, length);
    }
}

#endif
