/* What `db` brings, byte by byte: the network's own integers, or the numbers of MLPerf Tiny's
 * files, which are made its integers as soon as they are whole. */
#include "db_input.h"

#include "dpl_quantize.h"
#include "network.h"

#ifndef DPL_DB_SCALE

void dpl_db_write(uint32_t at, const uint8_t *bytes, uint32_t count) {
    dpl_input_write(at, bytes, count);
}

#else

/* The input that the element at `offset` of all of them belongs to. */
static const dpl_io *input_at(uint32_t offset) {
    const dpl_io *input = DPL_NETWORK.inputs;
    while (offset >= input->bytes) {
        offset -= input->bytes;
        input++;
    }
    return input;
}

static void write_real(uint32_t offset, float real) {
    const dpl_io *input = input_at(offset);
    const float value = real * DPL_DB_SCALE + DPL_DB_OFFSET;
    uint8_t integer =
        (uint8_t)dpl_quantize(value, input->scale, input->zero_point, INT8_MIN, INT8_MAX);
    dpl_input_write(offset, &integer, 1);
}

#if DPL_DB_ELEMENT == 1

void dpl_db_write(uint32_t at, const uint8_t *bytes, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        write_real(at + i, (float)bytes[i]);
    }
}

#else

/* A float's bytes may come in two commands. */
void dpl_db_write(uint32_t at, const uint8_t *bytes, uint32_t count) {
    static union {
        uint32_t bits;
        float real;
    } number;
    for (uint32_t i = 0; i < count; i++) {
        number.bits = number.bits >> 8 | (uint32_t)bytes[i] << 24;
        if ((at + i) % sizeof number == sizeof number - 1) {
            write_real((at + i) / sizeof number, number.real);
        }
    }
}

#endif
#endif
