/* Room in the FC's own memory, behind its stack, for what the loop over tiles keeps: a cycle away,
 * not nine. */
#ifndef DPL_NEAR_H
#define DPL_NEAR_H

#include "target.h"

#ifdef FC_NEAR
#define DPL_NEAR_TILES FC_NEAR
#define DPL_NEAR_TILES_BYTES FC_NEAR_BYTES
#endif

#endif
