/* port_digits.h - ports as text writes them, one character each: 0 to 9, then a to f. */
#ifndef TACHO_ARCH_PORT_DIGITS_H
#define TACHO_ARCH_PORT_DIGITS_H

static inline char port_digit(unsigned port)
{
    return "0123456789abcdef"[port & 15];
}

/* -1: no port is written so. */
static inline int port_of_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

#endif
