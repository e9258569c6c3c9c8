/* form_operand.c - what an operand of a form is called: by its kind in the form's name and its place there.
 */
#include <stdio.h>
#include <string.h>

#include "x86/insndb/form_find.h"

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
