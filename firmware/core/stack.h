/* Peak stack use: the free part of the stack is painted once, later the intact paint is counted. */
#ifndef DPL_STACK_H
#define DPL_STACK_H

#include <stdint.h>

void dpl_stack_paint(void);
uint32_t dpl_stack_size(void);
uint32_t dpl_stack_used(void); /* bytes, the most since dpl_stack_paint */

#endif
