/* Loads and stores: RV32I and the forms of XpulpV2 that add registers or move the base. */
#include "op.h"

static uint32_t as_i8(uint32_t v) {
    return (uint32_t)(int32_t)(int8_t)v;
}
static uint32_t as_i16(uint32_t v) {
    return (uint32_t)(int32_t)(int16_t)v;
}
static uint32_t as_it_is(uint32_t v) {
    return v;
}

/* Loads of one width: at rs1 + imm; post-increment by imm; by a register; at rs1 + rs2. The base
 * is written first: where it is the destination too, the loaded value stays. */
#define LOAD(name, bytes, extend)                                                                  \
    static void name(core *c, const insn *i) {                                                     \
        c->r[i->rd] = extend(bus_load(c, c->r[i->rs1] + (uint32_t)i->imm, bytes));                 \
    }                                                                                              \
    static void name##_post(core *c, const insn *i) {                                              \
        uint32_t value = extend(bus_load(c, c->r[i->rs1], bytes));                                 \
        c->r[i->rs1] += (uint32_t)i->imm;                                                          \
        c->r[i->rd] = value;                                                                       \
    }                                                                                              \
    static void name##_post_register(core *c, const insn *i) {                                     \
        uint32_t value = extend(bus_load(c, c->r[i->rs1], bytes));                                 \
        c->r[i->rs1] += c->r[i->rs2];                                                              \
        c->r[i->rd] = value;                                                                       \
    }                                                                                              \
    static void name##_register(core *c, const insn *i) {                                          \
        c->r[i->rd] = extend(bus_load(c, c->r[i->rs1] + c->r[i->rs2], bytes));                     \
    }

LOAD(lb, 1, as_i8)
LOAD(lh, 2, as_i16)
LOAD(lw, 4, as_it_is)
LOAD(lbu, 1, as_it_is)
LOAD(lhu, 2, as_it_is)

#define STORE(name, bytes)                                                                         \
    static void name(core *c, const insn *i) {                                                     \
        bus_store(c, c->r[i->rs1] + (uint32_t)i->imm, c->r[i->rs2], bytes);                        \
    }                                                                                              \
    static void name##_post(core *c, const insn *i) {                                              \
        bus_store(c, c->r[i->rs1], c->r[i->rs2], bytes);                                           \
        c->r[i->rs1] += (uint32_t)i->imm;                                                          \
    }                                                                                              \
    static void name##_post_register(core *c, const insn *i) {                                     \
        bus_store(c, c->r[i->rs1], c->r[i->rs2], bytes);                                           \
        c->r[i->rs1] += c->r[i->rd];                                                               \
    }

STORE(sb, 1)
STORE(sh, 2)
STORE(sw, 4)

enum { EVENT_UNIT = 0x204000 };

static void elw(core *c, const insn *i) {
    uint32_t address = c->r[i->rs1] + (uint32_t)i->imm;
    uint32_t offset = (address >= L1_BASE ? address - L1_BASE : address) - EVENT_UNIT;
    if (c->id == FC || offset >= 0x400)
        fault(c, "p.elw at 0x%08x: only cluster cores sleep, and on their event unit", address);
    c->touched = address;
    events_wait(c, offset, i->rd);
}

#define LOADS_OF(name, f3, f7, run)                                                                \
    {name, I_TYPE(0x03, f3), "d,i(a)", IMM_I, LATE, run, 0},                                       \
        {"p." name, I_TYPE(0x0b, f3), "d,i(a!)", IMM_I, LATE, run##_post, 0},                      \
        {"p." name, R_TYPE(0x0b, 7, f7), "d,b(a!)", IMM_NONE, LATE, run##_post_register, 0}, {     \
        "p." name, R_TYPE(0x03, 7, f7), "d,b(a)", IMM_NONE, LATE, run##_register, 0                \
    }

#define STORES_OF(name, f3, run)                                                                   \
    {name, I_TYPE(0x23, f3), "b,i(a)", IMM_S, 0, run, 0},                                          \
        {"p." name, I_TYPE(0x2b, f3), "b,i(a!)", IMM_S, 0, run##_post, 0}, {                       \
        "p." name, R_TYPE(0x2b, (f3) + 4, 0), "b,c(a!)", IMM_NONE, 0, run##_post_register, 0       \
    }

const op memory_ops[] = {
    LOADS_OF("lb", 0, 0x00, lb),
    LOADS_OF("lh", 1, 0x08, lh),
    LOADS_OF("lw", 2, 0x10, lw),
    LOADS_OF("lbu", 4, 0x20, lbu),
    LOADS_OF("lhu", 5, 0x28, lhu),
    STORES_OF("sb", 0, sb),
    STORES_OF("sh", 1, sh),
    STORES_OF("sw", 2, sw),
    {"p.elw", I_TYPE(0x03, 6), "d,i(a)", IMM_I, 0, elw, 0},
    END_OF_OPS,
};
