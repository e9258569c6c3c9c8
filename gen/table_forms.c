/* table_forms.c - forms.txt: the forms of instructions and their operands. */
#include "table_parts.h"

#include <stdlib.h>
#include <string.h>

form *forms;
size_t form_count;
uint16_t *hash_slots;
size_t hash_size;

int64_t form_find(uint64_t key)
{
    if (!hash_slots)
        return -1;
    for (uint32_t s = tacho_key_hash(key);; s++) {
        uint16_t id = hash_slots[s & (hash_size - 1)];
        if (id == GEN_NONE)
            return -1;
        if (forms[id].key == key)
            return id;
    }
}

unsigned form_operand_count(int64_t form)
{
    return forms[form].out.operand_count;
}

static void hash_insert(size_t id)
{
    uint32_t s = tacho_key_hash(forms[id].key);
    while (hash_slots[s & (hash_size - 1)] != GEN_NONE)
        s++;
    hash_slots[s & (hash_size - 1)] = (uint16_t)id;
}

static void form_add(form f)
{
    forms = grow(forms, form_count, sizeof *forms);
    forms[form_count++] = f;
    if (2 * form_count > hash_size) {
        hash_size = hash_size ? 2 * hash_size : 64;
        hash_slots = realloc(hash_slots, hash_size * sizeof *hash_slots);
        if (!hash_slots)
            die("memory");
        memset(hash_slots, 0xFF, hash_size * sizeof *hash_slots);
        for (size_t i = 0; i < form_count; i++)
            hash_insert(i);
    } else {
        hash_insert(form_count - 1);
    }
}

static bool read_access(const char *s, size_t length, uint8_t *out)
{
    *out = 0;
    for (size_t i = 0; i < length; i++) {
        const char *p = strchr("rwc-", s[i]);
        if (!p || !*p)
            return false;
        *out |= (uint8_t[]){TACHO_READ, TACHO_WRITE, TACHO_CONDITIONAL, 0}[p - "rwc-"];
    }
    return length > 0;
}

/* "rw" or "rw:64" */
static bool read_access_width(const char *s, tacho_form_operand *op)
{
    long width;
    size_t length = strcspn(s, ":");
    if (!read_access(s, length, &op->access))
        return false;
    if (s[length] == ':') {
        if (!rows_number(s + length + 1, 65535, &width))
            return false;
        op->width_bits = (uint16_t)width;
    }
    return true;
}

static bool read_reg(const char *s, size_t length, tacho_reg *out)
{
    for (uint8_t c = TACHO_REG_R8L; c <= TACHO_REG_OTHER; c++) {
        if (c == TACHO_REG_FLAGS)
            continue;
        for (uint8_t n = 0; n < 32; n++) {
            const char *name = tacho_reg_name((tacho_reg){c, n});
            if (strlen(name) == length && strncmp(name, s, length) == 0 && strcmp(name, "unknown") != 0) {
                *out = (tacho_reg){c, n};
                return true;
            }
        }
    }
    return false;
}

static bool read_flag_groups(const char *s, size_t length, uint8_t *out)
{
    *out = 0;
    for (size_t i = 0; i < length; i++) {
        if (s[i] != 'C' && s[i] != 'S' && s[i] != '-')
            return false;
        *out |= s[i] == 'C' ? TACHO_FLAG_C : s[i] == 'S' ? TACHO_FLAG_SPAZO : 0;
    }
    return length > 0;
}

/* "flags=rw:C:CS", "rsp=rw:64", "[rbx+al]=r:8" */
static bool read_suppressed(const char *s, tacho_form_operand *op)
{
    const char *equal = strchr(s, '=');
    op->visibility = TACHO_SUPPRESSED;
    if (strncmp(s, "flags=", 6) == 0) {
        op->kind = TACHO_OPERAND_FLAGS;
        size_t access = strcspn(s + 6, ":");
        const char *read = s + 6 + access, *write = *read ? strchr(read + 1, ':') : NULL;
        return write && read_access(s + 6, access, &op->access) &&
               read_flag_groups(read + 1, (size_t)(write - read - 1), &op->flags_read) &&
               read_flag_groups(write + 1, strlen(write + 1), &op->flags_written);
    }
    if (s[0] == '[') {
        size_t base = strcspn(s + 1, "+]");
        op->kind = TACHO_OPERAND_MEM;
        if (!read_reg(s + 1, base, &op->base))
            return false;
        if (s[1 + base] == '+') {
            const char *index = s + 2 + base;
            if (!read_reg(index, strcspn(index, "]"), &op->index))
                return false;
        }
    } else {
        op->kind = TACHO_OPERAND_REG;
        if (!read_reg(s, (size_t)(equal - s), &op->reg))
            return false;
    }
    return read_access_width(equal + 1, op);
}

