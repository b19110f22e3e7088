/* Cycles by core and by function. */
#include "parts.h"

#include <stdlib.h>

static const char *const labels[COUNTERS] = {
    "cycles",         "instructions", "load_use_stalls", "jump_stalls",
    "fetch_stalls",   "loads",        "stores",          "jumps",
    "branches",       "taken",        "compressed",      "",
    "far_loads",      "far_stores",   "far_load_stalls", "far_store_stalls",
    "bank_conflicts",
};

/* Index of the function that covers the address, the number of functions if none does. */
uint32_t function_at(const machine *m, uint32_t address) {
    const function_profile *p = &m->profile;
    uint32_t low = 0, high = p->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (p->functions[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? low - 1 : p->count;
}

const char *function_name(const machine *m, uint32_t index) {
    return index < m->profile.count ? m->profile.functions[index].name : "?";
}

/* Gives what passed since the last change to the function left; sleep counts for nobody. */
void leave_function(core *c, uint32_t entered) {
    function_profile *p = &c->machine->profile;
    size_t slot = (size_t)c->function * CORES + (size_t)c->id;
    uint64_t active = c->now - c->slept;
    p->cycles[slot] += active - c->function_since;
    p->instructions[slot] += c->function_instructions;
    c->function = entered;
    c->function_since = active;
    c->function_instructions = 0;
}

static void write_core(FILE *f, core *c) {
    c->counts[CYCLES] = c->now - c->slept;
    fprintf(f, "core %s end %llu", core_name(c->id), (unsigned long long)c->now);
    for (int n = 0; n < COUNTERS; n++)
        if (n != UNUSED_COUNTER)
            fprintf(f, " %s %llu", labels[n], (unsigned long long)c->counts[n]);
    fputc('\n', f);
}

static void write_function(FILE *f, const machine *m, uint32_t index) {
    const function_profile *p = &m->profile;
    for (int id = 0; id < CORES; id++) {
        size_t slot = (size_t)index * CORES + (size_t)id;
        if (p->instructions[slot])
            fprintf(f, "function %s core %s cycles %llu instructions %llu\n",
                    function_name(m, index), core_name(id), (unsigned long long)p->cycles[slot],
                    (unsigned long long)p->instructions[slot]);
    }
}

void write_profile(machine *m) {
    if (!m->set.profile)
        return;
    FILE *f = fopen(m->set.profile, "w");
    if (!f) {
        fprintf(stderr, "gap8_sim: %s cannot be written\n", m->set.profile);
        exit(EXIT_FAULT);
    }
    for (int id = 0; id < CORES; id++)
        if (m->cores[id].running) {
            leave_function(&m->cores[id], m->cores[id].function);
            write_core(f, &m->cores[id]);
        }
    for (uint32_t index = 0; index <= m->profile.count; index++)
        write_function(f, m, index);
    fclose(f);
}
