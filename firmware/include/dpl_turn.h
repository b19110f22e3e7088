/* One call at a time: whoever comes while another is inside is sent away, and does not wait.
 * Without C11 atomics it is a plain flag, which two threads may take at once. */
#ifndef DPL_TURN_H
#define DPL_TURN_H

#include <stdbool.h>

#ifdef __STDC_NO_ATOMICS__

typedef struct {
    volatile bool taken;
} dpl_turn;
#define DPL_TURN_FREE                                                                              \
    { false }

static inline bool dpl_turn_take(dpl_turn *turn) {
    const bool free = !turn->taken;
    turn->taken = true;
    return free;
}

static inline void dpl_turn_end(dpl_turn *turn) {
    turn->taken = false;
}

#else

#include <stdatomic.h>

typedef atomic_flag dpl_turn;
#define DPL_TURN_FREE ATOMIC_FLAG_INIT

static inline bool dpl_turn_take(dpl_turn *turn) {
    return !atomic_flag_test_and_set(turn);
}

static inline void dpl_turn_end(dpl_turn *turn) {
    atomic_flag_clear(turn);
}

#endif

#endif
