/* The UART and the wait for it, asleep until a byte or the time limit is there. */
#include <stdbool.h>

#include "dpl_port.h"
#include "riscv_virt.h"

void dpl_console_start(void) {
    UART_FCR = UART_FCR_FIFO;
    UART_IER = UART_IER_RX;
    PLIC_PRIORITY(IRQ_UART) = 1;
    PLIC_ENABLE = 1u << IRQ_UART;
    PLIC_THRESHOLD = 0;
}

static uint64_t mtime(void) {
    uint32_t high, low;
    do {
        high = CLINT_MTIME_HIGH;
        low = CLINT_MTIME_LOW;
    } while (high != CLINT_MTIME_HIGH);
    return (uint64_t)high << 32 | low;
}

uint64_t dpl_port_microseconds(void) {
    return mtime() / MTIME_PER_US;
}

static void set_alarm(uint64_t at) {
    CLINT_MTIMECMP_HIGH = UINT32_MAX; /* no early match between the two writes */
    CLINT_MTIMECMP_LOW = (uint32_t)at;
    CLINT_MTIMECMP_HIGH = (uint32_t)(at >> 32);
}

static bool byte_there(void) {
    return UART_LSR & UART_LSR_RX;
}

static bool wait_for_byte(uint32_t limit_us) {
    uint64_t end = mtime() + (uint64_t)limit_us * MTIME_PER_US;
    set_alarm(end);
    while (!byte_there()) {
        if (limit_us > 0 && mtime() >= end) {
            return false;
        }
        dpl_sleep(limit_us > 0 ? MIE_EXTERNAL | MIE_TIMER : MIE_EXTERNAL);
        PLIC_CLAIM = PLIC_CLAIM;
    }
    return true;
}

int dpl_port_getc(uint32_t limit_us) {
    return byte_there() || wait_for_byte(limit_us) ? UART_DATA : DPL_TIMEOUT;
}

void dpl_port_putc(char c) {
    while (!(UART_LSR & UART_LSR_TX_EMPTY)) {
    }
    UART_DATA = (uint8_t)c;
}

void dpl_port_flush(void) {}
