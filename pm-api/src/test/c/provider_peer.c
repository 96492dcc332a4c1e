/* Addresses, closing, and peers that end or begin anew. */
#include "provider.h"

#include <poll.h>

enum { ADDRESS = 16 };

/* ---- Addresses ---- */

/* A removed address is unknown, and may be inserted again. */
static void forget_and_know_again(fi_addr_t *got) {
    uint8_t found[ADDRESS];
    int value = 1;
    size_t length = sizeof found;
    EXPECT(0, fi_av_remove(here.av, got, 1, 0));
    CHECK(fi_av_remove(here.av, got, 1, 0) < 0);
    CHECK(fi_av_lookup(here.av, got[0], found, &length) < 0);
    EXPECT(-FI_EINVAL, fi_inject(here.ep, &value, sizeof value, got[0]));
    for (int i = 0; i < 300; i++) {
        here.peer = insert(&here, &there);
        fi_addr_t again = here.peer;
        EXPECT(0, i % 3 == 0 ? 0 : fi_av_remove(here.av, &again, 1, 0));
    }
    CHECK(here.peer < 310); /* entries are used again */
}

static void know_addresses(enum fi_av_type type) {
    const struct options options = {.av_type = type, .is_apart = true};
    open_pair(&options);
    fi_addr_t got[3];
    uint8_t three[3 * ADDRESS], found[ADDRESS + 1];
    char text[64];
    int errors[3] = {-1, -1, -1}, value = 1;
    size_t length = 5;
    EXPECT(ADDRESS, here.name_length);
    EXPECT(-FI_ETOOSMALL, fi_getname(&here.ep->fid, found, &length));
    EXPECT(ADDRESS, length);
    EXPECT(-FI_EINVAL, fi_inject(here.ep, &value, sizeof value, 0));
    EXPECT(-FI_EINVAL, fi_inject(here.ep, &value, sizeof value, FI_ADDR_UNSPEC));
    /* One of three is wrong. */
    memcpy(three, there.name, ADDRESS);
    memset(three + ADDRESS, 0, ADDRESS);
    memcpy(three + 2 * ADDRESS, here.name, ADDRESS);
    EXPECT(2, fi_av_insert(here.av, three, 3, got, FI_SYNC_ERR, errors));
    CHECK(errors[0] == 0 && errors[1] == FI_EINVAL && errors[2] == 0);
    CHECK(got[0] != FI_ADDR_NOTAVAIL && got[1] == FI_ADDR_NOTAVAIL && got[2] != FI_ADDR_NOTAVAIL && got[0] != got[2]);
    if (type == FI_AV_TABLE) {
        CHECK(got[0] == 0 && got[2] < 3);
    }
    memcpy(three, there.name, ADDRESS);
    three[7] = 0x7f; /* a node that is not in the cluster */
    EXPECT(0, fi_av_insert(here.av, three, 1, got + 1, 0, NULL));
    EXPECT(FI_ADDR_NOTAVAIL, got[1]);
    length = sizeof found;
    EXPECT(0, fi_av_lookup(here.av, got[0], found, &length));
    EXPECT(ADDRESS, length);
    CHECK(memcmp(found, there.name, ADDRESS) == 0);
    memset(found, 1, sizeof found);
    length = 4;
    fi_av_lookup(here.av, got[0], found, &length);
    EXPECT(ADDRESS, length);
    CHECK(found[4] == 1);
    CHECK(fi_av_lookup(here.av, 4711, found, &length) < 0);
    length = sizeof text;
    CHECK(fi_av_straddr(here.av, there.name, text, &length) == text);
    CHECK(strncmp(text, "hxb://", 6) == 0 && length == strlen(text) + 1);
    size_t room = 8;
    memset(found, 1, sizeof found);
    fi_av_straddr(here.av, there.name, (char *)found, &room);
    CHECK(room == length && found[7] == 0 && found[8] == 1);
    /* The text names the address. */
    struct fi_info *hints = hints_of(&options), *info;
    EXPECT(0, fi_getinfo(FI_VERSION(1, 17), text, NULL, 0, hints, &info));
    EXPECT(ADDRESS, info->dest_addrlen);
    CHECK(memcmp(info->dest_addr, there.name, ADDRESS) == 0);
    fi_freeinfo(info);
    EXPECT(-FI_ENODATA, fi_getinfo(FI_VERSION(1, 17), "hxb://nowhere", NULL, 0, hints, &info));
    fi_freeinfo(hints);
    forget_and_know_again(got);
    here.peer = insert(&here, &there);
    EXPECT(0, fi_recv(there.ep, &value, sizeof value, NULL, FI_ADDR_UNSPEC, &value));
    EXPECT(0, fi_inject(here.ep, &value, sizeof value, here.peer));
    take_of(there.rx, &value);
    CHECK(fi_av_insertsvc(here.av, "node", "1", got, 0, NULL) < 0);
    CHECK(fi_av_insertsym(here.av, "node", 1, "1", 1, got, 0, NULL) < 0);
    close_pair();
}

