/* Physical memory protection [RISC-V privileged specification 3.7]: locked entries bind machine
 * mode. The machine has far more RAM than the chip it stands for; what lies beyond faults. */
#include "riscv_virt.h"

#define CFG_READ 1u
#define CFG_WRITE 2u
#define CFG_EXECUTE 4u
#define CFG_POWER_OF_TWO (3u << 3)
#define CFG_LOCKED (1u << 7)
#define NOTHING (CFG_POWER_OF_TWO | CFG_LOCKED)
#define DEVICES (NOTHING | CFG_READ | CFG_WRITE)
#define MEMORY (DEVICES | CFG_EXECUTE)

extern char dpl_l2_base[], dpl_l2_end[], dpl_l1_base[], dpl_l1_end[], dpl_l3_base[], dpl_l3_end[];

/* Naturally aligned power of two: the size is in the trailing ones. */
static uint32_t range(uint32_t base, uint32_t bytes) {
    return base >> 2 | (bytes / 8 - 1);
}

static uint32_t range_of(const char *base, const char *end) {
    return range((uint32_t)base, (uint32_t)(end - base));
}

/* The first entry that matches decides. */
void dpl_protect(void) {
    csr_write(pmpaddr0, range(0, 0x10000)); /* null pointers */
    csr_write(pmpaddr1, range(0, 0x80000000));
    csr_write(pmpaddr2, range_of(dpl_l2_base, dpl_l2_end));
    csr_write(pmpaddr3, range_of(dpl_l1_base, dpl_l1_end));
    csr_write(pmpaddr4, range_of(dpl_l3_base, dpl_l3_end));
    csr_write(pmpaddr5, 0xFFFFFFFF); /* everything */
    csr_write(pmpcfg0, MEMORY << 24 | MEMORY << 16 | DEVICES << 8 | NOTHING);
    csr_write(pmpcfg1, NOTHING << 8 | MEMORY); /* last: it would lock this code out */
}
