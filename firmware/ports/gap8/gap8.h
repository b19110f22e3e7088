/* GAP8 as the firmware sees it: the fabric controller (FC) runs the harness, the cluster's cores
 * the steps. Addresses are those of GreenWaves' gap_sdk 3.9.1 (archi headers). */
#ifndef DPL_GAP8_H
#define DPL_GAP8_H

#include <stdbool.h>
#include <stdint.h>

#include "target.h"

#define DPL_REG(address) (*(volatile uint32_t *)(address))

/* The cluster as it is seen from outside. */
#define CLUSTER_FETCH DPL_REG(0x10200008)
#define CLUSTER_BOOT(core) DPL_REG(0x10200040 + 4 * (core))
#define CLUSTER_CACHE DPL_REG(0x10201400)
#define CLUSTER_EVENT(number) DPL_REG(0x10200E00 + 4 * (number)) /* write: a bit a core */
#define MCHAN_QUEUE DPL_REG(0x10201800)
#define MCHAN_STATUS DPL_REG(0x10201804)

/* Seen by a core of the cluster alone, a cycle away. */
#define OWN_FETCH DPL_REG(0x00200008)
#define EVENTS 0x00204000
#define EVENT_MASK DPL_REG(EVENTS + 0x000)
#define EVENT_WAIT_CLEAR 0x03C /* offsets that p.elw reads */
#define BARRIER_WAIT 0x21C
#define BARRIER_MEMBERS DPL_REG(EVENTS + 0x200)
#define BARRIER_WOKEN DPL_REG(EVENTS + 0x20C)

#define EVENT_CALL 0u /* of software, and the next one */
#define EVENT_BARRIER 16u

#define EXIT_STATUS DPL_REG(0x1A1040A0)

/* A channel of the uDMA moves between L2 and a peripheral: one transfer runs, one waits. */
typedef struct {
    volatile uint32_t address, bytes, control, unused;
} dpl_udma;

#define UDMA_START 0x10u
#define UDMA_BUSY 0x30u /* running, waiting */

#define csr_text(number) #number
#define csr_name(number) csr_text(number)
#define csr_read(number)                                                                           \
    ({                                                                                             \
        uint32_t value_;                                                                           \
        __asm__ volatile("csrr %0, " csr_name(number) : "=r"(value_)::"memory");                   \
        value_;                                                                                    \
    })
#define csr_write(number, value)                                                                   \
    __asm__ volatile("csrw " csr_name(number) ", %0" ::"r"(value) : "memory")

/* p.elw: the core sleeps until one of the events in its mask is there. */
#define dpl_await(offset)                                                                          \
    ({                                                                                             \
        uint32_t events_;                                                                          \
        __asm__ volatile(".insn i 0x03, 6, %0, %2(%1)"                                             \
                         : "=r"(events_)                                                           \
                         : "r"(EVENTS), "i"(offset)                                                \
                         : "memory");                                                              \
        events_;                                                                                   \
    })

void dpl_clock_start(void);
const char *dpl_clock_fault(void); /* NULL when the clocks are what they should be */
void dpl_console_start(void);
void dpl_console_awaken(void); /* starts it unless it speaks already */
void dpl_counter_start(void);
const char *dpl_counter_per(void); /* counts in a cycle of the cluster, less than ten */
uint64_t dpl_cycles(void);         /* of the FC since start; asked at least every 2^32 of them */
void dpl_cluster_start(void);
void dpl_l3_start(void);
const char *dpl_trigger_name(void); /* NULL where there is no pin */

/* The lowest words of a stack are a canary, checked after every call of the cluster. */
#define DPL_CANARY 0x5afe57acu
enum { DPL_CANARY_WORDS = 4 };
void dpl_guard(uint32_t *low_end);
static inline bool dpl_guarded(const volatile uint32_t *low_end) {
    uint32_t lost = (low_end[0] ^ DPL_CANARY) | (low_end[1] ^ DPL_CANARY);
    return (lost | (low_end[2] ^ DPL_CANARY) | (low_end[3] ^ DPL_CANARY)) == 0;
}
uint32_t *dpl_stack_of(uint32_t core); /* the low end */
uint32_t dpl_stack_share(void);        /* bytes, the canary's included */

void dpl_die(const char *why) __attribute__((noreturn));

#endif
