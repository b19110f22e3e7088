/* What the networks of a library share: how their calls end, and where rows come from. */
#ifndef DPL_LIBRARY_H
#define DPL_LIBRARY_H

#include <stddef.h>
#include <stdint.h>

#include "dpl/rows.h"

typedef enum {
    DPL_OK = 0,
    DPL_ARENA_MISSING,    /* no arena was given, and the library was built without one */
    DPL_ARENA_SMALL,      /* the arena has fewer bytes than network.h says */
    DPL_ARENA_MISALIGNED, /* its address is no multiple of what network.h says */
    DPL_BUSY,             /* a call that needs the same memory has not returned yet */
    DPL_NOT_INITIALIZED,  /* a run before the first init that succeeded */
    DPL_ROWS_MISSING,     /* nobody has said where the rows of the input come from */
    DPL_WEIGHTS_DAMAGED   /* weights are not those that were built */
} dpl_status;

#endif
