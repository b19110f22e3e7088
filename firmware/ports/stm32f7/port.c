#include "dpl_port.h"

#include "../cortex_m/cortex_m.h"
#include "dpl_print.h"
#include "stm32f7.h"

#define MARKER_PIN 13u /* PF13, Arduino D7 */

/* Where no memory is the core may fetch speculatively without the regions. */
static const dpl_region REGIONS[] = {
    /* RAM for code, written before this holds */
    {DPL_ITCM_RANGE_BASE, DPL_LOG2(DPL_ITCM_RANGE_BYTES), DPL_READ_EXECUTE, 0},
    {0x60000000, 29, DPL_NO_ACCESS, 0},
    {0x80000000, 29, DPL_NO_ACCESS, 0},
};

static const char *fault;

/* Open drain and idle high, as energy meters expect a trigger. */
static void start_marker(void) {
    RCC_AHB1ENR |= RCC_AHB1ENR_GPIOF;
    (void)RCC_AHB1ENR;
    dpl_port_marker(0);
    GPIOF_OTYPER |= 1u << MARKER_PIN;
    GPIOF_MODER = (GPIOF_MODER & ~(3u << 2 * MARKER_PIN)) | 1u << 2 * MARKER_PIN;
}

void dpl_console_awaken(void) {
    if (!(USART3_CR1 & USART_CR1_TE)) { /* 0 too while it has no clock */
        dpl_console_start(DPL_BAUD);
    }
}

void dpl_port_init(void) {
    dpl_mpu_start(REGIONS, sizeof REGIONS / sizeof REGIONS[0]);
    fault = dpl_clock_start();
    dpl_caches_start();
    dpl_counter_start();
    dpl_console_start(DPL_BAUD);
    start_marker();
}

const char *dpl_port_fault(void) {
    return fault;
}

static const char *on_off(uint32_t bits) {
    return bits ? "on" : "off";
}

/* Everything is read back, not remembered. */
void dpl_port_caps(void (*emit)(const char *key, const char *value)) {
    emit("port", "stm32f7");
    emit("counter", "cycles");
    emit("counter_source", dpl_counter_is_dwt() ? "dwt" : "systick");
    emit("clock_hz", dpl_decimal(dpl_clock_hz()));
    emit("clock_source", dpl_clock_source());
    emit("flash_wait_states", dpl_decimal(FLASH_ACR & FLASH_ACR_LATENCY));
    emit("flash_prefetch", on_off(FLASH_ACR & FLASH_ACR_PRFTEN));
    emit("flash_art", on_off(FLASH_ACR & FLASH_ACR_ARTEN));
    emit("icache", dpl_icache_state());
    emit("dcache", dpl_dcache_state());
    emit("cores", "1");
}

void dpl_port_marker(int on) {
    GPIOF_BSRR = 1u << (on ? MARKER_PIN + 16 : MARKER_PIN); /* low while on */
}

void dpl_port_exit(int status) {
    (void)status;
}
