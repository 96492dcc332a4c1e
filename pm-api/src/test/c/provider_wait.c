/* How programs wait for completions. */
#include "provider.h"

static void *send_soon(void *value) {
    usleep(20000); /* until the other thread sleeps */
    CHECK(fi_inject(there.ep, value, sizeof(uint64_t), there.peer) == 0);
    return NULL;
}

static void *signal_soon(void *cq) {
    usleep(20000);
    CHECK(fi_cq_signal(cq) == 0);
    return NULL;
}

static void *start_of(pthread_t *thread, void *(*run)(void *), void *argument) {
    EXPECT(0, pthread_create(thread, NULL, run, argument));
    return NULL;
}

static void wait_in_calls(void) {
    struct fi_cq_tagged_entry entry;
    uint64_t value = 7, got = 0;
    pthread_t thread;
    for (int timeout = 0; timeout <= 250; timeout += 125) {
        int64_t start = now_ns();
        EXPECT(-FI_EAGAIN, fi_cq_sread(here.rx, &entry, 1, NULL, timeout));
        int64_t waited = now_ns() - start;
        if (waited < timeout * INT64_C(1000000) || waited > (timeout + 10000) * INT64_C(1000000)) {
            FAIL("%d ms took %" PRId64 " ns", timeout, waited);
        }
    }
    bool is_woken = false; /* not only found when the wait looks again after 100 ms; now and then the machine is busy */
    for (int i = 0; i < 3 || (i < 30 && !is_woken); i++) {
        EXPECT(0, fi_recv(here.ep, &got, sizeof got, NULL, FI_ADDR_UNSPEC, &got));
        start_of(&thread, send_soon, &value);
        fi_addr_t source;
        int64_t start = now_ns();
        EXPECT(1, fi_cq_sreadfrom(here.rx, &entry, 1, &source, NULL, i == 0 ? -1 : 20000));
        is_woken |= now_ns() - start < 90 * INT64_C(1000000);
        CHECK(entry.op_context == &got && source == here.peer);
        EXPECT(7, got);
        EXPECT(0, pthread_join(thread, NULL));
    }
    CHECK(is_woken);
    start_of(&thread, signal_soon, here.rx);
    EXPECT(-FI_ECANCELED, fi_cq_sread(here.rx, &entry, 1, NULL, -1));
    EXPECT(0, pthread_join(thread, NULL));
    EXPECT(-FI_EAGAIN, fi_cq_sread(here.rx, &entry, 1, NULL, 20));
    /* An error ends a wait as well. */
    EXPECT(0, fi_recv(here.ep, &got, 1, NULL, FI_ADDR_UNSPEC, &got));
    start_of(&thread, send_soon, &value);
    EXPECT(-FI_EAVAIL, fi_cq_sread(here.rx, &entry, 1, NULL, -1));
    EXPECT(0, pthread_join(thread, NULL));
    EXPECT(FI_ETRUNC, take_error(here.rx).err);
}

static void wait_for_descriptor(void) {
    struct fi_cq_tagged_entry entry;
    struct fid *fids[2] = {&here.rx->fid, &here.tx->fid};
    uint64_t value = 7, got = 0;
    enum fi_wait_obj object = FI_WAIT_NONE;
    struct pollfd fd = {-1, POLLIN, 0};
    EXPECT(0, fi_control(&here.rx->fid, FI_GETWAIT, &fd.fd));
    EXPECT(0, fi_control(&here.rx->fid, FI_GETWAITOBJ, &object));
    EXPECT(FI_WAIT_FD, object);
    for (int i = 0; i < 5; i++) {
        pthread_t thread;
        EXPECT(0, fi_recv(here.ep, &got, sizeof got, NULL, FI_ADDR_UNSPEC, &got));
        start_of(&thread, send_soon, &value);
        int64_t end = now_ns() + LIMIT_NS;
        while (fi_cq_read(here.rx, &entry, 1) != 1) {
            int tried = fi_trywait(here.fabric, fids, 2);
            CHECK(tried == 0 || tried == -FI_EAGAIN);
            if (tried == 0) {
                EXPECT(1, poll(&fd, 1, 10000));
            }
            CHECK(now_ns() < end);
        }
        EXPECT(0, pthread_join(thread, NULL));
        EXPECT(7, got);
        /* A completion that is there must not be slept on. */
        EXPECT(0, fi_recv(here.ep, &got, sizeof got, NULL, FI_ADDR_UNSPEC, &got));
        EXPECT(0, fi_inject(there.ep, &value, sizeof value, there.peer));
        AWAIT(fi_trywait(here.fabric, fids, 1) == -FI_EAGAIN && fi_cq_read(here.rx, &entry, 1) == 1);
    }
    /* With nothing to come, the descriptor falls silent: a program that polls it must not spin. */
    AWAIT(fi_trywait(here.fabric, fids, 1) == 0 && poll(&fd, 1, 20) == 0);
    EXPECT(0, fi_cq_signal(here.rx));
    EXPECT(1, poll(&fd, 1, 10000));
    EXPECT(-FI_ECANCELED, fi_cq_sread(here.rx, &entry, 1, NULL, 10000));
    AWAIT(fi_trywait(here.fabric, fids, 1) == 0 && poll(&fd, 1, 20) == 0);
}

