/* A window of an activation tensor, rows of pixels of channels (HWC).
 *
 * A whole tensor has row_pitch = width * channels and pixel_pitch = channels. A tile keeps the
 * pitches of the tensor it is cut from; a channel view (concat, split) has pixel_pitch > channels.
 * A ring holds ring_height rows and row y of the tensor lies at y % ring_height.
 * An int16 tensor has the same fields and an argument struct of int16 tensors those of int8 ones:
 * pitches count elements, zero points are 0. A float tensor has the same fields, too. */
#ifndef DPL_TENSOR_H
#define DPL_TENSOR_H

#include <stdint.h>

typedef struct {
    int8_t *data;
    int32_t height;
    int32_t width;
    int32_t channels;
    int32_t row_pitch;   /* elements from a pixel to the one below */
    int32_t pixel_pitch; /* elements from a pixel to the one to its right */
    int32_t ring_height; /* rows in the buffer when it is a ring, 0 when every row is there */
    int32_t first_row;   /* row of the tensor that is row 0 of this window; rings only */
} dpl_tensor_s8;

static inline int8_t *dpl_row_s8(const dpl_tensor_s8 *t, int32_t y) {
    if (t->ring_height > 0) {
        y = (t->first_row + y) % t->ring_height;
    }
    return t->data + y * t->row_pitch;
}

typedef struct {
    int16_t *data;
    int32_t height;
    int32_t width;
    int32_t channels;
    int32_t row_pitch;
    int32_t pixel_pitch;
    int32_t ring_height;
    int32_t first_row;
} dpl_tensor_s16;

static inline int16_t *dpl_row_s16(const dpl_tensor_s16 *t, int32_t y) {
    if (t->ring_height > 0) {
        y = (t->first_row + y) % t->ring_height;
    }
    return t->data + y * t->row_pitch;
}

/* Whether rows of so many elements follow one another, so that several are one run. */
#define DPL_ROWS_FOLLOW(T, ROW) ((T)->row_pitch == (ROW) && (T)->ring_height == 0)

typedef struct {
    float *data;
    int32_t height;
    int32_t width;
    int32_t channels;
    int32_t row_pitch;
    int32_t pixel_pitch;
    int32_t ring_height;
    int32_t first_row;
} dpl_tensor_f32;

static inline float *dpl_row_f32(const dpl_tensor_f32 *t, int32_t y) {
    if (t->ring_height > 0) {
        y = (t->first_row + y) % t->ring_height;
    }
    return t->data + y * t->row_pitch;
}

/* Sums that are not yet an output. */
typedef struct {
    int32_t *data;
    int32_t height;
    int32_t width;
    int32_t channels;
    int32_t row_pitch;
    int32_t pixel_pitch;
    int32_t ring_height;
    int32_t first_row;
} dpl_tensor_s32;

static inline int32_t *dpl_row_s32(const dpl_tensor_s32 *t, int32_t y) {
    if (t->ring_height > 0) {
        y = (t->first_row + y) % t->ring_height;
    }
    return t->data + y * t->row_pitch;
}

typedef struct {
    int32_t top, left, bottom, right;
} dpl_pads;

typedef struct {
    int32_t kernel_height, kernel_width;
    int32_t stride_height, stride_width;
    int32_t dilation_height, dilation_width;
    dpl_pads pads; /* beyond the window of the tensor, not the tensor: tiles have their own */
} dpl_window;

#endif
