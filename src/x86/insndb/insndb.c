/* insndb.c - from a decoded instruction to its form, and from a form to its timing.
 *
 * The match tries keys from the most to the least specific: an encoding of its own (opcode byte, restricted
 * ModRM.rm, operand size) before the general one, fixed registers and zero immediates before general
 * operands, sized memory before memory of any size. What a mnemonic's forms never use is not tried. */
#include <stdio.h>
#include <string.h>

#include "x86/decode/regs.h"
#include "x86/insndb/key.h"
#include "x86/arch/tables.h"
#include "x86/arch/loaded.h"

/* ---- forms ---- */

form_key tacho_form_key(uint32_t form)
{
    return tacho_key_unpack(tacho_gen_keys[form]);
}

uint8_t tacho_form_encoding(uint32_t form)
{
    return tacho_gen_forms[form].visible_encoding >> 4;
}

uint32_t tacho_form_count(void)
{
    return tacho_gen_form_count;
}

static void fill_form(uint32_t id, tacho_form *out)
{
    const gen_form *form = &tacho_gen_forms[id];
    out->id = id;
    out->mnemonic = tacho_form_key(id).mnemonic;
    out->operands = &tacho_gen_operands[form->operands];
    out->operand_count = form->operand_count;
    out->visible_count = form->visible_encoding & 15;
}

int tacho_form_get(uint32_t id, tacho_form *out)
{
    if (id >= tacho_gen_form_count)
        return TACHO_ERR_USAGE;
    fill_form(id, out);
    return TACHO_OK;
}

int tacho_form_name(uint32_t id, char *out, size_t size)
{
    if (id >= tacho_gen_form_count) {
        if (size)
            out[0] = '\0';
        return 0;
    }
    form_key key = tacho_form_key(id);
    return tacho_key_name(&key, out, size);
}

int64_t form_of_key(uint64_t key)
{
    for (uint32_t slot = tacho_key_hash(key);; slot++) {
        uint16_t id = tacho_gen_hash[slot & tacho_gen_hash_mask];
        if (id == GEN_NONE)
            return -1;
        if (tacho_gen_keys[id] == key)
            return id;
    }
}

/* The first form that says the same but for details which a reader may not know of: the opcode byte,
 * ModRM.rm, EVEX, a memory operand's width where it is moot. */
static int64_t find_alike(const form_key *wanted)
{
    for (uint32_t id = 0; id < tacho_gen_form_count; id++) {
        form_key key = tacho_form_key(id);
        bool moot =
            key.attr == ATTR_RM_LOW || key.attr == ATTR_RM_HIGH || key.attr == ATTR_VECTOR + ATTR_EVEX;
        bool same = key.mnemonic == wanted->mnemonic && key.kind_count == wanted->kind_count &&
                    (wanted->opcode == KEY_NO_OPCODE || wanted->opcode == key.opcode) &&
                    (key.attr == wanted->attr || (moot && wanted->attr == ATTR_NONE));
        for (unsigned i = 0; same && i < key.kind_count; i++)
            same = key.kinds[i] == wanted->kinds[i] ||
                   (key.kinds[i] == KIND_M && tacho_kind_is_memory((form_kind)wanted->kinds[i]));
        if (same)
            return id;
    }
    return -1;
}

static int no_such_form(const char *name, const form_key *key, tacho_error *err)
{
    char text[TACHO_ERROR_MESSAGE_SIZE] = "", other[128];
    size_t count = 0, length = 0;
    for (uint32_t id = 0; id < tacho_gen_form_count && count < 4; id++) {
        if (tacho_form_key(id).mnemonic != key->mnemonic)
            continue;
        tacho_form_name(id, other, sizeof other);
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s", count++ ? ", " : "", other);
    }
    if (count == 0)
        return tacho_error_set(err, TACHO_ERR_INPUT, "%.64s: there are no figures for this mnemonic", name);
    return tacho_error_set(err, TACHO_ERR_INPUT, "%.64s: no such form; there are, for instance, %s", name,
                           text);
}

