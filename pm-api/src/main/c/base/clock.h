/* The clock of all waits and deadlines, in C: it only grows, and is the same for all processes of a machine. */
#ifndef HXB_CLOCK_H
#define HXB_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

#endif
