/* From the instruction word to what the simulator executes: a search through the tables of the
 * instruction set, once for every address that is executed. */
#include "op.h"

#include <stddef.h>
#include <string.h>

static const op *const tables[] = {base_ops,   control_ops, memory_ops,
                                   scalar_ops, vector_ops,  loop_ops};

static const op *find_op(uint32_t word) {
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const op *o = tables[t]; o->name; o++)
            if ((word & o->mask) == o->match)
                return o;
    return NULL;
}

/* Bits high:low of the word, unsigned. */
static uint32_t field(uint32_t word, int high, int low) {
    return word >> low & (uint32_t)((1ull << (high - low + 1)) - 1);
}

static uint32_t sign(uint32_t value, int bits) {
    return (uint32_t)((int32_t)(value << (32 - bits)) >> (32 - bits));
}

static uint32_t branch_offset(uint32_t w) {
    uint32_t bits = field(w, 31, 31) << 12 | field(w, 7, 7) << 11 | field(w, 30, 25) << 5 |
                    field(w, 11, 8) << 1;
    return sign(bits, 13);
}

static uint32_t jump_offset(uint32_t w) {
    uint32_t bits = field(w, 31, 31) << 20 | field(w, 19, 12) << 12 | field(w, 20, 20) << 11 |
                    field(w, 30, 21) << 1;
    return sign(bits, 21);
}

static uint32_t six_bits(uint32_t w) {
    return field(w, 24, 20) << 1 | field(w, 25, 25);
}

static uint32_t immediate_of(enum immediate kind, uint32_t w) {
    switch (kind) {
    case IMM_NONE: return 0;
    case IMM_I: return sign(w >> 20, 12);
    case IMM_S: return sign(field(w, 31, 25) << 5 | field(w, 11, 7), 12);
    case IMM_B: return branch_offset(w);
    case IMM_U: return w & 0xfffff000;
    case IMM_J: return jump_offset(w);
    case IMM_FIELD: return field(w, 24, 20);
    case IMM_BITS: return field(w, 29, 20);
    case IMM_SIX: return six_bits(w);
    case IMM_SIX_BYTES: return (sign(six_bits(w), 6) & 0xff) * 0x01010101u;
    case IMM_SIX_HALVES: return (sign(six_bits(w), 6) & 0xffff) * 0x00010001u;
    case IMM_USIX_BYTES: return six_bits(w) * 0x01010101u;
    case IMM_USIX_HALVES: return six_bits(w) * 0x00010001u;
    case IMM_SHIFT: return field(w, 29, 25);
    case IMM_COUNT: return w >> 20;
    }
    return 0;
}

static uint32_t registers_read(const op *o, const insn *i) {
    uint32_t reads = 0;
    if (strchr(o->operands, 'a'))
        reads |= 1u << i->rs1;
    if (strchr(o->operands, 'b'))
        reads |= 1u << i->rs2;
    if (strchr(o->operands, 'D') || strchr(o->operands, 'c'))
        reads |= 1u << i->rd;
    return reads & ~1u;
}

/* Decodes a word of four bytes or, when its low bits say so, the two bytes of a compressed one. */
bool decode(insn *out, uint32_t word) {
    bool compressed = (word & 3) != 3;
    uint32_t w = compressed ? expand_compressed(word & 0xffff) : word;
    const op *o = find_op(w);
    if (!o)
        return false;
    *out = (insn){
        .run = o->run,
        .compute = o->compute,
        .op = o,
        .imm = (int32_t)immediate_of(o->immediate, w),
        .rd = (uint8_t)field(w, 11, 7),
        .rs1 = (uint8_t)field(w, 19, 15),
        .rs2 = (uint8_t)field(w, 24, 20),
        .size = compressed ? 2 : 4,
        .late = o->flags & LATE,
    };
    out->reads = registers_read(o, out);
    return true;
}
