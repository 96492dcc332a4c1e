/* Operations at random, from a seed, and what must come of them.
 *
 * Each receive takes the first message that it fits, and each message the first receive, so that with one sender who
 * keeps the order the pairs do not depend on when each is posted or arrives: the model posts all receives and then lets
 * the messages arrive. */
#include "provider.h"

enum { COUNT = 250, LONGEST = 150000, REGION = 1 << 16, KEY = 3 };

struct message {
    uint64_t tag, data;
    size_t length;
    uint8_t *bytes;
    bool has_data, is_told, is_done;
};

struct receive {
    uint64_t tag, ignore;
    size_t room;
    uint8_t *buffer;
    bool is_done;
    int error;
    struct fi_cq_tagged_entry entry;
    size_t excess;
};

/* All that goes from one end to the other. */
struct flow {
    struct side *from, *to;
    struct message messages[COUNT];
    struct receive receives[COUNT];
    int sent, posted;
    uint8_t *region, shadow[REGION]; /* at the other end, and what it must be when all is done */
    struct fid_mr *mr;
    int writes;
};

static struct flow flows[2];
static uint64_t state;

static uint64_t below(uint64_t limit) {
    return (next_random(&state) >> 16) % limit;
}

static size_t draw_length(void) {
    switch (below(6)) {
    case 0: return below(LONGEST);
    case 1: return below(20000);
    case 2: return here.inject - 40 + below(80);
    default: return below(300);
    }
}

/* ---- Completions ---- */

static bool is_among(const void *context, const void *array, size_t bytes) {
    return (const char *)context >= (const char *)array && (const char *)context < (const char *)array + bytes;
}

static void on_sent(struct flow *flow, const struct fi_cq_tagged_entry *entry) {
    if (is_among(entry->op_context, flow->messages, sizeof flow->messages)) {
        struct message *message = entry->op_context;
        CHECK(message->is_told && !message->is_done);
        EXPECT(FI_SEND | FI_TAGGED, entry->flags);
        message->is_done = true;
    } else {
        CHECK(entry->op_context == &flow->writes && (entry->flags & (FI_RMA | FI_ATOMIC)) != 0);
        flow->writes--;
    }
}

static void on_received(struct flow *flow, const struct fi_cq_tagged_entry *entry, int error, size_t excess) {
    CHECK(is_among(entry->op_context, flow->receives, sizeof flow->receives));
    struct receive *receive = entry->op_context;
    CHECK(!receive->is_done);
    receive->is_done = true;
    receive->entry = *entry;
    receive->error = error;
    receive->excess = excess;
}

static void look(struct flow *flow) {
    struct fi_cq_tagged_entry entry;
    ssize_t read;
    while ((read = fi_cq_read(flow->from->tx, &entry, 1)) == 1) {
        on_sent(flow, &entry);
    }
    EXPECT(-FI_EAGAIN, read);
    while ((read = fi_cq_read(flow->to->rx, &entry, 1)) != -FI_EAGAIN) {
        if (read == 1) {
            on_received(flow, &entry, 0, 0);
            continue;
        }
        struct fi_cq_err_entry error = {0};
        EXPECT(-FI_EAVAIL, read);
        EXPECT(1, fi_cq_readerr(flow->to->rx, &error, 0));
        entry = (struct fi_cq_tagged_entry){error.op_context, error.flags, error.len, NULL, error.data, error.tag};
        on_received(flow, &entry, error.err, error.olen);
    }
}

static void look_all(void) {
    look(&flows[0]);
    look(&flows[1]);
}

/* ---- Operations ---- */

static ssize_t post_message(struct flow *flow, struct message *message) {
    struct fid_ep *ep = flow->from->ep;
    fi_addr_t to = flow->from->peer;
    size_t half = message->length / 2;
    struct iovec iov[2] = {{message->bytes, half}, {message->bytes + half, message->length - half}};
    const uint64_t levels[] = {0, FI_INJECT_COMPLETE, FI_TRANSMIT_COMPLETE, FI_DELIVERY_COMPLETE};
    struct fi_msg_tagged msg = {.msg_iov = iov, .iov_count = 2, .addr = to, .tag = message->tag, .context = message,
                                .data = message->data};
    bool is_short = message->length <= flow->from->inject;
    message->is_told = true;
    message->has_data = false;
    switch (below(6)) {
    case 0: return fi_tsend(ep, message->bytes, message->length, NULL, to, message->tag, message);
    case 1: return fi_tsendv(ep, iov, NULL, 2, to, message->tag, message);
    case 2:
        message->has_data = true;
        return fi_tsenddata(ep, message->bytes, message->length, NULL, message->data, to, message->tag, message);
    case 3:
        message->is_told = !is_short;
        return is_short ? fi_tinject(ep, message->bytes, message->length, to, message->tag)
                        : fi_tsend(ep, message->bytes, message->length, NULL, to, message->tag, message);
    case 4: return fi_tsendmsg(ep, &msg, is_short ? FI_INJECT : 0);
    default:
        message->has_data = true;
        return fi_tsendmsg(ep, &msg, levels[below(4)] | FI_REMOTE_CQ_DATA);
    }
}

