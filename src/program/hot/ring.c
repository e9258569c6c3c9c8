/* ring.c - the rings are read one after the other, and their records are put into the order of time. When all
 * rings have been read once more, everything is there that was written before the former reading; so the
 * records up to the newest time of that reading can be used. */
#include "program/hot/ring.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/seconds.h"
#include "base/search.h"

enum {
    MOST_PAGES =
        128, /* with the first one just above what users without rights may lock, 516 KB: then fewer */
    FEWEST_PAGES = 4
};

int ring_add(ring_set *s, int fd)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    ring r = {.fd = fd};
    if (tacho_mem_grow(&s->rings, &s->capacity, s->count + 1, sizeof *s->rings))
        return ENOMEM;
    for (size_t pages = MOST_PAGES; pages >= FEWEST_PAGES; pages /= 2) {
        void *at = mmap(NULL, (pages + 1) * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (at == MAP_FAILED)
            continue;
        r.page = at;
        r.data = (uint8_t *)at + page;
        r.size = pages * page;
        s->rings[s->count++] = r;
        return 0;
    }
    return errno;
}

int ring_add_other(ring_set *s, int fd, size_t number)
{
    if (tacho_mem_grow(&s->others, &s->other_capacity, s->other_count + 1, sizeof *s->others))
        return ENOMEM;
    if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, s->rings[number].fd))
        return errno;
    s->others[s->other_count++] = fd;
    return 0;
}

void ring_wait(ring_set *s, int also, double seconds)
{
    if (!s->polls)
        s->polls = tacho_mem_zalloc(s->count + 1, sizeof *s->polls);
    if (!s->polls) {
        seconds_pause(seconds);
        return;
    }
    for (size_t i = 0; i < s->count; i++) { /* one whose processes are gone would always be ready */
        struct pollfd *p = &s->polls[i + 1];
        bool gone = p->fd < 0 || (p->revents & POLLHUP);
        *p = (struct pollfd){.fd = gone ? -1 : s->rings[i].fd, .events = POLLIN};
    }
    s->polls[0] = (struct pollfd){.fd = also, .events = POLLIN};
    const time_t whole = (time_t)seconds;
    ppoll(s->polls, s->count + 1, &(struct timespec){whole, (long)((seconds - (double)whole) * 1e9)}, NULL);
}

void ring_enable(ring_set *s, bool on)
{
    unsigned long request = on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;
    for (size_t i = 0; i < s->count; i++)
        ioctl(s->rings[i].fd, request, 0);
    for (size_t i = 0; i < s->other_count; i++)
        ioctl(s->others[i], request, 0);
}

void ring_free(ring_set *s)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (size_t i = 0; i < s->other_count; i++)
        close(s->others[i]);
    for (size_t i = 0; i < s->count; i++) {
        munmap(s->rings[i].page, s->rings[i].size + page);
        close(s->rings[i].fd);
    }
    TACHO_MEM_FREE(s->rings, s->others, s->polls, s->bytes, s->waiting);
}

/* ---- reading ---- */

static void copy_out(const ring *r, uint64_t from, void *out, size_t bytes)
{
    size_t at = from & (r->size - 1), first = r->size - at < bytes ? r->size - at : bytes;
    memcpy(out, r->data + at, first);
    memcpy((uint8_t *)out + first, r->data, bytes - first);
}

static int keep(ring_set *s, const ring *r, uint64_t from, size_t size)
{
    uint64_t time, id;
    if (tacho_mem_grow(&s->bytes, &s->byte_capacity, s->byte_count + size, 1) ||
        tacho_mem_grow(&s->waiting, &s->waiting_capacity, s->waiting_count + 1, sizeof *s->waiting))
        return TACHO_ERR_MEMORY;
    uint8_t *copy = s->bytes + s->byte_count;
    copy_out(r, from, copy, size);
    if (record_when(&time, &id, copy, size, &s->form)) {
        s->damaged++;
        return 0;
    }
    s->newest = time > s->newest ? time : s->newest;
    s->waiting[s->waiting_count++] = (pending){time, s->number++, s->byte_count, size};
    s->byte_count += size;
    return 0;
}

static int read_ring(ring_set *s, const ring *r)
{
    uint64_t head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE), tail = r->page->data_tail;
    int rc = 0;
    while (tail < head && !rc) {
        struct perf_event_header h;
        copy_out(r, tail, &h, sizeof h);
        if (h.size < sizeof h || h.size > head - tail) { /* cannot be; nothing after it can be understood */
            s->damaged++;
            tail = head;
            break;
        }
        rc = keep(s, r, tail, h.size);
        tail += h.size;
    }
    __atomic_store_n(&r->page->data_tail, tail, __ATOMIC_RELEASE);
    return rc;
}

ORDER_BY_TWO(by_time, pending, time, number);

/* What is left moves to the front. */
static int keep_rest(ring_set *s, size_t done)
{
    size_t left = s->waiting_count - done, bytes = 0;
    for (size_t i = done; i < s->waiting_count; i++)
        bytes += s->waiting[i].size;
    uint8_t *rest = left ? tacho_mem_alloc(bytes) : NULL;
    if (left && !rest)
        return TACHO_ERR_MEMORY;
    size_t at = 0;
    for (size_t i = 0; i < left; i++) {
        pending *p = &s->waiting[done + i];
        memcpy(rest + at, s->bytes + p->at, p->size);
        s->waiting[i] = (pending){p->time, p->number, at, p->size};
        at += p->size;
    }
    if (left) {
        tacho_mem_free(s->bytes);
        s->bytes = rest;
        s->byte_capacity = bytes;
    }
    s->byte_count = at;
    s->waiting_count = left;
    return 0;
}

int ring_drain(ring_set *s, hot_tally *b, bool all)
{
    record r;
    int rc = 0;
    s->newest_before = s->newest;
    for (size_t i = 0; i < s->count && !rc; i++)
        rc = read_ring(s, &s->rings[i]);
    tacho_sort(s->waiting, s->waiting_count, sizeof *s->waiting, by_time);
    size_t done = 0;
    for (; done < s->waiting_count && !rc; done++) {
        const pending *p = &s->waiting[done];
        if (!all && p->time > s->newest_before)
            break;
        if (s->save)
            fwrite(s->bytes + p->at, 1, p->size, s->save);
        int state = perf_record_read(&r, s->bytes + p->at, p->size, &s->form);
        s->damaged += state < 0;
        if (!state)
            rc = record_apply(b, &r);
    }
    return rc ? rc : keep_rest(s, done);
}
