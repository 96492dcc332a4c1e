/* Opening and closing, waiting, and bytes to check, for the files of the program `provider`. */
#include "provider.h"

#define MARGIN 64
#define UNTOUCHED 0xA5

struct side here, there;
const char *sockets[2];

static struct side *opened[8];

/* ---- Opening ---- */

struct fi_info *hints_of(const struct options *options) {
    struct fi_info *hints = fi_allocinfo();
    CHECK(hints != NULL);
    hints->fabric_attr->prov_name = strdup("hxb");
    hints->caps = options->caps;
    hints->ep_attr->type = FI_EP_RDM;
    hints->tx_attr->op_flags = options->send_flags;
    hints->domain_attr->mr_mode = options->mr_mode;
    hints->domain_attr->av_type = options->av_type;
    hints->domain_attr->data_progress = options->progress;
    return hints;
}

void open_domain(struct side *side, const char *socket, const struct options *options) {
    memset(side, 0, sizeof *side);
    struct fi_info *hints = hints_of(options);
    CHECK(setenv("HXB_SOCKET", socket, 1) == 0);
    EXPECT(0, fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, hints, &side->info));
    fi_freeinfo(hints);
    side->inject = side->info->tx_attr->inject_size;
    EXPECT(0, fi_fabric(side->info->fabric_attr, &side->fabric, NULL));
    EXPECT(0, fi_domain(side->fabric, side->info, &side->domain, NULL));
}

static void open_cntrs(struct side *side) {
    const uint64_t flags[] = {FI_SEND, FI_RECV, FI_READ, FI_WRITE, FI_REMOTE_READ, FI_REMOTE_WRITE};
    for (int i = 0; i < CNTRS; i++) {
        struct fi_cntr_attr attr = {.events = FI_CNTR_EVENTS_COMP};
        EXPECT(0, fi_cntr_open(side->domain, &attr, &side->cntrs[i], NULL));
        EXPECT(0, fi_ep_bind(side->ep, &side->cntrs[i]->fid, flags[i]));
    }
}

void open_endpoint(struct side *side, const struct options *options) {
    struct fi_cq_attr cq = {.size = options->cq_size,
                            .format = options->format == 0 ? FI_CQ_FORMAT_TAGGED : options->format,
                            .wait_obj = options->wait};
    struct fi_av_attr av = {.type = options->av_type};
    EXPECT(0, fi_cq_open(side->domain, &cq, &side->tx, NULL));
    EXPECT(0, fi_cq_open(side->domain, &cq, &side->rx, NULL));
    EXPECT(0, fi_av_open(side->domain, &av, &side->av, NULL));
    EXPECT(0, fi_endpoint(side->domain, side->info, &side->ep, side));
    EXPECT(0, fi_ep_bind(side->ep, &side->tx->fid, FI_TRANSMIT | options->cq_flags));
    EXPECT(0, fi_ep_bind(side->ep, &side->rx->fid, FI_RECV | options->cq_flags));
    EXPECT(0, fi_ep_bind(side->ep, &side->av->fid, 0));
    if (options->has_cntrs) {
        open_cntrs(side);
    }
    EXPECT(0, fi_enable(side->ep));
    side->name_length = sizeof side->name;
    EXPECT(0, fi_getname(&side->ep->fid, side->name, &side->name_length));
    for (int i = 0; i < 8; i++) {
        if (opened[i] == NULL) {
            opened[i] = side;
            return;
        }
    }
    FAIL("too many endpoints");
}

void open_side(struct side *side, const char *socket, const struct options *options) {
    open_domain(side, socket, options);
    open_endpoint(side, options);
}

void close_endpoint(struct side *side) {
    for (int i = 0; i < 8; i++) {
        opened[i] = opened[i] == side ? NULL : opened[i];
    }
    EXPECT(0, fi_close(&side->ep->fid));
    for (int i = 0; i < CNTRS; i++) {
        if (side->cntrs[i] != NULL) {
            EXPECT(0, fi_close(&side->cntrs[i]->fid));
            side->cntrs[i] = NULL;
        }
    }
    EXPECT(0, fi_close(&side->tx->fid));
    EXPECT(0, fi_close(&side->rx->fid));
    EXPECT(0, fi_close(&side->av->fid));
}

void close_domain(struct side *side) {
    EXPECT(0, fi_close(&side->domain->fid));
    EXPECT(0, fi_close(&side->fabric->fid));
    fi_freeinfo(side->info);
}

void close_side(struct side *side) {
    close_endpoint(side);
    close_domain(side);
}

fi_addr_t insert(struct side *at, const struct side *other) {
    fi_addr_t address = FI_ADDR_UNSPEC;
    EXPECT(1, fi_av_insert(at->av, other->name, 1, &address, 0, NULL));
    return address;
}

