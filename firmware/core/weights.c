/* x-l3: weights that are fetched, found or sent. They lie in the HyperFlash, for good, or in the
 * HyperRAM until power is gone. */
#include "command.h"
#include "fetch.h"

#ifdef DPL_PREFETCH_STEPS

#include "crc32.h"
#include "dpl_l3.h"
#include "dpl_print.h"
#include "frame.h"
#include "network.h"

uint32_t dpl_l3_crc(uint32_t l3, uint32_t bytes) {
    uint32_t crc = 0;
    uint8_t *piece = dpl_frame_buffer();
    for (uint32_t done = 0; done < bytes;) {
        uint32_t left = bytes - done;
        uint32_t count = left < DPL_FRAME_MAX ? left : DPL_FRAME_MAX;
        dpl_l3_wait(dpl_l3_read(piece, l3 + done, (count + 3) / 4 * 4));
        crc = dpl_crc32_on(crc, piece, count);
        done += count;
    }
    return crc;
}

/* From now on they are fetched from where they were found. */
static const char *found_at(uint32_t bytes, uint32_t crc) {
    if (dpl_l3_crc(DPL_L3_WEIGHTS, bytes) == crc) {
        dpl_fetch_from(DPL_L3_WEIGHTS);
        return "flash";
    }
    if (dpl_l3_crc(DPL_L3_SENT, bytes) == crc) {
        dpl_fetch_from(DPL_L3_SENT);
        return "ram";
    }
    return "missing";
}

static const char *find(const dpl_words *words) {
    uint32_t bytes, crc;
    if (!dpl_parse_unsigned(words->word[1], &bytes) || !dpl_parse_hex32(words->word[2], &crc)) {
        return "usage: x-l3 BYTES CRC";
    }
    if (bytes > DPL_L3_SENT_BYTES) {
        return "x-l3: beyond the end";
    }
    dpl_print("m-x-l3-[");
    dpl_print(found_at(bytes, crc));
    dpl_print_line("]");
    return 0;
}

static const char *send(const dpl_words *words) {
    dpl_frame frame;
    if (!dpl_receive_frame(words, DPL_L3_SENT_BYTES, &frame)) {
        return 0;
    }
    if (frame.offset % 4) {
        return "x-l3: offset is a multiple of 4";
    }
    uint32_t bytes = (frame.length + 3) / 4 * 4;
    dpl_l3_wait(dpl_l3_write(DPL_L3_SENT + frame.offset, frame.bytes, bytes));
    dpl_frame_done(words);
    return 0;
}

const char *dpl_x_l3(const dpl_words *words) {
    return words->count == 3 ? find(words) : send(words);
}

#else

const char *dpl_x_l3(const dpl_words *words) {
    (void)words;
    return "x-l3: this network fetches no weights";
}

#endif
