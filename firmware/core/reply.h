/* What makes a reply believable: its last line before m-ready, `m-x-end-[NONCE,NUMBER,CRC]`. */
#ifndef REPLY_H
#define REPLY_H

#include "parse.h"

void dpl_reply_begin(const char *command);
void dpl_reply_end(void); /* prints that line, if the host gave this start a nonce */

#endif
