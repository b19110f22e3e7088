/* Vector instructions that load and store elements of two, three or four vectors by turns, in plain
 * C. Only plain.h includes it. */
#ifndef DPL_NEON_PLAIN_TURNS_H
#define DPL_NEON_PLAIN_TURNS_H

typedef struct {
    int8x8_t val[3];
} int8x8x3_t;
typedef struct {
    int8x8_t val[4];
} int8x8x4_t;
typedef struct {
    int16x8_t val[3];
} int16x8x3_t;
typedef struct {
    int16x8_t val[4];
} int16x8x4_t;
typedef struct {
    int32x4_t val[3];
} int32x4x3_t;

#define LOAD_TURNS(NAME, TURNS, ELEMENT, COUNT)                                                    \
    static inline TURNS NAME(const ELEMENT *p) {                                                   \
        TURNS v;                                                                                   \
        for (int i = 0; i < 8 * (COUNT); i++) {                                                    \
            v.val[i % (COUNT)][i / (COUNT)] = p[i];                                                \
        }                                                                                          \
        return v;                                                                                  \
    }
/* Wherever it is: elements may be two or more of the output. */
#define STORE_TURNS(NAME, TURNS, ELEMENT, COUNT)                                                   \
    static inline void NAME(ELEMENT *p, TURNS v) {                                                 \
        for (int i = 0; i < (int)(sizeof v / sizeof(ELEMENT)); i++) {                              \
            const ELEMENT one = v.val[i % (COUNT)][i / (COUNT)];                                   \
            __builtin_memcpy(p + i, &one, sizeof one);                                             \
        }                                                                                          \
    }
LOAD_TURNS(vld2_s8, int8x8x2_t, int8_t, 2)
LOAD_TURNS(vld3_s8, int8x8x3_t, int8_t, 3)
LOAD_TURNS(vld4_s8, int8x8x4_t, int8_t, 4)
LOAD_TURNS(vld2q_s16, int16x8x2_t, int16_t, 2)
LOAD_TURNS(vld3q_s16, int16x8x3_t, int16_t, 3)
LOAD_TURNS(vld4q_s16, int16x8x4_t, int16_t, 4)
STORE_TURNS(vst2_s8, int8x8x2_t, int8_t, 2)
STORE_TURNS(vst3_s8, int8x8x3_t, int8_t, 3)
STORE_TURNS(vst4_s8, int8x8x4_t, int8_t, 4)
STORE_TURNS(vst2q_s16, int16x8x2_t, int16_t, 2)
STORE_TURNS(vst3q_s16, int16x8x3_t, int16_t, 3)
STORE_TURNS(vst4q_s16, int16x8x4_t, int16_t, 4)
STORE_TURNS(vst3q_s32, int32x4x3_t, int32_t, 3)
#undef LOAD_TURNS
#undef STORE_TURNS

#endif
