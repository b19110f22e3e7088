#include "cortex_m.h"
#include "scs.h"

#define CTRL_ENABLE (1u << 0)
#define CTRL_DEFAULT_MAP (1u << 2)
#define RASR_ENABLE (1u << 0)
#define RASR_OFF 8u /* eighths of a region that do not count */
#define RASR_NORMAL ((1u << 19) | (1u << 17) | (1u << 16)) /* write-back, write-allocate */
#define RASR_READ_ONLY (6u << 24)
#define RASR_FULL (3u << 24)
#define RASR_NEVER_EXECUTE (1u << 28)

static uint32_t attributes(dpl_access access) {
    switch (access) {
    case DPL_READ_EXECUTE: return RASR_NORMAL | RASR_READ_ONLY;
    case DPL_READ_WRITE: return RASR_NORMAL | RASR_FULL | RASR_NEVER_EXECUTE;
    default: return RASR_NEVER_EXECUTE;
    }
}

static void set_region(uint32_t number, const dpl_region *region) {
    MPU_RNR = number;
    MPU_RBAR = region->base;
    MPU_RASR = attributes(region->access) | region->off << RASR_OFF | (region->log2_size - 1) << 1 |
               RASR_ENABLE;
}

void dpl_mpu_start(const dpl_region *regions, uint32_t count) {
    const dpl_region null = {0, DPL_GUARD_LOG2, DPL_NO_ACCESS, 0};
    const dpl_region guard = {(uint32_t)dpl_stack_guard, DPL_GUARD_LOG2, DPL_NO_ACCESS, 0};
    for (uint32_t i = 0; i < count; i++) {
        set_region(i, &regions[i]);
    }
    set_region(count, &null); /* vectors may lie there: the core reads them past the MPU */
    set_region(count + 1, &guard);
    MPU_CTRL = CTRL_ENABLE | CTRL_DEFAULT_MAP;
    dpl_dsb();
    dpl_isb();
}
