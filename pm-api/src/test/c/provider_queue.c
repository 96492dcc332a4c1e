/* Completions: what is told, when, and how programs wait for it; and queues that are full. */
#include "provider.h"

/* ---- What is told ---- */

static size_t entry_size(enum fi_cq_format format) {
    switch (format) {
    case FI_CQ_FORMAT_CONTEXT: return sizeof(struct fi_cq_entry);
    case FI_CQ_FORMAT_MSG: return sizeof(struct fi_cq_msg_entry);
    case FI_CQ_FORMAT_DATA: return sizeof(struct fi_cq_data_entry);
    default: return sizeof(struct fi_cq_tagged_entry);
    }
}

/* Two entries of each format, and nothing behind them. */
static void read_format(enum fi_cq_format format) {
    open_pair(&(struct options){.format = format, .has_cntrs = true});
    size_t size = entry_size(format);
    int from[2] = {1, 2}, to[2];
    for (int i = 0; i < 2; i++) {
        EXPECT(0, fi_trecv(there.ep, &to[i], sizeof(int), NULL, there.peer, 7, 0, &to[i]));
        POST(fi_tsenddata(here.ep, &from[i], sizeof(int), NULL, 4711, here.peer, 7, &from[i]));
    }
    uint8_t *bytes = buffer_of(3 * size);
    AWAIT(fi_cntr_read(there.cntrs[CNTR_RECV]) == 2);
    EXPECT(2, fi_cq_read(there.rx, bytes, 3));
    check_margin(bytes, 2 * size, 3 * size);
    for (int i = 0; i < 2; i++) {
        struct fi_cq_tagged_entry entry = {.op_context = &to[i], .flags = FI_RECV | FI_TAGGED | FI_REMOTE_CQ_DATA,
                                           .len = sizeof(int), .data = 4711, .tag = 7};
        if (memcmp(bytes + (size_t)i * size, &entry, size) != 0) {
            FAIL("format %d: entry %d has other contents", format, i);
        }
    }
    free(bytes);
    close_pair();
}

static void tell_selected(void) {
    open_pair(&(struct options){.cq_flags = FI_SELECTIVE_COMPLETION, .has_cntrs = true});
    uint64_t from = 1, to = 0;
    struct iovec out = {&from, sizeof from}, in = {&to, sizeof to};
    struct fi_msg msg = {.msg_iov = &out, .iov_count = 1, .addr = here.peer, .context = &from};
    struct fi_msg receive = {.msg_iov = &in, .iov_count = 1, .addr = there.peer, .context = &to};
    EXPECT(0, fi_recv(there.ep, &to, sizeof to, NULL, there.peer, &to));
    EXPECT(0, fi_recvmsg(there.ep, &receive, FI_COMPLETION));
    EXPECT(0, fi_recvmsg(there.ep, &receive, 0));
    EXPECT(0, fi_recv(there.ep, &to, 1, NULL, there.peer, &in));
    EXPECT(0, fi_send(here.ep, &from, sizeof from, NULL, here.peer, &from));
    EXPECT(0, fi_sendmsg(here.ep, &msg, FI_COMPLETION));
    EXPECT(0, fi_sendmsg(here.ep, &msg, 0));
    take_of(there.rx, &to);
    take_of(here.tx, &from);
    expect_nothing(there.rx);
    expect_nothing(here.tx);
    /* An error is always told. */
    EXPECT(0, fi_send(here.ep, &from, sizeof from, NULL, here.peer, &from));
    CHECK(take_error(there.rx).op_context == &in);
    EXPECT(3, fi_cntr_read(there.cntrs[CNTR_RECV]));
    EXPECT(1, fi_cntr_readerr(there.cntrs[CNTR_RECV]));
    EXPECT(4, fi_cntr_read(here.cntrs[CNTR_SEND]));
    close_pair();
    /* What the attributes of the endpoint select. */
    open_pair(&(struct options){.cq_flags = FI_SELECTIVE_COMPLETION, .send_flags = FI_COMPLETION});
    EXPECT(0, fi_send(here.ep, &from, sizeof from, NULL, here.peer, &from));
    take_of(here.tx, &from);
    msg.addr = here.peer;
    EXPECT(0, fi_sendmsg(here.ep, &msg, 0));
    expect_nothing(here.tx);
    close_pair();
}

