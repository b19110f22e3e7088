#include "dpl_port.h"

#include "../cortex_m/cortex_m.h"
#include "dpl_print.h"
#include "mps2.h"

#define SYS_EXIT_EXTENDED 0x20u
#define APPLICATION_EXIT 0x20026u

#define DEVICES 0xE4u /* 0x40000000 on, and all from 0xA0000000 on: 512 MiB a bit */

enum { FLASH = 1 };
extern char dpl_flash_base[], dpl_flash_end[]; /* the linker script's */

/* Where the machine has RAM and the board it stands for has none, or flash. */
static dpl_region regions[] = {
    /* beyond flash and RAM, external RAM */
    {0x00000000, 32, DPL_NO_ACCESS, DEVICES},
    /* writes to flash fault */
    {DPL_FLASH_RANGE_BASE, 12, DPL_READ_EXECUTE, 0},
    /* RAM for code, written before this holds */
    {DPL_ITCM_RANGE_BASE, DPL_LOG2(DPL_ITCM_RANGE_BYTES), DPL_READ_EXECUTE, 0},
    /* SRAM and DTCM */
    {DPL_SRAM_RANGE_BASE, DPL_LOG2(DPL_SRAM_RANGE_BYTES), DPL_READ_WRITE, 0},
};

/* A region has a power of two bytes: the least that covers the flash of the board file. */
static void cover_flash(void) {
    uint32_t size = (uint32_t)(dpl_flash_end - dpl_flash_base);
    while (size > 1u << regions[FLASH].log2_size) {
        regions[FLASH].log2_size++;
    }
}

void dpl_console_awaken(void) {
    dpl_console_start();
}

void dpl_port_init(void) {
    dpl_console_start();
    cover_flash();
    dpl_mpu_start(regions, sizeof regions / sizeof regions[0]);
    dpl_caches_start();
    dpl_counter_start();
}

const char *dpl_port_fault(void) {
    return 0;
}

void dpl_port_caps(void (*emit)(const char *key, const char *value)) {
    const char *per = dpl_counter_per();
    emit("port", "mps2");
    emit("counter", per ? "instructions" : "none");
    emit("counter_per", per ? per : "1");
    emit("clock_hz", dpl_decimal(DPL_CLOCK_HZ));
    emit("cores", "1");
    emit("icache", dpl_icache_state());
    emit("dcache", dpl_dcache_state());
}

void dpl_port_pulse(void) {}

/* Semihosting: QEMU ends with this status. */
void dpl_port_exit(int status) {
    uint32_t block[2] = {APPLICATION_EXIT, (uint32_t)status};
    register uint32_t call __asm__("r0") = SYS_EXIT_EXTENDED;
    register uint32_t *argument __asm__("r1") = block;
    __asm__ volatile("bkpt 0xAB" : "+r"(call) : "r"(argument) : "memory");
}
