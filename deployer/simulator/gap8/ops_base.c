/* RV32I arithmetic and RV32M. */
#include "op.h"

COMPUTE(add, a + b)
COMPUTE(sub, a - b)
COMPUTE(sll, a << (b & 31))
COMPUTE(srl, a >> (b & 31))
COMPUTE(sra, (int32_t)a >> (b & 31))
COMPUTE(slt, (int32_t)a < (int32_t)b)
COMPUTE(sltu, a < b)
COMPUTE(exclusive, a ^ b)
COMPUTE(inclusive, a | b)
COMPUTE(both, a &b)
COMPUTE(upper, b)
COMPUTE(mul, a *b)
COMPUTE(mulh, (uint64_t)((int64_t)(int32_t)a *(int32_t)b) >> 32)
COMPUTE(mulhsu, (uint64_t)((int64_t)(int32_t)a *(int64_t)(uint64_t)b) >> 32)
COMPUTE(mulhu, (uint64_t)a *b >> 32)
COMPUTE(divu, b == 0 ? UINT32_MAX : a / b)
COMPUTE(remu, b == 0 ? a : a % b)

static bool overflows(uint32_t a, uint32_t b) {
    return a == 0x80000000u && b == UINT32_MAX;
}

COMPUTE(div_, b == 0 ? UINT32_MAX : overflows(a, b) ? a : (uint32_t)((int32_t)a / (int32_t)b))
COMPUTE(rem, b == 0 ? a : overflows(a, b) ? 0 : (uint32_t)((int32_t)a % (int32_t)b))

void run_registers(core *c, const insn *i) {
    c->r[i->rd] = i->compute(c->r[i->rd], c->r[i->rs1], c->r[i->rs2]);
}

void run_immediate(core *c, const insn *i) {
    c->r[i->rd] = i->compute(c->r[i->rd], c->r[i->rs1], (uint32_t)i->imm);
}

static void auipc(core *c, const insn *i) {
    c->r[i->rd] = c->pc + (uint32_t)i->imm;
}

static void multiply_high(core *c, const insn *i) {
    run_registers(c, i);
    c->now += MULTIPLY_HIGH;
}

static void divide(core *c, const insn *i) {
    run_registers(c, i);
    c->now += DIVIDE;
}

#define IMMEDIATE(name, f3, compute)                                                               \
    { name, I_TYPE(0x13, f3), "d,a,i", IMM_I, 0, run_immediate, compute }
#define SHIFT(name, f3, f7, compute)                                                               \
    { name, R_TYPE(0x13, f3, f7), "d,a,i", IMM_FIELD, 0, run_immediate, compute }
#define REGISTERS(name, f3, f7, compute)                                                           \
    { name, R_TYPE(0x33, f3, f7), "d,a,b", IMM_NONE, 0, run_registers, compute }
#define SLOW(name, f3, run, compute)                                                               \
    { name, R_TYPE(0x33, f3, 1), "d,a,b", IMM_NONE, 0, run, compute }

const op base_ops[] = {
    {"lui", U_TYPE(0x37), "d,i", IMM_U, 0, run_immediate, upper},
    {"auipc", U_TYPE(0x17), "d,i", IMM_U, 0, auipc, 0},
    IMMEDIATE("addi", 0, add),
    IMMEDIATE("slti", 2, slt),
    IMMEDIATE("sltiu", 3, sltu),
    IMMEDIATE("xori", 4, exclusive),
    IMMEDIATE("ori", 6, inclusive),
    IMMEDIATE("andi", 7, both),
    SHIFT("slli", 1, 0x00, sll),
    SHIFT("srli", 5, 0x00, srl),
    SHIFT("srai", 5, 0x20, sra),
    REGISTERS("add", 0, 0x00, add),
    REGISTERS("sub", 0, 0x20, sub),
    REGISTERS("sll", 1, 0x00, sll),
    REGISTERS("slt", 2, 0x00, slt),
    REGISTERS("sltu", 3, 0x00, sltu),
    REGISTERS("xor", 4, 0x00, exclusive),
    REGISTERS("srl", 5, 0x00, srl),
    REGISTERS("sra", 5, 0x20, sra),
    REGISTERS("or", 6, 0x00, inclusive),
    REGISTERS("and", 7, 0x00, both),
    {"mul", R_TYPE(0x33, 0, 1), "d,a,b", IMM_NONE, LATE, run_registers, mul},
    SLOW("mulh", 1, multiply_high, mulh),
    SLOW("mulhsu", 2, multiply_high, mulhsu),
    SLOW("mulhu", 3, multiply_high, mulhu),
    SLOW("div", 4, divide, div_),
    SLOW("divu", 5, divide, divu),
    SLOW("rem", 6, divide, rem),
    SLOW("remu", 7, divide, remu),
    END_OF_OPS,
};