/* The buffer may be used again at once, even when nothing can be sent for the time being. */
static void inject_many(void) {
    enum { COUNT = 700 };
    uint64_t value[100], got[100];
    struct iovec iov = {value, sizeof value};
    struct fi_msg_tagged msg = {.msg_iov = &iov, .iov_count = 1, .addr = here.peer, .context = &here};
    uint64_t told = 0;
    for (uint64_t i = 0; i < COUNT; i++) {
        fill(value, sizeof value, i);
        switch (i % 3) {
        case 0: EXPECT(0, fi_tinject(here.ep, value, sizeof value, here.peer, i)); break;
        case 1: EXPECT(0, fi_tinjectdata(here.ep, value, sizeof value, i, here.peer, i)); break;
        default:
            msg.tag = i;
            EXPECT(0, fi_tsendmsg(here.ep, &msg, FI_INJECT | FI_COMPLETION));
            told++;
        }
        memset(value, 0, sizeof value);
    }
    for (uint64_t i = 0; i < COUNT; i++) {
        EXPECT(0, fi_trecv(there.ep, got, sizeof got, NULL, there.peer, i, 0, got));
        struct fi_cq_tagged_entry entry = take_of(there.rx, got);
        EXPECT(i, entry.tag);
        EXPECT_BYTES(got, sizeof got, i);
        EXPECT(i % 3 == 1 ? FI_REMOTE_CQ_DATA : 0, entry.flags & FI_REMOTE_CQ_DATA);
    }
    while (told-- > 0) {
        take_of(here.tx, &here);
    }
    expect_nothing(here.tx);
    EXPECT(0, fi_inject(here.ep, value, 8, here.peer));
    EXPECT(0, fi_injectdata(here.ep, value, 8, 5, here.peer));
    for (int i = 0; i < 2; i++) {
        EXPECT(0, fi_recv(there.ep, got, sizeof got, NULL, there.peer, got));
        struct fi_cq_tagged_entry entry = take_of(there.rx, got);
        EXPECT(8, entry.len);
        EXPECT(i == 1 ? 5 : 0, entry.data);
    }
    expect_nothing(here.tx);
}

/* Levels of completion, of short and long messages. */
static void reach_level(size_t length, uint64_t level) {
    uint8_t *from = buffer_of(length), *to = buffer_of(length);
    struct iovec iov = {from, length};
    struct fi_msg_tagged msg = {.msg_iov = &iov, .iov_count = 1, .addr = here.peer, .tag = 1, .context = from};
    fill(from, length, 1);
    for (int is_expected = 0; is_expected <= 1; is_expected++) {
        if (is_expected) {
            EXPECT(0, fi_trecv(there.ep, to, length, NULL, there.peer, 1, 0, to));
        }
        EXPECT(0, fi_tsendmsg(here.ep, &msg, level));
        if (!is_expected) {
            AWAIT_UNEXPECTED(&there, 1);
            if (level == FI_DELIVERY_COMPLETE || length > 1 << 16) {
                expect_nothing(here.tx);
            } else {
                take_of(here.tx, from); /* no further send is needed for it */
            }
            EXPECT(0, fi_trecv(there.ep, to, length, NULL, there.peer, 1, 0, to));
        }
        if (is_expected || level == FI_DELIVERY_COMPLETE || length > 1 << 16) {
            take_of(here.tx, from);
        }
        if (level == FI_DELIVERY_COMPLETE) {
            EXPECT_BYTES(to, length, 1); /* although the other program was not told yet */
        }
        take_of(there.rx, to);
        EXPECT_BYTES(to, length, 1);
        memset(to, 0, length);
    }
    expect_nothing(here.tx);
    free(from);
    free(to);
}

