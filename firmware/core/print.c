#include "dpl_print.h"

#include "dpl_divide.h"

#include "dpl_crc32.h"
#include "dpl_port.h"

static uint32_t crc;

void dpl_print_crc_begin(const char *text) {
    crc = 0;
    for (; *text; text++) {
        crc = dpl_crc32_of(crc, text, 1);
    }
}

uint32_t dpl_print_crc(void) {
    return crc;
}

void dpl_print_char(char c) {
    crc = dpl_crc32_of(crc, &c, 1);
    dpl_port_putc(c);
}

void dpl_print(const char *text) {
    for (; *text; text++) {
        dpl_print_char(*text);
    }
}

void dpl_print_line(const char *text) {
    dpl_print(text);
    dpl_print("\r\n");
}

const char *dpl_decimal(uint64_t value) {
    static char digits[21]; /* 2^64 has 20 digits */
    char *p = &digits[20];
    *p = '\0';
    do {
        *--p = (char)('0' + dpl_divide(&value, 10));
    } while (value > 0);
    return p;
}

void dpl_print_unsigned(uint64_t value) {
    dpl_print(dpl_decimal(value));
}

void dpl_print_hex(uint32_t value, int digits) {
    while (digits-- > 0) {
        dpl_print_char("0123456789abcdef"[(value >> (4 * digits)) & 15]);
    }
}

static void print_fraction(uint32_t milli) {
    dpl_print_char('.');
    for (uint32_t unit = 100; unit > 0; unit /= 10) {
        dpl_print_char((char)('0' + milli / unit % 10));
    }
}

/* scale = mantissa / 2^shift, in integers: soft floats would take 5 KB of boards without an FPU. A
 * product below 2^41 times 1000 and a rounding stay inside 64 bits. */
void dpl_print_scaled(float scale, int32_t steps) {
    const union {
        float value;
        uint32_t bits;
    } of = {scale};
    const uint32_t exponent = of.bits >> 23 & 255, hidden = exponent ? 1u << 23 : 0;
    const uint64_t mantissa = (of.bits & 0x7fffff) | hidden;
    const int32_t shift = 150 - (int32_t)(exponent ? exponent : 1);
    uint64_t milli = mantissa * (uint64_t)(steps < 0 ? -(int64_t)steps : steps) * 1000;
    if (shift <= 0) {
        milli <<= -shift;
    } else {
        milli = shift > 60 ? 0 : (milli + (1ull << (shift - 1))) >> shift;
    }
    if (steps < 0 && milli > 0) {
        dpl_print_char('-');
    }
    const uint32_t fraction = dpl_divide(&milli, 1000);
    dpl_print_unsigned(milli);
    print_fraction(fraction);
}