static void send_next(struct flow *flow) {
    struct message *message = &flow->messages[flow->sent];
    message->tag = below(8);
    message->data = next_random(&state);
    message->length = draw_length();
    message->bytes = buffer_of(message->length);
    fill(message->bytes, message->length, (uint64_t)flow->sent);
    ssize_t posted;
    while ((posted = post_message(flow, message)) == -FI_EAGAIN) {
        look_all();
    }
    EXPECT(0, posted);
    flow->sent++;
}

static void receive_next(struct flow *flow) {
    struct receive *receive = &flow->receives[flow->posted++];
    receive->tag = below(8);
    receive->ignore = below(3) == 0 ? below(8) : below(10) == 0 ? UINT64_MAX : 0;
    receive->room = below(5) == 0 ? draw_length() : LONGEST;
    receive->buffer = buffer_of(receive->room);
    EXPECT(0, fi_trecv(flow->to->ep, receive->buffer, receive->room, NULL,
                       below(2) == 0 ? flow->to->peer : FI_ADDR_UNSPEC, receive->tag, receive->ignore, receive));
}

/* Writes of any length are in order only with those that are complete, so that short ones are left to overlap. */
static void write_next(struct flow *flow) {
    static uint8_t bytes[REGION];
    struct fid_ep *ep = flow->from->ep;
    uint64_t seed = next_random(&state), operand[2] = {seed, ~seed};
    size_t length = below(3) == 0 ? below(REGION) : below(flow->from->inject);
    length = length > REGION / 2 ? REGION / 2 : length;
    uint64_t at = below(REGION - length);
    bool is_alone = length > flow->from->inject;
    int kind = (int)below(3);
    if (is_alone || kind == 0) {
        while (flow->writes > 0) {
            look_all();
        }
    }
    if (kind == 0) { /* read and compare */
        flow->writes++;
        POST(fi_read(ep, bytes, length, NULL, flow->from->peer, at, KEY, &flow->writes));
        while (flow->writes > 0) {
            look_all();
        }
        CHECK(memcmp(bytes, flow->shadow + at, length) == 0);
    } else if (kind == 1) {
        at &= ~UINT64_C(7);
        for (int i = 0; i < 2; i++) {
            uint64_t value;
            memcpy(&value, flow->shadow + at + 8 * (size_t)i, 8);
            value += operand[i];
            memcpy(flow->shadow + at + 8 * (size_t)i, &value, 8);
        }
        flow->writes++;
        POST(fi_atomic(ep, operand, 2, NULL, flow->from->peer, at, KEY, FI_UINT64, FI_SUM, &flow->writes));
    } else {
        fill(flow->shadow + at, length, seed);
        flow->writes++;
        if (is_alone) {
            POST(fi_write(ep, flow->shadow + at, length, NULL, flow->from->peer, at, KEY, &flow->writes));
            while (flow->writes > 0) {
                look_all();
            }
        } else {
            struct iovec iov = {flow->shadow + at, length};
            struct fi_rma_iov range = {at, length, KEY};
            struct fi_msg_rma msg = {.msg_iov = &iov, .iov_count = 1, .addr = flow->from->peer, .rma_iov = &range,
                                     .rma_iov_count = 1, .context = &flow->writes};
            POST(fi_writemsg(ep, &msg, FI_INJECT));
        }
    }
}

/* ---- What must have happened ---- */

static void check_pair(const struct message *message, const struct receive *receive, uint64_t seed) {
    size_t length = message->length < receive->room ? message->length : receive->room;
    EXPECT(message->length > receive->room ? FI_ETRUNC : 0, receive->error);
    EXPECT(message->length - length, receive->excess);
    EXPECT(length, receive->entry.len);
    EXPECT(message->tag, receive->entry.tag);
    EXPECT(FI_RECV | FI_TAGGED | (message->has_data ? FI_REMOTE_CQ_DATA : 0), receive->entry.flags);
    EXPECT(message->has_data ? message->data : 0, receive->entry.data);
    EXPECT_BYTES(receive->buffer, length, seed);
    check_margin(receive->buffer, length, receive->room);
}

