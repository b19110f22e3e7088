/* The same for the kernel that wants its input channel after channel, which no generated code has
 * in tiles: the step is called where tensors lie in L2, HWC. They are brought to L1 here, planes of
 * TIMED_PLANE bytes in rows of TIMED_ROW, and the output back. */
#include "gap8_kernel.h"

#include "dpl/cores.h"
#include "dpl/depthwise_conv2d.h"

#define L1 __attribute__((section(".dpl_arena.l1"), aligned(16)))

enum { BEHIND = 16 }; /* bytes that may be read after the last plane */

static L1 int8_t planes[TIMED_PLANE * TIMED_PLANES + BEHIND];
static L1 int8_t weights[TIMED_WEIGHTS];
static L1 int8_t output[TIMED_OUTPUT];
static L1 dpl_depthwise_conv2d_s8_args inner;

void __wrap_dpl_depthwise_conv2d_s8__xpulpv2_planar(const dpl_depthwise_conv2d_s8_args *a);

static void copy(int8_t *to, const int8_t *from, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        to[i] = from[i];
    }
}

/* One row of the input to the same row of every plane. */
static void turn_row(const dpl_tensor_s8 *far, int8_t *row, int32_t y) {
    for (int32_t x = 0; x < far->width; x++) {
        const int8_t *pixel = far->data + y * far->row_pitch + x * far->pixel_pitch;
        for (int32_t c = 0; c < far->channels; c++) {
            row[c * TIMED_PLANE + x] = pixel[c];
        }
    }
}

static void bring(const dpl_depthwise_conv2d_s8_args *a) {
    int8_t *first = planes + a->window.pads.top * TIMED_ROW + a->window.pads.left;
    inner = *a;
    inner.weights = weights;
    inner.input.data = first;
    inner.input.row_pitch = TIMED_ROW;
    inner.input.pixel_pitch = TIMED_PLANE;
    inner.output.data = output;
    copy(weights, a->weights, TIMED_WEIGHTS);
    for (int32_t y = 0; y < a->input.height; y++) {
        turn_row(&a->input, first + y * TIMED_ROW, y);
    }
}

void __wrap_dpl_depthwise_conv2d_s8__xpulpv2_planar(const dpl_depthwise_conv2d_s8_args *a) {
    if (dpl_core_id() == 0) {
        bring(a);
    }
    dpl_barrier();
    dpl_timed(&inner);
    if (dpl_core_id() == 0) {
        copy(a->output.data, output, TIMED_OUTPUT);
    }
}
