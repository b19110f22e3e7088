/* System control space of an ARMv7-M core [ARMv7-M Architecture Reference Manual, B3]. */
#ifndef DPL_SCS_H
#define DPL_SCS_H

#include <stdint.h>

#define DPL_REG(address) (*(volatile uint32_t *)(uintptr_t)(address))

#define SYST_CSR DPL_REG(0xE000E010)
#define SYST_RVR DPL_REG(0xE000E014)
#define SYST_CVR DPL_REG(0xE000E018)
#define NVIC_ISER(n) DPL_REG(0xE000E100 + 4 * (n))
#define NVIC_ICPR(n) DPL_REG(0xE000E280 + 4 * (n))
#define SCB_VTOR DPL_REG(0xE000ED08)
#define SCB_CCR DPL_REG(0xE000ED14)
#define SCB_SHCSR DPL_REG(0xE000ED24)
#define SCB_CFSR DPL_REG(0xE000ED28)
#define SCB_HFSR DPL_REG(0xE000ED2C)
#define SCB_MMFAR DPL_REG(0xE000ED34)
#define SCB_BFAR DPL_REG(0xE000ED38)
#define SCB_CCSIDR DPL_REG(0xE000ED80)
#define SCB_CSSELR DPL_REG(0xE000ED84)
#define SCB_CPACR DPL_REG(0xE000ED88)
#define MPU_CTRL DPL_REG(0xE000ED94)
#define MPU_RNR DPL_REG(0xE000ED98)
#define MPU_RBAR DPL_REG(0xE000ED9C)
#define MPU_RASR DPL_REG(0xE000EDA0)
#define DEMCR DPL_REG(0xE000EDFC)
#define ICIALLU DPL_REG(0xE000EF50)
#define DCISW DPL_REG(0xE000EF60)
#define DWT_CTRL DPL_REG(0xE0001000)
#define DWT_CYCCNT DPL_REG(0xE0001004)
#define DWT_LAR DPL_REG(0xE0001FB0)

#define CCR_DCACHE (1u << 16)
#define CCR_ICACHE (1u << 17)

static inline void dpl_dsb(void) {
    __asm__ volatile("dsb" ::: "memory");
}

static inline void dpl_isb(void) {
    __asm__ volatile("isb" ::: "memory");
}

#endif
