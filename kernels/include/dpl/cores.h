/* Sharing a step among cores. Every core calls the kernel and takes its share; the caller places
 * the barrier. DPL_CORES comes from the port; without it there is one core. */
#ifndef DPL_CORES_H
#define DPL_CORES_H

#include <stdint.h>

#if defined(DPL_CORES) && DPL_CORES > 1
int32_t dpl_core_id(void);
#define DPL_CORE_COUNT DPL_CORES
#else
#define DPL_CORE_COUNT 1
static inline int32_t dpl_core_id(void) {
    return 0;
}
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

#endif
