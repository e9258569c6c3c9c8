/* progress_line.c - see progress_line.h. */
#include "app/cli/progress_line.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/seconds.h"

#define STANDS_SECONDS 0.2

static bool off, shown;
static double since;

void cli_progress_off(void)
{
    off = true;
}

bool cli_progress_is_on(void)
{
    return !off && isatty(STDERR_FILENO);
}

static void show(const char *format, va_list args)
{
    fputs("\r\033[K", stderr);
    vfprintf(stderr, format, args);
    shown = true;
    since = seconds_now();
}

void cli_progress(const char *format, ...)
{
    va_list args;
    if ((shown && seconds_now() - since < STANDS_SECONDS) || !cli_progress_is_on())
        return;
    va_start(args, format);
    show(format, args);
    va_end(args);
}

void cli_progress_last(const char *format, ...)
{
    va_list args;
    if (!cli_progress_is_on())
        return;
    va_start(args, format);
    show(format, args);
    va_end(args);
    fputc('\n', stderr);
    shown = false;
}

void cli_progress_clear(void)
{
    if (shown)
        fputs("\r\033[K", stderr);
    shown = false;
}
