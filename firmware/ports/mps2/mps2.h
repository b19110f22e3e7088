/* QEMU mps2-an500, the emulated twin of a Cortex-M7 board. Register names follow the CMSDK
 * [Arm Cortex-M System Design Kit TRM; QEMU hw/arm/mps2.c for bases and interrupt numbers]. */
#ifndef DPL_MPS2_H
#define DPL_MPS2_H

#include "../cortex_m/scs.h"

#define TIMER0 0x40000000u /* free running: the counter and the time */
#define TIMER1 0x40001000u /* one shot: limit of a wait */
#define TIMER_CTRL(base) DPL_REG((base) + 0x0)
#define TIMER_VALUE(base) DPL_REG((base) + 0x4)
#define TIMER_RELOAD(base) DPL_REG((base) + 0x8)
#define TIMER_INT(base) DPL_REG((base) + 0xC) /* read: status, write 1: clear */
#define TIMER_ENABLE (1u << 0)
#define TIMER_INT_ENABLE (1u << 3)

#define UART_DATA DPL_REG(0x40004000)
#define UART_STATE DPL_REG(0x40004004)
#define UART_CTRL DPL_REG(0x40004008)
#define UART_INT DPL_REG(0x4000400C) /* read: status, write 1: clear */
#define UART_BAUDDIV DPL_REG(0x40004010)
#define UART_TX_FULL (1u << 0)
#define UART_RX_FULL (1u << 1)
#define UART_TX_ENABLE (1u << 0)
#define UART_RX_ENABLE (1u << 1)
#define UART_RX_INT (1u << 1)
#define UART_RX_INT_ENABLE (1u << 3)

enum { IRQ_UART0_RX = 0, IRQ_TIMER1 = 9, IRQ_COUNT = 32 };

void dpl_console_start(void);
void dpl_counter_start(void);
const char *dpl_counter_per(void); /* counts an instruction, NULL when it is not constant */

#endif
