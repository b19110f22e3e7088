/* Resize, linear, int8: two channels in a word, as 128 more than they are, so that neither the sums
 * of up to 16 bits nor their shifts meet. Weights that add up to more than 256 take the portable
 * way. */
#include "dpl/body/s8.h"
#include "dpl/cortex_m/bytes.h"
#include "dpl/resize.h"

#define KERNEL dpl_resize_linear_s8__armv7em
typedef dpl_resize_s8_args args;

#include "dpl/body/resize_linear_pixel.h"

enum { MOST_SHIFT = 8 };

static void pixel_x4(const element *const from[4], const int32_t weight[4], int32_t shift,
                     int32_t count, element *restrict out) {
    const uint32_t bytes = 0x00ff00ffu, half = 0x00010001u << (shift - 1);
    const uint32_t w0 = (uint32_t)weight[0], w1 = (uint32_t)weight[1];
    const uint32_t w2 = (uint32_t)weight[2], w3 = (uint32_t)weight[3];
    int32_t c = 0;
    for (; shift <= MOST_SHIFT && c + 4 <= count; c += 4) {
        const uint32_t x0 = load_word(from[0] + c) ^ 0x80808080u;
        const uint32_t x1 = load_word(from[1] + c) ^ 0x80808080u;
        const uint32_t x2 = load_word(from[2] + c) ^ 0x80808080u;
        const uint32_t x3 = load_word(from[3] + c) ^ 0x80808080u;
        uint32_t even = half + w0 * (x0 & bytes), odd = half + w0 * (x0 >> 8 & bytes);
        even += w1 * (x1 & bytes), odd += w1 * (x1 >> 8 & bytes);
        even += w2 * (x2 & bytes), odd += w2 * (x2 >> 8 & bytes);
        even += w3 * (x3 & bytes), odd += w3 * (x3 >> 8 & bytes);
        store_word(out + c, ((even >> shift & bytes) | (odd >> shift & bytes) << 8) ^ 0x80808080u);
    }
    if (c < count) {
        const element *const rest[] = {from[0] + c, from[1] + c, from[2] + c, from[3] + c};
        pixel(rest, weight, shift, count - c, out + c);
    }
}

#define pixel pixel_x4
#include "dpl/body/resize_linear.h"
