/* Where an access goes and what it costs: L1 by banks, L2, the fabric controller's memory, and the
 * registers of cluster and SoC. */
#include "parts.h"

#include <stdlib.h>
#include <string.h>

enum { UNWRITTEN = 0x57 }; /* what memories hold before they are written */

static uint8_t *unwritten(size_t bytes) {
    uint8_t *out = malloc(bytes);
    if (out)
        memset(out, UNWRITTEN, bytes);
    return out;
}

/* False where the host has too little memory. */
bool take_memories(machine *m, uint32_t l1, uint32_t l2) {
    m->l1_size = l1;
    m->l2_size = l2;
    m->l1 = unwritten(l1);
    m->l2 = unwritten(l2);
    m->l3 = unwritten(L3_SIZE);
    m->flash = unwritten(L3_SIZE);
    m->fc = unwritten(FC_SIZE);
    m->code = calloc(l2 / 2, sizeof *m->code);
    return m->l1 && m->l2 && m->l3 && m->flash && m->fc && m->code;
}

static uint32_t get(const uint8_t *p, int bytes) {
    uint32_t value = 0;
    memcpy(&value, p, (size_t)bytes);
    return value;
}

static void put(uint8_t *p, uint32_t value, int bytes) {
    memcpy(p, &value, (size_t)bytes);
}

/* The cluster core sees L1 and the cluster's peripherals from address 0 too. */
static uint32_t global(const core *c, uint32_t address) {
    return address < ALIAS_SIZE && c->id != FC ? address + L1_BASE : address;
}

static bool inside(uint32_t address, uint32_t base, uint32_t size, int bytes) {
    return address - base <= size - (uint32_t)bytes;
}

/* The bytes at an address of a memory, null outside of the memories. */
uint8_t *plain_memory(machine *m, uint32_t address, uint32_t bytes) {
    if (bytes <= m->l2_size && inside(address, L2_BASE, m->l2_size, (int)bytes))
        return m->l2 + (address - L2_BASE);
    if (bytes <= m->l1_size && inside(address, L1_BASE, m->l1_size, (int)bytes))
        return m->l1 + (address - L1_BASE);
    if (bytes <= FC_SIZE && inside(address, FC_BASE, FC_SIZE, (int)bytes))
        return m->fc + (address - FC_BASE);
    return NULL;
}

/* When a bank of L1, which serves one access a cycle, takes a word; others wait for their turn. */
uint64_t take_bank(machine *m, uint32_t address, uint64_t when) {
    uint64_t *free_at = &m->bank_free[address >> 2 & (BANKS - 1)];
    uint64_t taken = *free_at > when ? *free_at : when;
    *free_at = taken + 1;
    return taken;
}

static void use_bank(core *c, uint32_t address) {
    uint64_t issued = c->now - 1, waited = take_bank(c->machine, address, issued) - issued;
    c->counts[BANK_CONFLICTS] += waited;
    c->now += waited;
}

static void use_l1(core *c, uint32_t address, int bytes) {
    if (c->id == FC) { /* seldom, so that its turns at the banks are left out */
        c->now += FAR_FROM_FC;
        return;
    }
    use_bank(c, address);
    if ((address & 3) + (uint32_t)bytes <= 4)
        return;
    use_bank(c, address + 4);
    c->now += MISALIGNED;
}

static void use_far(core *c, uint32_t cost, bool store) {
    c->now += cost;
    c->counts[store ? FAR_STORES : FAR_LOADS]++;
    c->counts[store ? FAR_STORE_STALLS : FAR_LOAD_STALLS] += cost;
}

static void use_l2(core *c, uint32_t address, int bytes, bool store) {
    uint32_t accesses = (address & 3) + (uint32_t)bytes > 4 ? 2 : 1;
    uint32_t cost = c->id == FC ? SOC_FROM_FC : FAR_FROM_CLUSTER;
    use_far(c, accesses * (cost + 1) - 1, store);
}

static void check_register(core *c, uint32_t address, int bytes, bool store) {
    if (bytes != 4 && !(store && address >> 16 == 0x1a11))
        fault(c, "access of %d bytes to the register at 0x%08x", bytes, address);
    if (address & 3 && bytes == 4)
        fault(c, "misaligned access to the register at 0x%08x", address);
}

