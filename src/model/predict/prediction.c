/* prediction.c - what follows from a prediction, for all who show it, and the words for it, as in JSON: one
 * place for each rule. */

#include "base/names.h"
#include "base/str.h"
#include "model/predict/bound_words.h"
#include "model/predict/predictor.h"
#include "x86/arch/own_words.h"

bool tacho_prediction_is_lower_bound(const tacho_prediction *p)
{
    return p->unknown_count && p->unknown != TACHO_UNKNOWN_LATENCY;
}

bool tacho_prediction_uses_bound(const tacho_prediction *p, tacho_bound bound)
{
    /* A limit for all that lies above the result of several ways was none: most came another way. */
    const bool in_part = p->source == TACHO_SOURCE_MIXED && bound != TACHO_BOUND_LSD &&
                         p->bounds[bound] <= (1 + BOUND_TOLERANCE) * p->cycles;
    return in_part || tacho_bound_applies(bound, p->source);
}

/* A unit that serves only a part of the µops may have a bound above the result: it limits nothing. */
int tacho_prediction_next_limit(const tacho_prediction *p)
{
    int best = -1;
    for (int b = 0; b < TACHO_BOUND_COUNT; b++)
        if (p->bounds[b] > 0 && p->bounds[b] <= p->cycles * (1 + 1e-9) && !(p->bottlenecks >> b & 1) &&
            tacho_prediction_uses_bound(p, (tacho_bound)b) && (best < 0 || p->bounds[b] > p->bounds[best]))
            best = b;
    return best;
}

double tacho_prediction_ipc(const tacho_prediction *p)
{
    /* those left out are executed all the same: without them this would be no upper bound */
    size_t count = p->instruction_count ? p->instruction_count + p->skipped_count : 0;
    return p->cycles > 0 && count ? (double)count / p->cycles : NAN;
}

double tacho_prediction_uops_per_cycle(const tacho_prediction *p)
{
    double issued = 0;
    if (tacho_prediction_is_lower_bound(p)) /* what has no figures may have many µops */
        return NAN;
    for (size_t i = 0; i < p->instruction_count; i++)
        issued += p->instructions[i]->uops_issued;
    return p->cycles > 0 && p->instruction_count ? issued / p->cycles : NAN;
}

uint32_t tacho_prediction_work(const tacho_prediction *p, tacho_work work)
{
    return work == TACHO_WORK_ELEMENT ? p->elements.count
           : work == TACHO_WORK_BYTE  ? p->elements.stream_bytes
                                      : 1;
}

double tacho_prediction_cycles_per(const tacho_prediction *p, tacho_work work)
{
    uint32_t count = tacho_prediction_work(p, work);
    return count ? p->cycles / count : NAN;
}

tacho_work tacho_prediction_common_work(const tacho_prediction *a, const tacho_prediction *b)
{
    const tacho_elements *x = &a->elements, *y = &b->elements;
    bool given = (x->count && !x->smallest_bytes) || (y->count && !y->smallest_bytes);
    bool alike = x->smallest_bytes == y->smallest_bytes && x->largest_bytes == y->largest_bytes;
    if (x->count && y->count && (alike || given))
        return x->count != y->count ? TACHO_WORK_ELEMENT : TACHO_WORK_ITERATION;
    return x->stream_bytes && y->stream_bytes && x->stream_bytes != y->stream_bytes ? TACHO_WORK_BYTE
                                                                                    : TACHO_WORK_ITERATION;
}

/* ---- words ---- */

NAMES_OF(tacho_bound_name, tacho_bound, "", "predecode", "decode", "dsb", "lsd", "issue", "ports", "divider",
         "dependencies", "start_intervals", "port_conflicts")

static NAMES_OF(words_of_bound, tacho_bound, "", "predecode", "decode", "DSB", "LSD", "issue", "ports",
                "divider", "dependencies", "start intervals", "port conflicts")

    const char *tacho_bound_words(const tacho_arch *arch, tacho_bound bound)
{
    const char *words = words_of_bound(bound);
    return arch ? tacho_own_word(arch, words) : words;
}

/* Names, or words. */
static const char *list_bounds(uint32_t bounds, bool words, const tacho_arch *arch, const char *separator,
                               char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (uint32_t left = bounds; left; left &= left - 1) {
        const tacho_bound bound = (tacho_bound)__builtin_ctz(left);
        const char *name = words ? tacho_bound_words(arch, bound) : tacho_bound_name(bound);
        size_t before = used ? strlen(separator) : 0, n = strlen(name);
        if (used + before + n >= size)
            break;
        memcpy(out + used, separator, before);
        memcpy(out + used + before, name, n + 1);
        used += before + n;
    }
    return out;
}

const char *tacho_bottleneck_names(uint32_t bottlenecks, const char *separator, char *out, size_t size)
{
    return list_bounds(bottlenecks, false, NULL, separator, out, size);
}

