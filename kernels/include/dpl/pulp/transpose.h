/* Four channels of pixels into planes (dpl/pulp/planes.h). */
#ifndef DPL_PULP_TRANSPOSE_H
#define DPL_PULP_TRANSPOSE_H

#include "dpl/pulp/bytes.h"
#include "dpl/pulp/gather.h"
#include "dpl/pulp/planes.h"
#include "dpl/tensor.h"

/* Rows of blocks of four columns, each four pixels of four channels: 18 cycles. The assembler
 * (transpose_words.S) has these offsets, too. */
typedef struct {
    const int8_t *from; /* the first row, first channel, at column x */
    int32_t row_pitch, pixel_pitch;
    int32_t x;             /* where the first block begins; columns outside are zero points */
    int32_t width;         /* of the input */
    int32_t rows;          /* at least 1 */
    int32_t columns;       /* that are read from the planes, at least 3 */
    int8_t *to;            /* aligned */
    int32_t pitch;         /* of a plane's row */
    int32_t step;          /* from a row of planes to the next */
    int32_t groups;        /* of four channels, at least 1 */
    const uint32_t *zeros; /* the zero point in each byte */
} dpl_transpose;

void dpl_transpose_words(const dpl_transpose *t);

/* Sixteen bytes at a time, at least once: lp.setup of two times p.sw. */
static inline void dpl_zero_rows(const dpl_transpose *t, int32_t rows) {
    uint32_t pairs = (uint32_t)(rows * t->step) >> 3;
    int8_t *to = t->to;
    __asm__ volatile(".insn i 0x7b, 4, x0, %1, 4\n"
                     ".insn s 0x2b, 2, %2, 4(%0)\n"
                     ".insn s 0x2b, 2, %2, 4(%0)\n"
                     : "+r"(to)
                     : "r"(pairs), "r"(*t->zeros)
                     : "memory");
}

/* An input of less than four channels, one after the other; apart from what runs more often. */
__attribute__((noinline, unused)) static void dpl_transpose_few(const dpl_transpose *t,
                                                                int32_t channels) {
    const int32_t left = t->x < 0 ? -t->x : 0;
    const int32_t end = dpl_least(t->columns, t->width - t->x);
    if (left > 0 || end < t->columns) {
        dpl_zero_rows(t, t->rows);
    }
    dpl_gather g;
    g.from = t->from + left * t->pixel_pitch;
    g.step = t->pixel_pitch;
    g.line = t->row_pitch;
    g.to = t->to + left;
    g.to_line = t->step;
    g.to_step = 1;
    g.count = end - left;
    g.lines = t->rows;
    for (int32_t c = 0; g.count > 0 && c < channels; c++, g.from++, g.to += t->pitch) {
        dpl_gather_bytes(&g);
    }
}

/* Rows y to end - 1, all inside, of a ring or of less than four channels. */
__attribute__((noinline, unused)) static void dpl_transpose_odd_rows(dpl_transpose *t,
                                                                     const dpl_tensor_s8 *input,
                                                                     int32_t y, int32_t end,
                                                                     int32_t column) {
    for (; y < end; y += t->rows) {
        int32_t at = y;
        t->rows = end - y;
        if (input->ring_height > 0) {
            at = (input->first_row + y) % input->ring_height;
            t->rows = dpl_least(input->ring_height - at, t->rows);
        }
        t->from = input->data + at * t->row_pitch + column;
        if (input->channels < DPL_PLANE) {
            dpl_transpose_few(t, input->channels);
        } else {
            dpl_transpose_words(t);
        }
        t->to += t->rows * t->step;
    }
}

static inline void dpl_transpose_rows(dpl_transpose *t, const dpl_tensor_s8 *input, int32_t y,
                                      int32_t end, int32_t column) {
    if (input->ring_height > 0 || input->channels < DPL_PLANE) {
        dpl_transpose_odd_rows(t, input, y, end, column);
        return;
    }
    t->rows = end - y;
    t->from = input->data + y * t->row_pitch + column;
    dpl_transpose_words(t);
    t->to += t->rows * t->step;
}

/* What a piece reads, rows of input; t has where to, columns and groups. */
__attribute__((always_inline)) static inline void
dpl_transpose_piece(const dpl_depthwise_conv2d_s8_args *a, dpl_transpose *t, const dpl_piece *p,
                    int32_t rows) {
    const int32_t y = p->y * a->window.stride_height - a->window.pads.top, end = y + rows;
    const int32_t first = y > 0 ? y : 0;
    const int32_t last = end < a->input.height ? end : a->input.height;
    if (first >= last) {
        dpl_zero_rows(t, rows);
        return;
    }
    if (y < 0) {
        dpl_zero_rows(t, -y);
        t->to -= y * t->step;
    }
    t->x = p->x * a->window.stride_width - a->window.pads.left;
    dpl_transpose_rows(t, &a->input, first, last, t->x * t->pixel_pitch + p->first);
    if (last < end) {
        dpl_zero_rows(t, end - last);
    }
}

/* What all pieces have in common; the planes, behind this core's word of zero points. Its scratch
 * is an odd number of words, so that cores which do the same at the same time do not meet in a
 * bank. */
static inline int8_t *dpl_enter_transposes(const dpl_depthwise_conv2d_s8_args *a,
                                           const dpl_planes *p, int32_t bytes, dpl_transpose *t) {
    int8_t *scratch = (int8_t *)a->scratch + dpl_core_id() * (4 + bytes);
    uint32_t *zeros = (uint32_t *)(void *)scratch;
    *zeros = dpl_bytes_of(a->input_zero);
    t->row_pitch = a->input.row_pitch;
    t->pixel_pitch = a->input.pixel_pitch;
    t->width = a->input.width;
    t->pitch = p->pitch;
    t->step = p->step;
    t->zeros = zeros;
    return scratch + 4;
}

#endif
