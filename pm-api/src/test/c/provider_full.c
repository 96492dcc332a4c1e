/* Queues that are full, and messages after more than is kept. */
#include "provider.h"

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

/* Asks for a row of messages at once, whose bytes may stay with the sender until then: thousands of them one by one
 * would each wait for a way there and back, which takes milliseconds beside busy CPUs. */
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

/* An awaited message may come after more than is kept otherwise. */
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

/* ---- Messages after more than is kept ---- */

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

/* A program that takes one message whose bytes stayed with the sender has those beside it on the way. */
static void take_in_a_row(bool is_backward) {
    enum { MESSAGES = 3000, LENGTH = 1000, ROW = 32 };
    uint8_t *bytes = buffer_of(LENGTH), *to = buffer_of(LENGTH);
    memset(bytes, 1, LENGTH);
    CHECK(!is_there(&there, MESSAGES - 1));
    for (uint64_t i = 0; i < MESSAGES; i++) {
        POST(fi_tsend(here.ep, bytes, LENGTH, NULL, here.peer, i, bytes));
    }
    AWAIT_UNEXPECTED(&there, MESSAGES - 1);
    int count_at_once = 0;
    for (uint64_t i = 0; i < MESSAGES; i++) {
        uint64_t tag = is_backward ? MESSAGES - 1 - i : (i + MESSAGES / 2) % MESSAGES;
        bool is_at_once = is_had_at_once(tag, to, LENGTH);
        if (i == 0) {
            settle();
        } else if (i < ROW && is_at_once) {
            count_at_once++;
        }
    }
    CHECK(count_at_once > ROW / 2); /* the first may come late where CPUs are busy; those after it came with it */
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
