/* The vector instructions that kernels use: those of arm_neon.h, or the same in plain C where there
 * are none, so that the host runs every kernel. */
#ifndef DPL_NEON_SIMD_H
#define DPL_NEON_SIMD_H

#ifdef __ARM_NEON
#include <arm_neon.h>

#ifndef __aarch64__
static inline int32x4_t vpaddq_s32(int32x4_t a, int32x4_t b) {
    return vcombine_s32(vpadd_s32(vget_low_s32(a), vget_high_s32(a)),
                        vpadd_s32(vget_low_s32(b), vget_high_s32(b)));
}
#include "dpl/neon/floats_a32.h"
#include "dpl/neon/halves_a32.h"
#endif
#else
#include "dpl/neon/plain.h"
#endif

/* Loops over lanes are unrolled: what they hold stays in registers. In plain C there are none to
 * hold it, and a sanitized build of the copies takes ten times as long. */
#ifdef __ARM_NEON
#define UNROLLED _Pragma("GCC unroll 16")
#else
#define UNROLLED
#endif

/* What is a constant where it is called, as a rule is, decides nothing at run time. */
#define INLINED static inline __attribute__((always_inline))

#endif
