/* USART3 is the ST-LINK's virtual COM port: PD8 TX, PD9 RX, alternate function 7. It has no flow
 * control, so bytes are taken by interrupt into a ring and none is lost while a kernel runs. */
#include "stm32f7.h"

#include "dpl_port.h"

#define RING_BYTES 2048u /* more than a whole x-load frame */
/* Of 5 cycles or more each: 0.5 ms at 216 MHz where two bytes take 0.17 ms, 5.5 ms at 9600 baud. */
#define SEND_LOOKS (20000u * (115200u / DPL_BAUD + 1u))

static struct {
    volatile uint32_t head, tail; /* head is the handler's, tail the reader's */
    uint8_t byte[RING_BYTES];
} ring;

static void set_pins(void) {
    RCC_AHB1ENR |= RCC_AHB1ENR_GPIOD;
    (void)RCC_AHB1ENR;
    GPIOD_AFRH = (GPIOD_AFRH & ~0xFFu) | 0x77u;
    GPIOD_MODER = (GPIOD_MODER & ~(0xFu << 16)) | 0xAu << 16;
}

void dpl_console_start(uint32_t baud) {
    set_pins();
    RCC_APB1ENR |= RCC_APB1ENR_USART3;
    (void)RCC_APB1ENR;
    /* from SYSCLK: 54 MHz of PCLK1 miss 921600 baud by 0.7 %, 216 MHz by 0.2 % */
    RCC_DCKCFGR2 = (RCC_DCKCFGR2 & ~RCC_DCKCFGR2_USART3SEL) | RCC_DCKCFGR2_USART3_SYSCLK;
    USART3_BRR = (dpl_clock_hz() + baud / 2) / baud;
    USART3_CR1 = USART_CR1_RXNEIE | USART_CR1_TE | USART_CR1_RE | USART_CR1_UE;
    NVIC_ISER(IRQ_USART3 / 32) = 1u << (IRQ_USART3 % 32);
}

/* Clears errors first: an overrun left standing stops reception. */
void dpl_console_handler(void) {
    uint32_t status = USART3_ISR;
    if (status & USART_ICR_ERRORS) {
        USART3_ICR = USART_ICR_ERRORS;
    }
    if (!(status & USART_ISR_RXNE)) {
        return;
    }
    uint8_t byte = (uint8_t)USART3_RDR;
    if (ring.head - ring.tail < RING_BYTES) {
        ring.byte[ring.head % RING_BYTES] = byte;
        ring.head++;
    }
}

/* Asks for the time on every iteration, which also keeps the cycle counter extended while waiting.
 */
int dpl_port_getc(uint32_t limit_us) {
    uint64_t begin = dpl_port_microseconds();
    while (ring.head == ring.tail) {
        uint64_t waited = dpl_port_microseconds() - begin;
        if (limit_us > 0 && waited >= limit_us) {
            return DPL_TIMEOUT;
        }
    }
    int c = ring.byte[ring.tail % RING_BYTES];
    ring.tail++;
    return c;
}

/* A line that takes nothing loses what is said; nobody waits for it for ever. */
static void wait_sent(uint32_t flag) {
    (void)dpl_wait_for(&USART3_ISR, flag, flag, SEND_LOOKS);
}

void dpl_port_putc(char c) {
    wait_sent(USART_ISR_TXE);
    USART3_TDR = (uint8_t)c;
}

void dpl_port_flush(void) {
    wait_sent(USART_ISR_TC);
}