static void know_sources(void) {
    open_pair(&(struct options){.is_apart = true});
    int value = 1, got[3];
    fi_addr_t source = 0;
    here.peer = insert(&here, &there);
    /* Nobody that the receiver knows. */
    EXPECT(0, fi_recv(there.ep, &got[0], sizeof(int), NULL, FI_ADDR_UNSPEC, &got[0]));
    EXPECT(0, fi_inject(here.ep, &value, sizeof value, here.peer));
    CHECK(take_from(there.rx, &source).op_context == &got[0]);
    EXPECT(FI_ADDR_NOTAVAIL, source);
    /* Known by the time that somebody asks for it. */
    EXPECT(0, fi_tinject(here.ep, &value, sizeof value, here.peer, 1));
    AWAIT_UNEXPECTED(&there, 1);
    there.peer = insert(&there, &here);
    EXPECT(0, fi_trecv(there.ep, &got[1], sizeof(int), NULL, there.peer, 1, 0, &got[1]));
    CHECK(take_from(there.rx, &source).op_context == &got[1]);
    EXPECT(there.peer, source);
    /* Known twice. */
    fi_addr_t second = insert(&there, &here);
    for (int i = 0; i < 2; i++) {
        EXPECT(0, fi_recv(there.ep, &got[2], sizeof(int), NULL, second, &got[2]));
        EXPECT(0, fi_inject(here.ep, &value, sizeof value, here.peer));
        CHECK(take_from(there.rx, &source).op_context == &got[2]);
        CHECK(source == second || (i == 0 && source == there.peer));
        if (i == 0) {
            EXPECT(0, fi_av_remove(there.av, &there.peer, 1, 0));
        }
    }
    /* Not known any more. */
    EXPECT(0, fi_av_remove(there.av, &second, 1, 0));
    EXPECT(0, fi_recv(there.ep, &got[0], sizeof(int), NULL, FI_ADDR_UNSPEC, &got[0]));
    EXPECT(0, fi_inject(here.ep, &value, sizeof value, here.peer));
    take_from(there.rx, &source);
    EXPECT(FI_ADDR_NOTAVAIL, source);
    close_pair();
}

void addresses(char **arguments) {
    (void)arguments;
    know_addresses(FI_AV_TABLE);
    know_addresses(FI_AV_MAP);
    know_sources();
}

/* ---- Closing ---- */

static void refuse_busy(void) {
    open_pair(&(struct options){.has_cntrs = true});
    EXPECT(-FI_EBUSY, fi_close(&here.domain->fid));
    EXPECT(-FI_EBUSY, fi_close(&here.tx->fid));
    EXPECT(-FI_EBUSY, fi_close(&here.rx->fid));
    EXPECT(-FI_EBUSY, fi_close(&here.av->fid));
    EXPECT(-FI_EBUSY, fi_close(&here.cntrs[CNTR_SEND]->fid));
    EXPECT(-FI_EBUSY, fi_close(&here.fabric->fid));
    uint8_t bytes[8];
    struct fid_mr *mr;
    EXPECT(0, fi_mr_reg(here.domain, bytes, sizeof bytes, FI_REMOTE_READ, 0, 1, 0, &mr, NULL));
    close_endpoint(&here);
    EXPECT(-FI_EBUSY, fi_close(&here.domain->fid));
    EXPECT(0, fi_close(&mr->fid));
    close_domain(&here);
    close_side(&there);
}

