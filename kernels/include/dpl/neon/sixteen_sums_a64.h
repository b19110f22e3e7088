/* Sums that assembly keeps in v16 to v31: of eight positions or channels the first four lanes and
 * the last four by turns. */
#ifndef DPL_NEON_SIXTEEN_SUMS_A64_H
#define DPL_NEON_SIXTEEN_SUMS_A64_H

#include "dpl/neon/simd.h"

/* clang-format off */
#define SIXTEEN_SUMS \
    register int32x4_t s0 __asm__("v16"); \
    register int32x4_t s1 __asm__("v17"); \
    register int32x4_t s2 __asm__("v18"); \
    register int32x4_t s3 __asm__("v19"); \
    register int32x4_t s4 __asm__("v20"); \
    register int32x4_t s5 __asm__("v21"); \
    register int32x4_t s6 __asm__("v22"); \
    register int32x4_t s7 __asm__("v23"); \
    register int32x4_t s8 __asm__("v24"); \
    register int32x4_t s9 __asm__("v25"); \
    register int32x4_t s10 __asm__("v26"); \
    register int32x4_t s11 __asm__("v27"); \
    register int32x4_t s12 __asm__("v28"); \
    register int32x4_t s13 __asm__("v29"); \
    register int32x4_t s14 __asm__("v30"); \
    register int32x4_t s15 __asm__("v31")

#define TAKE_SIXTEEN(LOW, HIGH) \
    (LOW)[0] = s0, (HIGH)[0] = s1, (LOW)[1] = s2, (HIGH)[1] = s3, \
    (LOW)[2] = s4, (HIGH)[2] = s5, (LOW)[3] = s6, (HIGH)[3] = s7, \
    (LOW)[4] = s8, (HIGH)[4] = s9, (LOW)[5] = s10, (HIGH)[5] = s11, \
    (LOW)[6] = s12, (HIGH)[6] = s13, (LOW)[7] = s14, (HIGH)[7] = s15
/* clang-format on */

#endif
