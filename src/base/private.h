/* private.h - what libtacho shows to libtacho-tools of the same version, and to nobody else (libtacho.map).
 */
#ifndef TACHO_BASE_PRIVATE_H
#define TACHO_BASE_PRIVATE_H

#if defined(__GNUC__)
#define TACHO_PRIVATE __attribute__((visibility("default")))
#else
#define TACHO_PRIVATE
#endif

#endif