/* An endpoint that is not ready returns an error. */
static void refuse_unready(void) {
    const struct options options = {0};
    open_pair(&options);
    struct fid_ep *ep;
    int value = 0;
    EXPECT(0, fi_endpoint(here.domain, here.info, &ep, NULL));
    EXPECT(-FI_EOPBADSTATE, fi_inject(ep, &value, sizeof value, 0));
    EXPECT(-FI_EOPBADSTATE, fi_recv(ep, &value, sizeof value, NULL, FI_ADDR_UNSPEC, NULL));
    CHECK(fi_enable(ep) < 0);
    EXPECT(0, fi_ep_bind(ep, &here.av->fid, 0));
    CHECK(fi_ep_bind(ep, &here.av->fid, 0) < 0);
    EXPECT(-FI_ENOCQ, fi_enable(ep));
    CHECK(fi_ep_bind(ep, &here.tx->fid, 0) < 0);
    CHECK(fi_ep_bind(ep, &there.tx->fid, FI_TRANSMIT) < 0);
    EXPECT(0, fi_ep_bind(ep, &here.tx->fid, FI_TRANSMIT | FI_RECV));
    CHECK(fi_ep_bind(ep, &here.rx->fid, FI_RECV) < 0);
    EXPECT(0, fi_enable(ep));
    EXPECT(0, fi_close(&ep->fid));
    close_pair();
}

/* Operations end with their endpoint, and those of the peer that wait for it end, too. */
static void close_amid(void) {
    const size_t length = 1 << 20;
    uint8_t *bytes = buffer_of(length), *to = buffer_of(length);
    open_pair(&(struct options){0});
    int value = 5;
    EXPECT(0, fi_recv(here.ep, to, length, NULL, FI_ADDR_UNSPEC, NULL));
    EXPECT(0, fi_trecv(here.ep, to, length, NULL, here.peer, 1, 0, NULL));
    for (uint64_t i = 0; i < 5; i++) {
        EXPECT(0, fi_tsend(here.ep, bytes, length, NULL, here.peer, i, NULL));
        EXPECT(0, fi_tsend(there.ep, bytes, length, NULL, there.peer, 100 + i, to));
    }
    AWAIT_UNEXPECTED(&there, 4);
    AWAIT_UNEXPECTED(&here, 104);
    /* A message that was reported as sent arrives nevertheless. */
    EXPECT(0, fi_tinject(here.ep, &value, sizeof value, here.peer, 10));
    int64_t start = now_ns();
    close_endpoint(&here);
    CHECK(now_ns() - start < INT64_C(3000000000));
    value = 0;
    EXPECT(0, fi_trecv(there.ep, &value, sizeof value, NULL, FI_ADDR_UNSPEC, 10, 0, &value));
    take_of(there.rx, &value);
    EXPECT(5, value);
    EXPECT(0, fi_trecv(there.ep, to, length, NULL, FI_ADDR_UNSPEC, 0, 0, to));
    struct fi_cq_err_entry error = take_error(there.rx);
    CHECK(error.op_context == to && error.err != 0 && error.err != FI_ECANCELED);
    for (uint64_t i = 0; i < 5; i++) {
        CHECK(take_error(there.tx).op_context == to);
    }
    EXPECT(-error.err, fi_inject(there.ep, &value, sizeof value, there.peer));
    EXPECT(-error.err, fi_trecv(there.ep, to, length, NULL, there.peer, 9, 0, to));
    close_domain(&here);
    close_side(&there);
    free(bytes);
    free(to);
}

