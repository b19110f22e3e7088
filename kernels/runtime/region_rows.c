/* A region by rows, through line buffers: the next rows of the grid are requested, and whatever a
 * node lacks is made first, the first lacking input first. So no row is made before it is needed,
 * and each once. deployer/analysis/line_buffers.py sizes the rings by the same calls. */
#include "dpl/cores.h"
#include "dpl/region.h"

typedef struct {
    dpl_region_call call;
    int16_t *done; /* rows made, by node */
} line_buffers;

static dpl_range next_rows(const line_buffers *s, int32_t i) {
    const dpl_region *region = s->call.region;
    const int32_t first = s->done[i], height = region->nodes[i].height;
    const int32_t last = first + region->chunk;
    dpl_range rows = {(int16_t)first, (int16_t)(last < height ? last : height)};
    return rows;
}

/* The first node whose rows the next call of node i lacks; -1: none. */
static int32_t lacking(const line_buffers *s, int32_t i) {
    const dpl_region *region = s->call.region;
    const dpl_range rows = next_rows(s, i);
    for (int32_t k = 0; k < region->nodes[i].read_count; k++) {
        const dpl_region_read *read = &region->nodes[i].reads[k];
        dpl_receptive_field field = read->rows;
        field.pad = region->reverse ? read->reversed_pad : field.pad;
        if (read->maker >= 0 && s->done[read->maker] < dpl_region_need(&field, rows).hi) {
            return read->maker;
        }
    }
    return -1;
}

static void make_rows(line_buffers *s, int32_t i) {
    const dpl_region *region = s->call.region;
    const dpl_range rows = next_rows(s, i);
    const int32_t height = region->nodes[i].height;
    s->call.node = &region->nodes[i];
    s->call.columns = s->call.column_boxes[i];
    s->call.rows = rows;
    if (region->reverse) {
        s->call.rows.lo = (int16_t)(height - rows.hi);
        s->call.rows.hi = (int16_t)(height - rows.lo);
    }
    dpl_region_run(&s->call);
    s->done[i] = rows.hi;
}

static void make_until(line_buffers *s, int32_t target, int32_t upto) {
    while (s->done[target] < upto) {
        int32_t i = target;
        for (int32_t before = lacking(s, i); before >= 0; before = lacking(s, i)) {
            i = before;
        }
        make_rows(s, i);
    }
}

static void run_piece(line_buffers *s) {
    const dpl_region *region = s->call.region;
    const int32_t grid = region->outputs[0], height = region->nodes[grid].height;
    for (int32_t i = 0; i < region->node_count; i++) {
        s->done[i] = 0;
    }
    dpl_region_begin(region);
    while (s->done[grid] < height) {
        const int32_t row = next_rows(s, grid).hi;
        for (int32_t i = 0; i < region->output_count; i++) {
            const int32_t node = region->outputs[i];
            make_until(s, node, row * region->nodes[node].height / height);
        }
    }
}

void dpl_region_rows(const dpl_region *region, dpl_range *columns, int16_t *done) {
    line_buffers s = {{region, region->nodes, {0, 0}, {0, 0}, 0, columns}, done};
    for (int32_t x = 0; x < region->column_pieces; x++) {
        dpl_region_boxes(region, 1, x, columns);
        dpl_barrier();
        run_piece(&s);
    }
}
