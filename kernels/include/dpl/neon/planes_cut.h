/* Outputs of which some lie outside of the tensor: blocks by way of memory, element by element from
 * there. Included behind the loops over pieces, planes_run.h. */
#ifndef DPL_NEON_PLANES_CUT_H
#define DPL_NEON_PLANES_CUT_H

#define CUT_STEP (MOST_CHANNELS * ELEMENT_BYTES) /* bytes from a pixel to the next there */

/* Bytes behind a pixel's place, of each channel. */
static inline void list_channels(const convolution *v, const plane_piece *p, int32_t channels,
                                 int32_t *to) {
    for (int32_t c = 0; c < channels; c++) {
        to[c] = IS_SPREAD(v) ? p->spread[c] : c * ELEMENT_BYTES;
    }
}

/* `channels` of eight pixels, the last one first: positions behind a row go where its last pixel
 * goes. */
static inline void copy_inside(const int8_t *made, int8_t *const *at, const int32_t *offsets,
                               dpl_share channels) {
    for (int32_t i = PIXELS - 1; i >= 0; i--) {
        for (int32_t c = channels.begin; c < channels.end; c++) {
            const int8_t *from = made + i * CUT_STEP + c * ELEMENT_BYTES;
            for (int32_t b = 0; b < ELEMENT_BYTES; b++) {
                at[i][offsets[c] + b] = from[b];
            }
        }
    }
}

/* As run_piece, of outputs of a group from `first` on; the last block first. */
static __attribute__((noinline)) void run_cut(convolution *v, plane_piece *p, int32_t channels,
                                              int32_t first, int32_t positions) {
    const int32_t begin = v->inside.begin - first, end = v->inside.end - first;
    const dpl_share inside = {begin > 0 ? begin : 0, end < channels ? end : channels};
    int8_t made[PIXELS * CUT_STEP], *at[PIXELS], *const out = p->out;
    int32_t to[PIXELS], offsets[MOST_CHANNELS], *const all = v->to;
    const int8_t *const cells = p->cells;
    if (inside.begin >= inside.end) {
        return;
    }
    list_channels(v, p, channels, offsets);
    UNROLLED for (int32_t i = 0; i < PIXELS; i++) {
        to[i] = i * CUT_STEP;
        p->spread[i] = i * ELEMENT_BYTES;
    }
    p->out = made;
    v->to = to;
    for (int32_t i = in_whole(positions, PIXELS) - PIXELS; i >= 0; i -= PIXELS) {
        p->cells = cells + 2 * i;
        run_piece(v, p, channels, PIXELS);
        list_stores(out, all + i, p->step, at);
        copy_inside(made, at, offsets, inside);
    }
    v->to = all;
}

#endif