/* A later endpoint with the same context gets nothing that was for the earlier one, and can be talked to. */
static void begin_anew(void) {
    const struct options options = {0};
    int value = 6, got = 0;
    open_pair(&options);
    for (int i = 0; i < 3; i++) {
        struct side earlier = there;
        EXPECT(0, fi_trecv(here.ep, &got, sizeof got, NULL, here.peer, 1, 0, &earlier));
        close_endpoint(&there);
        open_endpoint(&there, &options);
        CHECK(memcmp(earlier.name, there.name, 12) == 0 && memcmp(earlier.name, there.name, ADDRESS) != 0);
        EXPECT(0, fi_recv(there.ep, &got, sizeof got, NULL, FI_ADDR_UNSPEC, &got));
        EXPECT(0, fi_tinject(here.ep, &value, sizeof value, here.peer, 1));
        EXPECT(0, fi_inject(here.ep, &value, sizeof value, here.peer));
        /* Operations that wait for it end. */
        struct fi_cq_err_entry error = take_error(here.rx);
        CHECK(error.op_context == &earlier);
        EXPECT(FI_ECONNRESET, error.err);
        EXPECT(-FI_ECONNRESET, fi_inject(here.ep, &value, sizeof value, here.peer));
        expect_nothing(there.rx);
        /* The later one. */
        here.peer = insert(&here, &there);
        there.peer = insert(&there, &here);
        EXPECT(0, fi_inject(here.ep, &value, sizeof value, here.peer));
        EXPECT(sizeof value, take_of(there.rx, &got).len);
        EXPECT(6, got);
        EXPECT(0, fi_trecv(here.ep, &got, sizeof got, NULL, here.peer, 1, 0, &got));
        EXPECT(0, fi_tinject(there.ep, &value, sizeof value, there.peer, 1));
        fi_addr_t source;
        CHECK(take_from(here.rx, &source).op_context == &got);
        EXPECT(here.peer, source);
    }
    close_pair();
}

/* The same, when the later one speaks first and the earlier one was never known to be gone. */
static void speak_anew(void) {
    const struct options options = {0};
    const size_t length = 1 << 20;
    uint8_t *bytes = buffer_of(length);
    int value = 6, got = 0;
    open_pair(&options);
    for (int i = 0; i < 3; i++) {
        /* Of two long messages of the earlier one, one is awaited, and nobody has asked for the other. */
        EXPECT(0, fi_tsend(there.ep, bytes, length, NULL, there.peer, 1, bytes));
        EXPECT(0, fi_tsend(there.ep, bytes, length, NULL, there.peer, 2, bytes));
        AWAIT_UNEXPECTED(&here, 2);
        close_endpoint(&there);
        open_endpoint(&there, &options);
        EXPECT(0, fi_trecv(here.ep, bytes, length, NULL, FI_ADDR_UNSPEC, 1, 0, bytes));
        there.peer = insert(&there, &here);
        EXPECT(0, fi_recv(here.ep, &got, sizeof got, NULL, FI_ADDR_UNSPEC, &got));
        EXPECT(0, fi_inject(there.ep, &value, sizeof value, there.peer));
        fi_addr_t source;
        struct fi_cq_err_entry error = {0};
        AWAIT(fi_cq_readerr(here.rx, &error, 0) == 1); /* before or after the completion */
        CHECK(take_from(here.rx, &source).op_context == &got);
        CHECK(error.op_context == bytes && error.err != 0 && error.err != FI_ETRUNC);
        CHECK(!is_there(&here, 2));
        EXPECT(FI_ADDR_NOTAVAIL, source);
        here.peer = insert(&here, &there);
        EXPECT(0, fi_recv(there.ep, &got, sizeof got, NULL, there.peer, &got));
        EXPECT(0, fi_inject(here.ep, &value, sizeof value, here.peer));
        take_of(there.rx, &got);
    }
    close_pair();
    free(bytes);
}

void closing(char **arguments) {
    (void)arguments;
    refuse_busy();
    refuse_unready();
    begin_anew();
    speak_anew();
    close_amid();
}

/* ---- Links that are cut ---- */

/* Asks the test to cut or heal links, and waits until it has done so. */
static void request(const char *what) {
    char answer[16];
    printf("%s\n", what);
    fflush(stdout);
    CHECK(fgets(answer, sizeof answer, stdin) != NULL);
}

enum { LONG_BYTES = 200000, ROUNDS = 50 };

/* A message from one end to the other without an error at either; false if it was lost, and both ends report that now
 * or in the next call. */
