/* units.c - the ports of a core as people know them. Groups follow from the parameters of the core
 * (data/arch), not from its name. */
#include "app/report/report.h"
#include "x86/arch/port_digits.h"

/* ---- groups ---- */

static uint16_t all_ports(const tacho_arch *a)
{
    return (uint16_t)((1u << a->ports) - 1);
}

static uint16_t address_ports(const tacho_arch *a)
{
    return a->load_ports | a->store_address_ports;
}

/* Ports that take data of stores, and do nothing else. */
static uint16_t data_ports(const tacho_arch *a)
{
    return (uint16_t)((arch_is_amd(a) ? a->store_data_alu_ports : a->store_data_ports) & ~a->alu_ports);
}

/* On AMD's cores also a port without a name between the ALUs and the ports of addresses: a branch unit. */
static uint16_t alu_ports(const tacho_arch *a)
{
    uint16_t ports = a->alu_ports;
    if (!arch_is_amd(a) || !ports || !address_ports(a))
        return ports;
    for (unsigned p = 32 - (unsigned)__builtin_clz(ports); p < (unsigned)__builtin_ctz(address_ports(a)); p++)
        ports |= (uint16_t)(1u << p);
    return ports;
}

static uint16_t vector_ports(const tacho_arch *a)
{
    return all_ports(a) & (uint16_t) ~(alu_ports(a) | address_ports(a) | data_ports(a));
}

static void add(report_unit *out, size_t *n, const char *title, uint16_t ports, const char *what)
{
    if (!ports)
        return;
    snprintf(out[*n].title, sizeof out->title, "%s", title);
    out[*n].ports = ports;
    out[(*n)++].what = what;
}

static const char *what_for(const tacho_arch *a, uint16_t port)
{
    if (port & a->alu_ports)
        return "computing, branches";
    if (port & a->load_ports)
        return port & a->store_address_ports ? "loads, store addresses" : "loads";
    return port & a->store_address_ports ? "store addresses"
           : port & a->store_data_ports  ? "store data"
                                         : "vectors";
}

/* "p23a" */
static void digits(uint16_t ports, char out[TACHO_MAX_PORTS + 2])
{
    size_t n = 0;
    out[n++] = 'p';
    for (unsigned p = 0; p < TACHO_MAX_PORTS; p++)
        if (ports >> p & 1)
            out[n++] = port_digit(p);
    out[n] = '\0';
}

/* Intel's ports have names that people know; those for memory that do the same share one. */
static size_t by_number(const tacho_arch *a, report_unit *out)
{
    size_t n = 0;
    uint16_t done = 0;
    for (unsigned p = 0; p < a->ports; p++) {
        uint16_t ports = (uint16_t)(1u << p);
        char title[TACHO_MAX_PORTS + 2];
        const char *what = what_for(a, ports);
        for (unsigned q = p + 1; q < a->ports && !(ports & (a->alu_ports | vector_ports(a))); q++)
            if (!(1u << q & a->alu_ports) && !strcmp(what_for(a, (uint16_t)(1u << q)), what))
                ports |= (uint16_t)(1u << q);
        if (done >> p & 1)
            continue;
        done |= ports;
        digits(ports, title);
        add(out, &n, title, ports, what);
    }
    return n;
}

size_t report_units(const tacho_arch *a, report_unit out[TACHO_MAX_PORTS])
{
    size_t n = 0;
    if (!arch_is_amd(a))
        return by_number(a, out);
    add(out, &n, "ALU", alu_ports(a), "general registers, branches");
    add(out, &n, "AGU", address_ports(a), "loads, store addresses");
    add(out, &n, "ST", data_ports(a), "stores of general registers");
    add(out, &n, "FP", vector_ports(a), "vectors");
    return n;
}

/* "p0, p1", in the order of their numbers. @return out */
static const char *report_port_list(uint32_t ports, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (unsigned p = 0, last; p < TACHO_MAX_PORTS && used < size; p = last + 1) {
        for (last = p; ports >> p & 1 && ports >> (last + 1) & 1;)
            last++;
        const char *before = used ? ", " : "";
        if (last > p + 1)
            used += (size_t)snprintf(out + used, size - used, "%sp%c-p%c", before, port_digit(p),
                                     port_digit(last));
        else if (ports >> p & 1)
            used += (size_t)snprintf(out + used, size - used, "%sp%c", before, port_digit(last = p));
    }
    return out;
}

double report_unit_uops(const tacho_insn_report *r, uint16_t ports)
{
    double sum = 0;
    for (unsigned p = 0; p < TACHO_MAX_PORTS; p++)
        sum += ports >> p & 1 && r->ports[p] > 0 ? r->ports[p] : 0;
    return sum;
}

