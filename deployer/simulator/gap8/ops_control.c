/* Branches, jumps, control and status registers, and what stops a core. */
#include "op.h"

static void branch(core *c, const insn *i, bool taken) {
    c->counts[BRANCHES]++;
    if (!taken)
        return;
    c->counts[TAKEN]++;
    c->next = c->pc + (uint32_t)i->imm;
    c->now += TAKEN_BRANCH;
}

#define BRANCH(name, condition)                                                                    \
    static void name(core *c, const insn *i) {                                                     \
        uint32_t a = c->r[i->rs1], b = c->r[i->rs2];                                               \
        branch(c, i, condition);                                                                   \
    }

BRANCH(beq, a == b)
BRANCH(bne, a != b)
BRANCH(blt, (int32_t)a < (int32_t)b)
BRANCH(bge, (int32_t)a >= (int32_t)b)
BRANCH(bltu, a < b)
BRANCH(bgeu, a >= b)

/* The rs2 field as a signed constant of five bits. */
static uint32_t constant(const insn *i) {
    return (uint32_t)((i->rs2 ^ 16) - 16);
}

static void beqimm(core *c, const insn *i) {
    branch(c, i, c->r[i->rs1] == constant(i));
}
static void bneimm(core *c, const insn *i) {
    branch(c, i, c->r[i->rs1] != constant(i));
}

static void jump(core *c, uint32_t link, uint32_t target) {
    c->r[link] = c->next;
    c->next = target;
    c->now += JUMP;
    c->counts[JUMPS]++;
    c->counts[JUMP_STALLS] += JUMP;
}

static void jal(core *c, const insn *i) {
    jump(c, i->rd, c->pc + (uint32_t)i->imm);
}

static void jalr(core *c, const insn *i) {
    jump(c, i->rd, (c->r[i->rs1] + (uint32_t)i->imm) & ~1u);
}

static void nothing(core *c, const insn *i) {
    (void)c, (void)i;
}

static void environment(core *c, const insn *i) {
    fault(c, "%s: no environment and no debugger to call", i->op->name);
}

static void wait_for_interrupt(core *c, const insn *i) {
    (void)i;
    c->asleep = true;
    c->asleep_since = c->now;
    c->wakes_into = 0;
    c->wakes_clear = false;
}

static void return_from_trap(core *c, const insn *i) {
    (void)i;
    jump(c, 0, c->mepc);
}

enum csr_operation { CSR_WRITE, CSR_SET, CSR_CLEAR };

static void csr(core *c, const insn *i, enum csr_operation how, uint32_t operand) {
    uint32_t number = (uint32_t)i->imm & 0xfff;
    bool writes = how == CSR_WRITE || i->rs1 != 0;
    uint32_t old = read_csr(c, number);
    if (writes)
        write_csr(c, number,
                  how == CSR_WRITE ? operand
                  : how == CSR_SET ? old | operand
                                   : old & ~operand);
    c->r[i->rd] = old;
}

static void csrrw(core *c, const insn *i) {
    csr(c, i, CSR_WRITE, c->r[i->rs1]);
}
static void csrrs(core *c, const insn *i) {
    csr(c, i, CSR_SET, c->r[i->rs1]);
}
static void csrrc(core *c, const insn *i) {
    csr(c, i, CSR_CLEAR, c->r[i->rs1]);
}
static void csrrwi(core *c, const insn *i) {
    csr(c, i, CSR_WRITE, i->rs1);
}
static void csrrsi(core *c, const insn *i) {
    csr(c, i, CSR_SET, i->rs1);
}
static void csrrci(core *c, const insn *i) {
    csr(c, i, CSR_CLEAR, i->rs1);
}

#define BRANCHES_IF(name, f3, run)                                                                 \
    { name, I_TYPE(0x63, f3), "a,b,t", IMM_B, 0, run, 0 }
#define STATUS(name, f3, operands, run)                                                            \
    { name, I_TYPE(0x73, f3), operands, IMM_COUNT, 0, run, 0 }
#define WHOLE(word) 0xffffffffu, (word)

const op control_ops[] = {
    BRANCHES_IF("beq", 0, beq),
    BRANCHES_IF("bne", 1, bne),
    BRANCHES_IF("blt", 4, blt),
    BRANCHES_IF("bge", 5, bge),
    BRANCHES_IF("bltu", 6, bltu),
    BRANCHES_IF("bgeu", 7, bgeu),
    {"p.beqimm", I_TYPE(0x63, 2), "a,n,t", IMM_B, 0, beqimm, 0},
    {"p.bneimm", I_TYPE(0x63, 3), "a,n,t", IMM_B, 0, bneimm, 0},
    {"jal", U_TYPE(0x6f), "d,t", IMM_J, 0, jal, 0},
    {"jalr", I_TYPE(0x67, 0), "d,i(a)", IMM_I, 0, jalr, 0},
    {"fence", I_TYPE(0x0f, 0), "", IMM_NONE, 0, nothing, 0},
    {"fence.i", I_TYPE(0x0f, 1), "", IMM_NONE, 0, nothing, 0},
    {"ecall", WHOLE(0x00000073), "", IMM_NONE, 0, environment, 0},
    {"ebreak", WHOLE(0x00100073), "", IMM_NONE, 0, environment, 0},
    {"mret", WHOLE(0x30200073), "", IMM_NONE, 0, return_from_trap, 0},
    {"wfi", WHOLE(0x10500073), "", IMM_NONE, 0, wait_for_interrupt, 0},
    STATUS("csrrw", 1, "d,x,a", csrrw),
    STATUS("csrrs", 2, "d,x,a", csrrs),
    STATUS("csrrc", 3, "d,x,a", csrrc),
    STATUS("csrrwi", 5, "d,x,m", csrrwi),
    STATUS("csrrsi", 6, "d,x,m", csrrsi),
    STATUS("csrrci", 7, "d,x,m", csrrci),
    END_OF_OPS,
};
