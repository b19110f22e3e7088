/* Table, int8: four elements of a word at a time, 15 instructions and 10 cycles (pipeline model of
 * the Cortex-M7). All four are read before the word is written: the output may take the input's
 * place. */
#include "dpl/body/s8.h"
#include "dpl/cortex_m/simd.h"
#include "dpl/elementwise.h"

#define KERNEL dpl_table_s8__armv7em
typedef dpl_table_s8_args args;
typedef element source;

#if defined(__ARM_FEATURE_DSP)

static inline void run_x4(const element *middle, const element *input, element *out,
                          int32_t count) {
    const element *end = input + 4 * count;
    int32_t word, x0, x1, x2;
    __asm__ volatile("1:\n"
                     "ldr %[word], [%[input]], #4\n"
                     "sxtb %[x0], %[word]\n"
                     "sxtb %[x1], %[word], ror #8\n"
                     "sxtb %[x2], %[word], ror #16\n asr %[word], %[word], #24\n"
                     "ldrb %[x0], [%[middle], %[x0]]\n ldrb %[x1], [%[middle], %[x1]]\n"
                     "ldrb %[x2], [%[middle], %[x2]]\n ldrb %[word], [%[middle], %[word]]\n"
                     "cmp %[input], %[end]\n"
                     "orr %[x0], %[x0], %[x1], lsl #8\n"
                     "orr %[x2], %[x2], %[word], lsl #8\n"
                     "orr %[x0], %[x0], %[x2], lsl #16\n"
                     "str %[x0], [%[out]], #4\n bne 1b\n"
                     : [input] "+r"(input), [out] "+r"(out), [word] "=&r"(word), [x0] "=&r"(x0),
                       [x1] "=&r"(x1), [x2] "=&r"(x2)
                     : [middle] "r"(middle), [end] "r"(end)
                     : "cc", "memory");
}

#else

static inline void run_x4(const element *middle, const element *input, element *out,
                          int32_t count) {
    for (int32_t i = 0; i < 4 * count; i++) {
        out[i] = middle[input[i]];
    }
}

#endif

static void run(const args *a, const element *input, element *out, int32_t count) {
    const element *middle = a->table + 128;
    if (count >= 4) {
        run_x4(middle, input, out, count / 4);
    }
    for (int32_t i = count / 4 * 4; i < count; i++) {
        out[i] = middle[input[i]];
    }
}

#include "dpl/body/runs.h"
