/* The boxes of all nodes in one piece, an axis at a time: backwards from the outputs' shares. */
#include "dpl/region.h"

typedef struct {
    const int16_t *points;
    int32_t whole; /* what the points split */
    int32_t piece;
} split;

/* The share of an axis `extent` long, in proportion; never empty. */
static dpl_range share(const split *s, int32_t extent) {
    int32_t lo = 0, hi = extent;
    if (s->points) {
        lo = s->points[s->piece] * extent / s->whole;
        hi = s->points[s->piece + 1] * extent / s->whole;
    }
    lo = lo < extent ? lo : extent - 1;
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

static void clear(const dpl_region *region, dpl_range *boxes) {
    for (int32_t i = 0; i < region->node_count; i++) {
        boxes[i].lo = boxes[i].hi = 0;
    }
}

static void spread(const dpl_region *region, int columns, dpl_range *boxes) {
    for (int32_t i = region->node_count - 1; i >= 0; i--) {
        const dpl_region_node *node = &region->nodes[i];
        for (const dpl_region_read *read = node->reads; read < node->reads + node->read_count;
             read++) {
            if (read->maker >= 0) {
                const dpl_reach *reach = columns ? &read->columns : &read->rows;
                widen(&boxes[read->maker], dpl_region_need(reach, boxes[i]));
            }
        }
    }
}

void dpl_region_row_boxes(const dpl_region *region, int32_t piece, dpl_range *boxes) {
    const split s = {region->rows, region->nodes[region->outputs[0]].height, piece};
    clear(region, boxes);
    for (int32_t i = 0; i < region->output_count; i++) {
        const int32_t node = region->outputs[i];
        boxes[node] = share(&s, region->nodes[node].height);
    }
    spread(region, 0, boxes);
}

void dpl_region_column_boxes(const dpl_region *region, int32_t piece, dpl_range *boxes) {
    const split s = {region->columns, region->nodes[region->outputs[0]].width, piece};
    clear(region, boxes);
    for (int32_t i = 0; i < region->output_count; i++) {
        const int32_t node = region->outputs[i];
        boxes[node] = share(&s, region->nodes[node].width);
    }
    spread(region, 1, boxes);
}
