/* Normalizations, float: the mean, then the variance about it, then each number. */
#include "dpl/body/f32.h"
#include "dpl/body/square_root.h"
#include "dpl/norm.h"

static inline float sum_of(const float *x, int32_t count) {
    float sum = 0.0f;
    for (int32_t i = 0; i < count; i++) {
        sum += x[i];
    }
    return sum;
}

static inline float squares_of(const float *x, float mean, int32_t count) {
    float sum = 0.0f;
    for (int32_t i = 0; i < count; i++) {
        sum += (x[i] - mean) * (x[i] - mean);
    }
    return sum;
}

/* 0 where nothing varies. */
static inline float deviation_of(const dpl_norm_f32_args *a, float squares, int32_t count) {
    return square_root(squares / (float)count + a->epsilon);
}

/* Channels first to first + count of a pixel. */
static inline void normalize(const dpl_norm_f32_args *a, float mean, float deviation, int32_t first,
                             int32_t count, const float *x, float *out) {
    for (int32_t c = first; c < first + count; c++) {
        const float normal = deviation > 0.0f ? (x[c] - mean) / deviation : 0.0f;
        out[c] = bounded(normal * a->scale[c] + a->offset[c], a->low, a->high);
    }
}
