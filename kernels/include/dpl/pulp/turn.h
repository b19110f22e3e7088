/* Four channels of pixels into planes (dpl/pulp/planes.h). */
#ifndef DPL_PULP_TURN_H
#define DPL_PULP_TURN_H

#include "dpl/pulp/bytes.h"
#include "dpl/pulp/planes.h"
#include "dpl/tensor.h"

/* Rows of blocks of four columns, each four pixels of four channels: 18 cycles. The assembler
 * (turn_fours.S) has these offsets, too. */
typedef struct {
    const int8_t *from; /* the first row, first channel, at column x */
    int32_t row_pitch, pixel_pitch;
    int32_t x;             /* where the first block begins; columns outside are zero points */
    int32_t width;         /* of the input */
    int32_t rows;          /* at least 1 */
    int32_t blocks;        /* at least 1 */
    int8_t *to;            /* aligned */
    int32_t pitch;         /* of a plane's row */
    const uint32_t *zeros; /* the zero point in each byte */
} dpl_turn;

void dpl_turn_fours(const dpl_turn *t);

/* Part of an input: four channels from one on. Row and column may lie outside. */
typedef struct {
    int32_t channel, y, x, rows;
} dpl_part_of_input;

/* Sixteen bytes at a time, at least once: lp.setup of two times p.sw. */
static inline void dpl_zero_rows(const dpl_turn *t, int32_t rows) {
    int32_t pairs = rows * t->pitch / 2;
    int8_t *to = t->to;
    __asm__ volatile(".insn i 0x7b, 4, x0, %1, 4\n"
                     ".insn s 0x2b, 2, %2, 4(%0)\n"
                     ".insn s 0x2b, 2, %2, 4(%0)\n"
                     : "+r"(to)
                     : "r"(pairs), "r"(*t->zeros)
                     : "memory");
}

/* An input of less than four channels, byte by byte; apart from what runs more often. */
__attribute__((noinline, unused)) static void dpl_turn_few(const dpl_turn *t, int32_t channels) {
    const int8_t *row = t->from;
    int8_t *to = t->to;
    for (int32_t y = 0; y < t->rows; y++, row += t->row_pitch, to += DPL_PLANE * t->pitch) {
        for (int32_t x = 0; x < 4 * t->blocks; x++) {
            const int inside = (uint32_t)(t->x + x) < (uint32_t)t->width;
            for (int32_t c = 0; c < channels; c++) {
                to[c * t->pitch + x] = inside ? row[x * t->pixel_pitch + c] : (int8_t)*t->zeros;
            }
        }
    }
}

/* Rows y to end - 1, all inside; a ring's in one or more runs. */
static inline void dpl_turn_inside(dpl_turn *t, const dpl_tensor_s8 *input, int32_t y, int32_t end,
                                   int32_t column) {
    for (; y < end; y += t->rows) {
        int32_t at = y;
        t->rows = end - y;
        if (input->ring_height > 0) {
            at = (input->first_row + y) % input->ring_height;
            t->rows = input->ring_height - at < t->rows ? input->ring_height - at : t->rows;
        }
        t->from = input->data + at * t->row_pitch + column;
        if (input->channels < DPL_PLANE) {
            dpl_turn_few(t, input->channels);
        } else {
            dpl_turn_fours(t);
        }
        t->to += t->rows * DPL_PLANE * t->pitch;
    }
}

/* Planes from a part of an input; t has pitches, width, blocks, zeros and where to. */
static inline void dpl_turn_part(dpl_turn *t, const dpl_tensor_s8 *input,
                                 const dpl_part_of_input *part) {
    const int32_t end = part->y + part->rows;
    const int32_t first = part->y > 0 ? part->y : 0;
    const int32_t last = end < input->height ? end : input->height;
    if (first >= last) {
        dpl_zero_rows(t, part->rows);
        return;
    }
    if (part->y < 0) {
        dpl_zero_rows(t, -part->y);
        t->to -= part->y * DPL_PLANE * t->pitch;
    }
    t->x = part->x;
    dpl_turn_inside(t, input, first, last, part->x * t->pixel_pitch + part->channel);
    if (last < end) {
        dpl_zero_rows(t, end - last);
    }
}

#endif
