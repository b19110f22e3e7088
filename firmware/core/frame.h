/* Frames: raw bytes announced by a command `VERB OFFSET LENGTH CRC`. */
#ifndef FRAME_H
#define FRAME_H

#include "parse.h"

enum { DPL_FRAME_MAX = 1024 };

typedef struct {
    uint32_t offset, length;
    const uint8_t *bytes; /* aligned to words, DPL_FRAME_MAX of them may be read */
} dpl_frame;

/* Receives the frame that the words announce, for a place of `limit` bytes. False, and the error
 * printed, unless all of it came. The bytes stay until the next frame. */
bool dpl_receive_frame(const dpl_words *words, uint32_t limit, dpl_frame *frame);

/* The frame's reply, once its bytes are where they belong. */
void dpl_frame_done(const dpl_words *words);

/* DPL_FRAME_MAX bytes, aligned to words, that frames come through: free between them. */
uint8_t *dpl_frame_buffer(void);

#endif
