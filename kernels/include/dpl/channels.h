/* Regions in groups of channels: every node computes its channels of one group, then of the next.
 * A node's function takes its group from the call; deployer/analysis/channels.py says which. Every
 * core runs all calls, with a barrier after each. */
#ifndef DPL_CHANNELS_H
#define DPL_CHANNELS_H

#include "dpl/poison.h"
#include "dpl/requant.h"
#include "dpl/tensor.h"

/* Of the region's narrowest value in groups; others have a multiple or a part of both numbers. */
typedef struct {
    int32_t first, count;
} dpl_group;

typedef struct {
    void (*const *nodes)(const dpl_group *group); /* in order */
    void (*finish)(void);                         /* sums to the output; NULL: there are none */
    const int16_t *points;                        /* where groups begin, and the last ends */
    int16_t node_count, groups;
#ifdef DPL_POISON
    const dpl_region_buffer *buffers;
    int16_t buffer_count;
#endif
} dpl_channels;

void dpl_region_channels(const dpl_channels *region);

/* For a node's function, given a whole tensor: the tile of count channels that holds a group
 * alone, without gaps; or a group's channels in the whole tensor. */
void dpl_group_tile_s8(dpl_tensor_s8 *tensor, int32_t count);
void dpl_group_tile_s16(dpl_tensor_s16 *tensor, int32_t count);
void dpl_group_part_s8(dpl_tensor_s8 *tensor, int32_t first, int32_t count);
void dpl_group_part_s16(dpl_tensor_s16 *tensor, int32_t first, int32_t count);

/* The tables from a channel on. */
void dpl_group_requant(dpl_requant *requant, int32_t first);

#endif
