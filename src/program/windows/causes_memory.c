/* causes_memory.c - what an access does: it crosses lines or pages, or a load cannot have what a store before
 * it has written (A. Fog, "The microarchitecture of Intel, AMD and VIA CPUs", on store forwarding; Intel,
 * "64 and IA-32 Architectures Optimization Reference Manual", "Store Forwarding"). */
#include "program/windows/causes_internal.h"

enum {
    /* Instructions between a store and a load that finds it in the store buffer still, however fast the code
     * is: it stays there until it has retired and longer. */
    FORWARD_REACH = 48,
    MOST_ACCESS_BYTES = 64 /* what is larger (XSAVE) is no single access */
};

static bool crosses(const step_access *a, uint64_t unit)
{
    return a->address / unit != (a->address + a->bytes - 1) / unit;
}

static bool overlap(const step_access *a, const recent_store *b)
{
    return a->address < b->address + b->bytes && b->address < a->address + a->bytes;
}

/* As if only the low 12 bits were known. */
static bool overlap_in_page(const step_access *a, const recent_store *b)
{
    uint64_t forth = (b->address - a->address) % PAGE_BYTES, back = (a->address - b->address) % PAGE_BYTES;
    return forth < a->bytes || back < b->bytes;
}

/* The youngest store that has a byte of the load: if it does not have all of them the load waits. */
static void look_back(const causes *c, const step_access *load, uint64_t now, logged_step *l)
{
    uint64_t kept = c->store_count < LOG_STORES ? c->store_count : LOG_STORES;
    for (uint64_t k = 1; k <= kept; k++) {
        const recent_store *s = &c->stores[(c->store_count - k) % LOG_STORES];
        if (now - s->step > FORWARD_REACH)
            return;
        if (overlap(load, s)) {
            if (load->address < s->address || load->address + load->bytes > s->address + s->bytes) {
                l->seen |= SEEN_BLOCKED;
                l->seen &= (uint16_t)~SEEN_ALIASED;
                l->other = s->site;
            }
            return;
        }
        if (!(l->seen & (SEEN_BLOCKED | SEEN_ALIASED)) && overlap_in_page(load, s)) {
            l->seen |= SEEN_ALIASED;
            l->other = s->site;
            return;
        }
    }
}

void causes_see_memory(causes *c, const step *s, logged_step *l)
{
    /* Repeated string instructions go line by line whatever their operands are; of masked ones it is not
     * known which bytes they access. */
    if (s->insn->rep || s->insn->repne || s->insn->mask)
        return;
    for (size_t i = 0; i < s->access_count; i++) {
        const step_access *a = &s->accesses[i];
        if (!a->bytes || a->bytes > MOST_ACCESS_BYTES)
            continue;
        if (crosses(a, PAGE_BYTES)) /* and a line with it */
            l->seen |= a->store ? SEEN_PAGE_STORE : SEEN_PAGE_LOAD;
        else if (crosses(a, LINE_BYTES))
            l->seen |= a->store ? SEEN_LINE_STORE : SEEN_LINE_LOAD;
        if (a->store && !l->store_bytes) {
            l->store = a->address;
            l->store_bytes = (uint8_t)a->bytes;
        } else if (!a->store && !l->load_bytes) {
            l->load = a->address;
            l->load_bytes = (uint8_t)a->bytes;
        }
        if (a->store)
            c->stores[c->store_count++ % LOG_STORES] =
                (recent_store){a->address, s->index, a->bytes, l->site};
        else
            look_back(c, a, s->index, l);
    }
}
