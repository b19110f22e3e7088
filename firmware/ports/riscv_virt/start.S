/* Every hart enters here with a share of the stack memory, hart 0 at its top. */
#ifndef DPL_CORES
#error "the board file gives the number of cores"
#endif

    .section .dpl_vectors, "ax"
    .globl dpl_start
dpl_start:
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    csrw mie, zero
    la t0, dpl_trap_entry
    csrw mtvec, t0
    la sp, dpl_stack_high
    la t1, dpl_stack_low
    sub t1, sp, t1
    li t2, DPL_CORES
    divu t1, t1, t2
    andi t1, t1, -16
    csrr t0, mhartid
    mul t1, t1, t0
    sub sp, sp, t1
    bnez t0, 1f
    call dpl_first_hart
1:  call dpl_worker

    .section .text.dpl_trap_entry, "ax"
    .balign 4
dpl_trap_entry:
    la sp, dpl_trap_stack_end
    call dpl_trap

    .bss
    .balign 16
    .space 512
dpl_trap_stack_end:
