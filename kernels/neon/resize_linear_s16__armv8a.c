/* Resize, linear, int16. */
#include "dpl/body/s16.h"
#include "dpl/neon/blend.h"
#include "dpl/resize.h"

#define KERNEL dpl_resize_linear_s16__armv8a
typedef dpl_resize_s16_args args;

static void pixel(const element *const from[4], const int32_t weight[4], int32_t shift,
                  int32_t count, element *out) {
    const blend b = blend_of(weight, shift);
    wide_pixel(from, &b, count, out);
}

#include "dpl/body/resize_linear.h"
