/* form_find.c - the forms that are meant by what a user types: a mnemonic, or the beginning of a form. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/suggest.h"
#include "tacho/decode.h"
#include "x86/insndb/form_find.h"

/* The blank before the operands of "vpaddd ymm, ymm, m256", which have no parentheses; NULL: it is none such.
 */
static const char *before_operands(const char *text)
{
    const char *comma = strchr(text, ',');
    if (!comma || strchr(text, '('))
        return NULL;
    while (comma > text && !isspace((unsigned char)*comma))
        comma--;
    return comma > text ? comma : NULL;
}

/* Upper case, without spaces, operands in parentheses: what names are compared by. */
static void normalise(const char *text, char *out, size_t size)
{
    const char *operands = before_operands(text);
    size_t n = 0;
    for (; *text && n + 2 < size; text++)
        if (text == operands)
            out[n++] = '(';
        else if (!isspace((unsigned char)*text))
            out[n++] = (char)toupper((unsigned char)*text);
    if (operands)
        out[n++] = ')';
    out[n] = '\0';
}

/* 2: this very form; 1: its mnemonic, or a form that begins so; 0: no. Names tell opcodes of one mnemonic
 * apart by a suffix (ADD_01), which users need not know. */
static int match(const char *wanted, uint32_t id)
{
    char name[FORM_NAME_SIZE], normal[FORM_NAME_SIZE], plain[FORM_NAME_SIZE];
    tacho_form form;
    tacho_form_name(id, name, sizeof name);
    normalise(name, normal, sizeof normal);
    if (tacho_form_get(id, &form))
        return 0;
    const char *mnemonic = tacho_mnemonic_name(form.mnemonic);
    snprintf(plain, sizeof plain, "%s%s", mnemonic, normal + strcspn(normal, "("));
    if (!strcmp(wanted, normal) || !strcmp(wanted, plain))
        return 2;
    size_t n = strlen(wanted);
    if (strchr(wanted, '('))
        return !strncmp(normal, wanted, n) || !strncmp(plain, wanted, n);
    return !strcmp(wanted, mnemonic) || (n == strcspn(normal, "(") && !strncmp(normal, wanted, n));
}

/* Offers the forms of that mnemonic, or of all where it is NULL. @return whether there are any */
static bool offer(tacho_suggest *s, const char *mnemonic, bool whole)
{
    char name[FORM_NAME_SIZE];
    bool any = false;
    for (uint32_t id = 0; id < tacho_form_count(); id++) {
        if (mnemonic && !match(mnemonic, id))
            continue;
        any = true;
        tacho_form_name(id, name, sizeof name);
        if (!whole)
            name[strcspn(name, " (")] = '\0';
        tacho_suggest_offer(s, name);
    }
    return any;
}

static int not_found(const char *text, tacho_error *err)
{
    char wanted[FORM_NAME_SIZE];
    normalise(text, wanted, sizeof wanted);
    const bool whole = strchr(wanted, '(');
    wanted[strcspn(wanted, "(")] = '\0';
    tacho_suggest s = {.wanted = whole ? text : wanted};
    if (!offer(&s, whole ? wanted : NULL, whole)) {
        offer(&s, NULL, whole);
    } else if (!s.count) { /* there is the mnemonic, but nothing like its operands */
        s.wanted = wanted;
        offer(&s, wanted, whole);
    }
    return tacho_error_set(err, TACHO_ERR_INPUT, "no instruction form '%s'%s", text, tacho_suggest_text(&s));
}

static int add_form(insn_forms *out, uint32_t id, tacho_error *err)
{
    if (tacho_mem_grow(&out->ids, &out->capacity, out->count + 1, sizeof *out->ids)) {
        tacho_mem_free(out->ids);
        out->ids = NULL;
        return tacho_no_memory(err);
    }
    out->ids[out->count++] = id;
    return 0;
}

/* Whether the name, in upper case, has each word of the text. */
static bool has_words(const char *name, const char *text)
{
    static const char between[] = " \t,()";
    char word[FORM_NAME_SIZE];
    for (text += strspn(text, between); *text; text += strspn(text, between)) {
        size_t n = strcspn(text, between);
        snprintf(word, sizeof word, "%.*s", (int)n, text);
        text += n;
        for (char *c = word; *c; c++)
            *c = (char)toupper((unsigned char)*c);
        if (!strstr(name, word))
            return false;
    }
    return true;
}

int tacho_forms_search(const char *text, const tacho_arch *arch, insn_forms *out, tacho_error *err)
{
    char name[FORM_NAME_SIZE];
    tacho_figures figures;
    for (uint32_t id = 0; id < tacho_form_count(); id++) {
        tacho_form_name(id, name, sizeof name);
        if (!has_words(name, text) || tacho_form_figures(arch, id, &figures))
            continue;
        if (add_form(out, id, err))
            return err->code;
        if (!strcmp(name, text)) { /* this very form: the first */
            memmove(out->ids + 1, out->ids, (out->count - 1) * sizeof *out->ids);
            out->ids[0] = id;
        }
    }
    return 0;
}

int tacho_forms_find(const char *text, insn_forms *out, tacho_error *err)
{
    char wanted[FORM_NAME_SIZE];
    bool exact = false;
    normalise(text, wanted, sizeof wanted);
    for (uint32_t id = 0; id < tacho_form_count(); id++) {
        int how = match(wanted, id);
        if (!how || (exact && how < 2))
            continue;
        if (how == 2 && !exact) {
            exact = true;
            out->count = 0;
        }
        if (add_form(out, id, err))
            return err->code;
    }
    return out->count ? 0 : not_found(text, err);
}

/* ---- operands ---- */

void tacho_form_operand_text(const tacho_form *f, unsigned i, char *out, size_t size)
{
    static const char *const kinds[] = {"?",         "register",     "memory", "address",
                                        "immediate", "displacement", "flags"};
    static const char *const ordinals[] = {"1st", "2nd", "3rd", "4th", "5th"};
    const tacho_form_operand *o = &f->operands[i];
    if (i >= f->visible_count || i >= 5) {
        bool named = o->kind == TACHO_OPERAND_REG && o->reg.class_ != TACHO_REG_NONE;
        snprintf(out, size, "%s",
                 named ? tacho_reg_name(o->reg) : kinds[o->kind <= TACHO_OPERAND_FLAGS ? o->kind : 0]);
        return;
    }
    char name[200];
    tacho_form_name(f->id, name, sizeof name);
    const char *at = name + strcspn(name, "(");
    for (unsigned k = 0; k <= i && *at; k++) {
        at += strspn(at, "(, ");
        if (k < i)
            at += strcspn(at, ",)");
    }
    if (o->kind == TACHO_OPERAND_AGEN)
        snprintf(out, size, "address (%s)", ordinals[i]);
    else
        snprintf(out, size, "%.*s (%s)", (int)strcspn(at, ",)"), at, ordinals[i]);
}

void tacho_form_without_widths(const char *name, char *out, size_t size)
{
    size_t n = 0;
    const char *operands = strchr(name, '(');
    for (const char *p = name; *p && n + 2 < size;) {
        const bool inside = operands && p > operands;
        const bool vector = inside && strchr("XYZ", *p) && !strncmp(p + 1, "MM", 2);
        const bool wide = inside && strchr("RMI", *p) && p[1] >= '1' && p[1] <= '9';
        out[n++] = vector ? 'x' : *p;
        p += vector ? 3 : 1;
        while (wide && *p >= '0' && *p <= '9')
            p++;
        if (wide && p[0] == 'l') /* R8l, but not R8h */
            p++;
    }
    out[n] = '\0';
}
