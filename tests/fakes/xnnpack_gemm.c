/* GEMM microkernels by XNNPACK's calling convention and weight layout, in plain loops. OFF_BY is
 * added to every output. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#ifndef OFF_BY
#define OFF_BY 0
#endif

enum { COLUMNS = 8, SIDE = 8 };

typedef struct {
    int16_t zero;
    int8_t low, high;
} bounds;

static int8_t bounded(int32_t sum, float scale, const bounds *limits) {
    const long value = lrintf((float)sum * scale) + limits->zero + OFF_BY;
    return (int8_t)(value < limits->low    ? limits->low
                    : value > limits->high ? limits->high
                                           : value);
}

void xnn_qs8_qc8w_gemm_minmax_fp32_ukernel_2x8c8__plain(size_t rows, size_t columns, size_t depth,
                                                        const int8_t *a, size_t a_pitch,
                                                        const void *weights, int8_t *c,
                                                        size_t c_pitch, size_t tile_pitch,
                                                        const bounds *limits) {
    const size_t steps = (depth + SIDE - 1) / SIDE;
    const int8_t *tile = weights;
    for (size_t first = 0; first < columns; first += COLUMNS, c += tile_pitch) {
        const int32_t *biases = (const void *)tile;
        const int8_t *packed = tile + COLUMNS * sizeof(int32_t);
        const float *scales = (const void *)(packed + steps * SIDE * COLUMNS);
        for (size_t n = 0; n < COLUMNS && first + n < columns; n++) {
            for (size_t m = 0; m < rows; m++) {
                int32_t sum = biases[n];
                for (size_t k = 0; k < depth; k++) {
                    sum += a[m * a_pitch + k] *
                           packed[k / SIDE * SIDE * COLUMNS + n * SIDE + k % SIDE];
                }
                c[m * c_pitch + n] = bounded(sum, scales[n], limits);
            }
        }
        tile = (const int8_t *)(scales + COLUMNS);
    }
}

void xnn_f32_gemm_minmax_ukernel_1x8__plain(size_t rows, size_t columns, size_t depth_bytes,
                                            const float *a, size_t a_pitch, const float *weights,
                                            float *c, size_t c_pitch, size_t tile_pitch,
                                            const float *limits) {
    const size_t depth = depth_bytes / sizeof(float);
    (void)rows, (void)a_pitch, (void)c_pitch;
    for (size_t first = 0; first < columns; first += COLUMNS) {
        for (size_t n = 0; n < COLUMNS && first + n < columns; n++) {
            float sum = weights[n];
            for (size_t k = 0; k < depth; k++) {
                sum += a[k] * weights[COLUMNS * (k + 1) + n];
            }
            c[n] = fminf(fmaxf(sum + OFF_BY, limits[0]), limits[1]);
        }
        weights += COLUMNS * (depth + 1);
        c += tile_pitch / sizeof(float);
    }
}
