/* Loading the input: hex digits (db) and binary frames (x-load). */
#include "command.h"
#include "db_input.h"
#include "dpl_print.h"
#include "frame.h"
#include "network.h"

static struct {
    bool open; /* db load was seen and the last byte was not */
    uint32_t filled;
} hex;

const char *dpl_input_missing(void) {
    return hex.open ? "input incomplete: finish db or load again" : 0;
}

static const char *db_load(const char *size) {
    uint32_t bytes;
    if (!dpl_parse_unsigned(size, &bytes)) {
        return "usage: db load N";
    }
    if (bytes != DPL_DB_BYTES) {
        return "db load: not the input size";
    }
    hex.open = true;
    hex.filled = 0;
    dpl_print("m-[Expecting ");
    dpl_print_unsigned(bytes);
    dpl_print_line(" bytes]");
    return 0;
}

static const char *db_print(void) {
    dpl_print("m-buffer");
    for (uint32_t i = 0; i < DPL_INPUT_BYTES; i++) {
        uint8_t byte;
        dpl_input_read(i, &byte, 1);
        dpl_print_char('-');
        dpl_print_hex(byte, 2);
    }
    dpl_print_line("");
    return 0;
}

/* Number of bytes the digits stand for, -1 when they are not pairs of hex digits. */
static int hex_bytes(const char *digits) {
    int count = 0;
    for (; digits[count]; count++) {
        if (dpl_hex_digit(digits[count]) < 0) {
            return -1;
        }
    }
    return count % 2 ? -1 : count / 2;
}

/* All of the bytes or, when anything is wrong, none. */
static const char *db_hex(const char *digits) {
    int bytes = hex_bytes(digits);
    if (bytes < 0) {
        return "db: not pairs of hex digits";
    }
    if (!hex.open) {
        return "db: no db load before";
    }
    if ((uint32_t)bytes > DPL_DB_BYTES - hex.filled) {
        return "db: more bytes than db load said";
    }
    uint8_t found[DPL_COMMAND_MAX / 2];
    for (int i = 0; i < bytes; i++) {
        int byte = dpl_hex_digit(digits[2 * i]) << 4 | dpl_hex_digit(digits[2 * i + 1]);
        found[i] = (uint8_t)byte;
    }
    dpl_db_write(hex.filled, found, (uint32_t)bytes);
    hex.filled += (uint32_t)bytes;
    if (hex.filled == DPL_DB_BYTES) {
        hex.open = false;
        dpl_print_line("m-load-done");
    }
    return 0;
}

const char *dpl_db(const dpl_words *words) {
    if (dpl_same(words->word[1], "load")) {
        return words->count == 3 ? db_load(words->word[2]) : "usage: db load N";
    }
    if (words->count != 2) {
        return "usage: db load N | db HEX | db print";
    }
    return dpl_same(words->word[1], "print") ? db_print() : db_hex(words->word[1]);
}

const char *dpl_x_load(const dpl_words *words) {
    dpl_frame frame;
    if (dpl_receive_frame(words, DPL_INPUT_BYTES, &frame)) {
        hex.open = false;
        dpl_input_write(frame.offset, frame.bytes, frame.length);
        dpl_frame_done(words);
    }
    return 0;
}