static void count_all(void) {
    open_pair(&(struct options){.has_cntrs = true});
    struct fid_cntr *sent = here.cntrs[CNTR_SEND], *received = there.cntrs[CNTR_RECV];
    uint64_t value = 1, got;
    EXPECT(0, fi_cntr_read(sent));
    for (int i = 0; i < 10; i++) {
        EXPECT(0, fi_recv(there.ep, &got, sizeof got, NULL, there.peer, &got));
        EXPECT(0, i % 2 == 0 ? fi_inject(here.ep, &value, 8, here.peer)
                             : fi_send(here.ep, &value, 8, NULL, here.peer, &value));
    }
    EXPECT(0, fi_cntr_wait(sent, 10, 10000));
    EXPECT(0, fi_cntr_wait(received, 10, 10000));
    EXPECT(10, fi_cntr_read(received));
    int64_t start = now_ns();
    EXPECT(-FI_ETIMEDOUT, fi_cntr_wait(received, 11, 30));
    CHECK(now_ns() - start >= 30 * INT64_C(1000000));
    EXPECT(-FI_ETIMEDOUT, fi_cntr_wait(received, 11, 0));
    EXPECT(0, fi_cntr_add(received, 5));
    EXPECT(15, fi_cntr_read(received));
    EXPECT(0, fi_cntr_set(received, 2));
    EXPECT(2, fi_cntr_read(received));
    EXPECT(0, fi_cntr_adderr(received, 3));
    EXPECT(0, fi_cntr_adderr(received, 1));
    EXPECT(4, fi_cntr_readerr(received));
    EXPECT(0, fi_cntr_seterr(received, 0));
    EXPECT(0, fi_cntr_readerr(received));
    /* An error ends the wait, even if it is there when the wait begins to look. */
    EXPECT(0, fi_recv(there.ep, &got, 1, NULL, there.peer, &got));
    EXPECT(0, fi_inject(here.ep, &value, 8, here.peer));
    usleep(20000); /* the node brings it; nobody looks */
    EXPECT(-FI_EAVAIL, fi_cntr_wait(received, 3, 10000));
    EXPECT(1, fi_cntr_readerr(received));
    EXPECT(-FI_EBUSY, fi_close(&received->fid));
    CHECK(fi_ep_bind(there.ep, &received->fid, FI_RECV) < 0);
    close_pair();
}

static void tell_errors(void) {
    struct fi_cq_err_entry error = {0};
    struct fi_cq_tagged_entry entry;
    char text[64] = "", data[8], small[4];
    uint64_t value = 1, got;
    EXPECT(-FI_EAGAIN, fi_cq_readerr(there.rx, &error, 0));
    EXPECT(0, fi_trecv(there.ep, &got, sizeof got, NULL, there.peer, 1, 0, &got));
    EXPECT(0, fi_trecv(there.ep, &got, sizeof got, NULL, there.peer, 2, 0, &value));
    EXPECT(0, fi_cancel(&there.ep->fid, &value));
    EXPECT(0, fi_tinject(here.ep, &value, sizeof value, here.peer, 1));
    /* Both can be had, whichever is asked for first. */
    AWAIT(fi_cq_read(there.rx, &entry, 1) == 1);
    CHECK(entry.op_context == &got);
    EXPECT(-FI_EAVAIL, fi_cq_read(there.rx, &entry, 1));
    EXPECT(-FI_EAVAIL, fi_cq_read(there.rx, &entry, 1));
    error.err_data = data;
    error.err_data_size = sizeof data;
    EXPECT(1, fi_cq_readerr(there.rx, &error, 0));
    CHECK(error.op_context == &value);
    CHECK(error.err_data == data); /* is the program's own */
    EXPECT(0, error.err_data_size);
    EXPECT(-FI_EAGAIN, fi_cq_read(there.rx, &entry, 1));
    CHECK(fi_cq_strerror(there.rx, FI_ECANCELED, NULL, text, sizeof text) == text);
    CHECK(strcmp(text, fi_strerror(FI_ECANCELED)) == 0);
    CHECK(strlen(fi_cq_strerror(there.rx, FI_ECANCELED, NULL, small, sizeof small)) == 3);
    CHECK(strlen(fi_cq_strerror(there.rx, error.prov_errno, NULL, NULL, 0)) > 0);
}

