/* cmd_hot_records.c - tacho hot --opt-records: what compilers said of the program. */
#include "app/cli/cmd_hot.h"

bool hot_take_records(void *target, const char *option, const char *value)
{
    hot_records *r = target;
    if (r->count == HOT_MAX_RECORDS)
        return cli_error("%s: more than %d files and folders: a folder may have many", option,
                         HOT_MAX_RECORDS);
    r->paths[r->count++] = value;
    return true;
}

bool hot_read_records(hot_records *r)
{
    tacho_error err;
    if (r->count && tacho_opt_records_read(&r->read, r->paths, r->count, &err))
        return cli_error("%s", err.message);
    return true;
}

void hot_note_records(const hot_records *r, const tacho_hot *hot)
{
    const tacho_remark *one;
    size_t found = 0;
    for (size_t i = 0; r->read && i < hot->count; i++)
        found += tacho_opt_records_of(r->read, &hot->places[i], &one, 1) > 0;
    if (r->read && hot->count && !found)
        cli_note("none of the %zu remarks is on a hot place: the program must have been compiled with -g, "
                 "and the records must be those of its files",
                 r->read->count);
}
