/* output.c - results on standard output, or in a file that takes long to make. */
#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"

static bool complain(const cli_output *o)
{
    cli_error("cannot write %s: %s", o->path, strerror(errno));
    return false;
}

bool cli_put_text(tacho_str *text)
{
    bool good = !text->failed;
    if (!good)
        cli_error("out of memory");
    else if (text->length)
        fwrite(text->data, 1, text->length, stdout);
    tacho_str_free(text);
    return good;
}

bool cli_output_open(cli_output *o, const char *path)
{
    *o = (cli_output){.file = stdout};
    if (!path || !strcmp(path, "-"))
        return true;
    *o = (cli_output){.path = path};
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    o->made = fd >= 0;
    if (fd < 0 && errno == EEXIST)
        fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    o->file = fd < 0 ? NULL : fdopen(fd, "w");
    if (!o->file && fd >= 0)
        close(fd);
    return o->file || complain(o);
}

bool cli_output_begin(cli_output *o)
{
    struct stat s;
    if (!o->path || fstat(fileno(o->file), &s) || !S_ISREG(s.st_mode))
        return true;
    return !ftruncate(fileno(o->file), 0) || complain(o);
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
    return !bad || complain(o);
}

void cli_output_drop(cli_output *o)
{
    if (!o->path || !o->file)
        return;
    fclose(o->file);
    if (o->made)
        unlink(o->path);
    o->file = NULL;
}
