/* code_objects.h - which file the code of a process lies in. */
#ifndef TACHO_WINDOWS_CODE_OBJECTS_H
#define TACHO_WINDOWS_CODE_OBJECTS_H

#include "study/windows/windows.h"

typedef struct code_objects code_objects;

code_objects *code_objects_new(void);
void code_objects_free(code_objects *o);
/** Begins a window in a process. @return a number that is another one for each program that it executes,
 *  from 1; 0: memory ran out */
uint32_t code_objects_enter(code_objects *o, pid_t process);
/** Of the process that was entered. @return false: memory ran out */
bool code_objects_find(code_objects *o, uint64_t address, uint32_t *object, uint64_t *offset);
size_t code_objects_count(const code_objects *o);
const windows_object *code_objects_at(const code_objects *o, uint32_t number);

#endif
