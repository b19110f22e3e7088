/* A region in groups of channels. */
#include "dpl/channels.h"
#include "dpl/cores.h"

void dpl_region_channels(const dpl_channels *region) {
    for (int32_t g = 0; g < region->groups; g++) {
        const int32_t first = region->points[g];
        const dpl_group group = {first, region->points[g + 1] - first};
#ifdef DPL_POISON
        dpl_poison(region->buffers, region->buffer_count);
#endif
        for (int32_t i = 0; i < region->node_count; i++) {
            region->nodes[i](&group);
            dpl_barrier();
        }
    }
    if (region->finish) {
        region->finish();
        dpl_barrier();
    }
}

#define TILE(tensor, count)                                                                        \
    do {                                                                                           \
        (tensor)->channels = (tensor)->pixel_pitch = (count);                                      \
        (tensor)->row_pitch = (tensor)->width * (count);                                           \
    } while (0)

void dpl_group_tile_s8(dpl_tensor_s8 *tensor, int32_t count) {
    TILE(tensor, count);
}

void dpl_group_tile_s16(dpl_tensor_s16 *tensor, int32_t count) {
    TILE(tensor, count);
}

void dpl_group_part_s8(dpl_tensor_s8 *tensor, int32_t first, int32_t count) {
    tensor->data += first;
    tensor->channels = count;
}

void dpl_group_part_s16(dpl_tensor_s16 *tensor, int32_t first, int32_t count) {
    tensor->data += first;
    tensor->channels = count;
}

void dpl_group_requant(dpl_requant *requant, int32_t first) {
    dpl_requant_from(requant, first);
}