/* More than the program said that there would be. */
static void outgrow(void) {
    enum { COUNT = 900 };
    static uint64_t got[COUNT];
    open_pair(&(struct options){.cq_size = 4, .has_cntrs = true});
    uint64_t value = 1;
    for (uintptr_t i = 0; i < COUNT; i++) {
        EXPECT(0, fi_recv(there.ep, &got[i], sizeof value, NULL, there.peer, number_context(i + 1)));
        POST(fi_send(here.ep, &value, sizeof value, NULL, here.peer, number_context(i + 1)));
    }
    AWAIT(fi_cntr_read(there.cntrs[CNTR_RECV]) == COUNT && fi_cntr_read(here.cntrs[CNTR_SEND]) == COUNT);
    struct fi_cq_tagged_entry entries[100];
    struct fid_cq *cqs[] = {there.rx, here.tx};
    for (int i = 0; i < 2; i++) {
        for (uintptr_t next = 1; next <= COUNT;) {
            ssize_t count = fi_cq_read(cqs[i], entries, 100);
            CHECK(count == 100);
            for (ssize_t j = 0; j < count; j++, next++) {
                EXPECT(next, (uintptr_t)entries[j].op_context);
            }
        }
    }
    for (uintptr_t i = 0; i < COUNT; i++) {
        EXPECT(0, fi_recv(there.ep, &got[i], sizeof value, NULL, there.peer, number_context(i + 1)));
        EXPECT(0, fi_cancel(&there.ep->fid, number_context(i + 1)));
    }
    for (uintptr_t i = 0; i < COUNT; i++) {
        EXPECT(i + 1, (uintptr_t)take_error(there.rx).op_context);
    }
    close_pair();
}

void completion(char **arguments) {
    (void)arguments;
    for (enum fi_cq_format format = FI_CQ_FORMAT_CONTEXT; format <= FI_CQ_FORMAT_TAGGED; format++) {
        read_format(format);
    }
    tell_selected();
    count_all();
    outgrow();
    open_pair(&(struct options){0});
    inject_many();
    tell_errors();
    const size_t lengths[] = {0, 100, here.inject + 1, 1 << 16, (1 << 16) + 1, 1 << 20};
    const uint64_t levels[] = {FI_INJECT_COMPLETE, FI_TRANSMIT_COMPLETE, FI_DELIVERY_COMPLETE};
    for (int i = 0; i < 18; i++) {
        reach_level(lengths[i / 3], levels[i % 3]);
    }
    close_pair();
    /* The level as the attributes of the endpoint say it. */
    open_pair(&(struct options){.send_flags = FI_DELIVERY_COMPLETE});
    uint64_t value = 5;
    EXPECT(0, fi_send(here.ep, &value, sizeof value, NULL, here.peer, &value));
    expect_nothing(here.tx);
    EXPECT(0, fi_recv(there.ep, &value, sizeof value, NULL, there.peer, &value));
    take_of(here.tx, &value);
    close_pair();
}

/* ---- Waiting ---- */

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

/* Whichever thread reads a completion tells the one that waits for it. */
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

/* ---- Full queues ---- */

/* Sends until the queue is full; how many were taken. */
static uint64_t send_until_full(size_t length, uint64_t limit, bool is_served) {
    static uint8_t bytes[1 << 20];
    for (uint64_t i = 0; i < limit; i++) {
        int64_t end = now_ns() + 300 * INT64_C(1000000);
        ssize_t posted;
        while ((posted = fi_tsenddata(here.ep, bytes, length, NULL, i, here.peer, i, &here)) == -FI_EAGAIN
               && is_served && now_ns() < end) {
            turn();
        }
        if (posted == -FI_EAGAIN) {
            return i;
        }
        EXPECT(0, posted);
    }
    return limit;
}

