/* A pixel of a linear Resize: four loads, four multiply-adds, a shift and a store for each element.
 * The sum of four is a mean, so nothing saturates; int16 sums fit int32 up to shift 16. */
#include <stdint.h>

/* The channels of one output pixel: from[0] and from[1] of the upper row, the others below. */
static void pixel(const element *const from[4], const int32_t weight[4], int32_t shift,
                  int32_t count, element *restrict out) {
    const element *restrict a = from[0], *restrict b = from[1];
    const element *restrict c = from[2], *restrict d = from[3];
    const int32_t wa = weight[0], wb = weight[1], wc = weight[2], wd = weight[3];
    const int32_t half = 1 << (shift - 1);
    for (int32_t i = 0; i < count; i++) {
        int32_t sum = half + a[i] * wa + b[i] * wb + c[i] * wc + d[i] * wd;
        out[i] = (element)(sum >> shift);
    }
}