static bool is_passed(struct side *from, struct side *to, size_t length, uint64_t tag) {
    static uint8_t bytes[LONG_BYTES], got[LONG_BYTES];
    struct fi_cq_tagged_entry entry;
    struct fi_cq_err_entry error = {0};
    fill(bytes, length, tag);
    EXPECT(0, fi_trecv(to->ep, got, length, NULL, FI_ADDR_UNSPEC, tag, 0, got));
    bool is_well = fi_tsend(from->ep, bytes, length, NULL, from->peer, tag, bytes) == 0;
    int64_t end = now_ns() + LIMIT_NS;
    for (bool is_sent = false, is_here = false; is_well && !(is_sent && is_here);) {
        CHECK(now_ns() < end);
        ssize_t sent = fi_cq_read(from->tx, &entry, 1), here_now = fi_cq_read(to->rx, &entry, 1);
        is_sent |= sent == 1;
        is_here |= here_now == 1;
        is_well = sent != -FI_EAVAIL && here_now != -FI_EAVAIL;
        /* A short message is done when it is handed over: the next call reports that it was lost. */
        if (is_sent && !is_here && now_ns() > end - LIMIT_NS * 9 / 10) {
            is_well = false;
        }
    }
    if (is_well) {
        EXPECT_BYTES(got, length, tag);
        return true;
    }
    fi_cancel(&to->ep->fid, got);
    settle();
    while (fi_cq_readerr(from->tx, &error, 0) == 1 || fi_cq_readerr(to->rx, &error, 0) == 1
           || fi_cq_read(from->tx, &entry, 1) == 1) {
    }
    return false;
}

static void pass_again(struct side *from, struct side *to, size_t length, uint64_t *tag) {
    int lost = 0;
    while (!is_passed(from, to, length, ++*tag)) {
        CHECK(++lost < ROUNDS);
    }
}

/* One end loses the other, which has nothing under way and sees nothing of it. Then the other one speaks; or the
 * first. */
void parted(char **arguments) {
    bool is_first = strcmp(arguments[0], "first") == 0;
    size_t length = strcmp(arguments[1], "short") == 0 ? 100 : LONG_BYTES;
    static uint8_t bytes[LONG_BYTES];
    uint64_t tag = 1;
    open_pair(&(struct options){0});
    CHECK(is_passed(&here, &there, length, ++tag) && is_passed(&there, &here, length, ++tag));
    request("cut");
    EXPECT(0, fi_tsend(here.ep, bytes, LONG_BYTES, NULL, here.peer, 1, bytes));
    struct fi_cq_err_entry error = take_error(here.tx);
    CHECK(error.op_context == bytes);
    EXPECT(FI_EHOSTUNREACH, error.err);
    request("heal");
    struct side *sides[] = {&here, &there};
    pass_again(sides[!is_first], sides[is_first], length, &tag);
    pass_again(sides[is_first], sides[!is_first], length, &tag);
    /* The nodes may still report messages that they gave up. Soon nothing is lost any more. */
    int well = 0;
    for (int round = 0; well < ROUNDS; round++) {
        CHECK(round < 4 * ROUNDS);
        size_t each = round % 2 == 0 ? 100 : LONG_BYTES;
        bool is_well = is_passed(&here, &there, each, ++tag);
        is_well &= is_passed(&there, &here, each, ++tag);
        well = is_well ? well + 1 : 0;
    }
    close_pair();
}

/* ---- Programs of their own, one of which is killed ---- */

enum { MEMORY_KEY = 5, MEMORY = 1 << 20 };

