/* XpulpV2 on whole registers: multiply-accumulate, clip, bits, shifted sums and products. */
#include "op.h"

static uint32_t smaller(int32_t a, int32_t b) {
    return (uint32_t)(a < b ? a : b);
}
static uint32_t larger(int32_t a, int32_t b) {
    return (uint32_t)(a > b ? a : b);
}

static uint32_t within(int32_t x, int32_t low, int32_t high) {
    return (uint32_t)(x <= low ? low : x >= high ? high : x);
}

static uint32_t sign_extend(uint32_t value, uint32_t bits) {
    return (uint32_t)((int32_t)(value << (32 - bits)) >> (32 - bits));
}

/* Bit fields are stated as (length - 1) << 5 | position. */
static uint32_t length_of(uint32_t field) {
    return (field >> 5 & 31) + 1;
}
static uint32_t field_mask(uint32_t field) {
    return UINT32_MAX >> (32 - length_of(field));
}
static uint32_t at_field(uint32_t value, uint32_t field) {
    return value << (field & 31);
}
static uint32_t from_field(uint32_t value, uint32_t field) {
    return value >> (field & 31) & field_mask(field);
}

static uint32_t leading(uint32_t a) {
    return a == 0 ? 0 : (uint32_t)__builtin_clrsb((int32_t)a);
}

/* Half of what a shift to the right drops. */
static uint32_t half(uint32_t shift) {
    return shift == 0 ? 0 : 1u << (shift - 1);
}
static uint32_t low_product(uint32_t a, uint32_t b) {
    return (uint32_t)((int32_t)(int16_t)a * (int16_t)b);
}

COMPUTE(mac, d + a * b)
COMPUTE(msu, d - a * b)
COMPUTE(min_, smaller((int32_t)a, (int32_t)b))
COMPUTE(minu, a < b ? a : b)
COMPUTE(max_, larger((int32_t)a, (int32_t)b))
COMPUTE(maxu, a > b ? a : b)
COMPUTE(abs_, (int32_t)a < 0 ? 0 - a : a)
COMPUTE(clip_to, within((int32_t)a, (int32_t)(~b), (int32_t)b))
COMPUTE(clipu_to, within((int32_t)a, 0, (int32_t)b))
COMPUTE(clip, clip_to(0, a, b == 0 ? 0 : (1u << (b - 1)) - 1))
COMPUTE(clipu, clipu_to(0, a, b == 0 ? 0 : (1u << (b - 1)) - 1))
COMPUTE(ff1, a == 0 ? 32 : (uint32_t)__builtin_ctz(a))
COMPUTE(fl1, a == 0 ? 32 : 31 - (uint32_t)__builtin_clz(a))
COMPUTE(clb, leading(a))
COMPUTE(cnt, (uint32_t)__builtin_popcount(a))
COMPUTE(exths, sign_extend(a, 16))
COMPUTE(exthz, a & 0xffff)
COMPUTE(extbs, sign_extend(a, 8))
COMPUTE(extbz, a & 0xff)
COMPUTE(extract, sign_extend(from_field(a, b), length_of(b)))
COMPUTE(extractu, from_field(a, b))
COMPUTE(bclr, a & ~at_field(field_mask(b), b))
COMPUTE(bset, a | at_field(field_mask(b), b))
COMPUTE(add_nr, (int32_t)(d + a) >> (b & 31))
COMPUTE(add_rnr, (int32_t)(d + a + half(b & 31)) >> (b & 31))
COMPUTE(sub_nr, (int32_t)(d - a) >> (b & 31))
COMPUTE(sub_rnr, (int32_t)(d - a + half(b & 31)) >> (b & 31))
COMPUTE(insert, (d & ~at_field(field_mask(b), b)) | at_field(a & field_mask(b), b))

/* Three operands and a shift that is part of the instruction. */
#define SHIFTED(name, sum)                                                                         \
    static void name(core *c, const insn *i) {                                                     \
        uint32_t d = c->r[i->rd], a = c->r[i->rs1], b = c->r[i->rs2], s = (uint32_t)i->imm;        \
        (void)d;                                                                                   \
        c->r[i->rd] = (uint32_t)((int32_t)(sum) >> s);                                             \
    }                                                                                              \
    static void name##_rounded(core *c, const insn *i) {                                           \
        uint32_t d = c->r[i->rd], a = c->r[i->rs1], b = c->r[i->rs2], s = (uint32_t)i->imm;        \
        (void)d;                                                                                   \
        c->r[i->rd] = (uint32_t)((int32_t)((sum) + half(s)) >> s);                                 \
    }