/* Asks for a row of messages at once, whose bytes may stay with the sender until then: thousands of them one by one would
 * each wait for a way there and back, which takes milliseconds beside busy CPUs. */
static void receive_row(uint64_t first, uint64_t count, uint8_t *to, size_t length) {
    uint64_t seen = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint8_t *at = to + i * length;
        EXPECT(0, fi_trecv(there.ep, at, length, NULL, FI_ADDR_UNSPEC, first + i, 0, at));
    }
    for (uint64_t i = 0; i < count; i++) {
        struct fi_cq_tagged_entry entry = take(there.rx);
        uint64_t place = entry.data - first;
        CHECK(place < count && (seen & UINT64_C(1) << place) == 0);
        CHECK(entry.op_context == to + place * length);
        seen |= UINT64_C(1) << place;
    }
}

static void receive_rows(uint64_t count, size_t length, bool is_backward) {
    enum { ROW = 32 };
    uint8_t *to = buffer_of(ROW * length);
    for (uint64_t done = 0; done < count;) {
        uint64_t row = count - done < ROW ? count - done : ROW;
        receive_row(is_backward ? count - done - row : done, row, to, length);
        done += row;
    }
    for (uint64_t i = 0; i < count; i++) {
        take_of(here.tx, &here);
    }
    free(to);
}

static void receive_all(uint64_t count, size_t length) {
    receive_rows(count, length, false);
}

/* What is awaited may be behind more than is kept otherwise. */
static void receive_last_first(uint64_t count, size_t length) {
    receive_rows(count, length, true);
}

/* Both ends send more than either keeps before they receive anything. */
static void flood_each_other(size_t length, uint64_t count) {
    uint8_t *bytes = calloc(1, length), *to = buffer_of(length);
    uint64_t sent[2] = {0}, received[2] = {0};
    struct side *sides[2] = {&here, &there};
    int64_t end = now_ns() + LIMIT_NS;
    for (int i = 0; i < 2; i++) {
        EXPECT(0, fi_trecv(sides[i]->ep, to, length, NULL, FI_ADDR_UNSPEC, 0, 0, to));
    }
    while (received[0] < count || received[1] < count || sent[0] < count || sent[1] < count) {
        CHECK(now_ns() < end);
        for (int i = 0; i < 2; i++) {
            struct fi_cq_tagged_entry entry;
            while (sent[i] < count
                   && fi_tsend(sides[i]->ep, bytes, length, NULL, sides[i]->peer, sent[i], &here) == 0) {
                sent[i]++;
            }
            while (fi_cq_read(sides[i]->tx, &entry, 1) == 1) {
            }
            if (sent[0] + sent[1] > count / 2 && fi_cq_read(sides[i]->rx, &entry, 1) == 1) {
                EXPECT(received[i], entry.tag);
                if (++received[i] < count) {
                    EXPECT(0, fi_trecv(sides[i]->ep, to, length, NULL, FI_ADDR_UNSPEC, received[i], 0, to));
                }
            }
        }
    }
    free(bytes);
    free(to);
}

/* ---- Messages behind more than is kept ---- */

static size_t resident_bytes(void) {
    size_t pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file != NULL && fscanf(file, "%*u %zu", &pages) == 1);
    fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

enum { BEHIND = 2000, BEHIND_BYTES = 60000, KEPT_BYTES = 1 << 20, BESIDE_BYTES = 64 << 20 };

