/* The lowest floor: errors, processes and threads, words of shared memory, memory to lend, and waiting. Not
 * installed. */
#ifndef HXB_BASE_H
#define HXB_BASE_H

#include "base/clock.h"
#include "hxb.h"
#include "hxb_layout.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "shared memory is little-endian");
_Static_assert(ATOMIC_INT_LOCK_FREE == 2 && ATOMIC_LONG_LOCK_FREE == 2, "atomics of two processes need no lock");

#define LIKELY(condition) __builtin_expect(!!(condition), 1)
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/* On the way of each message, and small enough to have no call there. */
#define HOT static inline __attribute__((always_inline))

#define NONE (-1) /* no slot, node, context or share */

/* ---- Shared memory ----
 * Every access is atomic, relaxed where Java's is plain: another process may write at any time, and the compiler must
 * read a word exactly once, so that what was checked is what is used. On x86-64 these are the same instructions.
 * Acquire, release and sequentially consistent stand for getAcquire, setRelease and getVolatile of Java's VarHandle. */

typedef _Atomic uint32_t shared32 __attribute__((may_alias)); /* the same bytes are also written as others */
typedef _Atomic uint64_t shared64 __attribute__((may_alias));

static inline uint32_t get32(const uint8_t *at) {
    return atomic_load_explicit((const shared32 *)at, memory_order_relaxed);
}

static inline uint64_t get64(const uint8_t *at) {
    return atomic_load_explicit((const shared64 *)at, memory_order_relaxed);
}

static inline uint64_t get64_acquire(const uint8_t *at) {
    return atomic_load_explicit((const shared64 *)at, memory_order_acquire);
}

static inline uint32_t get32_acquire(const uint8_t *at) {
    return atomic_load_explicit((const shared32 *)at, memory_order_acquire);
}

static inline void put32(uint8_t *at, uint32_t value) {
    atomic_store_explicit((shared32 *)at, value, memory_order_relaxed);
}

static inline void put64(uint8_t *at, uint64_t value) {
    atomic_store_explicit((shared64 *)at, value, memory_order_relaxed);
}

static inline void put64_release(uint8_t *at, uint64_t value) {
    atomic_store_explicit((shared64 *)at, value, memory_order_release);
}

#define FETCH_AHEAD_BYTES 512 /* from the next record of a ring to the cache line that is fetched for writing */

/* Fetches the cache line for writing, away from the receiver, before it is written. Only a hint. */
static inline void fetch_for_writing(const uint8_t *at) {
#if defined(__x86_64__)
    __asm__ volatile("prefetchw %0" : : "m"(*at)); /* gcc has it for some processors only; others ignore it */
#else
    __builtin_prefetch(at, 1, 3);
#endif
}

/* Between two looks at memory that another CPU writes. */
static inline void pause_cpu(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#else
    atomic_signal_fence(memory_order_seq_cst);
#endif
}

/* ---- Errors (error.c) ---- */

#define TEXT_BYTES 1024

/* Notes the details of an error for hxb_last_error; returns `result`. */
int fail(int result, const char *format, ...) __attribute__((format(printf, 2, 3), cold));

/* The same with the text of errno; ENOMEM, EMFILE and ENFILE become HXB_E_MEMORY. */
int fail_errno(const char *format, ...) __attribute__((format(printf, 1, 2), cold));

static inline int check_timeout(int64_t timeout_ns) {
    return LIKELY(timeout_ns >= 0) ? HXB_OK : fail(HXB_E_ARGUMENT, "timeout_ns must be 0 or more");
}

/* ---- Structs whose first field is their size (structs.c) ---- */

/* Copies what a program has filled in, as far as it has it, over the defaults; `name` is for errors. */
int take_struct(void *to, size_t known, const void *from, const char *name);
/* The reverse: fills in as much as the program knows, and the size. */
void give_struct(void *to, size_t size, const void *from, size_t known);

/* True for a status that a node may report. */
bool is_status(int status);

/* ---- Calls (process.c) ---- */

/* Disables cancellation of the thread until call_end, which takes what it returned. */
int call_begin(void);
void call_end(int state);

