/* Receives that are cancelled, too small, or for many messages. */
#include "provider.h"

/* ---- Cancelling, and buffers that are too small ---- */

static void cut_off(size_t length, size_t room, bool is_expected, bool is_tagged) {
    uint8_t *from = buffer_of(length), *to = buffer_of(room);
    fill(from, length, 4);
    const uint64_t data = 4711;
    for (int step = 0; step < 2; step++) {
        if ((step == 0) == is_expected) {
            EXPECT(0, is_tagged ? fi_trecv(there.ep, to, room, NULL, FI_ADDR_UNSPEC, 1, 0, to)
                                : fi_recv(there.ep, to, room, NULL, FI_ADDR_UNSPEC, to));
        } else {
            POST(is_tagged ? fi_tsenddata(here.ep, from, length, NULL, data, here.peer, 1, from)
                           : fi_senddata(here.ep, from, length, NULL, data, here.peer, from));
            if (!is_expected) {
                send_tag(2);
                AWAIT_UNEXPECTED(&there, 2);
            }
        }
    }
    struct fi_cq_err_entry error = take_error(there.rx);
    EXPECT(FI_ETRUNC, error.err);
    CHECK(error.op_context == to);
    EXPECT(room, error.len);
    EXPECT(length - room, error.olen);
    EXPECT(is_tagged ? 1 : 0, error.tag);
    EXPECT(data, error.data);
    EXPECT(FI_RECV | (is_tagged ? FI_TAGGED : FI_MSG) | FI_REMOTE_CQ_DATA, error.flags);
    EXPECT_BYTES(to, room, 4);
    check_margin(to, room, room);
    take_of(here.tx, from);
    if (!is_expected) {
        uint64_t two;
        EXPECT(0, fi_trecv(there.ep, &two, sizeof two, NULL, FI_ADDR_UNSPEC, 2, 0, &two));
        take_of(there.rx, &two);
    }
    free(from);
    free(to);
}

void cancel(char **arguments) {
    (void)arguments;
    open_pair(&(struct options){0});
    int context[3], value = 1;
    CHECK(fi_cancel(&there.ep->fid, &context[0]) < 0);
    for (int i = 0; i < 3; i++) {
        EXPECT(0, fi_trecv(there.ep, &value, sizeof value, NULL, FI_ADDR_UNSPEC, 1, 0, &context[i]));
    }
    EXPECT(0, fi_cancel(&there.ep->fid, &context[1]));
    struct fi_cq_err_entry error = take_error(there.rx);
    EXPECT(FI_ECANCELED, error.err);
    CHECK(error.op_context == &context[1]);
    EXPECT(FI_RECV | FI_TAGGED, error.flags);
    CHECK(fi_cancel(&there.ep->fid, &context[1]) < 0);
    send_tag(1);
    take_error(there.rx); /* 8 bytes for an int */
    send_tag(1);
    CHECK(take_error(there.rx).op_context == &context[2]);
    EXPECT(0, fi_recv(there.ep, &value, sizeof value, NULL, there.peer, &context[0]));
    EXPECT(0, fi_cancel(&there.ep->fid, &context[0]));
    EXPECT(FI_RECV | FI_MSG, take_error(there.rx).flags);
    /* A cancelled receive takes no message. */
    value = 5;
    EXPECT(0, fi_inject(here.ep, &value, sizeof value, here.peer));
    expect_nothing(there.rx);
    EXPECT(0, fi_recv(there.ep, &value, sizeof value, NULL, there.peer, &context[2]));
    take_of(there.rx, &context[2]);
    const size_t lengths[] = {100, here.inject + 1, 60000, 70000, 1 << 20};
    for (size_t i = 0; i < 5; i++) {
        const size_t rooms[] = {0, 1, lengths[i] / 2, lengths[i] - 1};
        for (int j = 0; j < 16; j++) {
            cut_off(lengths[i], rooms[j / 4], (j & 1) != 0, (j & 2) != 0);
        }
    }
    expect_nothing(there.rx);
    close_pair();
}

/* ---- Buffers for many messages ---- */

static void post_many(uint8_t *buffer, size_t length) {
    struct iovec iov = {buffer, length};
    struct fi_msg msg = {.msg_iov = &iov, .iov_count = 1, .addr = FI_ADDR_UNSPEC, .context = buffer};
    EXPECT(0, fi_recvmsg(there.ep, &msg, FI_MULTI_RECV));
}