/* The other end works although its program makes no call: both domains have a thread. */
static void progress_by_itself(void) {
    const size_t length = 1 << 20;
    uint8_t *from = buffer_of(length), *to = buffer_of(length);
    struct fi_cq_tagged_entry entry;
    struct iovec iov = {from, length};
    struct fi_msg_tagged msg = {.msg_iov = &iov, .iov_count = 1, .addr = here.peer, .context = from};
    fill(from, length, 9);
    EXPECT(0, fi_trecv(there.ep, to, length, NULL, FI_ADDR_UNSPEC, 0, 0, to));
    EXPECT(0, fi_tsendmsg(here.ep, &msg, FI_DELIVERY_COMPLETE));
    EXPECT(1, fi_cq_sread(here.tx, &entry, 1, NULL, 20000));
    EXPECT(1, fi_cq_sread(there.rx, &entry, 1, NULL, 20000));
    EXPECT_BYTES(to, length, 9);
    /* The sender's calls are not needed either. */
    memset(to, 0, length);
    EXPECT(0, fi_tsend(here.ep, from, length, NULL, here.peer, 1, from));
    EXPECT(0, fi_trecv(there.ep, to, length, NULL, FI_ADDR_UNSPEC, 1, 0, to));
    EXPECT(1, fi_cq_sread(there.rx, &entry, 1, NULL, 20000));
    EXPECT_BYTES(to, length, 9);
    EXPECT(1, fi_cq_sread(here.tx, &entry, 1, NULL, 20000));
    free(from);
    free(to);
}

enum { THREADS = 3, ROUNDS = 60 };

struct waiter {
    int is_done;
};

/* The thread that reads a completion wakes the one that waits for it. */
static void await_done(struct side *side, struct waiter *waiter) {
    int64_t end = now_ns() + LIMIT_NS;
    while (__atomic_load_n(&waiter->is_done, __ATOMIC_ACQUIRE) == 0) {
        struct fi_cq_tagged_entry entry;
        if (fi_cq_read(side->rx, &entry, 1) == 1 || fi_cq_read(side->tx, &entry, 1) == 1) {
            __atomic_store_n(&((struct waiter *)entry.op_context)->is_done, 1, __ATOMIC_RELEASE);
        }
        CHECK(now_ns() < end);
    }
}

static void *bounce(void *argument) {
    uintptr_t number = (uintptr_t)argument;
    struct side *side = number % 2 == 0 ? &here : &there;
    uint64_t tag = number / 2;
    size_t room = 70000;
    uint8_t *from = buffer_of(room), *to = buffer_of(room);
    for (uint64_t i = 0; i < ROUNDS; i++) {
        size_t length = i % 10 == 0 ? room : 100 * i;
        struct waiter received = {0}, sent = {0};
        ssize_t posted;
        CHECK(fi_trecv(side->ep, to, room, NULL, FI_ADDR_UNSPEC, tag, 0, &received) == 0);
        fill(from, length, i + tag);
        while ((posted = fi_tsend(side->ep, from, length, NULL, side->peer, tag, &sent)) == -FI_EAGAIN) {
        }
        EXPECT(0, posted);
        await_done(side, &received);
        await_done(side, &sent);
        EXPECT_BYTES(to, length, i + tag);
    }
    free(from);
    free(to);
    return NULL;
}

static void share_between_threads(void) {
    pthread_t threads[2 * THREADS];
    for (uintptr_t i = 0; i < 2 * THREADS; i++) {
        start_of(&threads[i], bounce, (void *)i);
    }
    for (int i = 0; i < 2 * THREADS; i++) {
        EXPECT(0, pthread_join(threads[i], NULL));
    }
}

void waiting(char **arguments) {
    (void)arguments;
    struct fi_cq_tagged_entry entry;
    open_pair(&(struct options){0});
    CHECK(fi_cq_sread(here.rx, &entry, 1, NULL, 10) < 0); /* without anything to wait for */
    CHECK(fi_cq_signal(here.rx) < 0);
    int fd;
    CHECK(fi_control(&here.rx->fid, FI_GETWAIT, &fd) < 0);
    close_pair();
    for (enum fi_progress progress = FI_PROGRESS_AUTO; progress <= FI_PROGRESS_MANUAL; progress++) {
        open_pair(&(struct options){.progress = progress, .wait = FI_WAIT_UNSPEC});
        wait_in_calls();
        if (progress == FI_PROGRESS_AUTO) {
            progress_by_itself();
        }
        share_between_threads();
        close_pair();
        open_pair(&(struct options){.progress = progress, .wait = FI_WAIT_FD});
        wait_for_descriptor();
        wait_in_calls();
        close_pair();
    }
}