/* The mnemonic and its suffixes may be in lower case. */
static void upper_mnemonic(char *out, size_t size, const char *name)
{
    size_t i = 0;
    for (; name[i] && i + 1 < size; i++)
        out[i] = name[i];
    out[i] = '\0';
    for (i = 0; out[i] && out[i] != ' '; i++)
        if (out[i] >= 'a' && out[i] <= 'z')
            out[i] = (char)(out[i] - 'a' + 'A');
}

int tacho_form_find(const char *name, uint32_t *id, tacho_error *err)
{
    char why[256], upper[128];
    form_key key;
    upper_mnemonic(upper, sizeof upper, name);
    if (!tacho_key_parse(&key, upper, why, sizeof why))
        return tacho_error_set(err, TACHO_ERR_INPUT, "%.128s: %s", name, why);
    int64_t found = form_of_key(tacho_key_pack(&key));
    if (found < 0)
        found = find_alike(&key);
    if (found < 0)
        return no_such_form(name, &key, err);
    *id = (uint32_t)found;
    return TACHO_OK;
}

/* ---- figures ---- */

static void fill_variant(const gen_variant *v, const tacho_port_group *groups, tacho_variant *out)
{
    out->uops = v->uops;
    out->retire_slots = v->slots;
    out->uops_mite = v->mite;
    out->uops_ms = v->ms;
    out->complex_decoder = v->complex_decoder;
    out->simple_decoders = v->simple;
    out->div_cycles = v->div;
    out->tp_cycles = v->tp;
    out->groups = &groups[v->groups];
    out->group_count = v->group_count;
}

/* What the indices in figures are of. */
static inline void fill_figures(const gen_figures *figures, const gen_variant *variants,
                                const tacho_port_group *groups, const tacho_latency *latencies,
                                tacho_figures *out)
{
    fill_variant(&variants[figures->base], groups, &out->base);
    out->has_indexed = figures->indexed != GEN_NONE;
    out->has_same_register = figures->same != GEN_NONE;
    fill_variant(&variants[out->has_indexed ? figures->indexed : figures->base], groups, &out->indexed);
    fill_variant(&variants[out->has_same_register ? figures->same : figures->base], groups,
                 &out->same_register);
    out->locked = figures->locked;
    out->latencies = &latencies[figures->latencies];
    out->latency_count = figures->latency_count;
    out->fusion_group = figures->fusion_group;
}

static int loaded_figures(const loaded_tables *t, uint32_t id, tacho_figures *out)
{
    const gen_figures *figures = &t->figures[t->forms[id]];
    fill_figures(figures, t->variants, t->groups, t->latencies, out);
    out->source = (uint16_t)(tacho_gen_source_count + figures->source);
    return TACHO_OK;
}

/* Simple decoders beside the complex one: all that a row's own core has means all that this core has. */
static void use_all_decoders(const tacho_arch *arch, const tacho_arch *of, tacho_figures *out)
{
    tacho_variant *const variants[] = {&out->base, &out->indexed, &out->same_register};
    for (unsigned i = 0; arch->decoders != of->decoders && i < 3; i++)
        if (variants[i]->simple_decoders + 1u == of->decoders)
            variants[i]->simple_decoders = (uint8_t)(arch->decoders - 1);
}

int tacho_form_figures(const struct tacho_arch *arch, uint32_t id, tacho_figures *out)
{
    if (id >= tacho_gen_form_count)
        return TACHO_ERR_USAGE;
    const loaded_tables *loaded = arch->loaded;
    if (loaded && loaded->forms[id] != GEN_NONE)
        return loaded_figures(loaded, id, out);
    if (loaded && !loaded->parent)
        return TACHO_ERR_UNSUPPORTED;
    if (!loaded && arch->index >= tacho_gen_arch_count)
        return TACHO_ERR_USAGE;
    const gen_arch *tables = loaded ? loaded->parent : &tacho_gen_archs[arch->index];
    const gen_figures *figures = gen_figures_of(tables, id);
    if (!figures)
        return TACHO_ERR_UNSUPPORTED;
    fill_figures(figures, tacho_gen_variants, tacho_gen_groups, tacho_gen_latencies, out);
    use_all_decoders(arch, &tables->arch, out);
    out->source = tables->sources[figures->source];
    return TACHO_OK;
}

