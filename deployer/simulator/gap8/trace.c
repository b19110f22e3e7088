/* One line an instruction: cycle, core, address, mnemonic with operands, what it wrote. */
#include "op.h"

#include <string.h>

static const char *const names[32] = {"zero", "ra", "sp",  "gp",  "tp", "t0", "t1", "t2",
                                      "s0",   "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
                                      "a6",   "a7", "s2",  "s3",  "s4", "s5", "s6", "s7",
                                      "s8",   "s9", "s10", "s11", "t3", "t4", "t5", "t6"};

static void print_operand(FILE *f, char kind, const insn *i, uint32_t pc) {
    switch (kind) {
    case 'd':
    case 'D':
    case 'c': fputs(names[i->rd], f); return;
    case 'a': fputs(names[i->rs1], f); return;
    case 'b': fputs(names[i->rs2], f); return;
    case 'i': fprintf(f, i->op->immediate == IMM_U ? "0x%x" : "%d", i->imm); return;
    case 'f': fprintf(f, "%d,%d", (i->imm >> 5) + 1, i->imm & 31); return;
    case 'l': fprintf(f, "%d", i->rd & 1); return;
    case 'm': fprintf(f, "%d", i->rs1); return;
    case 'n': fprintf(f, "%d", (i->rs2 ^ 16) - 16); return;
    case 'x': fprintf(f, "0x%x", (unsigned)i->imm & 0xfff); return;
    case 't': fprintf(f, "0x%x", pc + (uint32_t)i->imm); return;
    case 'e': fprintf(f, "0x%x", pc + 2 * (uint32_t)i->imm); return;
    case 'o': fprintf(f, "0x%x", pc + 2u * i->rs1); return;
    default: fputc(kind, f);
    }
}

static bool writes(const insn *i, char kind) {
    return strchr(i->op->operands, kind) != NULL;
}

static void print_results(FILE *f, const core *c, const insn *i) {
    if (c->asleep) /* the value comes when it wakes */
        return;
    if ((writes(i, 'd') || writes(i, 'D')) && i->rd)
        fprintf(f, "  %s=%08x", names[i->rd], c->r[i->rd]);
    if (writes(i, '!'))
        fprintf(f, "  %s=%08x", names[i->rs1], c->r[i->rs1]);
    if (writes(i, '('))
        fprintf(f, "  [%08x]", c->touched);
}

void trace_step(core *c, const insn *i, uint32_t pc, uint64_t from) {
    FILE *f = c->machine->trace;
    if (!(c->machine->set.trace_cores >> c->id & 1))
        return;
    fprintf(f, "%10llu %-3s %08x %s ", (unsigned long long)from, core_name(c->id), pc, i->op->name);
    for (const char *o = i->op->operands; *o; o++)
        print_operand(f, *o, i, pc);
    print_results(f, c, i);
    fputc('\n', f);
}
