/* Peripherals of the SoC: stdout, exit, the HyperBus and UART channels of the uDMA. Pad set-up
 * is words that remember what was written and have no effect. */
#include "parts.h"

enum soc_address {
    REGISTERS = 0x1A100000,
    FLL_SOC = 0x1A100000,
    FLL_CLUSTER = 0x1A100010,
    HYPER = 0x1A102180,
    UART = 0x1A102200,
    UART_END = 0x1A102280,
    EXIT = 0x1A1040A0,
    STDOUT = 0x1A110000,
    STDOUT_END = 0x1A112000,
};

void flush_text(core *c) {
    fwrite(c->text, 1, (size_t)c->text_length, stdout);
    fflush(stdout);
    c->text_length = 0;
}

/* Lines of several cores do not mix. */
static void print(core *c, char character) {
    c->text[c->text_length++] = character;
    if (character == '\n' || c->text_length == (int)sizeof c->text)
        flush_text(c);
}

static uint32_t *remembered(core *c, uint32_t address) {
    uint32_t word = (address - REGISTERS) / 4;
    if (word >= sizeof c->machine->soc / sizeof *c->machine->soc)
        fault(c, "SoC register 0x%08x is not modelled", address);
    return &c->machine->soc[word];
}

/* Its loop settles at once on the multiplier it is given. */
static uint32_t fll_status(core *c, uint32_t address) {
    return *remembered(c, address + 4) & 0xffff;
}

uint32_t soc_load(core *c, uint32_t address) {
    if (address == FLL_SOC || address == FLL_CLUSTER)
        return fll_status(c, address);
    if (address >= HYPER && address < UART)
        return hyper_load(c, address - HYPER);
    if (address >= UART && address < UART_END)
        return uart_load(c, address - UART);
    return *remembered(c, address);
}

void soc_store(core *c, uint32_t address, uint32_t value) {
    if (address >= STDOUT && address < STDOUT_END)
        print(c, (char)value);
    else if (address >= HYPER && address < UART)
        hyper_store(c, address - HYPER, value);
    else if (address >= UART && address < UART_END)
        uart_store(c, address - UART, value);
    else if (address == EXIT && value >> 31)
        finish(c->machine, (int)(value & 0xff));
    else
        clocks_store(c, 4 * (uint32_t)(remembered(c, address) - c->machine->soc), value);
}
