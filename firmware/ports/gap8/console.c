/* The UART, 8N1, which only the uDMA feeds: text leaves a line at a time, a byte at a time
 * comes in. Registers: udma_uart_v1.h of gap_sdk. */
#ifndef DPL_PULP_OPEN
#include "dpl_port.h"
#include "gap8.h"

#define UART_RX ((dpl_udma *)UART_BASE)
#define UART_TX ((dpl_udma *)(UART_BASE + 0x10))
#define UART_SETUP DPL_REG(UART_BASE + 0x24)
#define SETUP_8_BITS (3u << 1)
#define SETUP_TX (1u << 8)
#define SETUP_RX (1u << 9)
#define SETUP_DIVIDER(value) ((value) << 16)
#define SEND_LOOKS 4000000u /* of several cycles: a whole line takes 22 ms, 4 M cycles */

/* A runner may find the mark in the image and change the rate behind it, for a faster line. */
static const volatile struct {
    char mark[8];
    uint32_t baud;
} rate = {"DPLBAUD", DPL_BAUD};

static uint8_t line[256];
static uint32_t filled;
static volatile uint8_t received;

/* A transfer is always under way, so that no byte comes unasked. */
static void receive_next(void) {
    UART_RX->address = (uint32_t)&received;
    UART_RX->bytes = 1;
    UART_RX->control = UDMA_START;
}

void dpl_console_start(void) {
    uint32_t baud = rate.baud;
    uint32_t divider = (DPL_FABRIC_HZ + baud / 2) / baud - 1; /* it counts from 0 to the divider */
    DPL_REG(UDMA_GATES) |= 1u << UART_CHANNEL;
    UART_SETUP = SETUP_8_BITS | SETUP_TX | SETUP_RX | SETUP_DIVIDER(divider);
    receive_next();
}

void dpl_console_awaken(void) {
    if (!(DPL_REG(UDMA_GATES) & 1u << UART_CHANNEL)) {
        dpl_console_start();
    }
}

int dpl_port_getc(uint32_t limit_us) {
    uint64_t end = dpl_cycles() + (uint64_t)limit_us * FABRIC_MHZ;
    while (UART_RX->control & UDMA_BUSY) {
        uint64_t now = dpl_cycles();
        if (limit_us > 0 && now >= end) {
            return DPL_TIMEOUT;
        }
    }
    uint8_t byte = received;
    receive_next();
    return byte;
}

void dpl_port_putc(char c) {
    line[filled++] = (uint8_t)c;
    if (filled == sizeof line) {
        dpl_port_flush();
    }
}

/* The text is on its way when this returns; the buffer may be filled again. A line that does not
 * move loses it. */
void dpl_port_flush(void) {
    if (filled == 0) {
        return;
    }
    UART_TX->address = (uint32_t)line;
    UART_TX->bytes = filled;
    UART_TX->control = UDMA_START;
    for (uint32_t i = 0; i < SEND_LOOKS && UART_TX->control & UDMA_BUSY; i++) {
    }
    filled = 0;
}
#endif