bool tacho_fusion_allowed(const struct tacho_arch *arch, uint8_t fusion_group, const tacho_insn *branch)
{
    const gen_arch *tables = arch_tables(arch);
    if (fusion_group == 0 || fusion_group >= GEN_MAX_FUSION_GROUPS || !tables)
        return false;
    bool jcc8 = branch->opcode >= 0x70 && branch->opcode <= 0x7F;
    bool jcc32 = branch->opcode >= 0x80 && branch->opcode <= 0x8F;
    return branch->is_conditional && (jcc8 || jcc32) &&
           tables->fusion[fusion_group] >> (branch->opcode & 15) & 1;
}

/* ---- sources ---- */

/* The text and the origins of a source, of the tables or of a loaded core's own; false: it is none. */
static bool find_source(const struct tacho_arch *arch, uint16_t source, const char **text, uint64_t *origins)
{
    const int own = source - tacho_gen_source_count;
    if (own < 0) {
        *text = tacho_gen_source_text + tacho_gen_sources[source].text;
        *origins = tacho_gen_sources[source].origins;
    } else if (arch->loaded && own < arch->loaded->source_count) {
        *text = arch->loaded->sources[own].text;
        *origins = arch->loaded->sources[own].origins;
    } else
        return false;
    return true;
}

const char *tacho_arch_source_text(const struct tacho_arch *arch, uint16_t source)
{
    const char *text;
    uint64_t origins;
    return find_source(arch, source, &text, &origins) ? text : "unknown";
}

tacho_origin tacho_arch_source_origin(const struct tacho_arch *arch, uint16_t source,
                                      tacho_figure_field field)
{
    const char *text;
    uint64_t origins;
    if (field >= TACHO_FIELD_COUNT || !find_source(arch, source, &text, &origins))
        return TACHO_ORIGIN_ABSENT;
    const tacho_origin origin = (tacho_origin)(origins >> 4 * field & 15);
    const bool inherited = arch->loaded && source < tacho_gen_source_count && origin != TACHO_ORIGIN_ABSENT;
    return inherited && origin < arch->loaded->inherited ? arch->loaded->inherited : origin;
}

unsigned tacho_arch_source_fields(const struct tacho_arch *arch, uint16_t source, tacho_origin at_least)
{
    unsigned fields = 0;
    for (unsigned f = 0; f < TACHO_FIELD_COUNT; f++)
        if (tacho_arch_source_origin(arch, source, (tacho_figure_field)f) >= at_least)
            fields |= 1u << f;
    return fields;
}

/* ---- matching ---- */

static form_kind fixed_kind(tacho_reg reg)
{
    for (unsigned k = KIND_AL; k <= KIND_ST0; k++) {
        bool fixed;
        tacho_reg candidate = tacho_kind_reg((form_kind)k, &fixed);
        if (reg_is_same(candidate, reg))
            return (form_kind)k;
    }
    return KIND_NONE;
}

static form_kind sized_memory(uint16_t bits)
{
    for (unsigned k = KIND_M8; k <= KIND_M512; k++)
        if (tacho_kind_width((form_kind)k) == bits)
            return (form_kind)k;
    return KIND_M;
}

static form_kind broadcast_memory(unsigned element_bits, unsigned count)
{
    static const struct {
        uint8_t bits, count, kind;
    } KINDS[] = {
        {16, 2, KIND_M16_1TO2},   {16, 4, KIND_M16_1TO4}, {16, 8, KIND_M16_1TO8}, {16, 16, KIND_M16_1TO16},
        {16, 32, KIND_M16_1TO32}, {32, 2, KIND_M32_1TO2}, {32, 4, KIND_M32_1TO4}, {32, 8, KIND_M32_1TO8},
        {32, 16, KIND_M32_1TO16}, {64, 2, KIND_M64_1TO2}, {64, 4, KIND_M64_1TO4}, {64, 8, KIND_M64_1TO8},
    };
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++)
        if (KINDS[i].bits == element_bits && KINDS[i].count == count)
            return (form_kind)KINDS[i].kind;
    return KIND_M;
}