static void use_registers(core *c, uint32_t address, bool store) {
    if (c->id == FC)
        c->now += inside(address, CLUSTER_BASE, CLUSTER_SIZE, 4) ? FAR_FROM_FC : SOC_FROM_FC;
    else if (!inside(address, CLUSTER_BASE, CLUSTER_SIZE, 4))
        use_far(c, FAR_FROM_CLUSTER, store);
}

static uint32_t test_and_set(core *c, uint32_t address, int bytes) {
    uint8_t *p = c->machine->l1 + (address - L1_BASE - TEST_AND_SET);
    uint32_t value = get(p, bytes);
    use_l1(c, address, bytes);
    put(p, UINT32_MAX, bytes);
    return value;
}

static uint32_t load_elsewhere(core *c, uint32_t address, int bytes) {
    machine *m = c->machine;
    if (inside(address, FC_BASE, FC_SIZE, bytes))
        return get(m->fc + (address - FC_BASE), bytes);
    if (inside(address, L1_BASE + TEST_AND_SET, m->l1_size, bytes))
        return test_and_set(c, address, bytes);
    if (inside(address, CLUSTER_BASE, CLUSTER_SIZE, bytes)) {
        check_register(c, address, bytes, false);
        use_registers(c, address, false);
        return cluster_load(c, address - CLUSTER_BASE);
    }
    if (address >> 20 == 0x1a1) {
        check_register(c, address, bytes, false);
        use_registers(c, address, false);
        return soc_load(c, address);
    }
    fault(c, "load of %d bytes from 0x%08x, where nothing is", bytes, address);
}

uint32_t bus_load(core *c, uint32_t seen, int bytes) {
    machine *m = c->machine;
    uint32_t address = global(c, seen);
    c->touched = seen;
    c->counts[LOADS]++;
    if (inside(address, L1_BASE, m->l1_size, bytes)) {
        use_l1(c, address, bytes);
        return get(m->l1 + (address - L1_BASE), bytes);
    }
    if (inside(address, L2_BASE, m->l2_size, bytes)) {
        use_l2(c, address, bytes, false);
        return get(m->l2 + (address - L2_BASE), bytes);
    }
    return load_elsewhere(c, address, bytes);
}

/* What was decoded there is not what lies there any more. */
void forget_code(machine *m, uint32_t address, uint32_t bytes) {
    uint32_t offset = address - L2_BASE;
    if (offset >= m->l2_size)
        return;
    uint32_t first = offset >= 2 ? (offset - 2) >> 1 : 0, last = (offset + bytes - 1) >> 1;
    for (uint32_t i = first; i <= last && i < m->l2_size / 2; i++)
        if (m->code[i].run)
            m->code[i].run = NULL;
}

static void store_elsewhere(core *c, uint32_t address, uint32_t value, int bytes) {
    machine *m = c->machine;
    if (inside(address, FC_BASE, FC_SIZE, bytes)) {
        put(m->fc + (address - FC_BASE), value, bytes);
    } else if (inside(address, L1_BASE + TEST_AND_SET, m->l1_size, bytes)) {
        use_l1(c, address, bytes);
        put(m->l1 + (address - L1_BASE - TEST_AND_SET), value, bytes);
    } else if (inside(address, CLUSTER_BASE, CLUSTER_SIZE, bytes)) {
        check_register(c, address, bytes, true);
        cluster_store(c, address - CLUSTER_BASE, value); /* at once; what answers comes late */
        use_registers(c, address, true);
    } else if (address >> 20 == 0x1a1) {
        check_register(c, address, bytes, true);
        use_registers(c, address, true);
        soc_store(c, address, value);
    } else if (address == FC_CACHE) {
        m->fc_cache.enabled = value != 0;
    } else if (address == FC_CACHE + 4) {
        flush_cache(&m->fc_cache);
    } else {
        fault(c, "store of %d bytes to 0x%08x, where nothing is", bytes, address);
    }
}

void bus_store(core *c, uint32_t seen, uint32_t value, int bytes) {
    machine *m = c->machine;
    uint32_t address = global(c, seen);
    c->touched = seen;
    c->counts[STORES]++;
    if (inside(address, L1_BASE, m->l1_size, bytes)) {
        use_l1(c, address, bytes);
        put(m->l1 + (address - L1_BASE), value, bytes);
    } else if (inside(address, L2_BASE, m->l2_size, bytes)) {
        use_l2(c, address, bytes, true);
        put(m->l2 + (address - L2_BASE), value, bytes);
        forget_code(m, address, (uint32_t)bytes);
    } else {
        store_elsewhere(c, address, value, bytes);
    }
}
