/* Three vectors stored by turns: compilers lead what their own store takes by way of memory where
 * it is one of several. */
#ifndef DPL_NEON_TURNS_A64_H
#define DPL_NEON_TURNS_A64_H

#include "dpl/neon/simd.h"

/* Of vectors of TYPE their lanes as SHAPE names them. */
#define STORE_THREE(NAME, TYPE, SHAPE)                                                             \
    INLINED void NAME(void *to, TYPE a, TYPE b, TYPE c) {                                          \
        register TYPE first __asm__("v28") = a;                                                    \
        register TYPE second __asm__("v29") = b;                                                   \
        register TYPE third __asm__("v30") = c;                                                    \
        __asm__ volatile("st3 {v28." SHAPE ", v29." SHAPE ", v30." SHAPE "}, [%[to]]"              \
                         :                                                                         \
                         : [to] "r"(to), "w"(first), "w"(second), "w"(third)                       \
                         : "memory");                                                              \
    }
STORE_THREE(store_three_of_bytes, int8x8_t, "8b")
STORE_THREE(store_three_of_halves, int16x8_t, "8h")
#undef STORE_THREE

#endif
