/* When a program that looks for completions in vain gives its CPU away, and when it sleeps. The provider's clock, and
 * the calls by which it does either, are those below while a look is under way, so that nothing depends on the
 * machine. */
#include "provider.h"

#include <sched.h>
#include <sys/syscall.h>

#define US INT64_C(1000)
#define MS (1000 * US)

static bool is_looking; /* the calls below are the provider's */
static int64_t clock_at;
static int64_t yield_ns; /* for which the CPU is away */
static int yields, naps;
static void (*meanwhile)(void); /* what another thread does during a sleep, if anything */
static bool is_nap_over;        /* it ended the sleep */

int clock_gettime(clockid_t id, struct timespec *to) {
    if (!is_looking) {
        return (int)syscall(SYS_clock_gettime, id, to);
    }
    *to = (struct timespec){clock_at / 1000000000, clock_at % 1000000000};
    return 0;
}

int sched_yield(void) {
    if (!is_looking) {
        return (int)syscall(SYS_sched_yield);
    }
    yields++;
    clock_at += yield_ns;
    return 0;
}

int poll(struct pollfd *fds, nfds_t count, int timeout_ms) {
    if (!is_looking || timeout_ms == 0) { /* libhxb looks now and then whether the node lives */
        struct timespec timeout = {timeout_ms / 1000, timeout_ms % 1000 * 1000000L};
        return ppoll(fds, count, timeout_ms < 0 ? NULL : &timeout, NULL);
    }
    naps++;
    clock_at += MS;
    if (meanwhile != NULL) {
        is_looking = false;
        meanwhile();
        is_nap_over = ppoll(fds, count, &(struct timespec){0}, NULL) > 0;
        is_looking = true;
    }
    return 0;
}

/* ---- Looking ---- */

