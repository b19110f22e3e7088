/* One call at a time: a call while another one holds the lock is refused and does not wait.
 * Without C11 atomics it is a plain flag, which two threads may take at once. */
#ifndef DPL_LOCK_H
#define DPL_LOCK_H

#include <stdbool.h>

#ifdef __STDC_NO_ATOMICS__

typedef struct {
    volatile bool taken;
} dpl_lock;
#define DPL_LOCK_FREE                                                                              \
    { false }

static inline bool dpl_lock_try(dpl_lock *lock) {
    const bool free = !lock->taken;
    lock->taken = true;
    return free;
}

static inline void dpl_lock_release(dpl_lock *lock) {
    lock->taken = false;
}

#else

#include <stdatomic.h>

typedef atomic_flag dpl_lock;
#define DPL_LOCK_FREE ATOMIC_FLAG_INIT

static inline bool dpl_lock_try(dpl_lock *lock) {
    return !atomic_flag_test_and_set(lock);
}

static inline void dpl_lock_release(dpl_lock *lock) {
    atomic_flag_clear(lock);
}

#endif

#endif
