/* Sharing a step among cores. Every core calls the kernel and takes its share; the caller places
 * the barrier. DPL_CORES comes from the port; without it there is one core. */
#ifndef DPL_CORES_H
#define DPL_CORES_H

#include <stdint.h>

#if defined(DPL_CORES) && DPL_CORES > 1
int32_t dpl_core_id(void);
void dpl_barrier(void);       /* returns when every core has called it */
#ifdef DPL_CORES_VARY         /* steps of little work are one core's alone */
int32_t dpl_core_count(void); /* those that share the step that runs */
#define DPL_CORE_COUNT dpl_core_count()
#else
#define DPL_CORE_COUNT DPL_CORES
#endif
#else
#define DPL_CORE_COUNT 1
static inline int32_t dpl_core_id(void) {
    return 0;
}
static inline void dpl_barrier(void) {}
#endif

typedef struct {
    int32_t begin, end;
} dpl_share;

/* This core's contiguous part of count items. */
static inline dpl_share dpl_core_share(int32_t count) {
    int32_t id = dpl_core_id();
    dpl_share share = {count * id / DPL_CORE_COUNT, count * (id + 1) / DPL_CORE_COUNT};
    return share;
}

/* This core's part of an output: a band of rows, or of channels where rows are fewer than cores.
 * The parts of all cores cover every element once. */
typedef struct {
    dpl_share rows, channels;
} dpl_part;

static inline dpl_part dpl_core_part(int32_t height, int32_t channels) {
    dpl_part part = {{0, height}, {0, channels}};
    if (height < DPL_CORE_COUNT) {
        part.channels = dpl_core_share(channels);
    } else {
        part.rows = dpl_core_share(height);
    }
    return part;
}

#endif
