/* STM32F767 registers [ST RM0410; bases and offsets as in ST's device header]. */
#ifndef DPL_STM32F7_H
#define DPL_STM32F7_H

#include <stdbool.h>

#include "../cortex_m/scs.h"

#define RCC_CR DPL_REG(0x40023800)
#define RCC_CR_HSEON (1u << 16)
#define RCC_CR_HSERDY (1u << 17)
#define RCC_CR_HSEBYP (1u << 18)
#define RCC_CR_PLLON (1u << 24)
#define RCC_CR_PLLRDY (1u << 25)
#define RCC_PLLCFGR DPL_REG(0x40023804)
#define RCC_CFGR DPL_REG(0x40023808)
#define RCC_CFGR_SWS (3u << 2)
#define RCC_CFGR_SWS_HSI (0u << 2)
#define RCC_CFGR_SWS_PLL (2u << 2)
#define RCC_AHB1ENR DPL_REG(0x40023830)
#define RCC_AHB1ENR_GPIOD (1u << 3)
#define RCC_AHB1ENR_GPIOF (1u << 5)
#define RCC_APB1ENR DPL_REG(0x40023840)
#define RCC_APB1ENR_USART3 (1u << 18)
#define RCC_DCKCFGR2 DPL_REG(0x40023894)
#define RCC_DCKCFGR2_USART3SEL (3u << 4)
#define RCC_DCKCFGR2_USART3_SYSCLK (1u << 4)
#define RCC_APB1ENR_PWR (1u << 28)

#define FLASH_ACR DPL_REG(0x40023C00)
#define FLASH_ACR_LATENCY 0xFu
#define FLASH_ACR_PRFTEN (1u << 8)
#define FLASH_ACR_ARTEN (1u << 9)

#define PWR_CR1 DPL_REG(0x40007000)
#define PWR_CR1_VOS (3u << 14)
#define PWR_CR1_ODEN (1u << 16)
#define PWR_CR1_ODSWEN (1u << 17)
#define PWR_CSR1 DPL_REG(0x40007004)
#define PWR_CSR1_ODRDY (1u << 16)
#define PWR_CSR1_ODSWRDY (1u << 17)

#define GPIOD_MODER DPL_REG(0x40020C00)
#define GPIOD_AFRH DPL_REG(0x40020C24)
#define GPIOF_MODER DPL_REG(0x40021400)
#define GPIOF_OTYPER DPL_REG(0x40021404)
#define GPIOF_PUPDR DPL_REG(0x4002140C)
#define GPIOF_BSRR DPL_REG(0x40021418)

#define USART3_CR1 DPL_REG(0x40004800)
#define USART3_BRR DPL_REG(0x4000480C)
#define USART3_ISR DPL_REG(0x4000481C)
#define USART3_ICR DPL_REG(0x40004820)
#define USART3_RDR DPL_REG(0x40004824)
#define USART3_TDR DPL_REG(0x40004828)
#define USART_CR1_UE (1u << 0)
#define USART_CR1_RE (1u << 2)
#define USART_CR1_TE (1u << 3)
#define USART_CR1_RXNEIE (1u << 5)
#define USART_ISR_ORE (1u << 3)
#define USART_ISR_RXNE (1u << 5)
#define USART_ISR_TC (1u << 6)
#define USART_ISR_TXE (1u << 7)
#define USART_ICR_ERRORS 0xFu /* PECF, FECF, NCF, ORECF */

/* False when the bits under the mask have not the value after so many looks. */
bool dpl_wait_for(volatile uint32_t *reg, uint32_t mask, uint32_t value, uint32_t looks);

enum { IRQ_USART3 = 39, IRQ_COUNT = 110 };

/* Brings the core to DPL_CLOCK_HZ. On failure the text of what failed: the core then runs on HSI,
 * 16 MHz, with no bus divided. */
const char *dpl_clock_start(void);
uint32_t dpl_clock_hz(void);           /* of the core, from the registers */
const char *dpl_clock_source(void);    /* "pll" or "hsi" */
const char *dpl_flash_fault(void);     /* NULL when the wait states read back as set */
void dpl_counter_start(void);          /* after the clock */
bool dpl_counter_is_dwt(void);         /* false: SysTick */
void dpl_systick_handler(void);        /* a wrap of the 24 bits */
void dpl_console_start(uint32_t baud); /* after the clock */
void dpl_console_handler(void);        /* USART3 interrupt */

#endif
