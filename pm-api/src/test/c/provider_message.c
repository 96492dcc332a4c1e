/* Messages: their sizes, which receive they are for, and peeking. */
#include "provider.h"

/* ---- Sizes ---- */

enum { PARTS = 4 };

/* Cuts a buffer into parts, one of them empty. */
static size_t cut(uint8_t *buffer, size_t length, struct iovec *iov) {
    size_t first = length / 3, second = length / 2;
    iov[0] = (struct iovec){buffer, first};
    iov[1] = (struct iovec){buffer + first, 0};
    iov[2] = (struct iovec){buffer + first, second};
    iov[3] = (struct iovec){buffer + first + second, length - first - second};
    return PARTS;
}

struct way {
    bool is_tagged, is_expected, is_cut;
};

static void post_one_receive(const struct way *way, uint8_t *buffer, size_t length, uint64_t tag) {
    struct iovec iov[PARTS];
    if (way->is_cut) {
        size_t count = cut(buffer, length, iov);
        EXPECT(0, way->is_tagged ? fi_trecvv(there.ep, iov, NULL, count, FI_ADDR_UNSPEC, tag, 0, buffer)
                                 : fi_recvv(there.ep, iov, NULL, count, FI_ADDR_UNSPEC, buffer));
    } else {
        EXPECT(0, way->is_tagged ? fi_trecv(there.ep, buffer, length, NULL, FI_ADDR_UNSPEC, tag, 0, buffer)
                                 : fi_recv(there.ep, buffer, length, NULL, FI_ADDR_UNSPEC, buffer));
    }
}

static void send_one(const struct way *way, uint8_t *buffer, size_t length, uint64_t tag) {
    struct iovec iov[PARTS];
    if (way->is_cut) {
        size_t count = cut(buffer, length, iov);
        POST(way->is_tagged ? fi_tsendv(here.ep, iov, NULL, count, here.peer, tag, buffer)
                            : fi_sendv(here.ep, iov, NULL, count, here.peer, buffer));
    } else {
        POST(way->is_tagged ? fi_tsend(here.ep, buffer, length, NULL, here.peer, tag, buffer)
                            : fi_send(here.ep, buffer, length, NULL, here.peer, buffer));
    }
}

/* The completion with this context; the other one that may come before it has the other context. */
static struct fi_cq_tagged_entry take_either(struct fid_cq *cq, const void *context, const void *other) {
    struct fi_cq_tagged_entry first = take(cq), second = other == NULL ? first : take(cq);
    if (first.op_context == context) {
        CHECK(other == NULL || second.op_context == other);
        return first;
    }
    CHECK(first.op_context == other && second.op_context == context);
    return second;
}

static void exchange(const struct way *way, size_t length) {
    const uint64_t tag = 0x1234567800000000 + length;
    uint8_t *from = buffer_of(length), *to = buffer_of(length);
    const void *mark = way->is_expected ? NULL : (void *)&here;
    fill(from, length, length);
    if (way->is_expected) {
        post_one_receive(way, to, length, tag);
        send_one(way, from, length, tag);
    } else {
        send_one(way, from, length, tag);
        POST(fi_tsend(here.ep, NULL, 0, NULL, here.peer, 1, &here));
        AWAIT_UNEXPECTED(&there, 1);
        post_one_receive(way, to, length, tag);
        EXPECT(0, fi_trecv(there.ep, NULL, 0, NULL, FI_ADDR_UNSPEC, 1, 0, &here));
    }
    struct fi_cq_tagged_entry entry = take_either(there.rx, to, mark);
    EXPECT(length, entry.len);
    EXPECT(FI_RECV | (way->is_tagged ? FI_TAGGED : FI_MSG), entry.flags);
    EXPECT(way->is_tagged ? tag : 0, entry.tag);
    EXPECT(FI_SEND | (way->is_tagged ? FI_TAGGED : FI_MSG), take_either(here.tx, from, mark).flags);
    EXPECT_BYTES(to, length, length);
    check_margin(to, length, length);
    free(from);
    free(to);
}

/* A message to the endpoint itself, and to another one of the same node. */
static void exchange_at_home(const struct options *options) {
    struct side neighbour;
    open_side(&neighbour, sockets[0], options);
    for (int is_other = 0; is_other <= 1; is_other++) {
        struct side *to = is_other ? &neighbour : &here;
        fi_addr_t address = insert(&here, to);
        for (size_t length = 1; length < 300000; length *= 7) {
            uint8_t *from = buffer_of(length), *into = buffer_of(length);
            fill(from, length, length);
            EXPECT(0, fi_trecv(to->ep, into, length, NULL, FI_ADDR_UNSPEC, 5, 0, into));
            POST(fi_tsend(here.ep, from, length, NULL, address, 5, from));
            EXPECT(length, take_of(to->rx, into).len);
            take_of(here.tx, from);
            EXPECT_BYTES(into, length, length);
            check_margin(into, length, length);
            free(from);
            free(into);
        }
    }
    close_side(&neighbour);
}