const char *tacho_bottleneck_words(const tacho_arch *arch, uint32_t bottlenecks, char *out, size_t size)
{
    return list_bounds(bottlenecks, true, arch, ", ", out, size);
}

const char *tacho_uop_source_words(const tacho_arch *arch, tacho_uop_source source)
{
    const bool amd = arch_is_amd(arch);
    return source == TACHO_SOURCE_MITE  ? (amd ? "the decoders" : "the decoders (MITE)")
           : source == TACHO_SOURCE_DSB ? (amd ? "the op cache" : "the DSB (µop cache)")
           : source == TACHO_SOURCE_LSD ? "the LSD (loop stream detector)"
                                        : "several sources";
}

NAMES_OF(tacho_slot_reason_name, tacho_slot_reason, "", "predecode", "decode", "ms", "dsb", "lsd", "rename",
         "ports", "divider", "start_intervals", "rob", "scheduler", "dependencies")

NAMES_OF(tacho_uop_source_name, tacho_uop_source, "", "MITE", "DSB", "LSD", "mixed")

NAMES_OF(tacho_mode_name, tacho_mode, "", "auto", "loop", "unroll")

NAMES_OF(tacho_work_name, tacho_work, "", "iteration", "element", "byte")

/* ---- warnings ---- */

/* What a reader of a prediction should know: instruction timing that is missing or comes from another core,
 * limits that no bound shows, and assumptions. */

static void warn(tacho_predictor *p, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text =
        p->result.warning_count < PREDICTOR_WARNINGS ? arena_vformat(&p->memory, format, args) : NULL;
    va_end(args);
    if (text)
        p->warnings[p->result.warning_count++] = text;
}

/* Names the instructions with an initiation interval (locked ones, CPUID ...); their bound says only that
 * there are some. */
static void warn_of_throttled(tacho_predictor *p)
{
    const block *b = &p->code;
    for (uint32_t i = 0; i < b->insn_count; i++) {
        const block_insn *bi = &b->insns[i];
        uint32_t cycles = 0;
        for (uint32_t k = i; bi->throttle_owner == i && !bi->variant->div_cycles && k < b->insn_count; k++)
            cycles += b->insns[k].throttle_owner == i ? b->insns[k].tp_cycles : 0;
        if (cycles > 0 && cycles >= 0.9 * p->result.cycles)
            warn(p,
                 "instruction %u%s starts once in %u cycles at most: that alone takes %u cycles an iteration",
                 i, cycles > bi->tp_cycles ? " and those like it" : "", bi->tp_cycles, cycles);
    }
}

/* Text of the first instructions that were left out. */
static void name_skipped(const block *b, char *out, size_t size)
{
    size_t used = 0, named = 0, offset = 0;
    out[0] = '\0';
    for (uint32_t i = 0, kept = 0; i < b->decoded_count && used < size; offset += b->decoded[i++]->length) {
        char text[60];
        if (kept < b->insn_count && b->insns[kept].insn == b->decoded[i]) {
            kept++;
            continue;
        }
        if (named++ == 3) {
            snprintf(out + used, size - used, ", ...");
            return;
        }
        tacho_listing_write(b->listing, b->decoded[i], offset, text, sizeof text);
        used += (size_t)snprintf(out + used, size - used, "%s'%s'", used ? ", " : "", text);
    }
}

static void warn_of_unknown(tacho_predictor *p)
{
    const block *b = &p->code;
    char names[200];
    uint32_t count = p->result.unknown_count;
    const char *are = count == 1 ? "is" : "are", *each = count == 1 ? "it" : "each";
    if (b->unknown == TACHO_UNKNOWN_SKIP) {
        name_skipped(b, names, sizeof names);
        warn(p,
             "%u of %u instruction%s %s not in the %s table and left out, though %s bytes stay in place: %s",
             count, b->decoded_count, tacho_plural(b->decoded_count), are, b->arch->name,
             count == 1 ? "its" : "their", names);
    } else if (b->unknown == TACHO_UNKNOWN_LATENCY) {
        warn(p,
             "%u of %u instruction%s %s not in the %s table; %s is taken as one µop on any port that "
             "computes, with the latency that was given, %u",
             count, b->decoded_count, tacho_plural(b->decoded_count), are, b->arch->name, each,
             b->unknown_latency);
    } else {
        warn(p,
             "%u of %u instruction%s %s not in the %s table; %s is modelled as one µop that takes an issue "
             "slot but no port and no time, so the result is too low if %s",
             count, b->insn_count, tacho_plural(b->insn_count), are, b->arch->name, each,
             count == 1 ? "it matters" : "they matter");
    }
}

