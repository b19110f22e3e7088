/* Threads that share a step, one pinned to each core: they wait for the next step in the kernel,
 * and for each other within one by looking, since that takes less than a call of the system. */
#define _GNU_SOURCE
#include <stddef.h>

#include "dpl/cores.h"
#include "dpl_threads.h"

#ifndef DPL_CORES
const char *dpl_threads_start(void) {
    return NULL;
}

void dpl_threads_run(void (*fn)(void)) {
    fn();
}
#else
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WORKERS (DPL_CORES - 1)
#define LOOKS 2000 /* before a thread sleeps or gives its core away: some 10 microseconds */

static struct {
    void (*fn)(void);
    uint32_t generation; /* steps begun */
    uint32_t left;       /* workers not done yet */
    uint32_t asleep;     /* workers that wait in the kernel */
    uint32_t taken;      /* by the thread whose step it is */
} job;

static struct {
    uint32_t generation; /* times all have met */
    uint32_t arrived;
} meeting;

static int started, whole, pinned;
static _Thread_local int32_t own_core;
static _Thread_local int32_t sharing = 1; /* a thread that forks nothing does its steps alone */

static uint32_t load(const uint32_t *word) {
    return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

/* Looks until *word is no longer `old`, and lets others run if that takes long. */
static void look_for_change(const uint32_t *word, uint32_t old) {
    for (uint32_t looks = 0; load(word) == old; looks++) {
        if (looks >= LOOKS) {
            sched_yield();
        }
    }
}

int32_t dpl_core_id(void) {
    return own_core;
}

int32_t dpl_core_count(void) {
    return sharing;
}

void dpl_barrier(void) {
    if (sharing == 1) {
        return;
    }
    const uint32_t generation = load(&meeting.generation);
    if (__atomic_add_fetch(&meeting.arrived, 1, __ATOMIC_SEQ_CST) < DPL_CORES) {
        look_for_change(&meeting.generation, generation);
        return;
    }
    meeting.arrived = 0;
    __atomic_store_n(&meeting.generation, generation + 1, __ATOMIC_SEQ_CST);
}

static void await_step(uint32_t generation) {
    for (uint32_t looks = 0; looks < LOOKS; looks++) {
        if (load(&job.generation) != generation) {
            return;
        }
    }
    __atomic_add_fetch(&job.asleep, 1, __ATOMIC_SEQ_CST);
    while (load(&job.generation) == generation) {
        syscall(SYS_futex, &job.generation, FUTEX_WAIT_PRIVATE, generation, 0, 0, 0);
    }
    __atomic_sub_fetch(&job.asleep, 1, __ATOMIC_SEQ_CST);
}

/* A system with fewer cores, or that forbids it, leaves the thread where it is. */
static void pin(int32_t core) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)core, &set);
    sched_setaffinity(0, sizeof set, &set);
}

static void *work(void *core) {
    own_core = (int32_t)(intptr_t)core;
    sharing = DPL_CORES;
    if (pinned) {
        pin(own_core);
    }
    for (uint32_t generation = 0;; generation++) {
        await_step(generation);
        job.fn();
        __atomic_sub_fetch(&job.left, 1, __ATOMIC_SEQ_CST);
    }
    return 0;
}

/* Threads of a pool that is not whole sleep for ever: nobody gives them a step. */
static void start(void) {
    started = 1;
    for (intptr_t core = 1; core <= WORKERS; core++) {
        pthread_t thread;
        if (pthread_create(&thread, 0, work, (void *)core) != 0) {
            return;
        }
    }
    whole = 1;
}

const char *dpl_threads_start(void) {
    pinned = 1;
    pin(0);
    start();
    return whole ? NULL : "the system gives no thread for a core";
}

static void share(void (*fn)(void)) {
    job.fn = fn;
    job.left = WORKERS;
    __atomic_add_fetch(&job.generation, 1, __ATOMIC_SEQ_CST);
    if (load(&job.asleep) > 0) {
        syscall(SYS_futex, &job.generation, FUTEX_WAKE_PRIVATE, WORKERS, 0, 0, 0);
    }
    fn();
    for (uint32_t left = load(&job.left); left != 0; left = load(&job.left)) {
        look_for_change(&job.left, left);
    }
}

/* A thread that finds the pool at another one's step does its own alone: the integers are the same,
 * whoever computes them. */
void dpl_threads_run(void (*fn)(void)) {
    if (__atomic_exchange_n(&job.taken, 1, __ATOMIC_SEQ_CST)) {
        fn();
        return;
    }
    if (!started) {
        start();
    }
    sharing = whole ? DPL_CORES : 1;
    if (whole) {
        share(fn);
    } else {
        fn();
    }
    sharing = 1;
    __atomic_store_n(&job.taken, 0, __ATOMIC_SEQ_CST);
}
#endif
