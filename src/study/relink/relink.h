/* relink.h - programs linked by a command of the caller's, with {out} and {objects} in it. */
#ifndef TACHO_RELINK_H
#define TACHO_RELINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "tacho/compare.h"

/* Where tools are run, and until when. */
typedef struct relink_place {
    const char *directory;    /* NULL: this process's */
    char *const *environment; /* ends in NULL */
    const char *temporary;    /* directory for what they leave behind when they are ended */
    /* Asked when a signal comes, and now and then where `look` is above 0: whether to end here. May be NULL
     */
    bool (*stop)(void *payload);
    double look;
    void *payload;
} relink_place;

/* The command with its places filled in, for the shell. */
void relink_fill_in(tacho_str *out, const char *command, const char *path, const char *const *objects,
                    uint32_t count);
/* Runs a program to its end, or until `stop` says so. `what`: it in words. @return 0, also where *stopped;
 * TACHO_ERR_INPUT with what it has said */
int relink_run(const relink_place *place, const char *const *argv, const char *what, bool *stopped,
               tacho_error *err);
/* Runs a link command that is filled in, which makes `path`. @return 0, also where *stopped; else an error */
int relink_link(const relink_place *place, const char *command, const char *path, bool *stopped,
                tacho_error *err);

/* ---- code_layouts.c: programs of which each has its code elsewhere ---- */

typedef struct code_layouts code_layouts;

typedef struct code_layouts_options {
    const tacho_command *commands;   /* of each side */
    const tacho_compare_link *links; /* likewise */
    uint32_t layouts;                /* 1 or more */
    uint64_t seed;
    bool (*stop)(void *payload); /* may be NULL; asked by several threads */
    /* Told by the caller's thread how many are linked; may be NULL. Other than 0: to end here. */
    int (*tell)(uint32_t done, uint32_t all, void *payload);
    void *payload;
} code_layouts_options;

/* Links them all, on all processors that this process may use; their files are gone after code_layouts_free.
 * `counts`: of each side. @return 0, also where *stopped (then *out may be NULL); an error */
int code_layouts_make(code_layouts **out, const code_layouts_options *options, tacho_compare_code *counts,
                      bool *stopped, tacho_error *err);
/* The side's command with the program of a layout. */
char *const *code_layouts_argv(const code_layouts *c, uint32_t side, uint32_t layout);
void code_layouts_free(code_layouts *c);

/* object files whose functions lie otherwise: what moves the code of a program without compiling
 * it again. */

enum {
    REORDER_LINE = 64,  /* bytes: room behind each section, at most, less one */
    REORDER_PAGE = 4096 /* ... and before all of them */
};

/** What of an object file moves. */
typedef struct reordered {
    char *data; /**< tacho_mem_free; NULL: nothing of it can be moved: it is no object file of x86-64, or has
                   no code */
    size_t size;
    uint32_t sections; /**< of code that move */
    bool is_whole;     /**< one of them is .text, with all functions that have no section of their own */
} reordered;

/** An object file with its sections of code in another order, and room behind each, as `key` decides: the
 *  same name has the same number in all files with this key. @return 0 or TACHO_ERR_MEMORY */
int reorder_object(const char *data, size_t size, uint64_t key, reordered *out);
/** An object file of nothing but room, to be the first of all. @return 0 or TACHO_ERR_MEMORY */
int reorder_room(uint64_t key, char **out, size_t *out_size);

#endif
