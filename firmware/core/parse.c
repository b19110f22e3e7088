#include "parse.h"

#include "dpl_port.h"

dpl_reading dpl_read_command(char text[DPL_COMMAND_MAX + 1]) {
    int length = 0;
    for (int c = dpl_port_getc(0); c != '%'; c = dpl_port_getc(0)) {
        if (c < 0) {
            return DPL_COMMAND_CLOSED;
        }
        if (c == '\r' || c == '\n') {
            continue;
        }
        if (length < DPL_COMMAND_MAX) {
            text[length] = (char)c;
        }
        length += length <= DPL_COMMAND_MAX;
    }
    text[length < DPL_COMMAND_MAX ? length : DPL_COMMAND_MAX] = '\0';
    return length > DPL_COMMAND_MAX ? DPL_COMMAND_TOO_LONG : DPL_COMMAND;
}

dpl_words dpl_split(char *text) {
    dpl_words words = {0};
    bool inside = false;
    for (char *p = text; *p; p++) {
        bool space = *p == ' ';
        if (space) {
            *p = '\0';
        } else if (!inside) {
            if (words.count < DPL_WORDS_MAX) {
                words.word[words.count] = p;
            }
            words.count++;
        }
        inside = !space;
    }
    return words;
}

bool dpl_same(const char *a, const char *b) {
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

bool dpl_parse_unsigned(const char *word, uint32_t *value) {
    uint64_t sum = 0;
    for (const char *p = word; *p; p++) {
        if (*p < '0' || *p > '9') {
            return false;
        }
        sum = sum * 10 + (uint64_t)(*p - '0');
        if (sum > UINT32_MAX) {
            return false;
        }
    }
    *value = (uint32_t)sum;
    return *word != '\0';
}

int dpl_hex_digit(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

bool dpl_parse_hex32(const char *word, uint32_t *value) {
    uint32_t sum = 0;
    for (int i = 0; i < 8; i++) {
        int digit = dpl_hex_digit(word[i]);
        if (digit < 0) {
            return false;
        }
        sum = sum << 4 | (uint32_t)digit;
    }
    *value = sum;
    return word[8] == '\0';
}
