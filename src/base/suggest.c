/* suggest.c - nearest names by edit distance. */
#include "base/suggest.h"

#include <strings.h>

#include "base/str.h"

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
    unsigned m = a < b ? a : b;
    return m < c ? m : c;
}

unsigned tacho_edit_distance(const char *a, const char *b)
{
    unsigned rows[3][TACHO_SUGGEST_NAME_SIZE]; /* the row before last, the last, this one */
    size_t n = strnlen(a, TACHO_SUGGEST_NAME_SIZE - 1), m = strnlen(b, TACHO_SUGGEST_NAME_SIZE - 1);
    unsigned *before = rows[0], *last = rows[1], *row = rows[2];
    for (size_t j = 0; j <= m; j++)
        last[j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            bool same = tacho_lower(a[i - 1]) == tacho_lower(b[j - 1]);
            row[j] = min3(last[j] + 1, row[j - 1] + 1, last[j - 1] + !same);
            if (i > 1 && j > 1 && tacho_lower(a[i - 1]) == tacho_lower(b[j - 2]) &&
                tacho_lower(a[i - 2]) == tacho_lower(b[j - 1]) && before[j - 2] + 1 < row[j])
                row[j] = before[j - 2] + 1;
        }
        unsigned *t = before;
        before = last;
        last = row;
        row = t;
    }
    return last[m];
}

/* Distance at which a name counts as near; contained names (mangled ones, say) come after typing errors. What
 * differs more in length is not compared. */
static bool near_enough(const char *wanted, const char *name, unsigned *distance)
{
    size_t length = strnlen(wanted, TACHO_SUGGEST_NAME_SIZE - 1), other = strlen(name);
    unsigned limit = length < 3 ? 1 : length < 6 ? 2 : (unsigned)length / 3;
    if (limit > 5)
        limit = 5;
    bool contains = length >= 3 && other >= 3 && (strcasestr(name, wanted) || strcasestr(wanted, name));
    if (!contains && (length > other + limit || other > length + limit))
        return false;
    *distance = tacho_edit_distance(wanted, name);
    if (*distance <= limit && *distance < length)
        return true;
    *distance += 10;
    return contains;
}

void tacho_suggest_offer(tacho_suggest *s, const char *name)
{
    unsigned distance;
    if (!*name || strlen(name) >= TACHO_SUGGEST_NAME_SIZE || !near_enough(s->wanted, name, &distance))
        return;
    size_t at = 0;
    while (at < s->count && s->distances[at] <= distance) {
        if (!strcmp(s->names[at], name))
            return;
        at++;
    }
    if (at == TACHO_SUGGEST_MAX)
        return;
    size_t last = s->count < TACHO_SUGGEST_MAX ? s->count++ : TACHO_SUGGEST_MAX - 1;
    for (; last > at; last--) {
        s->distances[last] = s->distances[last - 1];
        memcpy(s->names[last], s->names[last - 1], TACHO_SUGGEST_NAME_SIZE);
    }
    s->distances[at] = distance;
    strcpy(s->names[at], name);
}

const char *tacho_suggest_text(tacho_suggest *s)
{
    size_t used = 0;
    s->text[0] = '\0';
    for (size_t i = 0; i < s->count; i++) {
        const char *before = i == 0 ? "; did you mean " : i + 1 < s->count ? ", " : " or ";
        used += (size_t)snprintf(s->text + used, sizeof s->text - used, "%s%s%s", before, s->names[i],
                                 i + 1 == s->count ? "?" : "");
    }
    return s->text;
}