/* A node may have news just then, which a look finds: then its behaviour shows nothing, and the test is repeated. */
#define ATTEMPTS 5
#define KEEPS(condition)                                                                     \
    do {                                                                                     \
        if (!(condition)) {                                                                  \
            snprintf(broken, sizeof broken, "line %d: not %s: %d yields, %d naps", __LINE__, \
                     #condition, yields, naps);                                              \
            return false;                                                                    \
        }                                                                                    \
    } while (0)

static char broken[256];

static void start(int64_t yield) {
    yield_ns = yield;
    yields = naps = 0;
    clock_at += 10000 * MS; /* so that nothing of what was before counts */
}

/* One look in vain, some time after the last one. */
static void look(int64_t after_ns) {
    struct fi_cq_tagged_entry entry;
    clock_at += after_ns;
    is_looking = true;
    ssize_t read = fi_cq_read(here.rx, &entry, 1);
    is_looking = false;
    EXPECT(-FI_EAGAIN, read);
}

static void look_often(int count, int64_t after_ns) {
    for (int i = 0; i < count; i++) {
        look(after_ns);
    }
}

/* Something that is not waiting; answered at once. */
static void post(void) {
    EXPECT(0, fi_trecv(here.ep, NULL, 0, NULL, FI_ADDR_UNSPEC, 1, 0, &here));
    EXPECT(0, fi_cancel(&here.ep->fid, &here));
    is_looking = true;
    struct fi_cq_err_entry error = {0};
    struct fi_cq_tagged_entry entry;
    EXPECT(-FI_EAVAIL, fi_cq_read(here.rx, &entry, 1));
    EXPECT(1, fi_cq_readerr(here.rx, &error, 0));
    is_looking = false;
}

static bool give_way_after_four_looks(void) {
    start(2 * US);
    look_often(4, US);
    KEEPS(yields == 0);
    look(US);
    KEEPS(yields == 1);
    look_often(100, US);
    KEEPS(yields == 101 && naps == 0);
    return true;
}

static bool sleep_after_a_millisecond(void) {
    start(2 * US);
    int64_t begin = clock_at;
    while (naps == 0 && clock_at - begin < 100 * MS) {
        look(US);
    }
    int64_t awake = clock_at - MS - begin; /* without the sleep itself */
    KEEPS(naps == 1 && awake >= MS && awake < MS + 100 * US);
    look(US);
    KEEPS(naps == 2);
    return true;
}

/* A program that computes between its looks does not wait: it is never held up. */
static bool compute_between_looks(void) {
    start(2 * US);
    look_often(10000, 11 * US);
    KEEPS(yields == 0 && naps == 0);
    return true;
}

/* Nor does one that starts operations between them. */
static bool post_between_looks(void) {
    start(2 * US);
    for (int i = 0; i < 3000; i++) {
        look_often(3, US);
        post();
    }
    KEEPS(yields == 0 && naps == 0);
    return true;
}

/* A CPU that comes back late now and then is no reason to sleep. */
static bool bear_a_late_return(void) {
    start(2 * US);
    for (int wait = 0; wait < 200; wait++) {
        look_often(5, US);
        yield_ns = wait % 10 == 0 ? 200 * US : 2 * US;
        post();
        clock_at += MS / 2;
    }
    KEEPS(naps == 0 && yields >= 190);
    return true;
}

/* One that comes back late again and again is: waits sleep at once, beginning with the sixteenth look. */
static bool sleep_beside_others(void) {
    start(400 * US);
    for (int wait = 0; wait < 10; wait++) {
        look_often(6, US);
        post();
    }
    KEEPS(naps == 0 && yields >= 3);
    yields = 0;
    look_often(16, US);
    KEEPS(naps == 0 && yields == 0); /* the CPU is not given away any more */
    look(US);
    KEEPS(naps == 1);
    /* A program that does something in between is not held up even now. */
    naps = 0;
    post();
    for (int i = 0; i < 100; i++) {
        look_often(16, US);
        post();
    }
    KEEPS(naps == 0 && yields == 0);
    /* It does not last for ever. */
    start(2 * US);
    look_often(20, US);
    KEEPS(naps == 0 && yields == 16);
    return true;
}

/* ---- Other threads ---- */

static void *post_in_thread(void *unused) {
    (void)unused;
    post();
    is_looking = false;
    return NULL;
}

static void post_from_another_thread(void) {
    pthread_t thread;
    EXPECT(0, pthread_create(&thread, NULL, post_in_thread, NULL));
    EXPECT(0, pthread_join(thread, NULL));
}

/* Where several threads use an endpoint, a wait sleeps as soon as it gives way: the CPU is theirs, and they end it. */
static bool sleep_soon_beside_threads(void) {
    start(2 * US);
    is_looking = true; /* for the clock */
    post_from_another_thread();
    is_looking = true;
    post();
    look_often(4, US);
    KEEPS(naps == 0);
    look(US);
    KEEPS(naps == 1 && yields == 0);
    start(2 * US);
    look_often(20, US);
    KEEPS(naps == 0 && yields == 16);
    return true;
}

static void cancel_a_receive(void) {
    EXPECT(0, fi_trecv(here.ep, NULL, 0, NULL, FI_ADDR_UNSPEC, 1, 0, &here));
    EXPECT(0, fi_cancel(&here.ep->fid, &here));
}

/* Takes the messages for the thread that sleeps, which is not woken again then. */
static void read_in_vain(void) {
    struct fi_cq_tagged_entry entry;
    EXPECT(-FI_EAGAIN, fi_cq_read(here.rx, &entry, 1));
}

static bool sleep_until(void (*done)(void)) {
    start(2 * US);
    is_nap_over = false;
    meanwhile = done;
    for (int i = 0; naps == 0 && i < 100000; i++) {
        struct fi_cq_tagged_entry entry;
        clock_at += US;
        is_looking = true;
        fi_cq_read(here.rx, &entry, 1);
        is_looking = false;
    }
    meanwhile = NULL;
    return naps == 1 && is_nap_over;
}

static bool wake_for_completions(void) {
    bool is_over = sleep_until(cancel_a_receive);
    struct fi_cq_err_entry error = {0};
    EXPECT(1, fi_cq_readerr(here.rx, &error, 0));
    KEEPS(is_over);
    return true;
}

static bool wake_for_looks_of_others(void) {
    KEEPS(sleep_until(read_in_vain));
    return true;
}

static void check(bool (*rule)(void)) {
    int attempts = 1;
    while (!rule()) {
        if (attempts++ == ATTEMPTS) {
            FAIL("%s", broken);
        }
        post();
    }
}

void patience(char **arguments) {
    (void)arguments;
    open_pair(&(struct options){0});
    settle();
    clock_at = now_ns();
    check(give_way_after_four_looks);
    check(sleep_after_a_millisecond);
    check(compute_between_looks);
    check(post_between_looks);
    check(bear_a_late_return);
    check(sleep_beside_others);
    check(sleep_soon_beside_threads);
    check(wake_for_completions);
    check(wake_for_looks_of_others);
    close_pair();
}