void open_pair(const struct options *options) {
    open_side(&here, sockets[0], options);
    open_side(&there, sockets[1], options);
    if (!options->is_apart) {
        here.peer = insert(&here, &there);
        there.peer = insert(&there, &here);
    }
}

void close_pair(void) {
    close_side(&here);
    close_side(&there);
}

/* ---- Waiting ---- */

void turn(void) {
    for (int i = 0; i < 8; i++) {
        if (opened[i] != NULL) {
            fi_cq_read(opened[i]->rx, NULL, 0);
        }
    }
}

void settle(void) {
    int64_t end = now_ns() + 20 * INT64_C(1000000);
    while (now_ns() < end) {
        turn();
    }
}

struct fi_cq_tagged_entry take_at(const struct place *place, struct fid_cq *cq, fi_addr_t *source) {
    struct fi_cq_tagged_entry entry = {0};
    int64_t end = now_ns() + LIMIT_NS;
    for (;;) {
        ssize_t read = fi_cq_readfrom(cq, &entry, 1, source);
        if (read == 1) {
            return entry;
        }
        if (read == -FI_EAVAIL) {
            struct fi_cq_err_entry error = {0};
            fi_cq_readerr(cq, &error, 0);
            FAIL_AT(place->file, place->line, "an error instead of a completion: %d (%s), context %p, flags %#" PRIx64,
                    error.err, fi_strerror(error.err), error.op_context, error.flags);
        }
        EXPECT(-FI_EAGAIN, read);
        if (now_ns() > end) {
            FAIL_AT(place->file, place->line, "no completion in time");
        }
        turn();
    }
}

struct fi_cq_tagged_entry take_of_at(const struct place *place, struct fid_cq *cq, const void *context) {
    struct fi_cq_tagged_entry entry = take_at(place, cq, NULL);
    if (entry.op_context != context) {
        FAIL_AT(place->file, place->line, "the completion of %p instead of that of %p", entry.op_context, context);
    }
    return entry;
}

struct fi_cq_err_entry take_error_at(const struct place *place, struct fid_cq *cq) {
    struct fi_cq_tagged_entry entry;
    struct fi_cq_err_entry error = {0};
    int64_t end = now_ns() + LIMIT_NS;
    ssize_t read;
    while ((read = fi_cq_read(cq, &entry, 1)) == -FI_EAGAIN) {
        if (now_ns() > end) {
            FAIL_AT(place->file, place->line, "no error in time");
        }
        turn();
    }
    if (read != -FI_EAVAIL) {
        FAIL_AT(place->file, place->line, "a completion instead of an error, or %zd", read);
    }
    EXPECT(1, fi_cq_readerr(cq, &error, 0));
    return error;
}

void expect_nothing(struct fid_cq *cq) {
    struct fi_cq_tagged_entry entry;
    settle();
    EXPECT(-FI_EAGAIN, fi_cq_read(cq, &entry, 1));
}

bool is_there(struct side *side, uint64_t tag) {
    struct fi_cq_tagged_entry entry;
    struct fi_cq_err_entry error = {0};
    struct fi_msg_tagged msg = {.addr = FI_ADDR_UNSPEC, .tag = tag, .context = &error};
    EXPECT(0, fi_trecvmsg(side->ep, &msg, FI_PEEK));
    ssize_t read = fi_cq_read(side->rx, &entry, 1);
    if (read == -FI_EAVAIL) {
        EXPECT(1, fi_cq_readerr(side->rx, &error, 0));
        EXPECT(FI_ENOMSG, error.err);
        return false;
    }
    EXPECT(1, read);
    CHECK(entry.op_context == &error);
    return true;
}

/* ---- Bytes ---- */

static uint8_t byte_at(size_t index, uint64_t seed) {
    return (uint8_t)((index * UINT64_C(0x9E3779B97F4A7C15) >> 40) + (index >> 8) + seed);
}

void fill(void *bytes, size_t length, uint64_t seed) {
    for (size_t i = 0; i < length; i++) {
        ((uint8_t *)bytes)[i] = byte_at(i, seed);
    }
}

size_t first_wrong(const void *bytes, size_t length, uint64_t seed) {
    for (size_t i = 0; i < length; i++) {
        if (((const uint8_t *)bytes)[i] != byte_at(i, seed)) {
            return i;
        }
    }
    return length;
}

uint8_t *buffer_of(size_t length) {
    uint8_t *buffer = malloc(length + MARGIN);
    CHECK(buffer != NULL);
    memset(buffer, UNTOUCHED, length + MARGIN);
    return buffer;
}

void check_margin(const uint8_t *buffer, size_t written, size_t length) {
    for (size_t i = written; i < length + MARGIN; i++) {
        if (buffer[i] != UNTOUCHED) {
            FAIL("byte %zu was written, of %zu", i, written);
        }
    }
}

void send_tag(uint64_t tag) {
    EXPECT(0, fi_tinject(here.ep, &tag, sizeof tag, here.peer, tag));
}
