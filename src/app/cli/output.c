/* output.c - results on standard output, or in files: opened before the work, and one process's at a time. */
#include "app/cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/cli/cli.h"
#include "app/report/report.h"
#include "base/lock.h"

enum {
    ATTEMPTS = 100 /* at opening a file that others remove at that moment */
};

static bool cannot_write(const char *path, const char *why)
{
    return cli_error("cannot write %s: %s", path, why);
}

static void note_unlocked(const char *path, const char *why)
{
    static bool said;
    if (!said)
        cli_note("%s cannot be locked (%s): no other tacho must write it now", path, why);
    said = true;
}

/* Whether the path still leads to it: another process may have removed the file before it was locked. */
static bool is_in_place(int fd, const char *path)
{
    struct stat opened, named;
    return fstat(fd, &opened) ||
           (!stat(path, &named) && opened.st_dev == named.st_dev && opened.st_ino == named.st_ino);
}

static int open_or_make(const char *path, int access, bool *made)
{
    int fd = open(path, access | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    *made = fd >= 0;
    return fd < 0 && errno == EEXIST ? open(path, access | O_CREAT | O_CLOEXEC, 0666) : fd;
}

static bool is_regular(int fd)
{
    struct stat s;
    return !fstat(fd, &s) && S_ISREG(s.st_mode);
}

int cli_output_descriptor(const char *path, int access, bool *made)
{
    char why[TACHO_LOCK_WHY_SIZE];
    for (int attempt = 1;; attempt++) {
        int fd = open_or_make(path, access, made);
        if (fd < 0)
            cannot_write(path, strerror(errno));
        if (fd < 0 || !is_regular(fd))
            return fd;
        tacho_lock lock = tacho_lock_take(fd, why);
        if (lock == TACHO_LOCK_NONE)
            note_unlocked(path, why);
        if (lock != TACHO_LOCK_THEIRS && (attempt == ATTEMPTS || is_in_place(fd, path)))
            return fd;
        close(fd);
        if (lock == TACHO_LOCK_THEIRS) {
            cannot_write(path, why);
            return -1;
        }
    }
}

bool cli_output_empty(int fd)
{
    return !is_regular(fd) || !ftruncate(fd, 0);
}

bool cli_output_open(cli_output *o, const char *path)
{
    *o = (cli_output){.file = stdout};
    if (!path || !strcmp(path, "-"))
        return true;
    *o = (cli_output){.path = path};
    int fd = cli_output_descriptor(path, O_WRONLY, &o->made);
    o->file = fd < 0 ? NULL : fdopen(fd, "w");
    if (o->file || fd < 0)
        return o->file != NULL;
    cannot_write(path, strerror(errno));
    close(fd);
    return false;
}

bool cli_output_begin(cli_output *o)
{
    return !o->path || cli_output_empty(fileno(o->file)) || cannot_write(o->path, strerror(errno));
}

bool cli_output_meanwhile(cli_output *o, const char *text)
{
    if (!o->path || !is_regular(fileno(o->file)))
        return true;
    rewind(o->file);
    if (!cli_output_begin(o))
        return false;
    o->made = false; /* it stays */
    return (fputs(text, o->file) >= 0 && !fflush(o->file)) || cannot_write(o->path, strerror(errno));
}

bool cli_output_end(cli_output *o)
{
    if (!o->path)
        return true;
    bool bad = ferror(o->file);
    int why = errno;
    if (fclose(o->file))
        bad = true;
    else
        errno = why;
    o->file = NULL;
    return !bad || cannot_write(o->path, strerror(errno));
}

/* Removed while it is still locked: later it may be another one's. */
void cli_output_drop(cli_output *o)
{
    if (!o->path || !o->file)
        return;
    if (o->made)
        unlink(o->path);
    fclose(o->file);
    o->file = NULL;
}

bool cli_output_write(cli_output *o, tacho_str *text)
{
    bool good = !text->failed ? cli_output_begin(o)
                : o->path     ? cannot_write(o->path, "out of memory")
                              : cli_error("out of memory");
    if (good && text->length && o->path)
        rewind(o->file);
    if (good && text->length)
        fwrite(text->data, 1, text->length, o->file);
    good = good && cli_output_end(o);
    cli_output_drop(o);
    tacho_str_free(text);
    return good;
}

bool cli_output_text(const char *path, tacho_str *text)
{
    cli_output o;
    if (cli_output_open(&o, path))
        return cli_output_write(&o, text);
    tacho_str_free(text);
    return false;
}

bool cli_put_text(tacho_str *text)
{
    return cli_output_write(&(cli_output){.file = stdout}, text);
}

bool cli_put_json(json_t *json)
{
    tacho_str text = {0};
    report_put_json(&text, json, REPORT_JSON_DIGITS);
    return cli_put_text(&text);
}

bool cli_put_results(json_t *list)
{
    return cli_put_json(json_incref(json_array_size(list) == 1 ? json_array_get(list, 0) : list));
}
