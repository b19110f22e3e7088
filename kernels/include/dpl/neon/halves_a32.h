/* Instructions of AArch64 by those of 32-bit ARM: of upper halves, and of tables. Only simd.h
 * includes this. */
#ifndef DPL_NEON_HALVES_A32_H
#define DPL_NEON_HALVES_A32_H

static inline int16x8_t vmovl_high_s8(int8x16_t a) {
    return vmovl_s8(vget_high_s8(a));
}
static inline int32x4_t vmovl_high_s16(int16x8_t a) {
    return vmovl_s16(vget_high_s16(a));
}
static inline int16x8_t vaddw_high_s8(int16x8_t sum, int8x16_t a) {
    return vaddw_s8(sum, vget_high_s8(a));
}
static inline int32x4_t vaddw_high_s16(int32x4_t sum, int16x8_t a) {
    return vaddw_s16(sum, vget_high_s16(a));
}
static inline int32x4_t vmull_high_s16(int16x8_t a, int16x8_t b) {
    return vmull_s16(vget_high_s16(a), vget_high_s16(b));
}
static inline int32x4_t vmlal_high_s16(int32x4_t sum, int16x8_t a, int16x8_t b) {
    return vmlal_s16(sum, vget_high_s16(a), vget_high_s16(b));
}
static inline int16x8_t vqmovn_high_s32(int16x4_t low, int32x4_t a) {
    return vcombine_s16(low, vqmovn_s32(a));
}
#define vqrshrn_high_n_s32(LOW, A, BY) vcombine_s16(LOW, vqrshrn_n_s32(A, BY))

/* Half of the 64 entries by eight indices. */
static inline int8x8_t entries_of_half(int8x8_t otherwise, const int8x16_t *half, uint8x8_t at) {
    const int8x8x4_t table = {
        {vget_low_s8(half[0]), vget_high_s8(half[0]), vget_low_s8(half[1]), vget_high_s8(half[1])}};
    return vtbx4_s8(otherwise, table, vreinterpret_s8_u8(at));
}
static inline int8x8_t entries_of(int8x8_t otherwise, int8x16x4_t table, uint8x8_t at) {
    const int8x8_t first = entries_of_half(otherwise, table.val, at);
    return entries_of_half(first, table.val + 2, vsub_u8(at, vdup_n_u8(32)));
}
static inline int8x16_t vqtbx4q_s8(int8x16_t a, int8x16x4_t table, uint8x16_t at) {
    return vcombine_s8(entries_of(vget_low_s8(a), table, vget_low_u8(at)),
                       entries_of(vget_high_s8(a), table, vget_high_u8(at)));
}

#endif
