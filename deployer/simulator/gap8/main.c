/* gap8_sim: runs an ELF on a model of GAP8.
 *
 *     gap8_sim [--limit CYCLES] [--trace FILE [--trace-cores fc,pe0,...]] [--profile FILE]
 *              [--l3 FILE] program.elf
 *
 * stdout is the program's. The status is the one the program exits with, EXIT_LIMIT when it still
 * runs after CYCLES cycles, EXIT_FAULT when it cannot go on; the reason is on stderr. --l3 loads
 * FILE to the start of the HyperRAM; --profile writes counts by core and by function. */
#include "parts.h"

#include <stdlib.h>
#include <string.h>

static _Noreturn void usage(const char *why) {
    fprintf(stderr,
            "gap8_sim: %s\nusage: gap8_sim [--limit CYCLES] [--trace FILE] "
            "[--trace-cores fc,pe0,...] [--profile FILE] [--l3 FILE] program.elf\n",
            why);
    exit(EXIT_FAULT);
}

static uint32_t cores_named(const char *list) {
    uint32_t cores = 0;
    while (*list) {
        size_t length = strcspn(list, ",");
        for (int id = 0; id < CORES; id++)
            if (strlen(core_name(id)) == length && !strncmp(list, core_name(id), length))
                cores |= 1u << id;
        list += length + (list[length] == ',');
    }
    if (!cores)
        usage("--trace-cores takes names of cores: fc, pe0 to pe7");
    return cores;
}

static uint64_t cycles_of(const char *text) {
    char *end;
    uint64_t value = strtoull(text, &end, 10);
    if (*end || end == text || *text == '-')
        usage("--limit takes a number of cycles");
    return value;
}

static void take_option(settings *s, const char *name, const char *value) {
    if (!strcmp(name, "--limit"))
        s->limit = cycles_of(value);
    else if (!strcmp(name, "--trace"))
        s->trace = value;
    else if (!strcmp(name, "--trace-cores"))
        s->trace_cores = cores_named(value);
    else if (!strcmp(name, "--profile"))
        s->profile = value;
    else if (!strcmp(name, "--l3"))
        s->l3 = value;
    else
        usage("no such option");
}

static settings read_arguments(int count, char **texts) {
    settings s = {.limit = UINT64_MAX, .trace_cores = (1u << CORES) - 1};
    int i = 1;
    for (; i < count && !strncmp(texts[i], "--", 2); i += 2) {
        if (i + 1 >= count)
            usage("an option without its value");
        take_option(&s, texts[i], texts[i + 1]);
    }
    if (i + 1 != count)
        usage("exactly one program is needed");
    s.elf = texts[i];
    return s;
}

static machine *make_machine(settings s) {
    machine *m = calloc(1, sizeof *m);
    if (m)
        m->set = s;
    return m;
}

static FILE *opened(const char *path, const char *mode) {
    FILE *f = fopen(path, mode);
    if (f)
        return f;
    fprintf(stderr, "gap8_sim: %s cannot be opened\n", path);
    exit(EXIT_FAULT);
}

static void fill_l3(machine *m) {
    if (!m->set.l3)
        return;
    FILE *f = opened(m->set.l3, "rb");
    if (fread(m->l3, 1, L3_SIZE, f) == L3_SIZE && fgetc(f) != EOF)
        usage("the HyperRAM does not hold the file of --l3");
    fclose(f);
    memcpy(m->flash, m->l3, L3_SIZE);
}

static void reset(machine *m, uint32_t entry) {
    function_profile *p = &m->profile;
    flush_cache(&m->cache);
    flush_cache(&m->fc_cache);
    p->cycles = calloc((p->count + 1) * CORES, sizeof *p->cycles);
    p->instructions = calloc((p->count + 1) * CORES, sizeof *p->instructions);
    for (int id = 0; id < CORES; id++) {
        m->cores[id] = (core){.machine = m, .id = id, .line = NO_LINE, .function = p->count};
        m->cores[id].loops[0].end = m->cores[id].loops[1].end = 1;
        m->dma.ports[id].id = -1;
    }
    m->cores[FC].pc = entry;
    m->cores[FC].running = true;
}

int main(int count, char **texts) {
    machine *m = make_machine(read_arguments(count, texts));
    if (!m)
        usage("not enough memory on this machine");
    uint32_t entry = load_program(m, m->set.elf);
    fill_l3(m);
    reset(m, entry);
    if (m->set.trace)
        m->trace = opened(m->set.trace, "w");
    run_machine(m);
}
