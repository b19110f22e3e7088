/* Prints what dpl_print_scaled makes of each line of stdin: the bits of a scale in hex, steps. */
#include <inttypes.h>
#include <stdio.h>

#include "dpl_port.h"
#include "dpl_print.h"

void dpl_port_putc(char c) {
    putchar(c);
}

int main(void) {
    union {
        uint32_t bits;
        float value;
    } scale;
    int32_t steps;
    while (scanf("%" SCNx32 " %" SCNd32, &scale.bits, &steps) == 2) {
        dpl_print_scaled(scale.value, steps);
        putchar('\n');
    }
    return 0;
}
