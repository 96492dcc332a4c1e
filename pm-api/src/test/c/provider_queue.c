/* Completions: which there are, and when. */
#include "provider.h"

static size_t entry_size(enum fi_cq_format format) {
    switch (format) {
    case FI_CQ_FORMAT_CONTEXT: return sizeof(struct fi_cq_entry);
    case FI_CQ_FORMAT_MSG: return sizeof(struct fi_cq_msg_entry);
    case FI_CQ_FORMAT_DATA: return sizeof(struct fi_cq_data_entry);
    default: return sizeof(struct fi_cq_tagged_entry);
    }
}

/* Two entries of each format, and nothing after them. */
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

static void report_selected(void) {
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
    /* An error is always reported. */
    EXPECT(0, fi_send(here.ep, &from, sizeof from, NULL, here.peer, &from));
    CHECK(take_error(there.rx).op_context == &in);
    EXPECT(3, fi_cntr_read(there.cntrs[CNTR_RECV]));
    EXPECT(1, fi_cntr_readerr(there.cntrs[CNTR_RECV]));
    EXPECT(4, fi_cntr_read(here.cntrs[CNTR_SEND]));
    close_pair();
    /* With the attributes of the endpoint. */
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
    uint64_t reported = 0;
    for (uint64_t i = 0; i < COUNT; i++) {
        fill(value, sizeof value, i);
        switch (i % 3) {
        case 0: EXPECT(0, fi_tinject(here.ep, value, sizeof value, here.peer, i)); break;
        case 1: EXPECT(0, fi_tinjectdata(here.ep, value, sizeof value, i, here.peer, i)); break;
        default:
            msg.tag = i;
            EXPECT(0, fi_tsendmsg(here.ep, &msg, FI_INJECT | FI_COMPLETION));
            reported++;
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
    while (reported-- > 0) {
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

/* Longest message that is sent before the receiver asks for the rest: one window, or what one message of libhxb carries
 * after its header, which is 24 bytes shorter than the one for which injected messages leave room. */
static size_t sent_at_once(void) {
    size_t whole = here.inject + 24;
    return whole > 1 << 16 ? whole : 1 << 16;
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
            if (level == FI_DELIVERY_COMPLETE || length > sent_at_once()) {
                expect_nothing(here.tx);
            } else {
                take_of(here.tx, from); /* no further send is needed for it */
            }
            EXPECT(0, fi_trecv(there.ep, to, length, NULL, there.peer, 1, 0, to));
        }
        if (is_expected || level == FI_DELIVERY_COMPLETE || length > sent_at_once()) {
            take_of(here.tx, from);
        }
        if (level == FI_DELIVERY_COMPLETE) {
            EXPECT_BYTES(to, length, 1); /* although the other program has no completion yet */
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

static void report_errors(void) {
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

/* More than the size that the program has given. */
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
    report_selected();
    count_all();
    outgrow();
    open_pair(&(struct options){0});
    inject_many();
    report_errors();
    const size_t lengths[] = {0, 100, here.inject + 1, 1 << 16, sent_at_once() + 1, 1 << 20};
    const uint64_t levels[] = {FI_INJECT_COMPLETE, FI_TRANSMIT_COMPLETE, FI_DELIVERY_COMPLETE};
    for (int i = 0; i < 18; i++) {
        reach_level(lengths[i / 3], levels[i % 3]);
    }
    close_pair();
    /* The level in the attributes of the endpoint. */
    open_pair(&(struct options){.send_flags = FI_DELIVERY_COMPLETE});
    uint64_t value = 5;
    EXPECT(0, fi_send(here.ep, &value, sizeof value, NULL, here.peer, &value));
    expect_nothing(here.tx);
    EXPECT(0, fi_recv(there.ep, &value, sizeof value, NULL, there.peer, &value));
    take_of(here.tx, &value);
    close_pair();
}