static form_kind memory_kind(const tacho_insn *insn, const tacho_operand *op)
{
    if (op->mem.vsib)
        return op->mem.index.class_ == TACHO_REG_XMM   ? KIND_VSIB_XMM
               : op->mem.index.class_ == TACHO_REG_YMM ? KIND_VSIB_YMM
                                                       : KIND_VSIB_ZMM;
    if (op->mem.broadcast)
        return broadcast_memory(1u << op->element_bits_log2, op->mem.broadcast);
    bool moffs = insn->encoding == TACHO_ENC_LEGACY && op->mem.base.class_ == TACHO_REG_NONE &&
                 insn->opcode_offset + 1 + op->mem.disp_bytes == insn->length && insn->opcode >= 0xA0 &&
                 insn->opcode <= 0xA3;
    if (moffs)
        return (form_kind)(KIND_MOFFS8 + (sized_memory(op->width_bits) - KIND_M8));
    return sized_memory(op->width_bits);
}

static form_kind agen_kind(const tacho_mem *mem)
{
    unsigned shape = 0;
    if (mem->base.class_ == TACHO_REG_RIP)
        return (form_kind)(KIND_AGEN + SHAPE_RIP);
    if (mem->base.class_ != TACHO_REG_NONE)
        shape |= SHAPE_BASE;
    if (mem->index.class_ != TACHO_REG_NONE)
        shape |= mem->scale > 1 ? SHAPE_INDEX | SHAPE_SCALED : SHAPE_INDEX;
    if (mem->disp_bytes == 1)
        shape |= SHAPE_D8;
    if (mem->disp_bytes == 4)
        shape |= SHAPE_D32;
    return (form_kind)(KIND_AGEN + shape);
}

static form_kind immediate_kind(const tacho_operand *op, uint8_t uses)
{
    if (op->visibility == TACHO_IMPLICIT)
        return KIND_ONE;
    switch (op->width_bits) {
    case 8:
        return op->imm == 0 && uses & GEN_USES_ZERO ? KIND_ZERO : KIND_I8;
    case 16:
        return KIND_I16;
    case 32:
        return KIND_I32;
    default:
        return KIND_I64;
    }
}

static form_kind kind_of(const tacho_insn *insn, const tacho_operand *op, uint8_t uses)
{
    switch (op->kind) {
    case TACHO_OPERAND_REG:
        if (op->visibility == TACHO_IMPLICIT && uses & GEN_USES_FIXED) {
            form_kind kind = fixed_kind(op->reg);
            if (kind != KIND_NONE)
                return kind;
        }
        return op->reg.class_ <= TACHO_REG_TMM ? (form_kind)op->reg.class_ : KIND_NONE;
    case TACHO_OPERAND_MEM:
        return memory_kind(insn, op);
    case TACHO_OPERAND_AGEN:
        return agen_kind(&op->mem);
    case TACHO_OPERAND_IMM:
        return immediate_kind(op, uses);
    case TACHO_OPERAND_REL:
        return op->width_bits == 8 ? KIND_REL8 : KIND_REL32;
    default:
        return KIND_NONE;
    }
}

/* Attributes to try, most specific first. */
static unsigned attributes(const tacho_insn *insn, uint8_t uses, uint8_t *out)
{
    unsigned n = 0;
    if (insn->encoding == TACHO_ENC_EVEX) {
        unsigned attr = ATTR_VECTOR + (insn->zeroing ? ATTR_ZEROING : 0) +
                        (insn->rounding ? ATTR_ER
                         : insn->sae    ? ATTR_SAE
                                        : 0);
        if (uses & GEN_USES_EVEX)
            out[n++] = (uint8_t)(attr + ATTR_EVEX);
        out[n++] = (uint8_t)(attr == ATTR_VECTOR ? ATTR_NONE : attr);
        return n;
    }
    if (insn->lock) {
        out[n++] = ATTR_LOCK;
        out[n++] = ATTR_NONE; /* XCHG with memory is locked with or without the prefix */
        return n;
    }
    if (uses & GEN_USES_REP && (insn->rep || insn->repne) && insn->visible_count == 0) {
        out[n++] = insn->rep ? ATTR_REPE : ATTR_REPNE;
        return n;
    }
    if (uses & GEN_USES_RM)
        for (unsigned i = 0; i < insn->visible_count; i++)
            if (insn->operands[i].reg.class_ == TACHO_REG_R8L &&
                insn->operands[i].visibility == TACHO_EXPLICIT) {
                out[n++] = insn->modrm_rm < 4 ? ATTR_RM_LOW : ATTR_RM_HIGH;
                break;
            }
    if (uses & GEN_USES_WORD && insn->operand_size == 16)
        out[n++] = ATTR_WORD;
    if (uses & GEN_USES_WORD && insn->operand_size == 64)
        out[n++] = ATTR_O64;
    out[n++] = ATTR_NONE;
    return n;
}