/* The groups for the same thing together; those that are named by their ports need no list of these. */
static void put_alike(tacho_str *line, const report_unit *units, size_t count, size_t i, uint32_t ports)
{
    char list[80];
    for (size_t k = 0; k < i; k++)
        if (units[k].what == units[i].what && units[k].ports & ports)
            return;
    if (line->length)
        tacho_str_puts(line, "; ");
    for (size_t k = i; k < count; k++)
        if (units[k].what == units[i].what && units[k].ports & ports)
            tacho_str_printf(line, "%s%s", k > i ? ", " : "", units[k].title);
    if (units[i].title[0] == 'p')
        tacho_str_printf(line, ": %s", units[i].what);
    else
        tacho_str_printf(line, " (%s): %s", report_port_list(units[i].ports, list, sizeof list),
                         units[i].what);
}

void report_units_text(tacho_str *out, const report_unit *units, size_t count, uint32_t ports)
{
    for (size_t i = 0; i < count; i++)
        if (units[i].ports & ports)
            put_alike(out, units, count, i, ports);
}

/* ---- the group that limits ---- */

/* What needs the busiest ports. */
typedef struct users {
    uint32_t loads, stores, others;   /* instructions */
    uint32_t load_bytes, store_bytes; /* of one; 0: of different sizes */
} users;

static uint32_t accessed_bytes(const tacho_insn *insn, unsigned access)
{
    for (unsigned i = 0; i < insn->operand_count && i < TACHO_MAX_OPERANDS; i++)
        if (insn->operands[i].kind == TACHO_OPERAND_MEM && insn->operands[i].access & access)
            return insn->operands[i].width_bits / 8;
    return 0;
}

static void count_access(uint32_t *count, uint32_t *bytes, uint32_t size)
{
    *bytes = *count && *bytes != size ? 0 : size;
    ++*count;
}

/* An instruction of many µops (a gather) is neither a load nor a store, but goes by its name. */
static users find_users(const tacho_prediction *p)
{
    const uint16_t memory = address_ports(p->arch) | p->arch->store_data_ports | data_ports(p->arch);
    users u = {0};
    for (size_t i = 0; p->busiest_cycles && i < p->instruction_count; i++) {
        const tacho_insn *insn = p->instructions[i]->insn;
        uint32_t cycles = p->busiest_cycles[i], read = accessed_bytes(insn, TACHO_READ),
                 written = accessed_bytes(insn, TACHO_WRITE);
        bool stores = written && (p->busiest_ports & ~p->arch->load_ports || !read);
        bool loads = read && p->busiest_ports & p->arch->load_ports && (!written || cycles > 1 || !stores);
        if (cycles && (p->busiest_ports & ~memory || cycles > 2 || !(loads || stores)))
            u.others++;
        else if (cycles && loads)
            count_access(&u.loads, &u.load_bytes, read);
        if (cycles && cycles <= 2 && stores && !(p->busiest_ports & ~memory))
            count_access(&u.stores, &u.store_bytes, written);
    }
    return u;
}

/* What the busiest ports are, without "port" or, as AMD has them, "unit". */
static const char *unit_name(const tacho_prediction *p, const users *u)
{
    const tacho_arch *a = p->arch;
    const uint16_t ports = p->busiest_ports, loads = a->load_ports, stores = a->store_address_ports;
    bool known = p->busiest_cycles && !u->others;
    bool takes_data = !(ports & ~(a->store_data_ports | data_ports(a)));
    if (!(ports & ~address_ports(a)) && (!(ports & loads) || (known && !u->loads)))
        return "store-address ";
    if (!(ports & ~address_ports(a)))
        return !(ports & stores) || (known && !u->stores) ? "load " : "load and store ";
    if (takes_data && (known || !(ports & vector_ports(a))))
        return arch_is_amd(a) && ports & vector_ports(a) ? "vector store " : "store-data ";
    if (!arch_is_amd(a))
        return ports == a->alu_ports ? "ALU " : "";
    return ports & ~vector_ports(a) ? "" : "vector ";
}

static const char *unit_kind(const tacho_prediction *p)
{
    return !arch_is_amd(p->arch) ? "port" : !(p->busiest_ports & ~alu_ports(p->arch)) ? "ALU" : "unit";
}

const char *report_busiest_words(const tacho_prediction *p, char *out, size_t size)
{
    char list[80] = "";
    const users u = find_users(p);
    const char *name = unit_name(p, &u), *kind = unit_kind(p);
    if (!*name && strcmp(kind, "ALU") != 0)
        report_port_list(p->busiest_ports, list, sizeof list);
    if (!p->busiest_ports)
        snprintf(out, size, "stores to the cache");
    else
        snprintf(out, size, "%s%s%s%s%s", name, kind,
                 tacho_plural((unsigned)__builtin_popcount(p->busiest_ports)), *list ? " " : "", list);
    return out;
}

static void put_accesses(tacho_str *out, uint32_t count, uint32_t bytes, const char *name)
{
    if (!count)
        return;
    tacho_str_printf(out, "%s%u %s%s", out->length ? " and " : "", count, name, tacho_plural(count));
    if (bytes)
        tacho_str_printf(out, " of %u byte%s", bytes, tacho_plural(bytes));
}

