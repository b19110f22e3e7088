#include "dpl_print.h"

#include "dpl_port.h"

void dpl_print(const char *text) {
    for (; *text; text++) {
        dpl_port_putc(*text);
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
        *--p = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    return p;
}

void dpl_print_unsigned(uint64_t value) {
    dpl_print(dpl_decimal(value));
}

void dpl_print_hex(uint32_t value, int digits) {
    while (digits-- > 0) {
        dpl_port_putc("0123456789abcdef"[(value >> (4 * digits)) & 15]);
    }
}

static void print_fraction(uint32_t milli) {
    dpl_port_putc('.');
    for (uint32_t unit = 100; unit > 0; unit /= 10) {
        dpl_port_putc((char)('0' + milli / unit % 10));
    }
}

/* Whole and fraction are split first: value * 1000 would lose the low digits of a float. */
void dpl_print_milli(float value) {
    float magnitude = value < 0 ? -value : value;
    uint32_t whole = magnitude < 4294967040.0f ? (uint32_t)magnitude : UINT32_MAX;
    uint32_t milli = whole == UINT32_MAX ? 0 : (uint32_t)((magnitude - (float)whole) * 1000 + 0.5f);
    if (milli >= 1000) {
        milli -= 1000;
        whole++;
    }
    if (value < 0 && (whole | milli) != 0) {
        dpl_port_putc('-');
    }
    dpl_print_unsigned(whole);
    print_fraction(milli);
}