static void operand_of_kind(form_kind kind, tacho_form_operand *op)
{
    bool fixed;
    tacho_reg reg = tacho_kind_reg(kind, &fixed);
    op->width_bits = tacho_kind_width(kind);
    op->visibility = TACHO_EXPLICIT;
    if (reg.class_ != TACHO_REG_NONE) {
        op->kind = TACHO_OPERAND_REG;
        if (fixed) {
            op->reg = reg;
            op->visibility = TACHO_IMPLICIT;
        }
    } else if (tacho_kind_is_memory(kind)) {
        op->kind = TACHO_OPERAND_MEM;
    } else if (kind >= KIND_AGEN) {
        op->kind = TACHO_OPERAND_AGEN;
    } else if (kind == KIND_REL8 || kind == KIND_REL32) {
        op->kind = TACHO_OPERAND_REL;
    } else {
        op->kind = TACHO_OPERAND_IMM;
        if (kind == KIND_ONE)
            op->visibility = TACHO_IMPLICIT;
    }
}

static void read_form(const rows_reader *r, char **f)
{
    char why[256], name[256], *words[ROWS_MAX_LIST];
    form_key key;
    tacho_form_operand ops[ROWS_MAX_LIST];
    if (!tacho_key_parse(&key, f[0], why, sizeof why)) {
        rows_problem(r, "%s: %s", f[0], why);
        return;
    }
    form out = {.key = tacho_key_pack(&key), .line = r->number};
    form_key back = tacho_key_unpack(out.key);
    tacho_key_name(&back, name, sizeof name);
    if (strcmp(name, f[0]) != 0)
        rows_problem(r, "%s: the regular name is %s", f[0], name);
    int64_t other = form_find(out.key);
    if (other >= 0) {
        rows_problem(r, "%s: the same key as %s in line %zu", f[0], forms[other].name, forms[other].line);
        return;
    }
    const char *encoding = strlen(f[1]) == 1 ? strchr("LVE", f[1][0]) : NULL;
    if (!encoding || !*encoding) {
        rows_problem(r, "%s: encoding %s is none of L, V, E", f[0], f[1]);
        return;
    }
    memset(ops, 0, sizeof ops);
    size_t n = f[2][0] ? rows_split(f[2], ' ', words, ROWS_MAX_LIST) : 0, visible = 0;
    for (size_t i = 0; i < n; i++) {
        bool suppressed = strchr(words[i], '=') != NULL, good;
        if (suppressed) {
            good = read_suppressed(words[i], &ops[i]);
        } else if (i != visible || visible == key.kind_count) {
            rows_problem(r, "%s: operand %s: visible operands are those of the name, and come first", f[0],
                         words[i]);
            return;
        } else {
            operand_of_kind(key.kinds[visible++], &ops[i]);
            good = read_access_width(words[i], &ops[i]);
        }
        if (!good)
            rows_problem(r, "%s: operand %s cannot be read", f[0], words[i]);
    }
    if (visible != key.kind_count)
        rows_problem(r, "%s: %zu visible operands, the name has %u", f[0], visible, key.kind_count);
    out.name = copy(f[0]); /* only now: what was refused above is forgotten */
    out.out.operands = (uint16_t)pool_add(&operand_pool, ops, n);
    out.out.operand_count = (uint8_t)n;
    out.out.visible_encoding = (uint8_t)(visible | (size_t)(encoding - "LVE") << 4);
    form_add(out);
}

void read_forms(const char *dir, const char *name, bool optional)
{
    rows_reader r;
    char *f[3];
    if (!reader_open(&r, dir, name, optional))
        return;
    while (reader_next(&r)) {
        size_t n = rows_split(r.line, '\t', f, 3);
        if (n == 2)
            f[n++] = r.line + strlen(r.line);
        if (n == 3)
            read_form(&r, f);
        else
            rows_problem(&r, "a form has three fields: name, encoding, operands");
    }
}
