/* The boxes of all nodes in one piece, an axis at a time: backwards from the outputs' shares. */
#include "dpl/cores.h"
#include "dpl/region.h"

typedef struct {
    const dpl_region *region;
    int columns; /* the axis: 0 rows, 1 columns */
    int32_t piece;
} job;

static int32_t extent(const job *j, int32_t node) {
    const dpl_region_node *n = &j->region->nodes[node];
    return j->columns ? n->width : n->height;
}

/* A node's share of the piece, in proportion to the grid's; never empty. */
static dpl_range share(const job *j, int32_t node) {
    const int16_t *points = j->columns ? j->region->columns : j->region->rows;
    const int32_t whole = extent(j, j->region->outputs[0]), own = extent(j, node);
    int32_t lo = 0, hi = own;
    if (points) {
        lo = points[j->piece] * own / whole;
        hi = points[j->piece + 1] * own / whole;
    }
    lo = lo < own ? lo : own - 1;
    dpl_range part = {(int16_t)lo, (int16_t)(hi > lo ? hi : lo + 1)};
    return part;
}

static void widen(dpl_range *box, dpl_range by) {
    if (box->lo >= box->hi) {
        *box = by;
        return;
    }
    box->lo = by.lo < box->lo ? by.lo : box->lo;
    box->hi = by.hi > box->hi ? by.hi : box->hi;
}

static void widen_inputs(const job *j, const dpl_region_node *node, dpl_range box,
                         dpl_range *boxes) {
    for (int32_t k = 0; k < node->read_count; k++) {
        const dpl_region_read *read = &node->reads[k];
        if (read->maker >= 0) {
            const dpl_receptive_field *field = j->columns ? &read->columns : &read->rows;
            widen(&boxes[read->maker], dpl_region_need(field, box));
        }
    }
}

void dpl_region_boxes(const dpl_region *region, int columns, int32_t piece, dpl_range *boxes) {
    const job j = {region, columns, piece};
    if (dpl_core_id() != 0) {
        return;
    }
    for (int32_t i = 0; i < region->node_count; i++) {
        boxes[i].lo = boxes[i].hi = 0;
    }
    for (int32_t i = 0; i < region->output_count; i++) {
        boxes[region->outputs[i]] = share(&j, region->outputs[i]);
    }
    for (int32_t i = region->node_count - 1; i >= 0; i--) {
        widen_inputs(&j, &region->nodes[i], boxes[i], boxes);
    }
}
