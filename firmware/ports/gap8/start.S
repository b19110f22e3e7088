/* The table of vectors, aligned to 256 bytes; slot 32 is where the FC and, 0x80 behind what their
 * boot registers say, the cluster's cores begin. */
#include "target.h"

#ifndef DPL_CORES
#error "the board file gives the number of cores"
#endif

    .section .dpl_vectors, "ax"
    .option push
    .option norvc
    .globl dpl_vectors
dpl_vectors:
    .rept 32 /* interrupts: none is enabled */
    j dpl_trap_entry
    .endr
    .globl dpl_start
dpl_start:
    j dpl_begin
    .rept 3 /* illegal instruction, environment call, access to nothing */
    j dpl_trap_entry
    .endr
    .option pop

    .section .text.dpl_begin, "ax"
dpl_begin:
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    csrw mstatus, zero
    la t0, dpl_vectors
    csrw mtvec, t0
    csrr a0, mhartid
    srli t0, a0, 5 /* cluster 0 is the cluster */
    andi a0, a0, 31
    beqz t0, 1f
    la sp, dpl_fc_stack_end
    la t0, dpl_bss_start
    la t1, dpl_bss_end
2:  bgeu t0, t1, 3f
    sw zero, 0(t0)
    addi t0, t0, 4
    j 2b
3:
#ifdef FC_NEAR
    li t0, FC_NEAR
    li t1, FC_NEAR + FC_NEAR_BYTES
5:  sw zero, 0(t0)
    addi t0, t0, 4
    bltu t0, t1, 5b
#endif
    call main
4:  j 4b
1:  la sp, dpl_stack_high /* core 0 on top */
    la t1, dpl_stack_low
    sub t1, sp, t1
    addi t1, t1, -DPL_MAILBOX_BYTES
    li t2, DPL_CORES
    divu t1, t1, t2
    andi t1, t1, -16
    mul t1, t1, a0
    sub sp, sp, t1
    call dpl_cluster_core

    .section .text.dpl_trap_entry, "ax"
    .balign 4
dpl_trap_entry:
    la sp, dpl_trap_stack_end
    call dpl_trap

    .bss
    .balign 16
    .globl dpl_fc_stack
#ifdef DPL_PULP_OPEN
dpl_fc_stack:
    .space 1024
dpl_fc_stack_end:
#else /* in the FC's own memory, a cycle away; the boot loader, whose stack was there, is done */
    .set dpl_fc_stack, 0x1B000000
    .set dpl_fc_stack_end, 0x1B000800
#endif
    .space 256
dpl_trap_stack_end:
