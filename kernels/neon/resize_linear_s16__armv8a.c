/* Resize, linear, int16. */
#include "dpl/body/s16.h"
#include "dpl/neon/blend.h"
#include "dpl/resize.h"

#define KERNEL dpl_resize_linear_s16__armv8a
typedef dpl_resize_s16_args args;

#include "dpl/body/resize_linear_pixel.h"

static void pixel_in_vectors(const element *const from[4], const int32_t weight[4], int32_t shift,
                             int32_t count, element *out) {
    if (count < EIGHT) {
        pixel(from, weight, shift, count, out);
        return;
    }
    const blend b = blend_of(weight, shift);
    wide_pixel(from, &b, count, out);
}

#define pixel pixel_in_vectors
#include "dpl/body/resize_linear.h"
