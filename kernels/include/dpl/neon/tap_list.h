/* Where the taps of a block of a depthwise convolution lie, of any type. */
#ifndef DPL_NEON_TAP_LIST_H
#define DPL_NEON_TAP_LIST_H

#include "dpl/neon/blocking.h"
#include "dpl/neon/copies.h"

#define WIDTH DPL_DEPTHWISE_CHANNELS
#define PIXELS DPL_NARROW_BLOCK_PIXELS
#define READ_AHEAD 2

/* Where the taps of a block lie: of each tap PIXELS pointers, one a pixel. A multiple of TAP_STEP
 * counts, and READ_AHEAD repeat the last. */
typedef struct {
    const int8_t **at;
    int32_t count, pairs_fit; /* products of two of int8 fit 16 bits */
} tap_list;

#endif
