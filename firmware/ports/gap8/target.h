/* Every constant that differs between GAP8 and pulp-open, or that assembler shares. GAP8: its
 * headers in gap_sdk 3.9.1, and runs on the model gapuino_v3; pulp-open: runs on its GVSoC target.
 * No address of a memory is here: the linker script has them. */
#ifndef DPL_TARGET_H
#define DPL_TARGET_H

#ifdef DPL_PULP_OPEN
#define CHIP "pulp-open"
#define BOOT_OFFSET 0x80u /* a core starts at its boot register, GAP8's 0x80 behind it */
#define CSR_COUNTER_EVENTS 0xCC0
#define CSR_COUNTER_MODE 0xCC1
#define DMA_LENGTH_BITS 17 /* MCHAN 7 */
#else
#define CHIP "gap8"
#define BOOT_OFFSET 0u
#define UDMA_GATES 0x1A102780u
#define UART_CHANNEL 4u
#define UART_BASE 0x1A102200u
#define CSR_COUNTER_EVENTS 0x7A0
#define CSR_COUNTER_MODE 0x7A1
#define DMA_LENGTH_BITS 16 /* MCHAN 6 */
#define FC_NEAR 0x1B000800 /* in the FC's own memory, behind its stack; start.S clears it */
#define FC_NEAR_BYTES 128
#endif

#define DPL_MAILBOX_BYTES 32 /* of L1, below the stacks */
#ifndef DPL_FABRIC_HZ        /* one clock */
#define DPL_FABRIC_HZ DPL_CLOCK_HZ
#endif
#define FABRIC_MHZ (DPL_FABRIC_HZ / 1000000u)

#endif