/* Messages without any part, as fi_sendmsg allows. */
static void exchange_nothing(void) {
    struct fi_msg msg = {.addr = there.peer, .context = &there};
    EXPECT(0, fi_recvmsg(there.ep, &msg, 0));
    msg = (struct fi_msg){.addr = here.peer, .context = &here};
    EXPECT(0, fi_sendmsg(here.ep, &msg, FI_INJECT));
    EXPECT(0, take_of(there.rx, &there).len);
    take_of(here.tx, &here);
    struct iovec parts[2] = {{NULL, 0}, {&parts, 3}};
    struct fi_msg_tagged tagged = {.msg_iov = parts, .iov_count = 2, .addr = here.peer, .context = &here};
    char to[3];
    EXPECT(0, fi_trecv(there.ep, to, sizeof to, NULL, there.peer, 0, 0, &there));
    EXPECT(0, fi_tsendmsg(here.ep, &tagged, FI_INJECT));
    EXPECT(sizeof to, take_of(there.rx, &there).len);
    CHECK(memcmp(to, &parts, sizeof to) == 0);
    take_of(here.tx, &here);
}

static void refuse_sizes(void) {
    static uint8_t bytes[1 << 17];
    CHECK(here.inject < sizeof bytes);
    EXPECT(-FI_EMSGSIZE, fi_inject(here.ep, bytes, sizeof bytes, here.peer));
    struct iovec iov[5] = {{bytes, 1}, {bytes, 1}, {bytes, 1}, {bytes, 1}, {bytes, 1}};
    EXPECT(4, here.info->tx_attr->iov_limit);
    EXPECT(-FI_EINVAL, fi_sendv(here.ep, iov, NULL, 5, here.peer, NULL));
    EXPECT(-FI_EINVAL, fi_recvv(here.ep, iov, NULL, 5, FI_ADDR_UNSPEC, NULL));
    iov[0].iov_len = here.inject + 1;
    struct fi_msg msg = {.msg_iov = iov, .iov_count = 1, .addr = here.peer};
    EXPECT(0, fi_inject(here.ep, bytes, here.inject, here.peer));
    iov[0].iov_len = here.inject;
    EXPECT(0, fi_sendmsg(here.ep, &msg, FI_INJECT));
    take(here.tx);
    iov[0].iov_len = sizeof bytes;
    EXPECT(-FI_EMSGSIZE, fi_sendmsg(here.ep, &msg, FI_INJECT));
}

void sizes(char **arguments) {
    (void)arguments;
    const struct options options = {0};
    open_pair(&options);
    size_t lengths[64], count = 0, inject = here.inject;
    for (size_t i = 0; i < 4; i++) {
        lengths[count++] = i;
    }
    for (size_t head = 0; head <= 56; head += 8) {
        lengths[count++] = inject + head - 9;
        lengths[count++] = inject + head;
        lengths[count++] = inject + head + 1;
    }
    const size_t window = 1 << 16, more[] = {window - 1, window, window + 1, window + inject, (1 << 20) + 3, 3000001};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        lengths[count++] = more[i];
    }
    for (int i = 0; i < 8; i++) {
        const struct way way = {(i & 1) != 0, (i & 2) != 0, (i & 4) != 0};
        for (size_t at = 0; at < count; at++) {
            exchange(&way, lengths[at]);
        }
    }
    exchange_nothing();
    exchange_at_home(&options);
    refuse_sizes();
    close_pair();
}

/* ---- Which receive a message is for ---- */