void report_put_mnemonic(tacho_str *out, const tacho_insn *insn)
{
    for (const char *c = tacho_mnemonic_name(insn->mnemonic); *c; c++)
        tacho_str_putc(out, tacho_lower(*c));
}

/* Instructions of one mnemonic, once: "3 pshufb". Of many, those that come first. */
static void put_mnemonics(tacho_str *out, const tacho_prediction *p)
{
    enum {
        NAMED = 3
    };
    uint32_t named = 0, more = 0;
    for (size_t i = 0; i < p->instruction_count; i++) {
        uint32_t before = 0, all = 0;
        for (size_t k = 0; k < p->instruction_count; k++) {
            bool same = p->busiest_cycles[k] &&
                        p->instructions[k]->insn->mnemonic == p->instructions[i]->insn->mnemonic;
            before += same && k < i;
            all += same;
        }
        if (!p->busiest_cycles[i] || before)
            continue;
        if (named++ >= NAMED) {
            more += all;
            continue;
        }
        tacho_str_printf(out, "%s%u ", out->length ? ", " : "", all);
        report_put_mnemonic(out, p->instructions[i]->insn);
        if (p->instructions[i]->notes & TACHO_NOTE_MACRO_FUSED && i + 1 < p->instruction_count) {
            tacho_str_putc(out, '+');
            report_put_mnemonic(out, p->instructions[i + 1]->insn);
        }
    }
    if (more)
        tacho_str_printf(out, " and %u more", more);
}

static uint32_t count_users(const tacho_prediction *p)
{
    uint32_t n = 0;
    for (size_t i = 0; i < p->instruction_count; i++)
        n += p->busiest_cycles[i] > 0;
    return n;
}

/* Stores of the block, whose way to the cache limits it. */
static const char *stores_text(const tacho_prediction *p, char out[REPORT_UNITS_TEXT])
{
    char cycles[TACHO_NUMBER_SIZE];
    uint32_t stores = 0;
    for (size_t i = 0; i < p->instruction_count; i++)
        stores += accessed_bytes(p->instructions[i]->insn, TACHO_WRITE) > 0;
    snprintf(out, REPORT_UNITS_TEXT,
             "%u store%s leave%s for the first-level cache in %s cycles: two in one cycle only if both are "
             "to the same 64-byte line",
             stores, tacho_plural(stores), stores == 1 ? "s" : "",
             report_number(cycles, p->bounds[TACHO_BOUND_PORTS]));
    return out;
}

const char *report_busiest_text(const tacho_prediction *p, char out[REPORT_UNITS_TEXT])
{
    char list[80], cycles[TACHO_NUMBER_SIZE], number[24] = "", ports[140];
    if (!p->busiest_ports)
        return stores_text(p, out);
    const users u = find_users(p);
    const unsigned count = (unsigned)__builtin_popcount(p->busiest_ports);
    TACHO_FREED tacho_str who = {0};
    if (p->busiest_cycles && !u.others) {
        put_accesses(&who, u.loads, u.load_bytes, "load");
        put_accesses(&who, u.stores, u.store_bytes, "store");
    } else if (p->busiest_cycles) {
        put_mnemonics(&who, p);
    }
    const char *name = unit_name(p, &u), *kind = unit_kind(p);
    report_port_list(p->busiest_ports, list, sizeof list);
    if (count > 1)
        snprintf(number, sizeof number, "%u ", count);
    if (*name || !strcmp(kind, "ALU"))
        snprintf(ports, sizeof ports, "the %s%s%s%s (%s)", number, name, kind, tacho_plural(count), list);
    else
        snprintf(ports, sizeof ports, "%s%s %s", kind, tacho_plural(count), list);
    snprintf(out, REPORT_UNITS_TEXT, "%s: %s need%s %s cycle%s", ports,
             who.length && !who.failed ? who.data : "µops that can go nowhere else",
             p->busiest_cycles && count_users(p) == 1 ? "s" : "",
             report_number(cycles, p->bounds[TACHO_BOUND_PORTS]),
             p->bounds[TACHO_BOUND_PORTS] == 1 ? "" : "s");
    return out;
}

const char *report_busiest_move(const tacho_prediction *p)
{
    const users u = find_users(p);
    const uint16_t ports = p->busiest_ports;
    bool known = p->busiest_cycles && !u.others;
    if (!ports || (known && u.stores && !u.loads))
        return u.store_bytes == 64 ? "fewer stores" : "fewer or wider stores";
    if (known && u.loads)
        return u.stores             ? "fewer or wider loads and stores; values kept in registers"
               : u.load_bytes == 64 ? "fewer loads: values kept in registers"
                                    : "fewer or wider loads; values kept in registers";
    if (arch_is_amd(p->arch) && ports == alu_ports(p->arch))
        return "fewer instructions on general registers, which only the ALUs execute";
    return "fewer µops for these ports, or instructions that can use others";
}
