/* Transpose, int8: a block of eight by eight takes 24 operations, eight loads and eight stores. */
#include "dpl/body/s8.h"
#include "dpl/neon/simd.h"
#include "dpl/transpose.h"

#define KERNEL dpl_transpose_s8__armv8a
typedef dpl_transpose_s8_args args;

enum { BLOCK = 8 };

/* Lanes of two rows, then pairs of two pairs of rows, then fours. */
static inline void transpose_block(const element *from, int32_t from_pitch, element *to,
                                   int32_t to_pitch) {
    int8x8x2_t ones[4];
    int16x4x2_t twos[4];
    int32x2x2_t fours[4];
    UNROLLED for (int i = 0; i < 4; i++) {
        const element *row = from + 2 * i * from_pitch;
        ones[i] = vtrn_s8(vld1_s8(row), vld1_s8(row + from_pitch));
    }
    UNROLLED for (int i = 0; i < 4; i++) { /* bit 1 of i: rows from 4 on; bit 0: odd lanes */
        const int8x8x2_t first = ones[i & 2], second = ones[(i & 2) + 1];
        twos[i] =
            vtrn_s16(vreinterpret_s16_s8(first.val[i & 1]), vreinterpret_s16_s8(second.val[i & 1]));
    }
    UNROLLED for (int i = 0; i < 4; i++) { /* bit 1 of i: pairs from lane 2 on; bit 0: odd lanes */
        fours[i] = vtrn_s32(vreinterpret_s32_s16(twos[i & 1].val[i >> 1]),
                            vreinterpret_s32_s16(twos[2 + (i & 1)].val[i >> 1]));
    }
    UNROLLED for (int i = 0; i < BLOCK; i++) {
        vst1_s8(to + i * to_pitch, vreinterpret_s8_s32(fours[i & 3].val[i >> 2]));
    }
}

#include "dpl/neon/transpose.h"
