/* Words of shared memory that a thread sleeps on until another changes one and wakes it. Sources: futex(2) and, for
 * several words at once, Documentation/userspace-api/futex2.rst of Linux 5.16. */
#define _GNU_SOURCE
#include "base/base.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449 /* on every architecture */
#endif
#define WORD_IS_32_BITS 2

bool futex_is_there(void) {
    int saved = errno;
    bool is_there = syscall(SYS_futex_waitv, NULL, 0, 0, NULL, CLOCK_MONOTONIC) < 0 && errno == EINVAL;
    errno = saved;
    return is_there;
}

void futex_wake(uint8_t *word) {
    int saved = errno;
    syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
    errno = saved;
}

void futex_add(struct futex_words *words, const uint8_t *word, uint32_t value) {
    words->at[words->count++] = (struct futex_word){value, (uintptr_t)word, WORD_IS_32_BITS, 0};
}

bool futex_sleep(const struct futex_words *words, int64_t timeout_ns) {
    int saved = errno;
    long result;
    if (words->count == 1) {
        struct timespec timeout = {timeout_ns / HXB_SECOND, timeout_ns % HXB_SECOND};
        result = syscall(SYS_futex, (uintptr_t)words->at[0].address, FUTEX_WAIT, (uint32_t)words->at[0].value, &timeout,
                         NULL, 0);
    } else {
        int64_t end_ns = now_ns() + timeout_ns;
        struct timespec end = {end_ns / HXB_SECOND, end_ns % HXB_SECOND};
        result = syscall(SYS_futex_waitv, words->at, words->count, 0, &end, CLOCK_MONOTONIC);
    }
    /* EAGAIN: a word has changed before this thread slept. */
    bool is_over = result >= 0 || errno == EAGAIN;
    errno = saved;
    return is_over;
}
