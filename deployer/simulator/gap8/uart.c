/* The UART through its uDMA channel, on the simulator's stdin and stdout. The line takes no time:
 * text is out when its transfer starts; a transfer in is done when all its bytes are there.
 *
 * A program that polls for input while nothing else goes on waits for the host: simulated time then
 * passes as the wall clock does, in steps. */
#include "parts.h"

#include <poll.h>
#include <string.h>
#include <unistd.h>

enum offset {
    RX = 0x00,
    TX = 0x10,
    STATUS = 0x20,
    SETUP = 0x24,
};
enum side { ADDRESS = 0x0, BYTES = 0x4, CONFIG = 0x8 };
enum { START = 1 << 4, BUSY = 1 << 4, WAITING = 1 << 5, AT_ONCE = 2 };
enum { RECEIVING = 1 << 1, ENABLE_TX = 1 << 8, ENABLE_RX = 1 << 9 };
enum { GATES = 0x2780 / 4, GATE = 1 << 4 };
enum { STEP_MS = 24, STEP = STEP_MS * 175000 }; /* cycles of a wait, at 175 MHz */

/* Bytes that have come go to the transfers that wait for them. How often a program asked for them
 * is the host's doing: its cache is as after reset then, so that what follows takes the same
 * cycles. */
static void deliver(machine *m) {
    uart *u = &m->uart;
    while (u->queued && u->held >= u->queue[0].bytes) {
        uart_transfer t = u->queue[0];
        memcpy(plain_memory(m, t.l2, t.bytes), u->text, t.bytes);
        clear_cache(&m->fc_cache);
        forget_code(m, t.l2, t.bytes);
        u->held -= t.bytes;
        memmove(u->text, u->text + t.bytes, u->held);
        u->queue[0] = u->queue[1];
        u->queued--;
    }
}

/* True when something came, or the input has ended. */
static bool listen(uart *u, int milliseconds) {
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    if (u->ended || u->held == sizeof u->text || poll(&input, 1, milliseconds) <= 0)
        return u->ended;
    ssize_t count = read(STDIN_FILENO, u->text + u->held, sizeof u->text - u->held);
    u->ended = count <= 0;
    u->held += count > 0 ? (uint32_t)count : 0;
    return true;
}

static bool others_idle(const machine *m) {
    for (int id = 0; id < PES; id++)
        if (m->cores[id].running && !m->cores[id].asleep)
            return false;
    return dma_due(m) == UINT64_MAX && !m->hyper.queued;
}

static void wait_for_input(core *c) {
    uart *u = &c->machine->uart;
    if (!listen(u, STEP_MS))
        c->now += STEP;
    if (u->ended && u->held < u->queue[0].bytes)
        finish(c->machine, 0); /* it waits for what can never come */
}

static void poll_input(core *c) {
    uart *u = &c->machine->uart;
    deliver(c->machine);
    if (!u->queued)
        return;
    if (others_idle(c->machine))
        wait_for_input(c);
    else
        listen(u, 0);
    deliver(c->machine);
}

static uint32_t load_receiver(core *c, uint32_t offset) {
    const uart *u = &c->machine->uart;
    poll_input(c);
    switch (offset) {
    case ADDRESS: return u->address[0];
    case BYTES: return u->queued ? u->queue[0].bytes : 0;
    case CONFIG: return (u->queued > 0 ? BUSY : 0) | (u->queued > 1 ? WAITING : 0);
    default: fault(c, "UART register 0x%02x is not modelled", offset);
    }
}

uint32_t uart_load(core *c, uint32_t offset) {
    const uart *u = &c->machine->uart;
    if (offset < TX)
        return load_receiver(c, offset);
    switch (offset) {
    case TX + ADDRESS: return u->address[1];
    case TX + BYTES:
    case TX + CONFIG: return 0; /* nothing is ever left to be sent */
    case STATUS: return load_receiver(c, CONFIG) ? RECEIVING : 0;
    case SETUP: return u->setup;
    default: fault(c, "UART register 0x%02x is not modelled", offset);
    }
}

static uint8_t *check(core *c, uint32_t l2, uint32_t bytes, uint32_t enabled) {
    const machine *m = c->machine;
    if (!(m->uart.setup & enabled) || !(m->soc[GATES] & GATE))
        fault(c, "a transfer of the UART while it is not enabled or its clock is gated");
    uint8_t *at = l2 < L2_BASE ? NULL : plain_memory(c->machine, l2, bytes);
    if (!at)
        fault(c, "the uDMA reaches L2 only, not %u bytes at 0x%08x", bytes, l2);
    return at;
}

static void send(core *c) {
    const uart *u = &c->machine->uart;
    fwrite(check(c, u->address[1], u->bytes[1], ENABLE_TX), 1, u->bytes[1], stdout);
    fflush(stdout);
}

static void receive(core *c) {
    uart *u = &c->machine->uart;
    check(c, u->address[0], u->bytes[0], ENABLE_RX);
    if (u->queued == AT_ONCE)
        fault(c, "a third UART transfer while one runs and one waits");
    if (u->bytes[0] == 0 || u->bytes[0] > sizeof u->text)
        fault(c, "a UART transfer of %u bytes is not modelled", u->bytes[0]);
    u->queue[u->queued++] = (uart_transfer){u->address[0], u->bytes[0]};
}

static void store_side(core *c, int side, uint32_t offset, uint32_t value) {
    uart *u = &c->machine->uart;
    switch (offset) {
    case ADDRESS: u->address[side] = value; return;
    case BYTES: u->bytes[side] = value; return;
    case CONFIG:
        if (value & START)
            side ? send(c) : receive(c);
        return;
    default: fault(c, "UART register 0x%02x is not modelled", offset);
    }
}

void uart_store(core *c, uint32_t offset, uint32_t value) {
    if (offset < STATUS)
        store_side(c, offset >= TX, offset % TX, value);
    else if (offset == SETUP)
        c->machine->uart.setup = value;
    else
        fault(c, "UART register 0x%02x is not modelled", offset);
}
