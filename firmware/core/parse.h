/* Commands as words. */
#ifndef DPL_PARSE_H
#define DPL_PARSE_H

#include <stdbool.h>
#include <stdint.h>

enum { DPL_COMMAND_MAX = 80, DPL_WORDS_MAX = 4 };

typedef enum { DPL_COMMAND, DPL_COMMAND_TOO_LONG, DPL_COMMAND_CLOSED } dpl_reading;

typedef struct {
    int count; /* may exceed DPL_WORDS_MAX; the words beyond are dropped */
    const char *word[DPL_WORDS_MAX];
} dpl_words;

/* Reads up to the next '%' into text; CR and LF are skipped. */
dpl_reading dpl_read_command(char text[DPL_COMMAND_MAX + 1]);

dpl_words dpl_split(char *text); /* cuts text at its spaces */

bool dpl_same(const char *a, const char *b);
bool dpl_parse_unsigned(const char *word, uint32_t *value); /* decimal digits only, below 2^32 */
bool dpl_parse_hex32(const char *word, uint32_t *value);    /* eight digits */
int dpl_hex_digit(char c);                                  /* -1 when it is none */

#endif