/* The last of many messages is found, and all of them can be had in any order; their bytes stay with the sender. */
static void find_behind_others(void) {
    uint8_t *bytes = buffer_of(BEHIND_BYTES), *to = buffer_of(BEHIND_BYTES);
    fill(bytes, BEHIND_BYTES, 1);
    size_t before = resident_bytes();
    CHECK(!is_there(&there, BEHIND - 1)); /* somebody looks for it */
    for (uint64_t i = 0; i < BEHIND; i++) {
        POST(fi_tsend(here.ep, bytes, BEHIND_BYTES, NULL, here.peer, i, number_context(i + 1)));
    }
    AWAIT_UNEXPECTED(&there, BEHIND - 1);
    CHECK(resident_bytes() - before < KEPT_BYTES + BESIDE_BYTES);
    for (uint64_t i = BEHIND; i-- > 0;) {
        memset(to, 0, BEHIND_BYTES);
        uint64_t ignore = i % 3 == 0 ? UINT64_C(1) << 40 : 0;
        fi_addr_t from = i % 2 == 0 ? there.peer : FI_ADDR_UNSPEC;
        size_t length = i % 5 == 0 ? 1000 : BEHIND_BYTES;
        EXPECT(0, fi_trecv(there.ep, to, length, NULL, from, i, ignore, to));
        if (length < BEHIND_BYTES) {
            struct fi_cq_err_entry error = take_error(there.rx);
            CHECK(error.err == FI_ETRUNC && error.olen == BEHIND_BYTES - length && error.tag == i);
        } else {
            EXPECT(i, take_of(there.rx, to).tag);
        }
        EXPECT_BYTES(to, length, 1);
    }
    for (uint64_t i = 0; i < BEHIND; i++) {
        take(here.tx);
    }
    expect_nothing(here.tx);
    free(bytes);
    free(to);
}

/* A program that sends a message when the one before is done, and changes the buffer, is not held up either; nor is one
 * whose sends have no completion. */
static void send_behind_others(void) {
    uint8_t *bytes = buffer_of(BEHIND_BYTES), *to = buffer_of(BEHIND_BYTES);
    const size_t lengths[] = {BEHIND_BYTES, 2000, 100, 257};
    CHECK(!is_there(&there, 400));
    for (uint64_t i = 0; i < 400; i++) {
        fill(bytes, BEHIND_BYTES, i);
        size_t length = lengths[i % 4];
        if (i % 8 == 3 || i % 8 == 1) {
            POST(fi_tinject(here.ep, bytes, length, here.peer, i));
        } else {
            POST(fi_tsend(here.ep, bytes, length, NULL, here.peer, i, bytes));
            take_of(here.tx, bytes);
        }
    }
    memset(bytes, 0, BEHIND_BYTES);
    /* One that is to be delivered is not done before. */
    struct iovec iov = {bytes, 5000};
    struct fi_msg_tagged msg = {.msg_iov = &iov, .iov_count = 1, .addr = here.peer, .tag = 400, .context = &msg};
    EXPECT(0, fi_tsendmsg(here.ep, &msg, FI_DELIVERY_COMPLETE));
    AWAIT_UNEXPECTED(&there, 400);
    expect_nothing(here.tx);
    /* Some are not wanted. */
    for (uint64_t i = 0; i < 400; i += 50) {
        struct iovec part = {to, BEHIND_BYTES};
        struct fi_msg_tagged peek = {.msg_iov = &part, .iov_count = 1, .addr = FI_ADDR_UNSPEC, .tag = i, .context = to};
        EXPECT(0, fi_trecvmsg(there.ep, &peek, FI_PEEK | (i % 100 == 0 ? FI_CLAIM : FI_DISCARD)));
        EXPECT(lengths[i % 4], take_of(there.rx, to).len);
        if (i % 100 == 0) {
            EXPECT(0, fi_trecvmsg(there.ep, &peek, FI_CLAIM));
            take_of(there.rx, to);
            EXPECT_BYTES(to, lengths[i % 4], i);
        }
    }
    EXPECT(0, fi_trecv(there.ep, to, 5000, NULL, there.peer, 400, 0, to));
    take_of(there.rx, to);
    take_of(here.tx, &msg);
    for (uint64_t i = 399; i > 0; i--) {
        if (i % 50 != 0) {
            EXPECT(0, fi_trecv(there.ep, to, BEHIND_BYTES, NULL, there.peer, i, 0, to));
            EXPECT(lengths[i % 4], take_of(there.rx, to).len);
            EXPECT_BYTES(to, lengths[i % 4], i);
        }
    }
    CHECK(!is_there(&there, 0) && !is_there(&there, 350));
    free(bytes);
    free(to);
}

