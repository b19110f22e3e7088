/* L1 caches of a Cortex-M7 [CMSIS-Core: invalidate before enabling]. */
#include "cortex_m.h"
#include "scs.h"

static void start_icache(void) {
    dpl_dsb();
    dpl_isb();
    ICIALLU = 0;
    dpl_dsb();
    dpl_isb();
    SCB_CCR |= CCR_ICACHE;
    dpl_dsb();
    dpl_isb();
}

/* Geometry in CCSIDR: sets - 1 in bits 27:13, ways - 1 in 12:3. DCISW: set in bits 13:5 for lines
 * of 32 bytes, way in the top bits. */
static void invalidate_dcache(void) {
    SCB_CSSELR = 0;
    dpl_dsb();
    uint32_t geometry = SCB_CCSIDR;
    uint32_t sets = (geometry >> 13 & 0x7FFF) + 1;
    uint32_t ways = (geometry >> 3 & 0x3FF) + 1;
    uint32_t way_shift = ways > 1 ? (uint32_t)__builtin_clz(ways - 1) : 0;
    for (uint32_t set = 0; set < sets; set++) {
        for (uint32_t way = 0; way < ways; way++) {
            DCISW = way << way_shift | set << 5;
        }
    }
    dpl_dsb();
}

void dpl_caches_start(void) {
    start_icache();
    invalidate_dcache();
    SCB_CCR |= CCR_DCACHE;
    dpl_dsb();
    dpl_isb();
}

const char *dpl_icache_state(void) {
    return SCB_CCR & CCR_ICACHE ? "on" : "off";
}

const char *dpl_dcache_state(void) {
    return SCB_CCR & CCR_DCACHE ? "on" : "off";
}