/* Pairs as the model has them; the rest of the messages is taken by receives of their own. */
static void pair_up(struct flow *flow, int partner[COUNT]) {
    bool is_taken[COUNT] = {false};
    for (int i = 0; i < flow->sent; i++) {
        partner[i] = -1;
        for (int j = 0; j < flow->posted && partner[i] < 0; j++) {
            const struct receive *receive = &flow->receives[j];
            if (!is_taken[j] && ((receive->tag ^ flow->messages[i].tag) & ~receive->ignore) == 0) {
                partner[i] = j;
                is_taken[j] = true;
            }
        }
    }
}

static bool is_settled(const struct flow *flow, const int partner[COUNT]) {
    bool is_settled = flow->writes == 0;
    for (int i = 0; i < flow->sent; i++) {
        is_settled &= partner[i] < 0 || (flow->receives[partner[i]].is_done
                                         && (flow->messages[i].is_done || !flow->messages[i].is_told));
    }
    return is_settled;
}

static void end_flow(struct flow *flow) {
    int partner[COUNT];
    struct receive rest = {.room = LONGEST, .buffer = buffer_of(LONGEST)};
    pair_up(flow, partner);
    int64_t end = now_ns() + LIMIT_NS;
    while (!is_settled(flow, partner)) {
        look_all();
        CHECK(now_ns() < end);
    }
    for (int i = 0; i < flow->sent; i++) {
        if (partner[i] >= 0) {
            check_pair(&flow->messages[i], &flow->receives[partner[i]], (uint64_t)i);
        }
    }
    for (int j = 0; j < flow->posted; j++) {
        struct receive *receive = &flow->receives[j];
        if (!receive->is_done) {
            EXPECT(0, fi_cancel(&flow->to->ep->fid, receive));
            look_all();
            EXPECT(FI_ECANCELED, receive->error);
        }
        free(receive->buffer);
    }
    for (int i = 0; i < flow->sent; i++) {
        struct message *message = &flow->messages[i];
        if (partner[i] < 0) {
            EXPECT(0, fi_trecv(flow->to->ep, rest.buffer, rest.room, NULL, FI_ADDR_UNSPEC, 0, UINT64_MAX, &rest));
            rest.entry = take_of(flow->to->rx, &rest);
            check_pair(message, &rest, (uint64_t)i);
            memset(rest.buffer, 0xA5, rest.room);
        }
    }
    end = now_ns() + LIMIT_NS;
    for (int i = 0; i < flow->sent; i++) {
        while (flow->messages[i].is_told && !flow->messages[i].is_done) {
            look_all();
            CHECK(now_ns() < end);
        }
        free(flow->messages[i].bytes);
    }
    CHECK(memcmp(flow->region, flow->shadow, REGION) == 0);
    EXPECT(0, fi_close(&flow->mr->fid));
    free(flow->region);
    free(rest.buffer);
}

void random_operations(char **arguments) {
    uint64_t seed = arguments[0] != NULL ? strtoull(arguments[0], NULL, 0) : (uint64_t)now_ns();
    fprintf(stderr, "seed %" PRIu64 "\n", seed);
    state = (seed + 1) * UINT64_C(0x9E3779B97F4A7C15) | 1;
    open_pair(&(struct options){0});
    for (int i = 0; i < 2; i++) {
        struct flow *flow = &flows[i];
        flow->from = i == 0 ? &here : &there;
        flow->to = i == 0 ? &there : &here;
        flow->region = calloc(1, REGION);
        EXPECT(0, fi_mr_reg(flow->to->domain, flow->region, REGION, FI_REMOTE_READ | FI_REMOTE_WRITE, 0, KEY, 0,
                            &flow->mr, NULL));
    }
    int steps = 0;
    while (flows[0].sent < COUNT || flows[1].sent < COUNT) {
        struct flow *flow = &flows[below(2)];
        uint64_t burst = below(12) + 1, kind = below(10);
        for (uint64_t i = 0; i < burst; i++) {
            if (kind < 4 && flow->sent < COUNT) {
                send_next(flow);
            } else if (kind < 7 && flow->posted < COUNT) {
                receive_next(flow);
            } else if (kind == 7) {
                write_next(flow);
            } else {
                look_all();
            }
        }
        steps++;
    }
    CHECK(steps > 50);
    end_flow(&flows[0]);
    end_flow(&flows[1]);
    close_pair();
}
