#include "frame.h"

#include "crc32.h"
#include "dpl_port.h"
#include "dpl_print.h"

#define LIMIT_US 2000000u /* silence after which a frame is given up */

static _Alignas(4) uint8_t buffer[DPL_FRAME_MAX];

uint8_t *dpl_frame_buffer(void) {
    return buffer;
}

static bool refuse(const char *verb, const char *why) {
    dpl_print("e-[");
    dpl_print(verb);
    dpl_print(why);
    dpl_print_line("]");
    return false;
}

static void answer(const char *verb, const char *text) {
    dpl_print("m-");
    dpl_print(verb);
    dpl_print("-[");
    dpl_print(text);
    dpl_print_line("]");
}

/* Bytes read; fewer than length when the line fell silent. */
static uint32_t receive(uint32_t length) {
    uint32_t count = 0;
    while (count < length) {
        int c = dpl_port_getc(LIMIT_US);
        if (c < 0) {
            break;
        }
        buffer[count++] = (uint8_t)c;
    }
    return count;
}

/* The CRC covers the offset: a damaged one would put the bytes over others. */
static bool intact(const char *verb, const char *offset, uint32_t length, uint32_t expected) {
    uint32_t crc = 0;
    for (; *offset; offset++) {
        crc = dpl_crc32_on(crc, offset, 1);
    }
    crc = dpl_crc32_on(crc, buffer, length);
    if (crc == expected) {
        return true;
    }
    dpl_print("e-[");
    dpl_print(verb);
    dpl_print(" crc ");
    dpl_print_hex(crc, 8);
    dpl_print_line("]");
    return false;
}

bool dpl_receive_frame(const dpl_words *words, uint32_t limit, dpl_frame *frame) {
    const char *verb = words->word[0];
    uint32_t offset, length, crc;
    if (!dpl_parse_unsigned(words->word[1], &offset) ||
        !dpl_parse_unsigned(words->word[2], &length) || !dpl_parse_hex32(words->word[3], &crc)) {
        dpl_print("e-[usage: ");
        dpl_print(verb);
        dpl_print_line(" OFFSET LENGTH CRC]");
        return false;
    }
    if (length == 0 || length > DPL_FRAME_MAX) {
        return refuse(verb, ": length is 1 to 1024");
    }
    if (offset > limit || length > limit - offset) {
        return refuse(verb, ": beyond the end");
    }
    answer(verb, "go");
    dpl_port_flush();
    if (receive(length) < length) {
        return refuse(verb, " timeout");
    }
    *frame = (dpl_frame){offset, length, buffer};
    return intact(verb, words->word[1], length, crc);
}

void dpl_frame_done(const dpl_words *words) {
    answer(words->word[0], "ok");
}
