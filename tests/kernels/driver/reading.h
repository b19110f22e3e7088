/* Words and operands of a case, in the order catalogue/case.py writes them. */
#ifndef READING_H
#define READING_H

#include "driver.h"

static inline int32_t word(reader *r) {
    return *r->word++;
}

static inline void *operand(reader *r) {
    return *r->operand++;
}

static inline dpl_tensor_s8 tensor_s8(reader *r) {
    dpl_tensor_s8 t;
    t.data = (int8_t *)operand(r) + word(r);
    t.height = word(r);
    t.width = word(r);
    t.channels = word(r);
    t.row_pitch = word(r);
    t.pixel_pitch = word(r);
    t.ring_height = word(r);
    t.first_row = word(r);
    return t;
}

static inline dpl_tensor_s16 tensor_s16(reader *r) {
    int16_t *data = (int16_t *)(void *)*r->operand + *r->word;
    const dpl_tensor_s8 t = tensor_s8(r);
    const dpl_tensor_s16 wide = {data,        t.height,      t.width,       t.channels,
                                 t.row_pitch, t.pixel_pitch, t.ring_height, t.first_row};
    return wide;
}

static inline dpl_tensor_s32 tensor_s32(reader *r) {
    int32_t *data = (int32_t *)(void *)*r->operand + *r->word;
    const dpl_tensor_s8 t = tensor_s8(r);
    const dpl_tensor_s32 wide = {data,        t.height,      t.width,       t.channels,
                                 t.row_pitch, t.pixel_pitch, t.ring_height, t.first_row};
    return wide;
}

static inline float real(reader *r) {
    const union {
        int32_t bits;
        float real;
    } number = {word(r)};
    return number.real;
}

static inline dpl_function function(reader *r) {
    return (dpl_function)word(r);
}

static inline dpl_tensor_f32 tensor_f32(reader *r) {
    float *data = (float *)(void *)*r->operand + *r->word;
    const dpl_tensor_s8 t = tensor_s8(r);
    const dpl_tensor_f32 wide = {data,        t.height,      t.width,       t.channels,
                                 t.row_pitch, t.pixel_pitch, t.ring_height, t.first_row};
    return wide;
}

static inline dpl_window window(reader *r) {
    dpl_window w;
    w.kernel_height = word(r);
    w.kernel_width = word(r);
    w.stride_height = word(r);
    w.stride_width = word(r);
    w.dilation_height = word(r);
    w.dilation_width = word(r);
    w.pads.top = word(r);
    w.pads.left = word(r);
    w.pads.bottom = word(r);
    w.pads.right = word(r);
    return w;
}

static inline dpl_requant requant(reader *r) {
    dpl_requant q;
    q.multiplier = operand(r);
    q.rounding = operand(r);
    q.shift = operand(r);
    q.channel_step = word(r);
    q.rule = (dpl_rule)word(r);
    q.low = word(r);
    q.high = word(r);
    return q;
}

#endif
