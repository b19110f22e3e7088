/* Which input a copy of a nearest magnification shows. */
#ifndef DPL_NEAREST_H
#define DPL_NEAREST_H

#include <stdint.h>

/* Rounds down; a copy before the first lies at most a factor before it. */
static inline int32_t dpl_copied(int32_t copy, int32_t factor) {
    return (copy + 2 * factor) / factor - 2;
}

static inline int32_t dpl_inside(int32_t at, int32_t extent) {
    return at < 0 ? 0 : at < extent ? at : extent - 1;
}

#endif
