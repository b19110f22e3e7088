/* XpulpV2 on the bytes and halves of registers. */
#include "op.h"

/* One lane of each type, by number. */
#define S8(v, l) ((int32_t)(int8_t)((v) >> 8 * (l)))
#define U8(v, l) ((v) >> 8 * (l)&0xff)
#define S16(v, l) ((int32_t)(int16_t)((v) >> 16 * (l)))
#define U16(v, l) ((v) >> 16 * (l)&0xffff)

/* A function lane by lane: `expression` of x and y, lanes of the type named. */
#define BYTES(name, lane, expression)                                                              \
    static uint32_t name(uint32_t d, uint32_t a, uint32_t b) {                                     \
        uint32_t out = 0;                                                                          \
        (void)d;                                                                                   \
        for (int l = 0; l < 4; l++) {                                                              \
            __auto_type x = lane(a, l);                                                            \
            __auto_type y = lane(b, l);                                                            \
            out |= ((uint32_t)(expression)&0xff) << 8 * l;                                         \
        }                                                                                          \
        return out;                                                                                \
    }
#define HALVES(name, lane, expression)                                                             \
    static uint32_t name(uint32_t d, uint32_t a, uint32_t b) {                                     \
        uint32_t out = 0;                                                                          \
        (void)d;                                                                                   \
        for (int l = 0; l < 2; l++) {                                                              \
            __auto_type x = lane(a, l);                                                            \
            __auto_type y = lane(b, l);                                                            \
            out |= ((uint32_t)(expression)&0xffff) << 16 * l;                                      \
        }                                                                                          \
        return out;                                                                                \
    }
#define SIGNED(name, expression) BYTES(name##_b, S8, expression) HALVES(name##_h, S16, expression)
#define UNSIGNED(name, expression) BYTES(name##_b, U8, expression) HALVES(name##_h, U16, expression)

UNSIGNED(add, x + y)
UNSIGNED(sub, x - y)
BYTES(avg_b, U8, (int8_t)(x + y) >> 1) /* the sum wraps before it is halved */
HALVES(avg_h, U16, (int16_t)(x + y) >> 1)
BYTES(avgu_b, U8, (uint8_t)(x + y) >> 1)
HALVES(avgu_h, U16, (uint16_t)(x + y) >> 1)
SIGNED(min, x < y ? x : y)
UNSIGNED(minu, x < y ? x : y)
SIGNED(max, x > y ? x : y)
UNSIGNED(maxu, x > y ? x : y)
BYTES(srl_b, U8, x >> (y & 7))
HALVES(srl_h, U16, x >> (y & 15))
BYTES(sra_b, S8, x >> (y & 7))
HALVES(sra_h, S16, x >> (y & 15))
BYTES(sll_b, U8, x << (y & 7))
HALVES(sll_h, U16, x << (y & 15))

COMPUTE(or_, a | b)
COMPUTE(xor_, a ^ b)
COMPUTE(and_, a &b)

#define DOT_B(A, B, a, b)                                                                          \
    ((uint32_t)(A(a, 0) * B(b, 0)) + (uint32_t)(A(a, 1) * B(b, 1)) +                               \
     (uint32_t)(A(a, 2) * B(b, 2)) + (uint32_t)(A(a, 3) * B(b, 3)))
#define DOT_H(A, B, a, b) ((uint32_t)(A(a, 0) * B(b, 0)) + (uint32_t)(A(a, 1) * B(b, 1)))

COMPUTE(dotsp_b, DOT_B(S8, S8, a, b))
COMPUTE(dotup_b, DOT_B(U8, U8, a, b))
COMPUTE(dotusp_b, DOT_B((int32_t)U8, S8, a, b))
COMPUTE(dotsp_h, DOT_H(S16, S16, a, b))
COMPUTE(dotup_h, DOT_H(U16, U16, a, b))
COMPUTE(dotusp_h, DOT_H((int32_t)U16, S16, a, b))
COMPUTE(sdotsp_b, d + dotsp_b(0, a, b))
COMPUTE(sdotup_b, d + dotup_b(0, a, b))
COMPUTE(sdotusp_b, d + dotusp_b(0, a, b))
COMPUTE(sdotsp_h, d + dotsp_h(0, a, b))
COMPUTE(sdotup_h, d + dotup_h(0, a, b))
COMPUTE(sdotusp_h, d + dotusp_h(0, a, b))

COMPUTE(extract, S8(a, b & 3))
COMPUTE(extractu, U8(a, b & 3))
COMPUTE(insert, (d & ~(0xffu << 8 * (b & 3))) | (a & 0xff) << 8 * (b & 3))
COMPUTE(pack_h, a << 16 | (b & 0xffff))
COMPUTE(packhi_b, (d & 0xffff) | (a & 0xff) << 24 | (b & 0xff) << 16)
COMPUTE(packlo_b, (d & 0xffff0000) | (a & 0xff) << 8 | (b & 0xff))

/* Every lane of b chooses one: its top bit the register (1: a, 0: the old d), the rest the lane. */
static uint32_t shuffle2_b(uint32_t d, uint32_t a, uint32_t b) {
    uint32_t out = 0;
    for (int l = 0; l < 4; l++)
        out |= U8(U8(b, l) & 4 ? a : d, U8(b, l) & 3) << 8 * l;
    return out;
}

