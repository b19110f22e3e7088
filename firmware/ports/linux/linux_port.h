#ifndef DPL_LINUX_PORT_H
#define DPL_LINUX_PORT_H

void dpl_console_start(void);
const char *dpl_pool_start(void); /* why it failed, NULL if it did not */
void dpl_counter_start(void);
const char *dpl_counter_kind(void); /* "cycles", "instructions" or "none" */

#endif
