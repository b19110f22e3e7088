/* A run through a table of 256 values, four elements at a time (table_words.S). */
#ifndef DPL_PULP_TABLE_H
#define DPL_PULP_TABLE_H

#include <stdint.h>

/* middle: the entry of 0. words: at least 1; out may be from. */
void dpl_table_words(const int8_t *from, int8_t *out, const int8_t *middle, int32_t words);

#endif
