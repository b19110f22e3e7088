/* Leading the cores that share a step from a core outside of them, for ports that have one: it
 * prepares what they do next while they work, turn by turn. Turns are 0 and 1 in alternation; a
 * turn is called only when the cores are through with the same one before. */
#ifndef DPL_LEAD_H
#define DPL_LEAD_H

#include <stdint.h>

/* For the one that leads. */
void dpl_lead_begin(void (*fn)(void));         /* every core runs fn, as dpl_port_fork has them */
void dpl_lead_call(uint32_t turn);             /* lets every core through its dpl_follow() */
void dpl_lead_wait(const volatile int32_t *w); /* until a core has set it */
void dpl_lead_end(void);                       /* until every core has left fn */

/* For the cores: asleep until the turn is called. */
void dpl_follow(uint32_t turn);

#endif
