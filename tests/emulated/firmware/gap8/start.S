/* Start-up of test programs: the fabric controller calls main() and exits with what it returns,
 * a cluster core calls cluster(core) and sleeps when that returns. Cluster cores start 0x80 behind
 * the boot address. */
    .section .vectors, "ax"
    .option norvc
    .globl vectors
vectors:
    .rept 32
    j stop
    .endr
    j _start
stop:
    ebreak

    .text
    .globl _start
    .weak cluster
_start:
    csrr a0, mhartid
    srli t0, a0, 5
    andi a0, a0, 31
    bnez t0, controller
    la sp, __l1_stacks
    addi t0, a0, 1
    slli t0, t0, 10
    add sp, sp, t0
    call cluster
1:  wfi
    j 1b
controller:
    la sp, __fc_stack_top
    la t0, __bss_start
    la t1, __bss_end
2:  bgeu t0, t1, 3f
    sw zero, 0(t0)
    addi t0, t0, 4
    j 2b
3:  call main
    li t0, 0x1A1040A0
    lui t1, 0x80000
    or a0, a0, t1
    sw a0, 0(t0)
4:  j 4b
cluster:
    ret
