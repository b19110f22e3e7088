/* The compressed instructions of RV32C as the words they stand for; 0 (illegal) if there is none.
 */
#include "parts.h"

static uint32_t bits(uint32_t h, int high, int low) {
    return h >> low & ((1u << (high - low + 1)) - 1);
}
static uint32_t bit(uint32_t h, int from, int to) {
    return (h >> from & 1) << to;
}
static uint32_t low_register(uint32_t h, int low) {
    return 8 + bits(h, low + 2, low);
}

static uint32_t i_type(uint32_t opcode, uint32_t f3, uint32_t rd, uint32_t rs1, uint32_t imm) {
    return imm << 20 | rs1 << 15 | f3 << 12 | rd << 7 | opcode;
}
static uint32_t r_type(uint32_t f7, uint32_t f3, uint32_t rd, uint32_t rs1, uint32_t rs2) {
    return f7 << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | rd << 7 | 0x33;
}
static uint32_t store_word(uint32_t rs1, uint32_t rs2, uint32_t imm) {
    return (imm >> 5) << 25 | rs2 << 20 | rs1 << 15 | 2 << 12 | (imm & 31) << 7 | 0x23;
}
static uint32_t branch(uint32_t f3, uint32_t rs1, uint32_t imm) {
    return (imm >> 12 & 1) << 31 | (imm >> 5 & 63) << 25 | rs1 << 15 | f3 << 12 |
           (imm >> 1 & 15) << 8 | (imm >> 11 & 1) << 7 | 0x63;
}
static uint32_t jump(uint32_t rd, uint32_t imm) {
    return (imm >> 20 & 1) << 31 | (imm >> 1 & 0x3ff) << 21 | (imm >> 11 & 1) << 20 |
           (imm >> 12 & 0xff) << 12 | rd << 7 | 0x6f;
}

/* Six bits 12, 6:2, sign-extended to 32. */
static uint32_t signed_six(uint32_t h) {
    return (bits(h, 6, 2) | bit(h, 12, 5)) | (h >> 12 & 1 ? 0xffffffc0u : 0);
}

static uint32_t jump_offset(uint32_t h) {
    uint32_t imm = bit(h, 12, 11) | bit(h, 11, 4) | bits(h, 10, 9) << 8 | bit(h, 8, 10) |
                   bit(h, 7, 6) | bit(h, 6, 7) | bits(h, 5, 3) << 1 | bit(h, 2, 5);
    return imm | (imm & 0x800 ? 0xfffff000u : 0);
}

static uint32_t branch_offset(uint32_t h) {
    uint32_t imm = bit(h, 12, 8) | bits(h, 11, 10) << 3 | bits(h, 6, 5) << 6 | bits(h, 4, 3) << 1 |
                   bit(h, 2, 5);
    return imm | (imm & 0x100 ? 0xfffffe00u : 0);
}

static uint32_t quadrant0(uint32_t h) {
    uint32_t rd = low_register(h, 2), rs1 = low_register(h, 7);
    uint32_t stack = bits(h, 12, 11) << 4 | bits(h, 10, 7) << 6 | bit(h, 6, 2) | bit(h, 5, 3);
    uint32_t word = bits(h, 12, 10) << 3 | bit(h, 6, 2) | bit(h, 5, 6);
    switch (h >> 13) {
    case 0: return stack ? i_type(0x13, 0, rd, 2, stack) : 0;
    case 2: return i_type(0x03, 2, rd, rs1, word);
    case 6: return store_word(rs1, rd, word);
    default: return 0;
    }
}

static uint32_t arithmetic(uint32_t h) {
    static const uint32_t f3[4] = {0, 4, 6, 7}; /* sub, xor, or, and */
    uint32_t rd = low_register(h, 7), rs2 = low_register(h, 2), which = bits(h, 6, 5);
    uint32_t shift = bits(h, 6, 2);
    switch (bits(h, 11, 10)) {
    case 0: return h >> 12 & 1 ? 0 : i_type(0x13, 5, rd, rd, shift);
    case 1: return h >> 12 & 1 ? 0 : i_type(0x13, 5, rd, rd, shift | 0x400);
    case 2: return i_type(0x13, 7, rd, rd, signed_six(h) & 0xfff);
    default: return h >> 12 & 1 ? 0 : r_type(which ? 0 : 0x20, f3[which], rd, rd, rs2);
    }
}

static uint32_t stack_or_upper(uint32_t h, uint32_t rd) {
    uint32_t imm = bit(h, 6, 4) | bit(h, 5, 6) | bits(h, 4, 3) << 7 | bit(h, 2, 5) | bit(h, 12, 9);
    if (signed_six(h) == 0)
        return 0;
    if (rd != 2)
        return signed_six(h) << 12 | rd << 7 | 0x37;
    return i_type(0x13, 0, 2, 2, (imm | (imm & 0x200 ? 0xfffffc00u : 0)) & 0xfff);
}

static uint32_t quadrant1(uint32_t h) {
    uint32_t rd = bits(h, 11, 7), six = signed_six(h) & 0xfff;
    switch (h >> 13) {
    case 0: return i_type(0x13, 0, rd, rd, six);
    case 1: return jump(1, jump_offset(h));
    case 2: return i_type(0x13, 0, rd, 0, six);
    case 3: return stack_or_upper(h, rd);
    case 4: return arithmetic(h);
    case 5: return jump(0, jump_offset(h));
    case 6: return branch(0, low_register(h, 7), branch_offset(h));
    default: return branch(1, low_register(h, 7), branch_offset(h));
    }
}

/* c.jr, c.mv, c.ebreak, c.jalr, c.add */
static uint32_t move_or_jump(uint32_t h) {
    uint32_t rd = bits(h, 11, 7), rs2 = bits(h, 6, 2), link = h >> 12 & 1;
    if (rs2)
        return r_type(0, 0, rd, link ? rd : 0, rs2);
    if (rd)
        return i_type(0x67, 0, link, rd, 0);
    return link ? 0x00100073 : 0;
}

static uint32_t quadrant2(uint32_t h) {
    uint32_t rd = bits(h, 11, 7), rs2 = bits(h, 6, 2);
    uint32_t load = bit(h, 12, 5) | bits(h, 6, 4) << 2 | bits(h, 3, 2) << 6;
    uint32_t store = bits(h, 12, 9) << 2 | bits(h, 8, 7) << 6;
    switch (h >> 13) {
    case 0: return h >> 12 & 1 ? 0 : i_type(0x13, 1, rd, rd, rs2);
    case 2: return rd ? i_type(0x03, 2, rd, 2, load) : 0;
    case 4: return move_or_jump(h);
    case 6: return store_word(2, rs2, store);
    default: return 0;
    }
}

uint32_t expand_compressed(uint32_t half) {
    switch (half & 3) {
    case 0: return quadrant0(half);
    case 1: return quadrant1(half);
    default: return quadrant2(half);
    }
}
