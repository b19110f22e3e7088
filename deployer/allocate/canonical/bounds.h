/* Whether what waits can still be piled up within the height. */
#ifndef CANONICAL_BOUNDS_H
#define CANONICAL_BOUNDS_H

#include "group.h"

/* Whether buffer may be the next: what waits then begins no lower than it rests. */
bool bounds_level(canonical_state *state, struct group group, int32_t buffer);

/* The lowest end of those that can come below a postponed buffer: they begin below where it would
 * end if it sank. INT64_MAX: there are none. */
int64_t bounds_lifted(const canonical_state *state, int32_t buffer);

/* Raise the floors of what is postponed in group; false when that, or what was dirty, does not fit.
 * Nothing is dirty afterwards. */
bool bounds_settle(canonical_state *state, struct group group);

#endif
