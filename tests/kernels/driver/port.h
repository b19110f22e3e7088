/* Between a port and what runs on it. */
#ifndef PORT_H
#define PORT_H

#include <stdint.h>

/* Returns how many cases failed. */
int32_t run_cases(const int32_t *blob);

void put_text(const char *text); /* by the port */

#endif