/* Answers each tagged message with one of the same tag, and offers memory, until it is killed. */
void serve(char **arguments) {
    (void)arguments;
    static uint8_t memory[MEMORY];
    struct side side;
    char text[64];
    size_t length = sizeof text;
    open_side(&side, sockets[0], &(struct options){.wait = FI_WAIT_UNSPEC});
    struct fid_mr *mr;
    EXPECT(0, fi_mr_reg(side.domain, memory, MEMORY, FI_REMOTE_READ | FI_REMOTE_WRITE, 0, MEMORY_KEY, 0, &mr, NULL));
    printf("%s\n", fi_av_straddr(side.av, side.name, text, &length));
    fflush(stdout);
    struct fi_cq_tagged_entry entry;
    uint8_t peer[ADDRESS];
    for (;;) {
        EXPECT(0, fi_recv(side.ep, peer, sizeof peer, NULL, FI_ADDR_UNSPEC, peer));
        EXPECT(1, fi_cq_sread(side.rx, &entry, 1, NULL, -1));
        fi_addr_t to;
        EXPECT(1, fi_av_insert(side.av, peer, 1, &to, 0, NULL));
        EXPECT(0, fi_inject(side.ep, peer, sizeof peer, to));
    }
}

/* Sleeps without a limit until the queue has something, or the provider something to do. */
static void sleep_on(struct fid_cq *cq) {
    struct fid *fid = &cq->fid;
    struct pollfd fd = {-1, POLLIN, 0};
    EXPECT(0, fi_control(fid, FI_GETWAIT, &fd.fd));
    if (fi_trywait(here.fabric, &fid, 1) == 0) {
        EXPECT(1, poll(&fd, 1, -1));
    }
}

/* Uses a program that serves, whose address is given, until that ends; prints the error. */
void outlive(char **arguments) {
    CHECK(arguments[0] != NULL);
    bool is_busy = arguments[1] != NULL && strcmp(arguments[1], "busy") == 0;
    bool is_asleep = arguments[1] != NULL && strcmp(arguments[1], "asleep") == 0;
    const struct options options = {.wait = is_asleep ? FI_WAIT_FD : FI_WAIT_NONE};
    struct fi_info *hints = hints_of(&options), *info;
    open_side(&here, sockets[0], &options);
    EXPECT(0, fi_getinfo(FI_VERSION(1, 17), arguments[0], NULL, 0, hints, &info));
    fi_freeinfo(hints);
    EXPECT(1, fi_av_insert(here.av, info->dest_addr, 1, &here.peer, 0, NULL));
    fi_freeinfo(info);
    static uint8_t bytes[MEMORY];
    uint8_t answer[ADDRESS];
    EXPECT(0, fi_recv(here.ep, answer, sizeof answer, NULL, here.peer, answer));
    EXPECT(0, fi_inject(here.ep, here.name, here.name_length, here.peer));
    take_of(here.rx, answer);
    CHECK(memcmp(answer, here.name, ADDRESS) == 0);
    EXPECT(0, fi_read(here.ep, bytes, MEMORY, NULL, here.peer, 0, MEMORY_KEY, bytes));
    take_of(here.tx, bytes);
    if (arguments[1] == NULL) {
        close_side(&here);
        return;
    }
    /* A receive that only it can complete, a long message that it never asks for, and reads without end. */
    EXPECT(0, fi_recv(here.ep, answer, sizeof answer, NULL, here.peer, answer));
    EXPECT(0, fi_tsend(here.ep, bytes, MEMORY, NULL, here.peer, 1, NULL));
    printf("ready\n");
    fflush(stdout);
    int64_t end = now_ns() + LIMIT_NS;
    struct fi_cq_tagged_entry entry;
    ssize_t read = 1;
    for (int under_way = 0; read != -FI_EAVAIL; under_way -= read == 1) {
        for (; under_way < 4 && is_busy; under_way++) {
            ssize_t posted = fi_read(here.ep, bytes, MEMORY, NULL, here.peer, 0, MEMORY_KEY, bytes);
            if (posted != 0) {
                break;
            }
        }
        read = fi_cq_read(here.tx, &entry, 1);
        CHECK(now_ns() < end);
        if (read == -FI_EAGAIN && is_asleep) {
            sleep_on(here.tx);
        }
    }
    struct fi_cq_err_entry error = take_error(here.tx), received = take_error(here.rx);
    EXPECT(error.err, received.err);
    CHECK(received.op_context == answer);
    EXPECT(-error.err, fi_inject(here.ep, bytes, 1, here.peer));
    printf("%s\n", fi_strerror(error.err));
    close_side(&here);
}