/* Number of this process in a line of forks, 1 or more; -1 if there is no memory for it. */
int64_t process_number(void);

/* Descriptors that a child of fork does not keep. Between hold and release no fork happens: what is made there and
 * added is in no child. */
void descriptors_hold(void);
void descriptors_release(void);
void descriptors_add(int fd); /* while held; -1 is ignored */
/* Closes one that was added; -1 is ignored. */
void descriptor_close(int fd);

/* 0 in a child that has not attached, otherwise process_number. */
extern const _Atomic int64_t *process_word;

static inline bool is_forked(int64_t number) {
    return UNLIKELY(atomic_load_explicit(process_word, memory_order_relaxed) != number);
}

/* A number that no other thread has at the same time: that of pthread_self, without the call where the ABI defines its
 * place. */
HOT uintptr_t this_thread(void) {
#if defined(__x86_64__) && defined(__LP64__)
    uintptr_t self;
    __asm__("mov %%fs:0, %0" : "=r"(self));
    return self;
#else
    return (uintptr_t)pthread_self();
#endif
}

/* An event descriptor that no child of fork keeps; -1 with errno. */
int event_open(void);

/* Makes the descriptor of a node's loop readable; a system call that is no cancellation point. */
void signal_event(int fd);

/* Wakes another context of this node; a system call that is no cancellation point. */
void signal_socket(int fd);

/* Takes the signals that have arrived; returns how many. */
int drain_signals(int fd);

/* ---- Words to sleep on (futex.c) ---- */

/* As struct futex_waitv of <linux/futex.h>, which older headers do not have. */
struct futex_word {
    uint64_t value, address;
    uint32_t flags, reserved;
};

#define FUTEX_MAX_WORDS 128 /* FUTEX_WAITV_MAX */

/* The words on which a thread sleeps, each with the value that it has until then. */
struct futex_words {
    unsigned count;
    struct futex_word at[FUTEX_MAX_WORDS];
};

/* True if a thread may sleep on several words at once here. */
bool futex_is_there(void);
void futex_add(struct futex_words *words, const uint8_t *word, uint32_t value);
/* Sleeps until one of them has changed or is woken; false when it ended for another reason: the time has passed, or a
 * signal came. No cancellation point. */
bool futex_sleep(const struct futex_words *words, int64_t timeout_ns);
/* Wakes one thread that sleeps on the word. */
void futex_wake(uint8_t *word);

/* ---- Memory (memory.c) ---- */

/* Memory of this process that it lends its node: files in memory, mapped one after the other. */
struct lent {
    int id;
    uint8_t *data;
    uint64_t length; /* of the mapping, whole pages */
    uint64_t filled;
};

int lent_reserve(struct lent *lent, uint64_t length);
/* Bytes of the pages of the kernel that `length` bytes need: pages of 4 KB on x86-64, of 4, 16 or 64 KB on aarch64. */
uint64_t whole_pages(uint64_t length);
/* Makes and maps the next pieces; returns how many, whose descriptors the caller closes. */
int lent_fill(struct lent *lent, const char *name, int *pieces, int max);
void lent_close(struct lent *lent);

/* A file of zeroed pages, all of which are taken now and whose size is sealed; -1 with errno. */
int make_file(const char *name, uint64_t length);

/* The fault of a file in memory that was passed and must have at least this length; NULL if there is none. */
const char *file_problem(int fd, uint64_t length);

/* Maps memory of the node read-only, after checking that the descriptor is what it should be; takes the descriptor. */
int map_node_memory(int fd, uint64_t length, const char *what, const uint8_t **data);

/* ---- Waiting (idle.c) ---- */

/* Whether a thread that waits spins or sleeps: the rules of io.hxb.pm.idle.IdlePolicy. */
struct idle_policy {
    int64_t limit_ns;
    bool is_waiting, may_still_find, has_spun;
    int64_t start_ns, rest_ns, rested_ns, yield_ns;
};

void idle_init(struct idle_policy *idle, int64_t limit_ns);
bool idle_is_spinning(struct idle_policy *idle, int64_t now);
void idle_on_work(struct idle_policy *idle);

#endif
