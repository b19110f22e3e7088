/* The constants of a network, weights above all, and the CRC-32 they had when they were built. */
#ifndef DPL_CONSTANTS_H
#define DPL_CONSTANTS_H

#include <stdint.h>

#include "dpl_crc32.h"

typedef struct {
    const void *data;
    uint32_t bytes;
} dpl_constant;

/* Those of one place, in the order of the CRC; an entry without a place ends the table. */
typedef struct {
    const char *where; /* "image", the memory that start-up copies to, or the one behind it */
    const dpl_constant *parts; /* NULL: fetched, from the place's first byte on */
    uint32_t count, bytes, crc;
} dpl_constants;

/* -1 when bytes that a core can read are not those that were built, else 0. */
static inline int dpl_constants_check(const dpl_constants *constants) {
    for (; constants->where; constants++) {
        uint32_t crc = 0;
        for (uint32_t i = 0; i < constants->count; i++) {
            crc = dpl_crc32_of(crc, constants->parts[i].data, constants->parts[i].bytes);
        }
        if (constants->parts && crc != constants->crc) {
            return -1;
        }
    }
    return 0;
}

#endif
