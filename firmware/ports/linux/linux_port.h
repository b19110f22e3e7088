#ifndef DPL_LINUX_PORT_H
#define DPL_LINUX_PORT_H

void dpl_listen_where_asked(void); /* returns with the console on stdin and stdout */
void dpl_console_start(void);
void dpl_counter_start(void);
const char *dpl_counter_kind(void); /* "cycles", "instructions" or "nanoseconds" */
const char *dpl_counter_per(void);  /* raw counts in one of those */
const char *dpl_trigger_name(void); /* of the line that pulses are on, NULL for none */

#endif