/* True if a message is there at once, without a word to its sender. */
static bool is_had_at_once(uint64_t tag, uint8_t *to, size_t length) {
    struct fi_cq_tagged_entry entry;
    memset(to, 0, length);
    EXPECT(0, fi_trecv(there.ep, to, length, NULL, there.peer, tag, 0, to));
    bool is_here = to[0] == 1 && to[length - 1] == 1;
    int read = (int)fi_cq_read(there.rx, &entry, 1);
    if (read != 1) {
        take_of(there.rx, to);
    }
    return is_here && read == 1;
}

/* Whoever takes one of those that were left behind has those beside it on the way. */
static void take_in_a_row(bool is_backward) {
    enum { MESSAGES = 3000, LENGTH = 1000, ROW = 32 };
    uint8_t *bytes = buffer_of(LENGTH), *to = buffer_of(LENGTH);
    memset(bytes, 1, LENGTH);
    CHECK(!is_there(&there, MESSAGES - 1));
    for (uint64_t i = 0; i < MESSAGES; i++) {
        POST(fi_tsend(here.ep, bytes, LENGTH, NULL, here.peer, i, bytes));
    }
    AWAIT_UNEXPECTED(&there, MESSAGES - 1);
    for (uint64_t i = 0; i < MESSAGES; i++) {
        uint64_t tag = is_backward ? MESSAGES - 1 - i : (i + MESSAGES / 2) % MESSAGES;
        bool is_at_once = is_had_at_once(tag, to, LENGTH);
        if (i == 0) {
            settle();
        } else if (i < ROW) {
            CHECK(is_at_once);
        }
    }
    for (uint64_t i = 0; i < MESSAGES; i++) {
        take_of(here.tx, bytes);
    }
    free(bytes);
    free(to);
}

void behind(char **arguments) {
    (void)arguments;
    CHECK(setenv("FI_HXB_UNEXPECTED_LIMIT", "1048576", 1) == 0);
    open_pair(&(struct options){.caps = FI_TAGGED | FI_MSG | FI_DIRECTED_RECV | FI_SOURCE});
    find_behind_others();
    take_in_a_row(true);
    take_in_a_row(false);
    send_behind_others();
    find_behind_others();
    close_pair();
    CHECK(unsetenv("FI_HXB_UNEXPECTED_LIMIT") == 0);
}

void full(char **arguments) {
    (void)arguments;
    /* Nobody takes anything. */
    open_pair(&(struct options){0});
    uint64_t count = send_until_full(1000, 100000, false);
    CHECK(count >= here.info->tx_attr->size && count < 100000);
    receive_all(count, 1000);
    count = send_until_full(100000, 100000, false);
    CHECK(count < 100000);
    receive_all(count, 100000);
    close_pair();
    /* The other end takes some, and keeps no more than it may. */
    CHECK(setenv("FI_HXB_UNEXPECTED_LIMIT", "300000", 1) == 0);
    open_pair(&(struct options){0});
    count = send_until_full(1000, 100000, true);
    CHECK(count > 100 && count < 20000);
    receive_all(count, 1000);
    count = send_until_full(100000, 100000, true);
    CHECK(count > 2 && count < 100000); /* where bytes stay with the sender, buffers on the way hold many envelopes */
    receive_all(count, 100000);
    count = send_until_full(1000, 100000, true);
    receive_last_first(count, 1000);
    flood_each_other(900, 4000);
    flood_each_other(70000, 100);
    close_pair();
    CHECK(unsetenv("FI_HXB_UNEXPECTED_LIMIT") == 0);
}