/* Each of many receives ignores other bits; each message is for the first that it fits. */
static void match_masks(void) {
    enum { COUNT = 40 };
    uint64_t got[COUNT], state = 99;
    struct {
        uint64_t tag, ignore;
        bool is_taken;
    } posted[COUNT];
    for (int i = 0; i < COUNT; i++) {
        posted[i].ignore = i % 3 == 0 ? UINT64_C(1) << (i % 13) | 0xF : (UINT64_C(0xFF) << (i % 11)) & 0xFFF;
        posted[i].tag = next_random(&state) & 0xFFF;
        posted[i].is_taken = false;
        EXPECT(0, fi_trecv(there.ep, &got[i], sizeof got[i], NULL, FI_ADDR_UNSPEC, posted[i].tag, posted[i].ignore,
                           number_context((uintptr_t)i + 1)));
    }
    int unexpected = 0, expected = 0;
    for (int i = 0; i < 400; i++) {
        uint64_t tag = next_random(&state) & 0xFFF;
        int first = -1;
        for (int j = 0; j < COUNT && first < 0; j++) {
            first = !posted[j].is_taken && ((posted[j].tag ^ tag) & ~posted[j].ignore) == 0 ? j : -1;
        }
        if (first < 0) {
            unexpected++;
            continue;
        }
        expected++;
        send_tag(tag);
        struct fi_cq_tagged_entry entry = take(there.rx);
        EXPECT(first + 1, (uintptr_t)entry.op_context);
        EXPECT(tag, entry.tag);
        EXPECT(tag, got[first]);
        posted[first].is_taken = true;
    }
    CHECK(unexpected > 0 && expected > 15);
    for (int i = 0; i < COUNT; i++) {
        EXPECT(posted[i].is_taken ? -FI_ENOENT : 0, fi_cancel(&there.ep->fid, number_context((uintptr_t)i + 1)));
        if (!posted[i].is_taken) {
            EXPECT(FI_ECANCELED, take_error(there.rx).err);
        }
    }
}

/* A receive for one peer takes nothing of another. */
static void match_directed(void) {
    struct side third;
    open_side(&third, sockets[0], &(struct options){0});
    third.peer = insert(&third, &there);
    fi_addr_t from_third = insert(&there, &third);
    int value[3] = {0}, one = 1, two = 2, three = 3;
    EXPECT(0, fi_trecv(there.ep, &value[0], sizeof(int), NULL, from_third, 7, 0, &value[0]));
    EXPECT(0, fi_trecv(there.ep, &value[1], sizeof(int), NULL, there.peer, 7, 0, &value[1]));
    EXPECT(0, fi_trecv(there.ep, &value[2], sizeof(int), NULL, FI_ADDR_UNSPEC, 7, 0, &value[2]));
    fi_addr_t source = FI_ADDR_UNSPEC;
    EXPECT(0, fi_tinject(here.ep, &one, sizeof one, here.peer, 7));
    CHECK(take_from(there.rx, &source).op_context == &value[1]);
    EXPECT(there.peer, source);
    EXPECT(0, fi_tinject(here.ep, &two, sizeof two, here.peer, 7));
    CHECK(take_from(there.rx, &source).op_context == &value[2]);
    EXPECT(there.peer, source);
    EXPECT(0, fi_tinject(third.ep, &three, sizeof three, third.peer, 7));
    CHECK(take_from(there.rx, &source).op_context == &value[0]);
    EXPECT(from_third, source);
    CHECK(value[0] == 3 && value[1] == 1 && value[2] == 2);
    /* The same for messages that are there already. */
    EXPECT(0, fi_tinject(here.ep, &one, sizeof one, here.peer, 8));
    AWAIT_UNEXPECTED(&there, 8);
    EXPECT(0, fi_trecv(there.ep, &value[0], sizeof(int), NULL, from_third, 8, 0, &value[0]));
    expect_nothing(there.rx);
    EXPECT(0, fi_recv(there.ep, &value[1], sizeof(int), NULL, from_third, &value[1]));
    EXPECT(0, fi_inject(here.ep, &one, sizeof one, here.peer));
    expect_nothing(there.rx);
    EXPECT(0, fi_tinject(third.ep, &three, sizeof three, third.peer, 8));
    take_of(there.rx, &value[0]);
    EXPECT(0, fi_inject(third.ep, &three, sizeof three, third.peer));
    take_of(there.rx, &value[1]);
    CHECK(value[0] == 3 && value[1] == 3);
    EXPECT(0, fi_recv(there.ep, &value[1], sizeof(int), NULL, there.peer, &value[1]));
    take_of(there.rx, &value[1]);
    EXPECT(0, fi_trecv(there.ep, &value[0], sizeof(int), NULL, FI_ADDR_UNSPEC, 8, 0, &value[0]));
    take_of(there.rx, &value[0]);
    CHECK(value[0] == 1 && value[1] == 1);
    EXPECT(-FI_EINVAL, fi_trecv(there.ep, value, sizeof(int), NULL, 12345, 8, 0, value));
    close_side(&third);
}

