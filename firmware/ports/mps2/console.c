/* UART0 and the wait for it: WFI with interrupts masked wakes on a pending one and never enters a
 * handler. Asleep, QEMU uses no host time and under -icount counts no instruction. */
#include <stdbool.h>

#include "dpl_port.h"
#include "mps2.h"

static void stop_timer(void) {
    TIMER_CTRL(TIMER1) = 0;
    TIMER_INT(TIMER1) = 1;
}

static void start_timer(uint32_t microseconds) {
    stop_timer();
    TIMER_RELOAD(TIMER1) = microseconds * (DPL_CLOCK_HZ / 1000000);
    TIMER_VALUE(TIMER1) = microseconds * (DPL_CLOCK_HZ / 1000000);
    TIMER_CTRL(TIMER1) = TIMER_ENABLE | TIMER_INT_ENABLE;
}

/* The interrupt is taken back before the look, so that a byte after it raises a new edge. */
static bool byte_there(void) {
    UART_INT = UART_RX_INT;
    NVIC_ICPR(0) = 1u << IRQ_UART0_RX | 1u << IRQ_TIMER1;
    return UART_STATE & UART_RX_FULL;
}

void dpl_console_start(void) {
    __asm__ volatile("cpsid i" ::: "memory");
    UART_BAUDDIV = 16; /* the least; QEMU takes no time to send */
    UART_CTRL = UART_TX_ENABLE | UART_RX_ENABLE | UART_RX_INT_ENABLE;
    NVIC_ISER(0) = 1u << IRQ_UART0_RX | 1u << IRQ_TIMER1;
}

static bool wait_for_byte(uint32_t limit_us) {
    if (limit_us > 0) {
        start_timer(limit_us);
    }
    while (!byte_there()) {
        if (limit_us > 0 && TIMER_INT(TIMER1)) {
            return false;
        }
        __asm__ volatile("wfi" ::: "memory");
    }
    return true;
}

int dpl_port_getc(uint32_t limit_us) {
    if (!(UART_STATE & UART_RX_FULL)) {
        bool there = wait_for_byte(limit_us);
        stop_timer();
        if (!there) {
            return DPL_TIMEOUT;
        }
    }
    return (int)(UART_DATA & 0xFF);
}

void dpl_port_putc(char c) {
    while (UART_STATE & UART_TX_FULL) {
    }
    UART_DATA = (uint8_t)c;
}

void dpl_port_flush(void) {}
