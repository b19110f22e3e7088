/* The trigger of energy meters: GPIO_A17, ball B11, push-pull. It has NOT MET SILICON: registers
 * and pad are those of gap_sdk's headers. The pad is taken with the first pulse. */
#include "gap8.h"

#include "dpl_port.h"

#ifdef DPL_PULP_OPEN
const char *dpl_trigger_name(void) {
    return 0;
}

void dpl_port_pulse(void) {}
#else

#define GPIO_DIRECTION DPL_REG(0x1A101000) /* a bit a pin, set: output */
#define GPIO_OUT DPL_REG(0x1A101008)
#define GPIO_ENABLE DPL_REG(0x1A10101C)
#define PAD_FUNCTIONS_16_TO_31 DPL_REG(0x1A104144) /* two bits a pad */
#define PAD_SHIFT (2u * (31u - 16u))               /* pad 31 */
#define PAD_IS_GPIO 1u
#define PIN (1u << 17)
#define PULSE_CYCLES (DPL_FABRIC_HZ / 1000u)

static bool taken;

/* High before it is an output. */
static void take(void) {
    GPIO_OUT |= PIN;
    GPIO_ENABLE |= PIN;
    GPIO_DIRECTION |= PIN;
    PAD_FUNCTIONS_16_TO_31 = (PAD_FUNCTIONS_16_TO_31 & ~(3u << PAD_SHIFT)) | PAD_IS_GPIO
                                                                                 << PAD_SHIFT;
    taken = true;
}

static void hold(void) {
    uint64_t end = dpl_cycles() + PULSE_CYCLES;
    while (dpl_cycles() < end) {
    }
}

const char *dpl_trigger_name(void) {
    return "GPIO_A17";
}

void dpl_port_pulse(void) {
    if (!taken) {
        take();
        hold();
    }
    GPIO_OUT &= ~PIN;
    hold();
    GPIO_OUT |= PIN;
}
#endif