/* Short and long messages with the same tag match receives in the order in which they were sent. */
static void match_in_order(bool is_expected) {
    enum { COUNT = 60, LONGEST = 200000 };
    uint8_t *from[COUNT], *to[COUNT];
    size_t length[COUNT];
    for (int i = 0; i < COUNT; i++) {
        length[i] = i % 3 == 0 ? 16 + (size_t)i : i % 3 == 1 ? here.inject + 100 * (size_t)i : LONGEST - (size_t)i;
        from[i] = buffer_of(length[i]);
        to[i] = buffer_of(LONGEST);
        fill(from[i], length[i], (uint64_t)i);
    }
    for (int step = 0; step < 2; step++) {
        for (int i = 0; i < COUNT; i++) {
            if ((step == 0) == is_expected) {
                uint64_t ignore = i % 4 == 0 ? UINT64_MAX : (uint64_t)i % 12;
                EXPECT(0, fi_trecv(there.ep, to[i], LONGEST, NULL, i % 5 == 0 ? there.peer : FI_ADDR_UNSPEC,
                                   0x100 | (ignore & 0xF), ignore, to[i]));
            } else {
                POST(fi_tsend(here.ep, from[i], length[i], NULL, here.peer, 0x100, from[i]));
            }
        }
        if (step == 0 && !is_expected) {
            send_tag(9);
            AWAIT_UNEXPECTED(&there, 9);
        }
    }
    for (int i = 0; i < COUNT; i++) {
        take(there.rx);
        take(here.tx);
    }
    for (int i = 0; i < COUNT; i++) {
        EXPECT_BYTES(to[i], length[i], (uint64_t)i);
        check_margin(to[i], length[i], LONGEST);
        free(from[i]);
        free(to[i]);
    }
    if (!is_expected) {
        uint64_t nine;
        EXPECT(0, fi_trecv(there.ep, &nine, sizeof nine, NULL, FI_ADDR_UNSPEC, 9, 0, &nine));
        take_of(there.rx, &nine);
    }
}

static void match_a_thousand(void) {
    enum { COUNT = 1000 };
    static uint64_t got[COUNT];
    for (uint64_t i = 0; i < COUNT; i++) {
        EXPECT(0, fi_trecv(there.ep, &got[i], 8, NULL, i % 2 == 0 ? there.peer : FI_ADDR_UNSPEC, i, 0, &got[i]));
    }
    for (uint64_t i = 0; i < COUNT; i++) {
        uint64_t tag = COUNT - 1 - i;
        POST(fi_tinject(here.ep, &tag, sizeof tag, here.peer, tag));
    }
    for (uint64_t i = 0; i < COUNT; i++) {
        EXPECT(COUNT - 1 - i, take_of(there.rx, &got[COUNT - 1 - i]).tag);
        EXPECT(COUNT - 1 - i, got[COUNT - 1 - i]);
    }
}

static void carry_data(void) {
    const uint64_t data = 0xFEDCBA9876543210;
    const size_t lengths[] = {0, 8, here.inject, here.inject + 1, 100000};
    uint8_t *from = buffer_of(100000), *to = buffer_of(100000);
    fill(from, 100000, 3);
    for (size_t i = 0; i < 5; i++) {
        EXPECT(0, fi_recv(there.ep, to, 100000, NULL, there.peer, to));
        POST(fi_senddata(here.ep, from, lengths[i], NULL, data + i, here.peer, from));
        struct fi_cq_tagged_entry entry = take_of(there.rx, to);
        EXPECT(FI_RECV | FI_MSG | FI_REMOTE_CQ_DATA, entry.flags);
        EXPECT(data + i, entry.data);
        EXPECT(lengths[i], entry.len);
        EXPECT_BYTES(to, lengths[i], 3);
        take_of(here.tx, from);
        EXPECT(0, fi_trecv(there.ep, to, 100000, NULL, FI_ADDR_UNSPEC, i, 0, to));
        POST(fi_tsenddata(here.ep, from, lengths[i], NULL, data - i, here.peer, i, from));
        entry = take_of(there.rx, to);
        EXPECT(FI_RECV | FI_TAGGED | FI_REMOTE_CQ_DATA, entry.flags);
        EXPECT(data - i, entry.data);
        EXPECT(i, entry.tag);
        take_of(here.tx, from);
    }
    free(from);
    free(to);
}

void match(char **arguments) {
    (void)arguments;
    open_pair(&(struct options){0});
    match_masks();
    match_directed();
    match_in_order(true);
    match_in_order(false);
    match_a_thousand();
    carry_data();
    close_pair();
}

/* ---- Peeking ---- */

static ssize_t ask(uint64_t tag, uint64_t flags, void *buffer, size_t length, void *context) {
    struct iovec iov = {buffer, length};
    struct fi_msg_tagged msg = {.msg_iov = &iov, .iov_count = buffer == NULL ? 0 : 1, .addr = FI_ADDR_UNSPEC,
                                .tag = tag, .context = context};
    return fi_trecvmsg(there.ep, &msg, flags);
}

