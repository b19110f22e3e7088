/* Runs every instruction of `table` on every row of `operands` and prints what it leaves in the
 * destination and in rs1: two words in hexadecimal a line. */
#include "gap8.h"

typedef uint64_t instruction(uint32_t d, uint32_t a, uint32_t b); /* d and a afterwards */
extern instruction *const table[];
extern const uint32_t operands[][3];
extern const uint32_t instruction_count, row_count;

static void put_hex(uint32_t value) {
    for (int shift = 28; shift >= 0; shift -= 4)
        put_char("0123456789abcdef"[value >> shift & 15]);
}

int main(void) {
    for (uint32_t i = 0; i < instruction_count; i++)
        for (uint32_t row = 0; row < row_count; row++) {
            const uint32_t *o = operands[row];
            uint64_t out = table[i](o[0], o[1], o[2]);
            put_hex((uint32_t)out);
            put_char(' ');
            put_hex((uint32_t)(out >> 32));
            put_char('\n');
        }
    return 0;
}
