/* HyperRAM and HyperFlash through their uDMA channel: L2 only, a running and a waiting transfer in
 * each direction. */
#include "parts.h"

#include <string.h>

enum offset {
    READ = 0x00,
    WRITE = 0x10,
    EXTERNAL = 0x20,
    MODE = 0x24,
    RAM_BASE = 0x28,
    FLASH_BASE = 0x2c,
};
enum side { ADDRESS = 0x0, BYTES = 0x4, CONFIG = 0x8 };
enum { START = 1 << 4, BUSY = 1 << 4, WAITING = 1 << 5, AT_ONCE = 2 };
/* Cycles: of a transfer before its first byte, and more of a write, which reads L2 first; of the
 * start register, before the store to it ends. */
enum { SET_UP = 82, FIRST_WORD = 10, STORE = 9 };
enum { FIFO_WORDS = 8 };        /* of a write, read before they are on the bus */
enum { FLASH_DATA = 0x100000 }; /* what lies before it in the flash is the boot loader's */

static int in_flight(const hyper_bus *h, bool write) {
    int count = 0;
    for (int i = 0; i < h->queued; i++)
        count += h->queue[i].write == write;
    return count;
}

static uint32_t config(const hyper_bus *h, bool write) {
    int count = in_flight(h, write);
    return (count > 0 ? BUSY : 0) | (count > 1 ? WAITING : 0);
}

static uint32_t load_side(core *c, bool write, uint32_t offset) {
    const hyper_bus *h = &c->machine->hyper;
    switch (offset) {
    case ADDRESS: return h->address[write];
    case BYTES: return h->bytes[write];
    case CONFIG: return config(h, write);
    default: fault(c, "HyperBus register 0x%02x is not modelled", offset);
    }
}

uint32_t hyper_load(core *c, uint32_t offset) {
    const hyper_bus *h = &c->machine->hyper;
    if (offset < EXTERNAL)
        return load_side(c, offset >= WRITE, offset % WRITE);
    switch (offset) {
    case EXTERNAL: return h->external;
    case MODE: return h->mode;
    case RAM_BASE: return h->ram_base;
    case FLASH_BASE: return h->flash_base;
    default: fault(c, "HyperBus register 0x%02x is not modelled", offset);
    }
}

static void check(core *c, const hyper_transfer *t) {
    const hyper_bus *h = &c->machine->hyper;
    if (h->mode)
        fault(c, "registers of the HyperRAM are not modelled");
    if (in_flight(h, t->write) == AT_ONCE)
        fault(c, "a third HyperBus transfer while one runs and one waits");
    if (t->l3 >= L3_SIZE || t->bytes > L3_SIZE - t->l3)
        fault(c, "%s no %u bytes at 0x%08x",
              t->flash ? "behind its first MB the flash has" : "HyperRAM has", t->bytes, t->l3);
    if (t->flash && t->write)
        fault(c, "a write to the flash is not modelled");
    if (t->l2 < L2_BASE || !plain_memory(c->machine, t->l2, t->bytes))
        fault(c, "the uDMA reaches L2 only, not %u bytes at 0x%08x", t->bytes, t->l2);
}

/* A write is done when its last word has been read, which the channel sees as a word has left: the
 * fifth before the last, or the first. */
static uint32_t bytes_left(const hyper_transfer *t) {
    uint32_t words = (t->bytes + 3) / 4;
    return t->bytes - (words > FIFO_WORDS ? 4 * (words - 5) : t->bytes < 4 ? t->bytes : 4);
}

static void occupy(machine *m, hyper_transfer *t, uint64_t requested) {
    hyper_bus *h = &m->hyper;
    uint64_t from = h->free_at > requested ? h->free_at : requested;
    uint64_t cycles = SET_UP + (t->write ? FIRST_WORD : 0) + t->bytes;
    h->free_at = from + fabric_time(m, cycles);
    t->done = h->free_at - (t->write ? fabric_time(m, bytes_left(t)) : 0);
}

static void start(core *c, bool write) {
    hyper_bus *h = &c->machine->hyper;
    bool flash = h->flash_base > h->ram_base && h->external >= h->flash_base;
    uint32_t base = flash ? h->flash_base + FLASH_DATA : h->ram_base;
    hyper_transfer t = {h->address[write], h->external - base, h->bytes[write], write, flash, 0};
    check(c, &t);
    occupy(c->machine, &t, c->now - STORE);
    h->queue[h->queued++] = t;
    come_back(c->machine, hyper_done(c->machine));
}

static void store_side(core *c, bool write, uint32_t offset, uint32_t value) {
    hyper_bus *h = &c->machine->hyper;
    switch (offset) {
    case ADDRESS: h->address[write] = value; return;
    case BYTES: h->bytes[write] = value; return;
    case CONFIG:
        if (value & START)
            start(c, write);
        return;
    default: fault(c, "HyperBus register 0x%02x is not modelled", offset);
    }
}

void hyper_store(core *c, uint32_t offset, uint32_t value) {
    hyper_bus *h = &c->machine->hyper;
    if (offset < EXTERNAL) {
        store_side(c, offset >= WRITE, offset % WRITE, value);
        return;
    }
    switch (offset) {
    case EXTERNAL: h->external = value; return;
    case MODE: h->mode = value; return;
    case RAM_BASE: h->ram_base = value; return;
    case FLASH_BASE: h->flash_base = value; return;
    default: fault(c, "HyperBus register 0x%02x is not modelled", offset);
    }
}

uint64_t hyper_done(const machine *m) {
    return m->hyper.queued ? m->hyper.queue[0].done : UINT64_MAX;
}

void hyper_complete(machine *m) {
    hyper_bus *h = &m->hyper;
    hyper_transfer t = h->queue[0];
    h->queued--;
    memmove(h->queue, h->queue + 1, (size_t)h->queued * sizeof *h->queue);
    uint8_t *l2 = plain_memory(m, t.l2, t.bytes), *l3 = (t.flash ? m->flash : m->l3) + t.l3;
    memcpy(t.write ? l3 : l2, t.write ? l2 : l3, t.bytes);
    if (!t.write)
        forget_code(m, t.l2, t.bytes);
}
