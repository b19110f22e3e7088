/* Runs the cases of a blob on the eight cores of GAP8's cluster at once, operands in L1, twice
 * each. A line a case: "CASE id cycles stack wrong", cycles of the second call, the most bytes of a
 * core's stack, wrong bytes of the output. */
#define put_text print
#define put_number print_number
#include "gap8.h"
#undef put_text
#undef put_number

#include "cases.h"
#include "dpl/cores.h"

enum { L1_ROOM = 46 * 1024, STACK = 1024, PAINT = 0xEE, CORES = 8 };

extern const int32_t blob[];
extern uint8_t __l1_stacks[];

static _Alignas(16) L1 uint8_t l1_room[L1_ROOM];
static L1 uint8_t *places[OPERANDS];
static L1 any_args args;
static L1 test_case now;
static L1 volatile uint32_t stacks[CORES], took, finished;

void put_text(const char *text) {
    print(text);
}

int32_t dpl_core_id(void) {
    return (int32_t)(READ_CSR(mhartid) & 31);
}

void dpl_barrier(void) {
    meet();
}

static void place_operands(void) {
    uint8_t *next = l1_room;
    for (int32_t i = 0; i < now.count; i++) {
        operand *o = &now.operands[i];
        places[i] = o->place = next + o->shift;
        next += (o->shift + o->size + 15) / 16 * 16;
        if (next > l1_room + L1_ROOM) {
            print("does not fit\n");
            return;
        }
        if (i == now.output) {
            fill_bytes(o->place, o->size, 0xA5);
        } else {
            copy_words(place_of(o), image_of(o), words_of(o));
        }
    }
    reader r = {now.words, places};
    kernel_table[now.kernel].read(&r, &args);
}

static void tell(void) {
    const operand *o = &now.operands[now.output];
    int32_t wrong = 0;
    uint32_t most = 0;
    for (int32_t k = 0; k < o->size; k++) {
        wrong += now.mask[k] && o->place[k] != o->image[k];
    }
    for (int32_t i = 0; i < CORES; i++) {
        most = stacks[i] > most ? stacks[i] : most;
    }
    print("CASE");
    put_number(now.id);
    put_number((int32_t)took);
    put_number((int32_t)most);
    put_number(wrong);
    print("\n");
}

static __attribute__((noinline)) void call_twice(uint32_t core) {
    for (int32_t times = 0; times < 2; times++) {
        meet();
        const uint32_t start = REG(TIMER + 8);
        kernel_table[now.kernel].call(&args);
        meet();
        if (core == 0) {
            took = REG(TIMER + 8) - start;
        }
    }
}

void cluster(uint32_t core);

void cluster(uint32_t core) {
    uint8_t *const low = __l1_stacks + core * STACK;
    const int32_t *at = blob + 1;
    uint8_t *here;
    __asm__ volatile("mv %0, sp" : "=r"(here));
    join_cluster(core, (1u << CORES) - 1);
    REG(TIMER) = 1;
    for (int32_t left = blob[0]; left > 0; left--) {
        meet();
        if (core == 0) {
            at = parse_case(at, &now);
            place_operands();
        }
        for (volatile uint8_t *p = low; p < here; p++) {
            *p = PAINT;
        }
        meet();
        call_twice(core);
        uint32_t unused = 0;
        while (low + unused < here && low[unused] == PAINT) {
            unused++;
        }
        stacks[core] = (uint32_t)(here - low) - unused;
        meet();
        if (core == 0) {
            tell();
        }
    }
    if (core == 0) {
        finished = 1;
    }
}

int main(void) {
    finished = 0;
    start_cluster(1);
    while (!finished) {
        for (volatile int32_t i = 0; i < 100; i++) {
        }
    }
    return 0;
}
