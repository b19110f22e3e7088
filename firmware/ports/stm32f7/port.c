#include "dpl_port.h"

#include "../cortex_m/cortex_m.h"
#include "dpl_print.h"
#include "stm32f7.h"

#define TRIGGER_PIN 13u        /* PF13, Arduino D7 */
#define TURNS_PER_SECOND 2000u /* the clock by it is a millisecond at two cycles a turn */

/* Where no memory is the core may fetch speculatively without the regions. */
static const dpl_region REGIONS[] = {
    /* RAM for code, written before this holds */
    {DPL_ITCM_RANGE_BASE, DPL_LOG2(DPL_ITCM_RANGE_BYTES), DPL_READ_EXECUTE, 0},
    {0x60000000, 29, DPL_NO_ACCESS, 0},
    {0x80000000, 29, DPL_NO_ACCESS, 0},
};

static const char *fault;

/* Open drain and idle high, as energy meters expect a trigger: high before it is an output. The
 * pull-up is for meters that have none. */
static void start_trigger(void) {
    RCC_AHB1ENR |= RCC_AHB1ENR_GPIOF;
    (void)RCC_AHB1ENR;
    GPIOF_BSRR = 1u << TRIGGER_PIN;
    GPIOF_OTYPER |= 1u << TRIGGER_PIN;
    GPIOF_PUPDR = (GPIOF_PUPDR & ~(3u << 2 * TRIGGER_PIN)) | 1u << 2 * TRIGGER_PIN;
    GPIOF_MODER = (GPIOF_MODER & ~(3u << 2 * TRIGGER_PIN)) | 1u << 2 * TRIGGER_PIN;
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
    start_trigger();
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
    emit("trigger", "PF13");
}

/* One to three cycles a turn, by what the core issues at once. */
static void hold(void) {
    for (uint32_t left = dpl_clock_hz() / TURNS_PER_SECOND; left > 0; left--) {
        __asm__ volatile("nop");
    }
}

void dpl_port_pulse(void) {
    GPIOF_BSRR = 1u << (TRIGGER_PIN + 16);
    hold();
    GPIOF_BSRR = 1u << TRIGGER_PIN;
}

void dpl_port_exit(int status) {
    (void)status;
}
