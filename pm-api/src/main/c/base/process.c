/* Processes and threads: forks, cancellation, and system calls of the hot path.
 *
 * A child that a fork has made shares the rings with its parent, so it must not touch them. A page that the kernel
 * clears in every child (MADV_WIPEONFORK) shows with one load which process this is, after raw clone(2), too. A
 * handler of fork also closes the child's copies of all descriptors of this library: the node notices the death of the
 * parent, and takes its buffers back, only when nobody has the connection any more. */
#define _GNU_SOURCE
#include "base/base.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static const _Atomic int64_t NO_PROCESS = -1;
const _Atomic int64_t *process_word = &NO_PROCESS;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Atomic int64_t *page;
static int64_t processes;    /* copied by a fork, so that a child has a number that its parent never had */
static uint64_t *open_files; /* a bit for each descriptor */
static int open_words;

static void before_fork(void) {
    pthread_mutex_lock(&lock);
}

static void after_fork_in_parent(void) {
    pthread_mutex_unlock(&lock);
}

static void after_fork_in_child(void) {
    for (int word = 0; word < open_words; word++) {
        for (; open_files[word] != 0; open_files[word] &= open_files[word] - 1) {
            close(64 * word + __builtin_ctzll(open_files[word]));
        }
    }
    atomic_store(page, 0);
    pthread_mutex_unlock(&lock);
}

static void prepare(void) {
    long length = sysconf(_SC_PAGESIZE);
    void *mapped = mmap(NULL, (size_t)length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED || pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child) != 0) {
        return;
    }
    madvise(mapped, (size_t)length, MADV_WIPEONFORK); /* without it (before Linux 4.14) the handler does the same */
    page = mapped;
    process_word = page;
}

int64_t process_number(void) {
    pthread_once(&once, prepare);
    if (page == NULL) {
        return -1;
    }
    pthread_mutex_lock(&lock);
    if (atomic_load(page) == 0) {
        atomic_store(page, ++processes);
    }
    int64_t number = atomic_load(page);
    pthread_mutex_unlock(&lock);
    return number;
}

/* ---- Descriptors ---- */

/* libfabric, for one, unloads the library at the end of a program. */
__attribute__((destructor)) static void forget(void) {
    pthread_mutex_lock(&lock);
    free(open_files);
    open_files = NULL;
    open_words = 0;
    pthread_mutex_unlock(&lock);
}

void descriptors_hold(void) {
    pthread_mutex_lock(&lock);
}

void descriptors_release(void) {
    pthread_mutex_unlock(&lock);
}

void descriptors_add(int fd) {
    if (fd < 0) {
        return;
    }
    if (fd / 64 >= open_words) {
        int words = 2 * (fd / 64 + 1);
        uint64_t *grown = realloc(open_files, (size_t)words * sizeof *grown);
        if (grown == NULL) {
            return; /* children have it, too */
        }
        memset(grown + open_words, 0, (size_t)(words - open_words) * sizeof *grown);
        open_files = grown;
        open_words = words;
    }
    open_files[fd / 64] |= UINT64_C(1) << fd % 64;
}

int event_open(void) {
    descriptors_hold();
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    descriptors_add(fd);
    descriptors_release();
    return fd;
}

void descriptor_close(int fd) {
    if (fd >= 0) {
        int state = call_begin();
        pthread_mutex_lock(&lock);
        if (fd / 64 < open_words) {
            open_files[fd / 64] &= ~(UINT64_C(1) << fd % 64);
        }
        close(fd);
        pthread_mutex_unlock(&lock);
        call_end(state);
    }
}

int call_begin(void) {
    int state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    return state;
}

void call_end(int state) {
    pthread_setcancelstate(state, &state);
}

/* syscall(2) is no cancellation point, and cheaper than disabling cancellation. A full counter is readable anyway, so
 * that failure is ignored; errno stays as it was. */
void signal_event(int fd) {
    int saved = errno;
    uint64_t one = 1;
    syscall(SYS_write, fd, &one, sizeof one);
    errno = saved;
}

void signal_socket(int fd) {
    int saved = errno;
    char byte = 0;
    syscall(SYS_sendto, fd, &byte, sizeof byte, MSG_DONTWAIT | MSG_NOSIGNAL, NULL, 0);
    errno = saved;
}

int drain_signals(int fd) {
    int saved = errno;
    char bytes[256];
    int signals = 0;
    long length = sizeof bytes;
    while (length == (long)sizeof bytes) {
        length = syscall(SYS_recvfrom, fd, bytes, sizeof bytes, MSG_DONTWAIT | MSG_NOSIGNAL, NULL, NULL);
        signals += length > 0 ? (int)length : 0;
    }
    errno = saved;
    return signals;
}
