/* areas.c - mappings of processes that are sampled, and how much of them is in huge pages
 * (proc_pid_smaps(5)). The kernel walks the page tables for that: it is asked seldom. Where it never could
 * be, as the process had the processor to itself until its end, records of mappings have to do. */
#include <inttypes.h>
#include <math.h>

#include "base/mem.h"
#include "base/proc.h"
#include "base/search.h"
#include "program/hot/hot_internal.h"

enum {
    LEAST_BYTES = 1 << 16, /* of a mapping of interest */
    MOST_AREAS = 1 << 14
};

/* Of one that has grown what is known of it comes first. */
ORDER_AS(by_place, hot_area,
         ORDER(a->process, b->process) ?: ORDER(a->start, b->start) ?: ORDER(isnan(a->huge), isnan(b->huge)));

void areas_forget(hot_pairs *p, uint64_t process)
{
    size_t kept = 0;
    for (size_t i = 0; i < p->area_count; i++)
        if (p->areas[i].process != process)
            p->areas[kept++] = p->areas[i];
    p->area_count = kept;
}

/* What a line says of the mapping, in kB. */
static void note_line(const char *line, uint64_t *all, uint64_t *huge, uint64_t *page)
{
    uint64_t n;
    if (sscanf(line, "Rss: %" SCNu64, &n) == 1)
        *all += n;
    else if (sscanf(line, "KernelPageSize: %" SCNu64, &n) == 1)
        *page = n;
    else if (sscanf(line, "AnonHugePages: %" SCNu64, &n) == 1 ||
             sscanf(line, "ShmemPmdMapped: %" SCNu64, &n) == 1 ||
             sscanf(line, "FilePmdMapped: %" SCNu64, &n) == 1)
        *huge += n;
}

int areas_add(hot_pairs *p, uint64_t process, uint64_t start, uint64_t end, double huge)
{
    hot_area *last = p->area_count ? &p->areas[p->area_count - 1] : NULL;
    if (last && last->process == process && last->start == start && isnan(last->huge)) { /* a heap grows */
        last->end = end;
        return 0;
    }
    if (end - start < LEAST_BYTES || p->area_count >= MOST_AREAS)
        return 0;
    if (tacho_mem_grow(&p->areas, &p->area_capacity, p->area_count + 1, sizeof *p->areas))
        return TACHO_ERR_MEMORY;
    p->areas[p->area_count++] = (hot_area){process, start, end, huge};
    return 0;
}

/* @param all, huge, page in kB */
static int add(hot_pairs *p, uint64_t process, const proc_map *m, uint64_t all, uint64_t huge, uint64_t page)
{
    enum {
        HUGE_KB = 2048
    };
    const double share = page >= HUGE_KB ? 1 : all ? (double)huge / (double)all : 0;
    return areas_add(p, process, m->start, m->end, fmin(share, 1));
}

void areas_sort(hot_pairs *p)
{
    tacho_sort(p->areas, p->area_count, sizeof *p->areas, by_place);
}

int areas_take(hot_pairs *p, uint64_t process, FILE *smaps)
{
    char line[PROC_PATH_BYTES + 200];
    proc_map at = {.start = 0}, next;
    uint64_t all = 0, huge = 0, page = 0;
    bool any = false;
    int rc = 0;
    while (!rc && fgets(line, sizeof line, smaps)) {
        if (!proc_parse_map(line, &next)) {
            note_line(line, &all, &huge, &page);
            continue;
        }
        if (!any)
            areas_forget(p, process);
        rc = any ? add(p, process, &at, all, huge, page) : 0;
        at = next;
        all = huge = page = 0;
        any = true;
    }
    if (any && !rc)
        rc = add(p, process, &at, all, huge, page);
    return rc;
}

int areas_read(hot_pairs *p, uint64_t process)
{
    char path[48];
    snprintf(path, sizeof path, "/proc/%" PRIu64 "/smaps", process);
    FILE *f = fopen(path, "re");
    int rc = f ? areas_take(p, process, f) : 0;
    if (f)
        fclose(f);
    return rc;
}

const hot_area *areas_find(const hot_pairs *p, uint64_t process, uint64_t address)
{
    for (size_t i = tacho_count_below(p->areas, p->area_count, sizeof *p->areas, process);
         i < p->area_count && p->areas[i].process == process && p->areas[i].start <= address; i++)
        if (address < p->areas[i].end)
            return &p->areas[i];
    return NULL;
}
