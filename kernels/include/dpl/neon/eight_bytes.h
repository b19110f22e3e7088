/* Eight bytes of eight rows, transposed in registers. */
#ifndef DPL_NEON_EIGHT_BYTES_H
#define DPL_NEON_EIGHT_BYTES_H

#include "dpl/neon/simd.h"

#define ROWS_OF_BYTES 8

typedef struct {
    int8x8_t at[ROWS_OF_BYTES];
} eight_bytes;

/* What pairs, fours and eights of rows have in a column, side by side. */
INLINED void swap_bytes(eight_bytes *v, int a, int b) {
    const int8x8x2_t both = vtrn_s8(v->at[a], v->at[b]);
    v->at[a] = both.val[0], v->at[b] = both.val[1];
}

INLINED void swap_pairs(eight_bytes *v, int a, int b) {
    const int16x4x2_t both = vtrn_s16(vreinterpret_s16_s8(v->at[a]), vreinterpret_s16_s8(v->at[b]));
    v->at[a] = vreinterpret_s8_s16(both.val[0]), v->at[b] = vreinterpret_s8_s16(both.val[1]);
}

INLINED void swap_fours(eight_bytes *v, int a, int b) {
    const int32x2x2_t both = vtrn_s32(vreinterpret_s32_s8(v->at[a]), vreinterpret_s32_s8(v->at[b]));
    v->at[a] = vreinterpret_s8_s32(both.val[0]), v->at[b] = vreinterpret_s8_s32(both.val[1]);
}

/* 24 transpositions of half a cycle. */
INLINED void transpose_bytes(eight_bytes *v) {
    swap_bytes(v, 0, 1), swap_bytes(v, 2, 3), swap_bytes(v, 4, 5), swap_bytes(v, 6, 7);
    swap_pairs(v, 0, 2), swap_pairs(v, 1, 3), swap_pairs(v, 4, 6), swap_pairs(v, 5, 7);
    swap_fours(v, 0, 4), swap_fours(v, 1, 5), swap_fours(v, 2, 6), swap_fours(v, 3, 7);
}

#endif
