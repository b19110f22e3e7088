/* Text on the console without printf: no heap, no locale, no format strings. */
#ifndef DPL_PRINT_H
#define DPL_PRINT_H

#include <stdint.h>

void dpl_print(const char *text);
void dpl_print_char(char c);
void dpl_print_line(const char *text); /* with CR LF */
void dpl_print_unsigned(uint64_t value);
void dpl_print_hex(uint32_t value, int digits); /* lower case, zero padded */
/* scale * steps, three decimals, half away from zero; 0 <= scale < 2^30, |steps| < 2^17 */
void dpl_print_scaled(float scale, int32_t steps);

/* CRC-32 of `text` and of everything printed behind it. */
void dpl_print_crc_begin(const char *text);
uint32_t dpl_print_crc(void);

const char *dpl_decimal(uint64_t value); /* valid until the next call */

#endif
