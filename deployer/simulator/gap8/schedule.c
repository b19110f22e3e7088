/* Which core goes next: steps are taken in the order of time. */
#include "parts.h"

#include <stdlib.h>

static insn *decoded(core *c, uint32_t pc) {
    machine *m = c->machine;
    uint32_t offset = pc - L2_BASE, word = 0;
    if (offset > m->l2_size - 4 || pc & 1)
        fault(c, "the program goes on at 0x%08x, where no code is", pc);
    insn *i = &m->code[offset >> 1];
    if (i->run)
        return i;
    for (int b = 3; b >= 0; b--)
        word = word << 8 | m->l2[offset + (uint32_t)b];
    if (!decode(i, word))
        fault(c, "illegal instruction 0x%0*x at 0x%08x", (word & 3) == 3 ? 8 : 4,
              (word & 3) == 3 ? word : word & 0xffff, pc);
    i->function = function_at(m, pc);
    return i;
}

/* Four bytes are fetched, of a shorter instruction, too: at the end of a line the next one comes
 * along, as in GVSoC. */
static uint32_t last_line(const core *c) {
    return (c->pc + 3u) & ~(LINE_BYTES - 1u);
}

/* Cycles until the lines of the instruction are here. */
static uint32_t fetch(core *c) {
    uint32_t first = c->pc & ~(LINE_BYTES - 1u), last = last_line(c), cycles = 0;
    if (first != c->line)
        cycles += fetch_line(c, first);
    if (last != c->line)
        cycles += fetch_line(c, last);
    return cycles;
}

static bool at_hand(const core *c) {
    return (c->pc & ~(LINE_BYTES - 1u)) == c->line && last_line(c) == c->line;
}

/* Where a loop goes on after its last instruction; the inner loop (0) comes first. */
static uint32_t after_loops(core *c, uint32_t pc, uint32_t next) {
    for (int l = 0; l < 2; l++) {
        hardware_loop *loop = &c->loops[l];
        if (loop->end != pc || loop->count == 0)
            continue;
        if (--loop->count)
            return loop->start;
    }
    return next;
}

/* An instruction begins when it is due; what its fetch takes, the next one waits, as in GVSoC. */
static void step(core *c, const insn *i) {
    uint32_t pc = c->pc, fetching = at_hand(c) ? 0 : fetch(c);
    if (i->function != c->function)
        leave_function(c, i->function);
    uint64_t from = c->now;
    c->order = ++c->machine->order;
    if (i->reads & c->late) {
        c->now++;
        c->counts[LOAD_USE_STALLS]++;
    }
    c->late = 0;
    c->now++;
    c->counts[INSTRUCTIONS]++;
    c->counts[COMPRESSED] += i->size == 2;
    c->function_instructions++;
    c->next = pc + i->size;
    i->run(c, i);
    c->now += fetching;
    c->r[0] = 0;
    if (i->late)
        c->late = 1u << i->rd;
    if (pc == c->loops[0].end || pc == c->loops[1].end)
        c->next = after_loops(c, pc, c->next);
    c->pc = c->next;
    if (c->machine->trace)
        trace_step(c, i, pc, from);
}

/* Of cores that are due at the same time the one comes first whose last step came last, as in
 * GVSoC, where that puts an event before those of its cycle. */
static bool comes_before(const core *a, const core *b) {
    if (a->now != b->now)
        return a->now < b->now;
    return a->order > b->order;
}

/* The next core to run, and the time up to which it is the earliest. */
static core *earliest(machine *m, uint64_t *until) {
    core *first = NULL;
    uint64_t second = UINT64_MAX;
    for (int id = 0; id < CORES; id++) {
        core *c = &m->cores[id];
        if (!c->running || c->asleep || c->held)
            continue;
        if (!first || comes_before(c, first)) {
            second = first ? first->now : second;
            first = c;
        } else if (c->now < second) {
            second = c->now;
        }
    }
    *until = second;
    return first;
}

static _Noreturn void nobody_left(machine *m) {
    fflush(stdout);
    fprintf(stderr, "gap8_sim: every core sleeps and nothing will wake one:");
    for (int id = 0; id < CORES; id++)
        if (m->cores[id].running)
            fprintf(stderr, " %s at 0x%08x (%s)", core_name(id), m->cores[id].pc,
                    function_name(m, function_at(m, m->cores[id].pc)));
    fprintf(stderr, "\n");
    finish(m, EXIT_FAULT);
}

static _Noreturn void over_limit(const core *c) {
    fflush(stdout);
    fprintf(stderr, "gap8_sim: still running after %llu cycles (%s at 0x%08x)\n",
            (unsigned long long)c->machine->set.limit, core_name(c->id), c->pc);
    finish(c->machine, EXIT_LIMIT);
}

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

void come_back(machine *m, uint64_t when) {
    m->until = least(m->until, when);
}

/* Runs while nobody else comes first. */
static void run_core(core *c) {
    machine *m = c->machine;
    const insn *i = decoded(c, c->pc);
    do {
        uint64_t from = c->now;
        step(c, i);
        if (m->two_clocks && c->id == FC)
            take_fabric_cycles(c, from);
        if (c->asleep || c->held)
            return;
        i = decoded(c, c->pc);
    } while (c->now < m->until);
}

/* By the same order as among cores. */
static bool dma_comes_before(const machine *m, const core *c) {
    uint64_t due = dma_due(m);
    return due < c->now || (due == c->now && m->dma.order > c->order);
}

/* What is due before the core, or with it. */
static bool move_data(machine *m, const core *c) {
    uint64_t dma = dma_due(m), hyper = hyper_done(m);
    if (hyper != UINT64_MAX && hyper <= dma && (!c || hyper <= c->now))
        hyper_complete(m);
    else if (dma != UINT64_MAX && (!c || dma_comes_before(m, c)))
        dma_step(m);
    else
        return false;
    return true;
}

_Noreturn void run_machine(machine *m) {
    for (;;) {
        core *c = earliest(m, &m->until);
        if (move_data(m, c))
            continue;
        if (!c)
            nobody_left(m);
        if (c->now > m->set.limit)
            over_limit(c);
        come_back(m, least(m->set.limit, least(dma_due(m), hyper_done(m))));
        run_core(c);
    }
}
