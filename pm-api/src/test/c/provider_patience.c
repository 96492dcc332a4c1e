/* When a program that looks for completions in vain gives its CPU away, and when it sleeps. The provider's clock, and the
 * calls by which it does either, are those below while a look is under way, so that nothing depends on the machine. */
#include "provider.h"

#include <sched.h>
#include <sys/syscall.h>

#define US INT64_C(1000)
#define MS (1000 * US)

static bool is_looking; /* the calls below are the provider's */
static int64_t clock_at;
static int64_t yield_ns; /* for which the CPU is away */
static int yields, naps;

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
    if (!is_looking) {
        struct timespec timeout = {timeout_ms / 1000, timeout_ms % 1000 * 1000000L};
        return ppoll(fds, count, timeout_ms < 0 ? NULL : &timeout, NULL);
    }
    naps++;
    clock_at += MS;
    return 0;
}

/* ---- Looking ---- */

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

static void give_way_after_four_looks(void) {
    start(2 * US);
    for (int i = 0; i < 4; i++) {
        look(US);
    }
    EXPECT(0, yields);
    look(US);
    EXPECT(1, yields);
    for (int i = 0; i < 100; i++) {
        look(US);
    }
    EXPECT(101, yields);
    EXPECT(0, naps);
}

static void sleep_after_a_millisecond(void) {
    start(2 * US);
    int looks = 0;
    int64_t begin = clock_at;
    for (; naps == 0; looks++) {
        CHECK(looks < 1000);
        look(US);
    }
    CHECK(clock_at - MS - begin >= MS); /* without the sleep itself */
    CHECK(clock_at - MS - begin < MS + 100 * US);
    look(US);
    EXPECT(2, naps);
}

/* A program that computes between its looks does not wait: it is never held up. */
static void compute_between_looks(void) {
    start(2 * US);
    for (int i = 0; i < 10000; i++) {
        look(11 * US);
    }
    EXPECT(0, yields);
    EXPECT(0, naps);
}

/* Nor does one that starts operations between them. */
static void post_between_looks(void) {
    start(2 * US);
    for (int i = 0; i < 3000; i++) {
        look(US);
        look(US);
        look(US);
        post();
    }
    EXPECT(0, yields);
    EXPECT(0, naps);
}

/* A CPU that comes back late now and then is no reason to sleep. */
static void bear_a_late_return(void) {
    start(2 * US);
    for (int wait = 0; wait < 200; wait++) {
        for (int i = 0; i < 5; i++) {
            look(US);
        }
        yield_ns = wait % 10 == 0 ? 200 * US : 2 * US;
        post();
        clock_at += MS / 2;
    }
    EXPECT(0, naps);
    CHECK(yields >= 200);
}

/* One that comes back late again and again is: waits sleep at once, beginning with the sixteenth look. */
static void sleep_beside_others(void) {
    start(400 * US);
    for (int wait = 0; wait < 10; wait++) {
        for (int i = 0; i < 6; i++) {
            look(US);
        }
        post();
    }
    EXPECT(0, naps);
    CHECK(yields >= 3);
    yields = naps = 0;
    for (int i = 0; i < 16; i++) {
        look(US);
    }
    EXPECT(0, naps);
    EXPECT(0, yields); /* the CPU is not given away any more */
    look(US);
    EXPECT(1, naps);
    /* A program that does something in between is not held up even now. */
    naps = 0;
    for (int i = 0; i < 100; i++) {
        for (int j = 0; j < 16; j++) {
            look(US);
        }
        post();
    }
    EXPECT(0, naps);
    EXPECT(0, yields);
    /* It does not last for ever. */
    start(2 * US);
    for (int i = 0; i < 20; i++) {
        look(US);
    }
    EXPECT(0, naps);
    EXPECT(16, yields);
}

void patience(char **arguments) {
    (void)arguments;
    open_pair(&(struct options){0});
    settle();
    clock_at = now_ns();
    give_way_after_four_looks();
    sleep_after_a_millisecond();
    compute_between_looks();
    post_between_looks();
    bear_a_late_return();
    sleep_beside_others();
    close_pair();
}
