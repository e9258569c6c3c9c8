/* sanitized.h - whether a test is built with sanitizers, which make it ten times as slow: there it may try
 * fewer of many cases that are alike. */
#ifndef TACHO_TESTS_SANITIZED_H
#define TACHO_TESTS_SANITIZED_H

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#endif
#if !defined(SANITIZED)
#define SANITIZED 0
#endif

#endif
