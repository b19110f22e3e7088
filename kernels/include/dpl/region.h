/* Regions: steps that run their kernels piece by piece, on windows of tensors.
 *
 * A constant table says which node reads what by which rule; the boxes of every piece, and with
 * line buffers the order of calls, follow from it here. deployer/analysis/regions.py defines both;
 * the two give the same calls. Every core runs the same calls, with a barrier after each. */
#ifndef DPL_REGION_H
#define DPL_REGION_H

#include "dpl/poison.h"
#include "dpl/rows.h"
#include "dpl/tensor.h"

/* Rows or columns lo to hi, hi not among them. */
typedef struct {
    int16_t lo, hi;
} dpl_range;

/* Along one axis, what output o needs of an input `extent` long: positions o * stride - pad and
 * on, `span` in all. up: the other way round, input i reaches outputs i * stride - pad and on.
 * An input that is broadcast has stride 0. */
typedef struct {
    int16_t extent, stride, span, pad, up;
} dpl_receptive_field;

/* An activation that a node reads. */
typedef struct {
    dpl_receptive_field rows, columns;
    int16_t reversed_pad; /* pad of the rows when they are counted from the last */
    int16_t maker;        /* the node that makes it, -1: it is there as a whole */
} dpl_region_read;

typedef struct dpl_region_call dpl_region_call;

typedef struct {
    void (*run)(const dpl_region_call *call); /* NULL: its output lies where it belongs */
    const dpl_region_read *reads;
    int16_t read_count;
    int16_t height, width; /* of the whole output */
    int16_t owner;         /* the node whose box its buffer holds, -1: a whole tensor */
    int16_t ring;          /* rows in the buffer, row y at y % ring; 0: no ring */
} dpl_region_node;

typedef struct {
    const dpl_region_node *nodes; /* makers before readers */
    const int16_t *outputs;       /* nodes whose outputs are read outside, the grid first */
    const int16_t *rows;          /* split points of the grid's rows; NULL: one piece */
    const int16_t *columns;
    int16_t node_count, output_count;
    int16_t row_pieces, column_pieces;
    int16_t chunk;   /* rows of a call with line buffers */
    int16_t reverse; /* from the last row to the first */
#ifdef DPL_POISON
    const dpl_region_buffer *buffers;
    int16_t buffer_count;
#endif
} dpl_region;

/* One kernel call: rows and columns are the box of its output. */
struct dpl_region_call {
    const dpl_region *region;
    const dpl_region_node *node;
    dpl_range rows, columns;
    const dpl_range *row_boxes; /* of this piece, by node; NULL with line buffers */
    const dpl_range *column_boxes;
};

/* Every piece of the region. rows, columns, done: room for an entry a node; rows and columns are
 * the same for all cores, done is each core's own. */
void dpl_region_patch(const dpl_region *region, dpl_range *rows, dpl_range *columns);
void dpl_region_rows(const dpl_region *region, dpl_range *columns, int16_t *done);

/* For a node's function: the window of read i, of the output, and the pads of the call. A tensor
 * comes with the data and pitches of its buffer and gets those of the window. */
void dpl_region_read_s8(const dpl_region_call *call, int32_t i, dpl_tensor_s8 *tensor);
void dpl_region_read_s16(const dpl_region_call *call, int32_t i, dpl_tensor_s16 *tensor);
void dpl_region_write_s8(const dpl_region_call *call, dpl_tensor_s8 *tensor);
void dpl_region_write_s16(const dpl_region_call *call, dpl_tensor_s16 *tensor);
dpl_pads dpl_region_pads(const dpl_region_call *call);

/* For the function of an input that comes by rows; `rows` has its number, the bytes of a row and
 * the start of its buffer. */
void dpl_region_fetch(const dpl_region_call *call, const dpl_rows *rows, dpl_row_source source,
                      void *context);

/* Used by the above. The first core finds the boxes, which the others may read behind a barrier. */
dpl_range dpl_region_need(const dpl_receptive_field *field, dpl_range outputs);
void dpl_region_boxes(const dpl_region *region, int columns, int32_t piece, dpl_range *boxes);
void dpl_region_run(const dpl_region_call *call);
void dpl_region_begin(const dpl_region *region);

#endif
