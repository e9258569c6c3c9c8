/* gzip_input.c - files and pipes that gzip may have compressed. Whether it has, their first two bytes say.
 * Several compressed files one after the other are one, as for gunzip. */
#include "base/gzip_input.h"

#include <unistd.h>
#include <zlib.h>

#include "base/mem.h"

static bool is_gzip(const void *data, size_t size)
{
    return size >= 2 && !memcmp(data, "\x1f\x8b", 2);
}

enum {
    GZIP_HEADER = 15 + 16,
    RAW_BYTES = 64 << 10
};

static const char damaged[] = "it is compressed, and damaged";
static const char cut_off[] = "it is compressed, and cut off";
static const char no_memory[] = "out of memory";

/* Rows of numbers become a tenth of their size; what becomes less than a hundredth of it, and is long, was
 * made to fill memory. */
#define MOST_RATIO 100
#define ANY_RATIO  (64 << 20) /* bytes, unpacked */
static const char a_bomb[] = "it is compressed to less than a hundredth of its size: gunzip it first";

typedef struct tacho_gunzip {
    z_stream z;
    uint64_t packed, unpacked; /* bytes that were read, and given */
    bool between;              /* whole files were read; none has begun after them */
    bool ended;                /* the descriptor's end was seen */
    unsigned char raw[RAW_BYTES];
} unzip;

/* Goes on with what there is. @return bytes, 0 when more input is needed, -1 with *problem */
static ssize_t unzip_some(unzip *u, void *out, size_t size, const char **problem)
{
    size_t room = size < RAW_BYTES ? size : RAW_BYTES;
    u->z.next_out = out;
    u->z.avail_out = (unsigned)room;
    while (u->z.avail_out == room && (u->z.avail_in || !u->between)) {
        u->between = false;
        int rc = inflate(&u->z, Z_NO_FLUSH);
        if (rc == Z_STREAM_END) {
            u->between = true;
            inflateReset(&u->z);
        } else if (rc == Z_BUF_ERROR || (rc == Z_OK && u->z.avail_out == room && !u->z.avail_in)) {
            break;
        } else if (rc != Z_OK) {
            *problem = rc == Z_MEM_ERROR ? no_memory : damaged;
            return -1;
        }
    }
    return (ssize_t)(room - u->z.avail_out);
}

static unzip *unzip_start(void)
{
    unzip *u = tacho_mem_zalloc(1, sizeof *u);
    if (u && inflateInit2(&u->z, GZIP_HEADER) != Z_OK) {
        tacho_mem_free(u);
        u = NULL;
    }
    return u;
}

static void unzip_end(unzip *u)
{
    if (u)
        inflateEnd(&u->z);
    tacho_mem_free(u);
}

static ssize_t read_compressed(tacho_input *in, void *out, size_t size)
{
    unzip *u = in->zip;
    for (;;) {
        ssize_t n = unzip_some(u, out, size, &in->problem);
        u->unpacked += n > 0 ? (uint64_t)n : 0;
        if (n > 0 && u->unpacked > ANY_RATIO && u->unpacked / MOST_RATIO > u->packed) {
            in->problem = a_bomb;
            return -1;
        }
        if (n)
            return n;
        if (u->ended) {
            in->problem = u->between ? NULL : cut_off;
            return u->between ? 0 : -1;
        }
        n = TEMP_FAILURE_RETRY(read(in->fd, u->raw, sizeof u->raw));
        if (n < 0)
            return -1;
        u->ended = n == 0;
        u->packed += (uint64_t)n;
        u->z.next_in = u->raw;
        u->z.avail_in = (unsigned)n;
    }
}

/* The first `size` bytes were compressed. */
static ssize_t begin_compressed(tacho_input *in, void *data, size_t size, size_t room)
{
    in->zip = unzip_start();
    if (!in->zip) {
        in->problem = no_memory;
        return -1;
    }
    memcpy(in->zip->raw, data, size);
    in->zip->z.next_in = in->zip->raw;
    in->zip->z.avail_in = (unsigned)size;
    in->zip->packed = size;
    return read_compressed(in, data, room);
}

bool tacho_input_pending(const tacho_input *in)
{
    return in->zip && (in->zip->z.avail_in || in->zip->ended);
}

/* The first bytes, as they are: two of them at least, if there are. */
static ssize_t look(tacho_input *in, void *out, size_t size)
{
    size_t n = 0;
    ssize_t got;
    in->looked = true;
    if (size > RAW_BYTES)
        size = RAW_BYTES;
    do {
        got = TEMP_FAILURE_RETRY(read(in->fd, (char *)out + n, size - n));
        n += got > 0 ? (size_t)got : 0;
    } while (got > 0 && n == 1 && size > 1 && *(unsigned char *)out == 0x1f);
    if (got < 0)
        return -1;
    return is_gzip(out, n) ? begin_compressed(in, out, n, size) : (ssize_t)n;
}

ssize_t tacho_input_read(tacho_input *in, void *out, size_t size)
{
    in->problem = NULL;
    if (!in->looked)
        return look(in, out, size);
    return in->zip ? read_compressed(in, out, size) : TEMP_FAILURE_RETRY(read(in->fd, out, size));
}

const char *tacho_input_why(const tacho_input *in)
{
    return in->problem ? in->problem : strerror(errno);
}

bool tacho_input_is_compressed(const tacho_input *in)
{
    return in->zip;
}

void tacho_input_end(tacho_input *in)
{
    unzip_end(in->zip);
    in->zip = NULL;
}
