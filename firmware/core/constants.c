/* x-crc: whether the constants are those that were built. */
#include "command.h"
#include "crc32.h"
#include "dpl_port.h"
#include "dpl_print.h"
#include "fetch.h"
#include "network.h"

static uint32_t crc_of(const dpl_constants *group) {
    if (!group->parts) {
        return dpl_fetched_crc(group->bytes);
    }
    uint32_t crc = 0;
    for (uint32_t i = 0; i < group->count; i++) {
        crc = dpl_crc32_on(crc, group->parts[i].data, group->parts[i].bytes);
    }
    return crc;
}

static void print_group(const dpl_constants *group) {
    dpl_print("m-x-crc-[");
    dpl_print(group->where);
    dpl_print(",");
    dpl_print_unsigned(group->bytes);
    dpl_print(",");
    dpl_print_hex(group->crc, 8);
    dpl_print(",");
    dpl_print_hex(crc_of(group), 8);
    dpl_print_line("]");
    dpl_port_flush();
}

const char *dpl_x_crc(const dpl_words *words) {
    (void)words;
    const dpl_constants *group = DPL_NETWORK.constants;
    if (!group) {
        return "x-crc: this network tells no constants";
    }
    for (; group->where; group++) {
        print_group(group);
    }
    return 0;
}