/* Messages lie one after the other until too little is left; the last of them gives the buffer back. */
static void fill_buffer(size_t length, size_t size, size_t min, bool is_expected) {
    EXPECT(0, fi_setopt(&there.ep->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &min, sizeof min));
    uint8_t *from = buffer_of(length), *to = buffer_of(size);
    size_t count = (size - min) / length + 1;
    CHECK(count * length <= size);
    if (is_expected) {
        post_many(to, size);
    }
    fill(from, length, 6);
    for (size_t i = 0; i < count; i++) {
        POST(fi_senddata(here.ep, from, length, NULL, i, here.peer, from));
    }
    if (!is_expected) {
        send_tag(3);
        AWAIT_UNEXPECTED(&there, 3);
        post_many(to, size);
    }
    uint8_t *seen = calloc(count, 1);
    for (size_t i = 0; i < count; i++) {
        struct fi_cq_tagged_entry entry = take_of(there.rx, to);
        EXPECT(length, entry.len);
        EXPECT(entry.data * length, (uint8_t *)entry.buf - to);
        CHECK(entry.data < count && !seen[entry.data]);
        seen[entry.data] = 1;
        EXPECT(FI_RECV | FI_MSG | FI_REMOTE_CQ_DATA | (i == count - 1 ? FI_MULTI_RECV : 0), entry.flags);
        EXPECT_BYTES(entry.buf, length, 6);
        take_of(here.tx, from);
    }
    check_margin(to, count * length, size);
    /* It is not used any more. */
    EXPECT(-FI_ENOENT, fi_cancel(&there.ep->fid, to));
    free(seen);
    free(from);
    free(to);
    if (!is_expected) {
        uint64_t three;
        EXPECT(0, fi_trecv(there.ep, &three, sizeof three, NULL, FI_ADDR_UNSPEC, 3, 0, &three));
        take_of(there.rx, &three);
    }
}

void multi(char **arguments) {
    (void)arguments;
    open_pair(&(struct options){0});
    size_t min = 0, room = sizeof min;
    EXPECT(0, fi_getopt(&there.ep->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &min, &room));
    EXPECT(sizeof min, room);
    CHECK(min > 0);
    room = 1;
    EXPECT(-FI_ETOOSMALL, fi_getopt(&there.ep->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &min, &room));
    CHECK(fi_setopt(&there.ep->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &min, 1) < 0);
    CHECK(fi_setopt(&there.ep->fid, FI_OPT_ENDPOINT, 4711, &min, sizeof min) < 0);
    for (int is_expected = 0; is_expected <= 1; is_expected++) {
        fill_buffer(100, 1000, 64, is_expected);
        fill_buffer(100, 1000, 100, is_expected);
        fill_buffer(1, 64, 1, is_expected);
        fill_buffer(here.inject + 1, 100000, 50000, is_expected);
        fill_buffer(70000, 400000, 70000, is_expected);
    }
    /* A message that does not fit into what is left is cut off, and gives the buffer back. */
    uint8_t *from = buffer_of(100000), *to = buffer_of(90000);
    fill(from, 100000, 1);
    post_many(to, 90000);
    POST(fi_send(here.ep, from, 80000, NULL, here.peer, from));
    EXPECT(FI_RECV | FI_MSG | FI_MULTI_RECV, take_of(there.rx, to).flags);
    take_of(here.tx, from);
    free(to);
    to = buffer_of(90000);
    size_t small = 10;
    EXPECT(0, fi_setopt(&there.ep->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &small, sizeof small));
    CHECK(fi_cancel(&there.ep->fid, from) < 0);
    POST(fi_send(here.ep, from, 100000, NULL, here.peer, from));
    post_many(to, 90000);
    struct fi_cq_err_entry error = take_error(there.rx);
    EXPECT(FI_ETRUNC, error.err);
    EXPECT(10000, error.olen);
    EXPECT(FI_MULTI_RECV, error.flags & FI_MULTI_RECV);
    CHECK(error.op_context == to);
    EXPECT_BYTES(to, 90000, 1);
    check_margin(to, 90000, 90000);
    take_of(here.tx, from);
    /* A buffer that was not used can be cancelled, as programs do at their end. */
    post_many(to, 90000);
    EXPECT(0, fi_cancel(&there.ep->fid, to));
    EXPECT(FI_ECANCELED, take_error(there.rx).err);
    expect_nothing(there.rx);
    free(from);
    free(to);
    close_pair();
}
