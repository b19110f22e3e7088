/* HyperRAM through the uDMA, which takes one running and one waiting transfer in each direction:
 * more of them wait here. */
#include "dpl_l3.h"

#include "gap8.h"

#define HYPER_READ ((dpl_udma *)0x1A102180)
#define HYPER_WRITE ((dpl_udma *)0x1A102190)
#define HYPER_EXTERNAL DPL_REG(0x1A1021A0)
#define HYPER_REGISTERS DPL_REG(0x1A1021A4) /* 0: memory */
#define HYPER_RAM_BASE DPL_REG(0x1A1021A8)
#define HYPER_FLASH_BASE DPL_REG(0x1A1021AC)
#define HYPER_CHANNEL 3u
#define START_32_BITS (UDMA_START | 4u)

#define QUEUE 64u
#define PIECE 8192u /* a transfer of the uDMA; larger ones have not been seen to run */
#define AT_ONCE 2u

typedef struct {
    uint32_t l2, l3, bytes; /* what is left to be started */
    bool write;
} request;

static struct {
    request waiting[QUEUE];
    uint32_t requested, started; /* requests */
    volatile uint32_t done;      /* requests */
    uint32_t in_flight;          /* pieces the uDMA has */
    bool writing;                /* their direction */
    bool last[AT_ONCE];          /* whether a piece ends its request, the running one first */
} queue;

/* pulp-open has another channel, which nothing here drives. */
void dpl_l3_start(void) {
#ifndef DPL_PULP_OPEN
    DPL_REG(UDMA_GATES) |= 1u << HYPER_CHANNEL;
    HYPER_RAM_BASE = 0;
    HYPER_FLASH_BASE = 0x01000000;
    HYPER_REGISTERS = 0;
#endif
}

static dpl_udma *channel(bool write) {
    return write ? HYPER_WRITE : HYPER_READ;
}

static uint32_t busy(void) {
    uint32_t control = channel(queue.writing)->control;
    return (control >> 4 & 1) + (control >> 5 & 1);
}

static void collect(void) {
    for (uint32_t now = busy(); queue.in_flight > now; queue.in_flight--) {
        queue.done += queue.last[0];
        queue.last[0] = queue.last[1];
    }
}

static void start_piece(request *r) {
    uint32_t bytes = r->bytes < PIECE ? r->bytes : PIECE;
    dpl_udma *udma = channel(r->write);
    HYPER_EXTERNAL = r->l3;
    udma->address = r->l2;
    udma->bytes = bytes;
    udma->control = START_32_BITS;
    r->l2 += bytes;
    r->l3 += bytes;
    r->bytes -= bytes;
    queue.writing = r->write;
    queue.last[queue.in_flight++] = r->bytes == 0;
    queue.started += r->bytes == 0;
}

/* Reads and writes do not overtake each other: the uDMA is empty when the direction changes. */
static bool may_start(const request *r) {
    return queue.in_flight == 0 || (queue.in_flight < AT_ONCE && r->write == queue.writing);
}

void dpl_l3_poll(void) {
    if (queue.done == queue.requested) {
        return;
    }
    collect();
    while (queue.started != queue.requested && may_start(&queue.waiting[queue.started % QUEUE])) {
        start_piece(&queue.waiting[queue.started % QUEUE]);
    }
}

static uint32_t enqueue(request r) {
    if (r.bytes == 0) {
        return queue.requested;
    }
    while (queue.requested - queue.done == QUEUE) {
        dpl_l3_poll();
    }
    queue.waiting[queue.requested++ % QUEUE] = r;
    dpl_l3_poll();
    return queue.requested;
}

uint32_t dpl_l3_read(void *l2, uint32_t l3, uint32_t bytes) {
    return enqueue((request){(uint32_t)l2, l3, bytes, false});
}

uint32_t dpl_l3_write(uint32_t l3, const void *l2, uint32_t bytes) {
    return enqueue((request){(uint32_t)l2, l3, bytes, true});
}

bool dpl_l3_done(uint32_t transfer) {
    return (int32_t)(queue.done - transfer) >= 0;
}

void dpl_l3_wait(uint32_t transfer) {
    while (!dpl_l3_done(transfer)) {
        dpl_l3_poll();
    }
}
