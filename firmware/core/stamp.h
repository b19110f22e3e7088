/* How a moment is marked: by the time as text, or in MLPerf Tiny's energy mode by a pulse that a
 * meter sees beside its samples. */
#ifndef DPL_STAMP_H
#define DPL_STAMP_H

#include <stdbool.h>

#include "parse.h"

bool dpl_energy_mode(void);
void dpl_stamp(void);
void dpl_boot_stamp(void); /* the line of the mode, and the first stamp */

const char *dpl_x_mode(const dpl_words *words);

#endif
