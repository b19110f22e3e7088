/* The table of commands. A handler prints its reply and returns NULL, or returns the text of the
 * e-[...] line; main() adds m-ready. */
#ifndef DPL_COMMAND_H
#define DPL_COMMAND_H

#include "parse.h"

typedef struct {
    const char *verb;
    const char *usage;
    int least, most; /* words, the verb included */
    const char *(*run)(const dpl_words *words);
} dpl_command;

typedef struct {
    const dpl_command *entries;
    int count;
} dpl_commands;

extern const dpl_commands dpl_mlperf_commands; /* MLPerf Tiny verbs */
extern const dpl_commands dpl_probe_commands;  /* our own, prefix x- */

const char *dpl_db(const dpl_words *words);      /* input.c */
const char *dpl_x_load(const dpl_words *words);  /* input.c */
const char *dpl_x_l3(const dpl_words *words);    /* weights.c */
const char *dpl_x_crc(const dpl_words *words);   /* constants.c */
const char *dpl_x_nonce(const dpl_words *words); /* reply.c */
const char *dpl_input_missing(void);             /* NULL unless a db load has begun and not ended */

bool dpl_exit_wanted(void); /* true once after x-exit */

void dpl_print_tagged(const char *tag, const char *text); /* tag-[text] */
void dpl_print_lap(uint64_t microseconds);

#endif
