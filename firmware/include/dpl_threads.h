/* Threads of an operating system that share the steps of networks: ports/linux/dpl_threads.c. */
#ifndef DPL_THREADS_H
#define DPL_THREADS_H

/* Starts the threads, each kept to a core, and keeps the caller to the first. Returns why it could
 * not, NULL if it could. */
const char *dpl_threads_start(void);

/* Runs fn on every thread and returns when all have. Without dpl_threads_start the first call
 * starts the threads, on no particular core. The caller does fn alone where the system gives no
 * threads, or another caller has them. */
void dpl_threads_run(void (*fn)(void));

#endif
