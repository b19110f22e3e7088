/* Transpose, int16: a block of four by four takes eight operations, four loads and four stores. */
#include "dpl/body/s16.h"
#include "dpl/neon/simd.h"
#include "dpl/transpose.h"

#define KERNEL dpl_transpose_s16__armv8a
typedef dpl_transpose_s16_args args;

enum { BLOCK = 4 };

/* Lanes of two rows, then pairs of two pairs of rows. */
static inline void transpose_block(const element *from, int32_t from_pitch, element *to,
                                   int32_t to_pitch) {
    int16x4x2_t ones[2];
    int32x2x2_t twos[2];
    UNROLLED for (int i = 0; i < 2; i++) {
        const element *row = from + 2 * i * from_pitch;
        ones[i] = vtrn_s16(vld1_s16(row), vld1_s16(row + from_pitch));
    }
    UNROLLED for (int i = 0; i < 2; i++) {
        twos[i] =
            vtrn_s32(vreinterpret_s32_s16(ones[0].val[i]), vreinterpret_s32_s16(ones[1].val[i]));
    }
    UNROLLED for (int i = 0; i < BLOCK; i++) {
        vst1_s16(to + i * to_pitch, vreinterpret_s16_s32(twos[i & 1].val[i >> 1]));
    }
}

#include "dpl/neon/transpose.h"