SHIFTED(add_n, a + b)
SHIFTED(sub_n, a - b)
SHIFTED(muls_n, low_product(a, b))
SHIFTED(macs_n, d + low_product(a, b))

#define THREE(name, f3, f7, operands, compute)                                                     \
    { name, R_TYPE(0x33, f3, f7), operands, IMM_NONE, 0, run_registers, compute }
#define SHIFTED_BY(name, f3, compute)                                                              \
    { name, R_TYPE(0x5b, f3, 0x20), "D,a,b", IMM_NONE, 0, run_registers, compute }
#define ONE(name, f3, f7, compute)                                                                 \
    { name, UNARY(0x33, f3, f7), "d,a", IMM_NONE, 0, run_registers, compute }
#define BITS(name, f3, operands, compute)                                                          \
    {name, TWO_BITS(0x33, f3, 0x60), operands ",f", IMM_BITS, 0, run_immediate, compute}, {        \
        name "r", R_TYPE(0x33, f3, 0x40), operands ",b", IMM_NONE, 0, run_registers, compute       \
    }
#define SHIFTS(name, f3, f7, operands, run)                                                        \
    {name "N", TWO_BITS(0x5b, f3, f7), operands ",i", IMM_SHIFT, 0, run, 0}, {                     \
        name "RN", TWO_BITS(0x5b, (f3) + 4, f7), operands ",i", IMM_SHIFT, 0, run##_rounded, 0     \
    }

const op scalar_ops[] = {
    THREE("p.mac", 0, 0x21, "D,a,b", mac),
    THREE("p.msu", 1, 0x21, "D,a,b", msu),
    THREE("p.min", 4, 0x02, "d,a,b", min_),
    THREE("p.minu", 5, 0x02, "d,a,b", minu),
    THREE("p.max", 6, 0x02, "d,a,b", max_),
    THREE("p.maxu", 7, 0x02, "d,a,b", maxu),
    ONE("p.abs", 0, 0x02, abs_),
    {"p.clip", R_TYPE(0x33, 1, 0x0a), "d,a,i", IMM_FIELD, 0, run_immediate, clip},
    {"p.clipu", R_TYPE(0x33, 2, 0x0a), "d,a,i", IMM_FIELD, 0, run_immediate, clipu},
    THREE("p.clipr", 5, 0x0a, "d,a,b", clip_to),
    THREE("p.clipur", 6, 0x0a, "d,a,b", clipu_to),
    ONE("p.ff1", 0, 0x08, ff1),
    ONE("p.fl1", 1, 0x08, fl1),
    ONE("p.clb", 2, 0x08, clb),
    ONE("p.cnt", 3, 0x08, cnt),
    ONE("p.exths", 4, 0x08, exths),
    ONE("p.exthz", 5, 0x08, exthz),
    ONE("p.extbs", 6, 0x08, extbs),
    ONE("p.extbz", 7, 0x08, extbz),
    BITS("p.extract", 0, "d,a", extract),
    BITS("p.extractu", 1, "d,a", extractu),
    BITS("p.insert", 2, "D,a", insert),
    BITS("p.bclr", 3, "d,a", bclr),
    BITS("p.bset", 4, "d,a", bset),
    SHIFTS("p.add", 2, 0x00, "d,a,b", add_n),
    SHIFTED_BY("p.addNr", 2, add_nr),
    SHIFTED_BY("p.addRNr", 6, add_rnr),
    SHIFTED_BY("p.subNr", 3, sub_nr),
    SHIFTED_BY("p.subRNr", 7, sub_rnr),
    SHIFTS("p.sub", 3, 0x00, "d,a,b", sub_n),
    SHIFTS("p.muls", 0, 0x40, "d,a,b", muls_n),
    SHIFTS("p.macs", 1, 0x40, "D,a,b", macs_n),
    END_OF_OPS,
};
