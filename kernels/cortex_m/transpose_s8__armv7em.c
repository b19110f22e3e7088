/* Transpose, int8: squares of 4x4 bytes in registers. */
#include "dpl/body/s8.h"
#include "dpl/cortex_m/simd.h"
#include "dpl/transpose.h"

#define KERNEL dpl_transpose_s8__armv7em
typedef dpl_transpose_s8_args args;

enum { SIDE = 4 };

/* `count` > 0 squares, four rows `from` apart, to columns `to` apart: pkhbt and pkhtb join halves
 * of two rows, sel takes bytes 0 and 2 of its first operand and 1 and 3 of its second. 12 cycles
 * for 16 bytes. */
static void strip(const element *in, int32_t from, element *out, int32_t to, int32_t count) {
#if defined(__ARM_FEATURE_DSP)
    const int32_t from3 = 3 * from, to3 = 3 * to;
    uint32_t a, b, c, d, t, u;
    __asm__ volatile("mov %[t], #0x80008000\n sadd8 %[t], %[t], %[t]\n"
                     "1:\n"
                     "ldr %[a], [%[in]]\n ldr %[c], [%[in], %[from], lsl #1]\n"
                     "ldr %[b], [%[in], %[from]]\n ldr %[d], [%[in], %[from3]]\n"
                     "pkhbt %[t], %[a], %[c], lsl #16\n add %[in], %[in], #4\n"
                     "pkhbt %[u], %[b], %[d], lsl #16\n subs %[count], %[count], #1\n"
                     "pkhtb %[c], %[c], %[a], asr #16\n lsl %[a], %[u], #8\n"
                     "pkhtb %[d], %[d], %[b], asr #16\n lsr %[b], %[t], #8\n"
                     "sel %[a], %[t], %[a]\n lsl %[t], %[d], #8\n"
                     "sel %[b], %[b], %[u]\n str %[a], [%[out]]\n"
                     "sel %[t], %[c], %[t]\n lsr %[c], %[c], #8\n"
                     "sel %[c], %[c], %[d]\n str %[b], [%[out], %[to]]\n"
                     "str %[t], [%[out], %[to], lsl #1]\n"
                     "str %[c], [%[out], %[to3]]\n add %[out], %[out], %[to], lsl #2\n"
                     "bne 1b\n"
                     : [in] "+r"(in), [out] "+r"(out), [count] "+r"(count), [a] "=&r"(a),
                       [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d), [t] "=&r"(t), [u] "=&r"(u)
                     : [from] "r"(from), [from3] "r"(from3), [to] "r"(to), [to3] "r"(to3)
                     : "cc", "memory");
#else
    for (int32_t i = 0; i < count * SIDE * SIDE; i++) {
        out[i / SIDE * to + i % SIDE] = in[i % SIDE * from + i / SIDE];
    }
#endif
}

#include "dpl/cortex_m/transpose.h"
