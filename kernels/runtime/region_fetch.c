/* Rows of an input that comes by rows, put into its line buffer by the first core. */
#include "dpl/cores.h"
#include "dpl/region.h"

void dpl_region_fetch(const dpl_region_call *call, const dpl_rows *rows, dpl_row_source source,
                      void *context) {
    const int32_t ring = call->node->ring > 0 ? call->node->ring : call->node->height;
    dpl_rows next = *rows;
    for (int32_t y = call->rows.lo; y < call->rows.hi && dpl_core_id() == 0; y += next.count) {
        const int32_t at = y % ring, left = call->rows.hi - y;
        next.first_row = y;
        next.count = left < ring - at ? left : ring - at;
        next.into = rows->into + at * rows->row_bytes;
        source(context, &next);
    }
}
