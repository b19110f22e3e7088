/* A region in patches: each computes its box of every value, halos included. */
#include "dpl/cores.h"
#include "dpl/region.h"

static void run_piece(dpl_region_call *call) {
    const dpl_region *region = call->region;
    dpl_region_begin(region);
    for (int32_t i = 0; i < region->node_count; i++) {
        call->node = &region->nodes[i];
        call->rows = call->row_boxes[i];
        call->columns = call->column_boxes[i];
        dpl_region_run(call);
    }
}

void dpl_region_patch(const dpl_region *region, dpl_range *rows, dpl_range *columns) {
    dpl_region_call call = {region, region->nodes, {0, 0}, {0, 0}, rows, columns};
    const int32_t last = region->row_pieces - 1;
    for (int32_t y = 0; y <= last; y++) {
        dpl_region_boxes(region, 0, region->reverse ? last - y : y, rows);
        for (int32_t x = 0; x < region->column_pieces; x++) {
            dpl_region_boxes(region, 1, x, columns);
            dpl_barrier();
            run_piece(&call);
        }
    }
}