static uint32_t shuffle2_h(uint32_t d, uint32_t a, uint32_t b) {
    uint32_t out = 0;
    for (int l = 0; l < 2; l++)
        out |= U16(U16(b, l) & 2 ? a : d, U16(b, l) & 1) << 16 * l;
    return out;
}

/* A scalar rs2 counts in every lane. */
static void run_scalar_b(core *c, const insn *i) {
    c->r[i->rd] = i->compute(c->r[i->rd], c->r[i->rs1], (c->r[i->rs2] & 0xff) * 0x01010101u);
}

static void run_scalar_h(core *c, const insn *i) {
    c->r[i->rd] = i->compute(c->r[i->rd], c->r[i->rs1], (c->r[i->rs2] & 0xffff) * 0x00010001u);
}

/* Bit 25 counts only in immediates. */
#define V_TYPE(f3, f7) 0xfc00707fu, ((uint32_t)(f7) << 25 | (f3) << 12 | 0x57)
#define ONE_OF(name, f3, f7, regs, immediate, run, compute)                                        \
    { name, V_TYPE(f3, f7), regs, immediate, 0, run, compute }
#define ALL_OF(name, f7, d, imm, fn)                                                               \
    ONE_OF(name ".b", 1, f7, d ",a,b", IMM_NONE, run_registers, fn##_b),                           \
        ONE_OF(name ".h", 0, f7, d ",a,b", IMM_NONE, run_registers, fn##_h),                       \
        ONE_OF(name ".sc.b", 5, f7, d ",a,b", IMM_NONE, run_scalar_b, fn##_b),                     \
        ONE_OF(name ".sc.h", 4, f7, d ",a,b", IMM_NONE, run_scalar_h, fn##_h),                     \
        ONE_OF(name ".sci.b", 7, f7, d ",a,i", imm##_BYTES, run_immediate, fn##_b),                \
        ONE_OF(name ".sci.h", 6, f7, d ",a,i", imm##_HALVES, run_immediate, fn##_h)
#define LOGIC(name, f7, fn)                                                                        \
    ONE_OF(name ".b", 1, f7, "d,a,b", IMM_NONE, run_registers, fn),                                \
        ONE_OF(name ".h", 0, f7, "d,a,b", IMM_NONE, run_registers, fn),                            \
        ONE_OF(name ".sc.b", 5, f7, "d,a,b", IMM_NONE, run_scalar_b, fn),                          \
        ONE_OF(name ".sc.h", 4, f7, "d,a,b", IMM_NONE, run_scalar_h, fn),                          \
        ONE_OF(name ".sci.b", 7, f7, "d,a,i", IMM_SIX_BYTES, run_immediate, fn),                   \
        ONE_OF(name ".sci.h", 6, f7, "d,a,i", IMM_SIX_HALVES, run_immediate, fn)

const op vector_ops[] = {
    ALL_OF("pv.sdotsp", 0x5c, "D", IMM_SIX, sdotsp),
    ALL_OF("pv.dotsp", 0x4c, "d", IMM_SIX, dotsp),
    ALL_OF("pv.dotup", 0x40, "d", IMM_USIX, dotup),
    ALL_OF("pv.dotusp", 0x44, "d", IMM_SIX, dotusp),
    ALL_OF("pv.sdotup", 0x50, "D", IMM_USIX, sdotup),
    ALL_OF("pv.sdotusp", 0x54, "D", IMM_SIX, sdotusp),
    ALL_OF("pv.add", 0x00, "d", IMM_SIX, add),
    ALL_OF("pv.sub", 0x04, "d", IMM_SIX, sub),
    ALL_OF("pv.avg", 0x08, "d", IMM_SIX, avg),
    ALL_OF("pv.avgu", 0x0c, "d", IMM_USIX, avgu),
    ALL_OF("pv.min", 0x10, "d", IMM_SIX, min),
    ALL_OF("pv.minu", 0x14, "d", IMM_USIX, minu),
    ALL_OF("pv.max", 0x18, "d", IMM_SIX, max),
    ALL_OF("pv.maxu", 0x1c, "d", IMM_USIX, maxu),
    ALL_OF("pv.srl", 0x20, "d", IMM_USIX, srl),
    ALL_OF("pv.sra", 0x24, "d", IMM_USIX, sra),
    ALL_OF("pv.sll", 0x28, "d", IMM_USIX, sll),
    LOGIC("pv.or", 0x2c, or_),
    LOGIC("pv.xor", 0x30, xor_),
    LOGIC("pv.and", 0x34, and_),
    ONE_OF("pv.extract.b", 7, 0x3c, "d,a,i", IMM_SIX, run_immediate, extract),
    ONE_OF("pv.extractu.b", 7, 0x48, "d,a,i", IMM_SIX, run_immediate, extractu),
    ONE_OF("pv.insert.b", 7, 0x58, "D,a,i", IMM_SIX, run_immediate, insert),
    ONE_OF("pv.shuffle2.b", 1, 0x64, "D,a,b", IMM_NONE, run_registers, shuffle2_b),
    ONE_OF("pv.shuffle2.h", 0, 0x64, "D,a,b", IMM_NONE, run_registers, shuffle2_h),
    ONE_OF("pv.pack.h", 0, 0x68, "d,a,b", IMM_NONE, run_registers, pack_h),
    ONE_OF("pv.packhi.b", 1, 0x6c, "D,a,b", IMM_NONE, run_registers, packhi_b),
    ONE_OF("pv.packlo.b", 1, 0x70, "D,a,b", IMM_NONE, run_registers, packlo_b),
    END_OF_OPS,
};
