/* An instruction of the instruction set, as the decoder and the disassembler take it. */
#ifndef GAP8_OP_H
#define GAP8_OP_H

#include "parts.h"

enum immediate {
    IMM_NONE,
    IMM_I,
    IMM_S,
    IMM_B,
    IMM_U,
    IMM_J,
    IMM_FIELD,       /* the rs2 field, unsigned */
    IMM_BITS,        /* 29:20: length - 1, position */
    IMM_SIX,         /* the rs2 field and bit 25 below it, unsigned */
    IMM_SIX_BYTES,   /* the same, signed, in every byte */
    IMM_SIX_HALVES,  /* the same, signed, in both halves */
    IMM_USIX_BYTES,  /* unsigned */
    IMM_USIX_HALVES, /* unsigned */
    IMM_SHIFT,       /* 29:25 */
    IMM_COUNT,       /* 31:20, unsigned */
};

enum flag { LATE = 1 };

struct op {
    const char *name;
    uint32_t mask, match;
    /* How operands print and which are read: d destination, D destination that is also read,
     * c the destination field as a source, a and b the sources, i the immediate, t a target. */
    const char *operands;
    enum immediate immediate;
    int flags;
    run_fn *run;
    compute_fn *compute;
};

extern const op base_ops[], control_ops[], memory_ops[], scalar_ops[], vector_ops[], loop_ops[];

run_fn run_registers; /* rd = compute(rd, rs1, rs2) */
run_fn run_immediate; /* rd = compute(rd, rs1, imm) */

#define R_TYPE(opcode, f3, f7) 0xfe00707fu, ((uint32_t)(f7) << 25 | (f3) << 12 | (opcode))
#define UNARY(opcode, f3, f7) 0xfff0707fu, ((uint32_t)(f7) << 25 | (f3) << 12 | (opcode))
#define TWO_BITS(opcode, f3, f7) 0xc000707fu, ((uint32_t)(f7) << 25 | (f3) << 12 | (opcode))
#define I_TYPE(opcode, f3) 0x0000707fu, ((f3) << 12 | (opcode))
#define U_TYPE(opcode) 0x0000007fu, (opcode)
#define END_OF_OPS                                                                                 \
    { 0 }

/* A pure computation of the old destination d and the operands a and b. */
#define COMPUTE(name, ...)                                                                         \
    static uint32_t name(uint32_t d, uint32_t a, uint32_t b) {                                     \
        (void)d, (void)a, (void)b;                                                                 \
        return (uint32_t)(__VA_ARGS__);                                                            \
    }

#endif
