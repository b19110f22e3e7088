/* One call: windows of what it reads and writes. */
#include "dpl/cores.h"
#include "dpl/region.h"

typedef struct {
    int32_t offset; /* elements from the start of the buffer */
    int32_t height, width, ring, first_row;
} view;

/* The box of a value made by `maker` (NULL: a whole tensor) in its buffer. */
static view view_of(const dpl_region_call *call, const dpl_region_node *maker, dpl_range rows,
                    dpl_range columns, int32_t row_pitch, int32_t pixel_pitch) {
    int32_t top = 0, left = 0;
    if (maker && maker->owner >= 0) {
        top = call->row_boxes ? call->row_boxes[maker->owner].lo : 0;
        left = call->column_boxes[maker->owner].lo;
    }
    view v = {(columns.lo - left) * pixel_pitch, rows.hi - rows.lo, columns.hi - columns.lo, 0, 0};
    if (maker && maker->ring > 0) {
        v.ring = maker->ring;
        v.first_row = rows.lo;
    } else {
        v.offset += (rows.lo - top) * row_pitch;
    }
    return v;
}

static view view_read(const dpl_region_call *call, int32_t i, int32_t row_pitch,
                      int32_t pixel_pitch) {
    const dpl_region_read *read = &call->node->reads[i];
    const dpl_region_node *maker = read->maker < 0 ? 0 : &call->region->nodes[read->maker];
    const dpl_range rows = dpl_region_need(&read->rows, call->rows);
    const dpl_range columns = dpl_region_need(&read->columns, call->columns);
    return view_of(call, maker, rows, columns, row_pitch, pixel_pitch);
}

static view view_write(const dpl_region_call *call, int32_t row_pitch, int32_t pixel_pitch) {
    return view_of(call, call->node, call->rows, call->columns, row_pitch, pixel_pitch);
}

#define APPLY(tensor, v)                                                                           \
    do {                                                                                           \
        (tensor)->data += (v).offset;                                                              \
        (tensor)->height = (v).height;                                                             \
        (tensor)->width = (v).width;                                                               \
        (tensor)->ring_height = (v).ring;                                                          \
        (tensor)->first_row = (v).first_row;                                                       \
    } while (0)

void dpl_region_read_s8(const dpl_region_call *call, int32_t i, dpl_tensor_s8 *tensor) {
    const view v = view_read(call, i, tensor->row_pitch, tensor->pixel_pitch);
    APPLY(tensor, v);
}

void dpl_region_read_s16(const dpl_region_call *call, int32_t i, dpl_tensor_s16 *tensor) {
    const view v = view_read(call, i, tensor->row_pitch, tensor->pixel_pitch);
    APPLY(tensor, v);
}

void dpl_region_write_s8(const dpl_region_call *call, dpl_tensor_s8 *tensor) {
    const view v = view_write(call, tensor->row_pitch, tensor->pixel_pitch);
    APPLY(tensor, v);
}

void dpl_region_write_s16(const dpl_region_call *call, dpl_tensor_s16 *tensor) {
    const view v = view_write(call, tensor->row_pitch, tensor->pixel_pitch);
    APPLY(tensor, v);
}

/* Padding before and behind the input's box; of a transposed convolution, what is cropped of the
 * full result. */
static dpl_range ends(const dpl_receptive_field *field, dpl_range out) {
    const dpl_range in = dpl_region_need(field, out);
    const int32_t span = (in.hi - 1 - in.lo) * field->stride + field->span;
    int32_t before = in.lo - (out.lo * field->stride - field->pad);
    int32_t behind = (out.hi - 1) * field->stride - field->pad + field->span - in.hi;
    if (field->up) {
        before = out.lo + field->pad - in.lo * field->stride;
        behind = span - before - (out.hi - out.lo);
    }
    dpl_range pads = {(int16_t)before, (int16_t)behind};
    return pads;
}

dpl_pads dpl_region_pads(const dpl_region_call *call) {
    const dpl_region_read *read = call->node->reads;
    const dpl_range rows = ends(&read->rows, call->rows);
    const dpl_range columns = ends(&read->columns, call->columns);
    dpl_pads pads = {rows.lo, columns.lo, rows.hi, columns.hi};
    return pads;
}

void dpl_region_run(const dpl_region_call *call) {
    if (call->node->run) {
        call->node->run(call);
        dpl_barrier();
    }
}

/* What a piece leaves behind is no longer there for the next. */
void dpl_region_begin(const dpl_region *region) {
#ifdef DPL_POISON
    dpl_poison(region->buffers, region->buffer_count);
#else
    (void)region;
#endif
}
