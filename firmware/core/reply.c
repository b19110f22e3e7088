/* The nonce is the host's word for this start: a reset forgets it, so that a reply without it tells
 * the host that input and counts are gone. The number tells a repeated reply, the CRC a damaged
 * one; it covers the command as it arrived, since a damaged command does something else. */
#include "reply.h"

#include "command.h"
#include "dpl_print.h"

static struct {
    uint32_t nonce; /* 0: none was given */
    uint32_t number;
} boot;

void dpl_reply_begin(const char *command) {
    dpl_print_crc_begin(command);
}

void dpl_reply_end(void) {
    if (!boot.nonce) {
        return;
    }
    const uint32_t crc = dpl_print_crc();
    dpl_print("m-x-end-[");
    dpl_print_hex(boot.nonce, 8);
    dpl_print(",");
    dpl_print_unsigned(++boot.number);
    dpl_print(",");
    dpl_print_hex(crc, 8);
    dpl_print_line("]");
}

const char *dpl_x_nonce(const dpl_words *words) {
    uint32_t nonce;
    if (words->count > 1) {
        if (!dpl_parse_hex32(words->word[1], &nonce)) {
            return "usage: x-nonce [HEX]";
        }
        boot.nonce = nonce;
        boot.number = 0;
    }
    dpl_print("m-x-nonce-[");
    dpl_print_hex(boot.nonce, 8);
    dpl_print_line("]");
    return 0;
}
