/* The PLL from the 8 MHz that the ST-LINK feeds into HSE (bypass), APB1 /4, APB2 /2 [RM0410 5.3;
 * at 216 MHz the values of Zephyr's nucleo_f767zi device tree]. Slower clocks take fewer wait
 * states (3.3 V, RM0410 table 7) and a lower voltage of the core (4.1.4). */
#include "stm32f7.h"

#define WAIT_POLLS 100000u /* 50 ms or more on HSI: far above the longest start-up time */
#define HSE_HZ 8000000u
#define PLL_M 4u
#define CORE_MHZ (DPL_CLOCK_HZ / 1000000u)
#define PLL_N (DPL_CLOCK_HZ / (HSE_HZ / PLL_M) * PLL_P)
#define PLL_P 2u /* the core's divider */
#define PLL_Q 9u
#define PLL_R 2u
#define PLL_FROM_HSE (1u << 22)
#define VCO_MHZ (CORE_MHZ * PLL_P)
#define PLLCFGR_FIELDS                                                                             \
    (PLL_M | PLL_N << 6 | (PLL_P / 2 - 1) << 16 | PLL_FROM_HSE | PLL_Q << 24 | PLL_R << 28)
#define CFGR_PLL 0x9402u                          /* PPRE1 /4, PPRE2 /2, SW = PLL */
#define CFGR_PLL_FIELDS 0xFCFFu                   /* PPRE2, PPRE1, HPRE, SWS, SW */
#define ACR_WANTED (0x300u | (CORE_MHZ - 1) / 30) /* prefetch, ART; a wait state every 30 MHz */
#define VOLTAGE_SCALE (CORE_MHZ <= 144 ? 1u : CORE_MHZ <= 168 ? 2u : 3u) /* 3 is scale 1 */
#define OVER_DRIVE (CORE_MHZ > 180)
#define HSI_HZ 16000000u

_Static_assert(DPL_CLOCK_HZ == HSE_HZ / PLL_M * PLL_N / PLL_P, "what port.toml and the PLL say");
_Static_assert(VCO_MHZ >= 100 && VCO_MHZ <= 432, "what the PLL's oscillator can do");

bool dpl_wait_for(volatile uint32_t *reg, uint32_t mask, uint32_t value, uint32_t looks) {
    for (uint32_t i = 0; i < looks; i++) {
        if ((*reg & mask) == value) {
            return true;
        }
    }
    return false;
}

static bool wait_for(volatile uint32_t *reg, uint32_t mask, uint32_t value) {
    return dpl_wait_for(reg, mask, value, WAIT_POLLS);
}

static bool start_hse(void) {
    RCC_CR |= RCC_CR_HSEBYP;
    RCC_CR |= RCC_CR_HSEON;
    return wait_for(&RCC_CR, RCC_CR_HSERDY, RCC_CR_HSERDY);
}

/* Before the core goes faster than scale 1 alone allows. */
static const char *raise_voltage(void) {
    if (!OVER_DRIVE) {
        return 0;
    }
    PWR_CR1 |= PWR_CR1_ODEN;
    if (!wait_for(&PWR_CSR1, PWR_CSR1_ODRDY, PWR_CSR1_ODRDY)) {
        return "clock: over-drive not ready";
    }
    PWR_CR1 |= PWR_CR1_ODSWEN;
    if (!wait_for(&PWR_CSR1, PWR_CSR1_ODSWRDY, PWR_CSR1_ODSWRDY)) {
        return "clock: over-drive switch not ready";
    }
    return 0;
}

const char *dpl_flash_fault(void) {
    uint32_t fields = FLASH_ACR_LATENCY | FLASH_ACR_PRFTEN | FLASH_ACR_ARTEN;
    return (FLASH_ACR & fields) == ACR_WANTED ? 0 : "clock: flash wait states not taken";
}

static const char *switch_to_pll(void) {
    if (!wait_for(&RCC_CR, RCC_CR_PLLRDY, RCC_CR_PLLRDY)) {
        return "clock: PLL not locked";
    }
    RCC_CFGR = (RCC_CFGR & ~CFGR_PLL_FIELDS) | CFGR_PLL;
    return wait_for(&RCC_CFGR, RCC_CFGR_SWS, RCC_CFGR_SWS_PLL) ? 0 : "clock: PLL not selected";
}

static const char *climb(void) {
    RCC_APB1ENR |= RCC_APB1ENR_PWR;
    (void)RCC_APB1ENR; /* two bus cycles before the block may be used */
    if (!start_hse()) {
        return "clock: HSE not ready";
    }
    PWR_CR1 = (PWR_CR1 & ~PWR_CR1_VOS) | VOLTAGE_SCALE << 14; /* taken only with the PLL off */
    RCC_PLLCFGR = PLLCFGR_FIELDS;
    RCC_CR |= RCC_CR_PLLON;
    const char *fault = raise_voltage();
    if (fault) {
        return fault;
    }
    FLASH_ACR = ACR_WANTED;
    fault = dpl_flash_fault();
    return fault ? fault : switch_to_pll();
}

/* Wait states stay: too many are slow, too few are wrong. */
static void stay_on_hsi(void) {
    RCC_CFGR &= ~CFGR_PLL_FIELDS;
    wait_for(&RCC_CFGR, RCC_CFGR_SWS, RCC_CFGR_SWS_HSI);
    RCC_CR &= ~(RCC_CR_PLLON | RCC_CR_HSEON);
}

const char *dpl_clock_start(void) {
    const char *fault = climb();
    if (fault) {
        stay_on_hsi();
    }
    return fault;
}

static bool on_pll(void) {
    return (RCC_CFGR & RCC_CFGR_SWS) == RCC_CFGR_SWS_PLL;
}

static uint32_t pll_hz(void) {
    uint32_t fields = RCC_PLLCFGR;
    uint32_t divider = 2 * ((fields >> 16 & 3) + 1);
    return HSE_HZ / (fields & 0x3f) * (fields >> 6 & 0x1ff) / divider;
}

uint32_t dpl_clock_hz(void) {
    return on_pll() ? pll_hz() : HSI_HZ;
}

const char *dpl_clock_source(void) {
    return on_pll() ? "pll" : "hsi";
}
