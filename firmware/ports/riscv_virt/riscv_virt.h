/* The functional twin of the GAP8 cluster: QEMU riscv32 "virt" with eight harts. Addresses are
 * those of QEMU's hw/riscv/virt.c; CLINT and PLIC as in SiFive's FU540 manual, the UART is a 16550.
 */
#ifndef DPL_RISCV_VIRT_H
#define DPL_RISCV_VIRT_H

#include <stdint.h>

#define DPL_REG(address) (*(volatile uint32_t *)(address))
#define DPL_REG8(address) (*(volatile uint8_t *)(address))

#define TEST_DEVICE DPL_REG(0x00100000)
#define TEST_PASS 0x5555u
#define TEST_FAIL 0x3333u /* with the status in the upper half */

#define CLINT_MSIP(hart) DPL_REG(0x02000000 + 4 * (hart))
#define CLINT_MTIMECMP_LOW DPL_REG(0x02004000) /* of hart 0 */
#define CLINT_MTIMECMP_HIGH DPL_REG(0x02004004)
#define CLINT_MTIME_LOW DPL_REG(0x0200BFF8)
#define CLINT_MTIME_HIGH DPL_REG(0x0200BFFC)
#define MTIME_PER_US (DPL_CLOCK_HZ / 1000000u)

/* Context 0 is machine mode of hart 0. */
#define PLIC_PRIORITY(source) DPL_REG(0x0C000000 + 4 * (source))
#define PLIC_ENABLE DPL_REG(0x0C002000)
#define PLIC_THRESHOLD DPL_REG(0x0C200000)
#define PLIC_CLAIM DPL_REG(0x0C200004) /* read: claim, write: complete */
#define IRQ_UART 10u

#define UART_DATA DPL_REG8(0x10000000)
#define UART_IER DPL_REG8(0x10000001)
#define UART_FCR DPL_REG8(0x10000002)
#define UART_LSR DPL_REG8(0x10000005)
#define UART_LSR_RX 0x01u
#define UART_LSR_TX_EMPTY 0x20u
#define UART_IER_RX 0x01u
#define UART_FCR_FIFO 0x07u /* enable and clear both */

#define MIE_SOFTWARE (1u << 3)
#define MIE_TIMER (1u << 7)
#define MIE_EXTERNAL (1u << 11)

#define csr_read(name)                                                                             \
    ({                                                                                             \
        uint32_t value_;                                                                           \
        __asm__ volatile("csrr %0, " #name : "=r"(value_)::"memory");                              \
        value_;                                                                                    \
    })
#define csr_write(name, value) __asm__ volatile("csrw " #name ", %0" ::"r"(value) : "memory")

/* Sleeps until one of the interrupts is pending; none is ever taken (mstatus.MIE stays clear). */
static inline void dpl_sleep(uint32_t interrupts) {
    csr_write(mie, interrupts);
    __asm__ volatile("wfi" ::: "memory");
}

void dpl_console_start(void);
void dpl_counter_start(void);
const char *dpl_counter_per(void); /* counts an instruction, NULL when it is not constant */
void dpl_protect(void);            /* this hart may touch nothing but the board's memories */

/* A hart's share of the stack: its lowest words are a canary, checked after every step. A no-access
 * region would be surer, but QEMU takes its slow path for every access to the page it is in. */
enum { DPL_CANARY_WORDS = 8 };
uint32_t *dpl_stack_of(uint32_t hart); /* the low end */
uint32_t dpl_stack_share(void);        /* bytes, the canary's included */
void dpl_guard_stack(uint32_t hart);

void dpl_die(const char *why) __attribute__((noreturn));

#endif
