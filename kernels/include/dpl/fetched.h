/* Weights that come from behind far memory, for whoever would move them on before their step. */
#ifndef DPL_FETCHED_H
#define DPL_FETCHED_H

#include <stdint.h>

/* Whether the `number`th transfer of the network's, from 1 on, has ended. */
int dpl_is_fetched(uint32_t number);

#endif
