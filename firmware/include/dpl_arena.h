/* What a network of a library asks of the memory for its arena. */
#ifndef DPL_ARENA_H
#define DPL_ARENA_H

#include "dpl_library.h"

static inline dpl_status dpl_arena_fits(const void *arena, size_t bytes, size_t needed,
                                        size_t align) {
    if (!arena) {
        return DPL_ARENA_MISSING;
    }
    if (bytes < needed) {
        return DPL_ARENA_SMALL;
    }
    return (uintptr_t)arena % align ? DPL_ARENA_MISALIGNED : DPL_OK;
}

#endif