/* With this opcode and attribute, all combinations of special and general operand kinds. */
static int64_t try_kinds(form_key *key, const uint8_t *kinds, uint8_t encoding)
{
    uint8_t choices[KEY_MAX_KINDS];
    unsigned n = 0;
    for (unsigned i = 0; i < key->kind_count; i++)
        if (tacho_kind_general((form_kind)kinds[i]) != KIND_NONE)
            choices[n++] = (uint8_t)i;
    for (unsigned mask = 0; mask < 1u << n; mask++) {
        memcpy(key->kinds, kinds, KEY_MAX_KINDS);
        for (unsigned i = 0; i < n; i++)
            if (mask >> i & 1)
                key->kinds[choices[i]] = (uint8_t)tacho_kind_general((form_kind)kinds[choices[i]]);
        int64_t id = form_of_key(tacho_key_pack(key));
        if (id >= 0 && tacho_form_encoding((uint32_t)id) == encoding)
            return id;
    }
    return -1;
}

int64_t tacho_form_match(const tacho_insn *insn)
{
    uint8_t kinds[KEY_MAX_KINDS] = {0}, attrs[4];
    uint8_t uses = tacho_gen_mnemonic_uses[insn->mnemonic];
    form_key key = {.mnemonic = insn->mnemonic, .kind_count = insn->visible_count};
    if (insn->visible_count > KEY_MAX_KINDS || insn->encoding == TACHO_ENC_OTHER)
        return -1;
    for (unsigned i = 0; i < insn->visible_count; i++) {
        kinds[i] = (uint8_t)kind_of(insn, &insn->operands[i], uses);
        if (kinds[i] == KIND_NONE)
            return -1;
    }
    unsigned attr_count = attributes(insn, uses, attrs);
    for (int opcode = uses & GEN_USES_OPCODE ? 1 : 0; opcode >= 0; opcode--) {
        key.opcode = opcode ? (int16_t)insn->opcode : KEY_NO_OPCODE;
        for (unsigned a = 0; a < attr_count; a++) {
            key.attr = attrs[a];
            int64_t id = try_kinds(&key, kinds, insn->encoding);
            if (id >= 0)
                return id;
        }
    }
    return -1;
}

int tacho_insn_form_name(const tacho_insn *insn, char *out, size_t size)
{
    form_key key = {.mnemonic = insn->mnemonic, .opcode = KEY_NO_OPCODE};
    for (unsigned i = 0; i < insn->visible_count && i < KEY_MAX_KINDS; i++)
        key.kinds[key.kind_count++] = (uint8_t)kind_of(insn, &insn->operands[i], GEN_USES_FIXED);
    uint8_t attrs[4];
    unsigned n = attributes(insn, insn->encoding == TACHO_ENC_LEGACY ? GEN_USES_REP : 0, attrs);
    key.attr = attrs[n > 1 && !insn->lock ? n - 1 : 0];
    return tacho_key_name(&key, out, size);
}

int tacho_insndb_match(const struct tacho_arch *arch, const tacho_insn *insn, tacho_form *form,
                       tacho_figures *figures)
{
    int64_t id = tacho_form_match(insn);
    memset(form, 0, sizeof *form);
    memset(figures, 0, sizeof *figures);
    if (id < 0)
        return TACHO_ERR_UNSUPPORTED;
    fill_form((uint32_t)id, form);
    return tacho_form_figures(arch, (uint32_t)id, figures);
}