static void expect_found(void *context, size_t length, uint64_t tag) {
    struct fi_cq_tagged_entry entry = take_of(there.rx, context);
    EXPECT(length, entry.len);
    EXPECT(tag, entry.tag);
    EXPECT(tag + 1, entry.data);
    CHECK((entry.flags & (FI_RECV | FI_TAGGED | FI_REMOTE_CQ_DATA)) == (FI_RECV | FI_TAGGED | FI_REMOTE_CQ_DATA));
}

static void expect_missing(uint64_t tag, uint64_t flags) {
    int context;
    EXPECT(0, ask(tag, flags, NULL, 0, &context));
    struct fi_cq_err_entry error = take_error(there.rx);
    EXPECT(FI_ENOMSG, error.err);
    CHECK(error.op_context == &context);
}

static void peek_length(size_t length) {
    const uint64_t tag = 77;
    struct fi_context claimer, other;
    uint8_t *from = buffer_of(length), *to = buffer_of(length);
    fill(from, length, 8);
    expect_missing(tag, FI_PEEK);
    expect_missing(tag, FI_PEEK | FI_CLAIM);
    expect_missing(tag, FI_PEEK | FI_DISCARD);
    for (int i = 0; i < 5; i++) {
        fill(from, length, 8 + (uint64_t)i);
        POST(fi_tsenddata(here.ep, from, length, NULL, tag + 1, here.peer, tag, from));
        AWAIT_UNEXPECTED(&there, tag);
        EXPECT(0, ask(tag, FI_PEEK, NULL, 0, &other));
        expect_found(&other, length, tag);
        if (i == 0) { /* looked at only: the message is still for any receive */
            EXPECT(0, fi_trecv(there.ep, to, length, NULL, FI_ADDR_UNSPEC, tag, 0, to));
            expect_found(to, length, tag);
            EXPECT_BYTES(to, length, 8);
        } else if (i == 1) { /* for nobody else once it is claimed */
            EXPECT(0, ask(tag, FI_PEEK | FI_CLAIM, NULL, 0, &claimer));
            expect_found(&claimer, length, tag);
            expect_missing(tag, FI_PEEK);
            EXPECT(-FI_EINVAL, ask(tag, FI_CLAIM, to, length, &other));
            EXPECT(-FI_EINVAL, ask(tag, FI_CLAIM, to, length, NULL));
            EXPECT(0, ask(0, FI_CLAIM, to, length, &claimer));
            expect_found(&claimer, length, tag);
            EXPECT_BYTES(to, length, 9);
        } else if (i == 2) {
            EXPECT(0, ask(tag, FI_PEEK | FI_DISCARD, NULL, 0, &other));
            expect_found(&other, length, tag);
        } else if (i == 3) {
            EXPECT(0, ask(tag, FI_PEEK | FI_CLAIM, NULL, 0, &claimer));
            expect_found(&claimer, length, tag);
            EXPECT(0, ask(tag, FI_CLAIM | FI_DISCARD, NULL, 0, &claimer));
            take_of(there.rx, &claimer);
        } else { /* into a buffer that is too small */
            EXPECT(0, ask(tag, FI_PEEK | FI_CLAIM, NULL, 0, &claimer));
            expect_found(&claimer, length, tag);
            EXPECT(0, ask(tag, FI_CLAIM, to, length / 2, &claimer));
            struct fi_cq_err_entry error = take_error(there.rx);
            EXPECT(FI_ETRUNC, error.err);
            EXPECT(length - length / 2, error.olen);
            EXPECT_BYTES(to, length / 2, 12);
        }
        take_of(here.tx, from);
        expect_missing(tag, FI_PEEK);
    }
    expect_nothing(there.rx);
    free(from);
    free(to);
}

void peek(char **arguments) {
    (void)arguments;
    open_pair(&(struct options){0});
    const size_t lengths[] = {2, 1000, here.inject + 1, 1 << 16, (1 << 16) + 1, 1 << 20};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        peek_length(lengths[i]);
    }
    /* A peek that ignores bits finds the first message, with its own tag. */
    struct fi_context context;
    struct fi_msg_tagged msg = {.addr = there.peer, .tag = 0xF0, .ignore = 0xF, .context = &context};
    send_tag(0xF3);
    send_tag(0xF1);
    AWAIT_UNEXPECTED(&there, 0xF1);
    EXPECT(0, fi_trecvmsg(there.ep, &msg, FI_PEEK));
    EXPECT(0xF3, take_of(there.rx, &context).tag);
    close_pair();
}
