/* A step in tiles: while all cores compute one in L1, the next is fetched and the one before is
 * written back [paper 004, figure 3]. What each tile covers is said by generated code, whose
 * numbers are constants. */
#ifndef DPL_TILES_H
#define DPL_TILES_H

#include "dpl/dma.h"
#include "dpl/requant.h"
#include "dpl/runtime/blocking.h"
#include "dpl/tensor.h"

/* One tile along an axis: outputs begin to begin + count - 1, the inputs they need, and how far the
 * window reaches beyond the tensor. */
typedef struct {
    int32_t begin, count;
    int32_t first, inputs;
    int32_t before, after;
} dpl_cut;

/* Tiles of `tile` outputs, the last with what is left; output o needs `taps` inputs from
 * o * stride - pad on. With `up` it needs those inputs i for which it is one of the `taps` from
 * i * stride - pad on. */
typedef struct {
    int32_t tile, outputs, inputs;
    int16_t stride, taps, pad;
    int16_t up; /* whether it is that of a transposed convolution */
} dpl_axis;

typedef struct {
    dpl_cut rows, columns, channels;
    int32_t row, column, channel;       /* which tile along each axis */
    int32_t output_side;                /* which of two arrays: 0 or 1, in turn */
    int32_t input_side, weights_side;   /* in turn with every load */
    int32_t fresh_input, fresh_weights; /* whether the tile before had others */
} dpl_tile;

/* Two of them lie in L1: of the tile that is computed, of the one that is fetched. */
enum { DPL_ARGS_WORDS = DPL_TILE_ARGUMENT_BYTES / 4 };
typedef struct {
    int32_t args[DPL_ARGS_WORDS]; /* of the kernel */
} dpl_args_slot;

enum { DPL_PREFETCH_DISTANCE = 3 }; /* the most */

typedef struct dpl_tiling {
    dpl_args_slot *slots;
    uint16_t count;                   /* tiles */
    uint16_t rows, columns, channels; /* of them along each axis */
    uint8_t sliced;                   /* other channels need other inputs */
    uint8_t channels_inner;           /* all channels of a place before the next place */
    uint8_t early; /* the second tile, or what is prefetched, is moved before the first is called */
    uint8_t serial;   /* nothing moves beside a tile: arrays are there once */
    uint8_t late;     /* the output is stored beside the next step, which keeps it */
    uint8_t chained;  /* and which needs nothing else but what is prefetched */
    uint8_t distance; /* steps before it beside all of which fits what is prefetched */
    uint16_t fetch;   /* the transfer that brings weights to far memory (dpl/fetched.h); 0: none */
    uint16_t args_bytes;
    const int8_t *inputs[2]; /* in far memory, like those that follow */
    const int8_t *weights;
    int8_t *output;
    const void *args;     /* of the first tile */
    const dpl_axis *axes; /* rows, columns and channels; those of one tile are not looked at */
    /* commands to the DMA: what is fresh, and the output */
    void (*load)(const struct dpl_tiling *s, const dpl_tile *t);
    void (*store)(const struct dpl_tiling *s, const dpl_tile *t);
    void (*set)(const dpl_tile *t, void *args); /* what differs between tiles' arguments */
    void (*compute)(const void *args);          /* on every core */
    const struct dpl_tiling *next; /* whose arguments and first weights fit beside; null: none's */
} dpl_tiling;

/* Called once, where the harness runs: that core offloads to the others. The output is in its place
 * when it returns, or, where it is `late`, when the next one does. `axes` and `set` may be null
 * with one tile. */
void dpl_run_tiles(const dpl_tiling *tiling);

/* Until an output that is late is in its place: before another than the next step reads it. */
void dpl_settle_tiles(void);

static inline int32_t dpl_least(int32_t a, int32_t b) {
    return a < b ? a : b;
}

static inline int32_t dpl_not_below_zero(int32_t a) {
    return a < 0 ? 0 : a;
}

/* Rows of `columns` pixels of `channels` bytes, none of which follow one another outside of L1. */
static inline void dpl_load_boxes(int8_t *to, const int8_t *from, int32_t rows, int32_t row_pitch,
                                  int32_t columns, int32_t pixel_pitch, int32_t channels) {
    for (int32_t y = 0; y < rows; y++) {
        dpl_dma_in_lines(to + y * columns * channels, from + y * row_pitch, columns, channels,
                         pixel_pitch);
    }
}

static inline void dpl_store_boxes(int8_t *to, const int8_t *from, int32_t rows, int32_t row_pitch,
                                   int32_t columns, int32_t pixel_pitch, int32_t channels) {
    for (int32_t y = 0; y < rows; y++) {
        dpl_dma_out_lines(to + y * row_pitch, from + y * columns * channels, columns, channels,
                          pixel_pitch);
    }
}

#endif
