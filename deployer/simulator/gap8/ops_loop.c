/* Hardware loops. Offsets count half-words from the instruction itself. */
#include "op.h"

static hardware_loop *loop_of(core *c, const insn *i) {
    return &c->loops[i->rd & 1];
}
static uint32_t target(const core *c, uint32_t half_words) {
    return c->pc + 2 * half_words;
}

static void starti(core *c, const insn *i) {
    loop_of(c, i)->start = target(c, (uint32_t)i->imm);
}
static void endi(core *c, const insn *i) {
    loop_of(c, i)->end = target(c, (uint32_t)i->imm);
}
static void count(core *c, const insn *i) {
    loop_of(c, i)->count = c->r[i->rs1];
}
static void counti(core *c, const insn *i) {
    loop_of(c, i)->count = (uint32_t)i->imm;
}

static void setup(core *c, const insn *i) {
    *loop_of(c, i) = (hardware_loop){c->next, target(c, (uint32_t)i->imm), c->r[i->rs1]};
}

static void setupi(core *c, const insn *i) {
    *loop_of(c, i) = (hardware_loop){c->next, target(c, i->rs1), (uint32_t)i->imm};
}

/* The loop's number is the rd field: 0 or 1. */
#define LOOP(name, f3, operands, run)                                                              \
    { name, 0x00007f7fu, ((f3) << 12 | 0x7b), operands, IMM_COUNT, 0, run, 0 }

const op loop_ops[] = {
    LOOP("lp.starti", 0, "l,e", starti),
    LOOP("lp.endi", 1, "l,e", endi),
    LOOP("lp.count", 2, "l,a", count),
    LOOP("lp.counti", 3, "l,i", counti),
    LOOP("lp.setup", 4, "l,a,e", setup),
    LOOP("lp.setupi", 5, "l,i,o", setupi),
    END_OF_OPS,
};
