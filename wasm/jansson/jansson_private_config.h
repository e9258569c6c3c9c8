/* jansson_private_config.h - the same, for its own files. */
#define HAVE_STDINT_H 1