/* Which of the figures come from elsewhere. */
static void warn_of_derived(tacho_predictor *p)
{
    const block *b = &p->code;
    uint32_t from[TACHO_FIELD_COUNT] = {0};
    for (uint32_t i = 0; i < b->insn_count; i++)
        for (uint32_t left = b->insns[i].derived_fields; left; left &= left - 1)
            from[__builtin_ctz(left)]++;
    p->result.derived_warning = p->result.warning_count;
    if (from[TACHO_FIELD_PORTS] + from[TACHO_FIELD_FRONT_END] + from[TACHO_FIELD_LATENCY] > 0)
        warn(p,
             "figures carried over or estimated: ports of %u, latencies of %u, decoding of %u of %u "
             "instructions",
             from[TACHO_FIELD_PORTS], from[TACHO_FIELD_LATENCY], from[TACHO_FIELD_FRONT_END], b->insn_count);
}

static void count(tacho_prediction *r, const block *b)
{
    for (uint32_t i = 0; i < b->insn_count; i++) {
        r->unknown_count += !b->insns[i].has_form;
        r->derived_count += (b->insns[i].notes & TACHO_NOTE_ESTIMATED) != 0;
    }
    r->advance_bytes = b->advance_bytes;
    r->lacking_count = b->lacking_count;
    r->skipped_count = b->decoded_count - b->insn_count;
    r->unknown_count += r->skipped_count;
}

/* With ignore_isa: what the core cannot execute. */
static void warn_of_lacking(tacho_predictor *p)
{
    const block *b = &p->code;
    uint32_t i = 0;
    if (!b->lacking_count)
        return;
    while (!tacho_arch_lacks(b->arch, b->decoded[i]))
        i++;
    warn(p,
         "%s cannot execute %u of %u instructions (it has no %s, which instruction %u needs): predicted as "
         "if it could",
         b->arch->name, b->lacking_count, b->decoded_count,
         tacho_extension_name(tacho_arch_lacks(b->arch, b->decoded[i])), i);
}

static void warn_of_advance(tacho_predictor *p)
{
    const block *b = &p->code;
    if (p->code.advancing)
        warn(p,
             "addresses are assumed to advance by %u bytes each iteration, so that no iteration reads what "
             "an earlier one wrote; the code itself does not advance them",
             p->code.advance_bytes);
    else
        warn(p, "--advance has no effect: %s",
             p->options.piece_count || b->decoded[b->decoded_count - 1]->is_branch
                 ? "the code is a loop, which moves its own addresses"
                 : "every address either changes in the code, or is fixed or on the stack");
}

/* The first instruction that is another one on this core. */
static void warn_of_another(tacho_predictor *p)
{
    const block *b = &p->code;
    for (uint32_t i = 0; i < b->decoded_count; i++) {
        const tacho_insn *insn = b->decoded[i];
        tacho_extension needed = (tacho_extension)insn->extensions[0];
        if (!insn->else_another || tacho_arch_has_extension(b->arch, needed))
            continue;
        bool trailing = insn->opcode == 0xBC;
        warn(p, "%s has no %s and executes instruction %u, %s, as %s, which has another result",
             b->arch->name, tacho_extension_name(needed), i, trailing ? "tzcnt" : "lzcnt",
             trailing ? "bsf" : "bsr");
        return;
    }
}

/* Loads that wait for a store to reach the cache although they could have its data otherwise. */
static void warn_of_blocked(tacho_predictor *p)
{
    for (uint32_t i = 0; i < p->result.instruction_count; i++) {
        int32_t store = p->result.instructions[i]->blocked_by, alias = p->result.instructions[i]->aliased_by;
        if (alias >= 0)
            warn(p,
                 "instruction %u loads from a multiple of 4096 bytes away from what instruction %d stores: "
                 "the core takes it for a dependency, and repeats the load %u cycles later (4K aliasing)",
                 i, alias, p->code.arch->alias_4k_cycles);
        if (store >= 0)
            warn(p,
                 "instruction %u loads bytes of which the store of instruction %d wrote only some: the store "
                 "cannot forward them, so the load waits until the store has reached the cache",
                 i, store);
    }
}

void predictor_warn(tacho_predictor *p)
{
    const block *b = &p->code;
    count(&p->result, b);
    if (!p->options.details)
        return;
    warn_of_lacking(p);
    warn_of_another(p);
    if (p->options.advance)
        warn_of_advance(p);
    warn_of_throttled(p);
    warn_of_blocked(p);
    if (p->result.unknown_count)
        warn_of_unknown(p);
    if (b->arch->paired_stores_same_line && p->options.init == TACHO_INIT_DISTINCT && b->has_store)
        warn(p,
             "stores leave in one cycle only for the same %u aligned bytes: registers were assumed to be "
             "multiples of 64 (--init aligned, same or REG=VALUE says what they are)",
             b->arch->store_write_bytes ? b->arch->store_write_bytes : 64);
    if (b->arch->old_names)
        warn(p,
             "%s has capacities by their names of the last version, which end in _width: they end in "
             "_entries now, and the next version reads no others",
             b->arch->name);
    warn_of_derived(p); /* reports expect it last */
}
