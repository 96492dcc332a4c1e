/* Shared by the files of the program `provider`, which checks the libfabric provider "hxb" against the manual pages of
 * libfabric. Two endpoints, each with a domain of its own on a node of its own, are in this one process. */
#ifndef HXB_TEST_PROVIDER_H
#define HXB_TEST_PROVIDER_H

#include "base/clock.h"
#include "libfabric/base/compat.h"

#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <rdma/fabric.h>
#include <rdma/fi_atomic.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Ends at once, so that the sanitizers report nothing that the failure has left open. */
#define FAIL(...) FAIL_AT(__FILE__, __LINE__, __VA_ARGS__)
#define FAIL_AT(file, line, ...)               \
    do {                                       \
        fprintf(stderr, "%s:%d: ", file, line); \
        fprintf(stderr, __VA_ARGS__);          \
        fprintf(stderr, "\n");                 \
        _exit(1);                              \
    } while (0)

#define CHECK(condition)              \
    do {                              \
        if (!(condition)) {           \
            FAIL("not %s", #condition); \
        }                             \
    } while (0)

/* A value of a call. */
#define EXPECT(expected, call)                                                                               \
    do {                                                                                                     \
        long long got_ = (long long)(call), wanted_ = (long long)(expected);                                 \
        if (got_ != wanted_) {                                                                               \
            FAIL("%s is %lld (%s) instead of %lld (%s)", #call, got_,                                        \
                 got_ < 0 && got_ > -512 ? fi_strerror((int)-got_) : "", wanted_, #expected);                \
        }                                                                                                    \
    } while (0)

#define LIMIT_NS INT64_C(20000000000) /* for whatever has to happen */

enum { CNTR_SEND, CNTR_RECV, CNTR_READ, CNTR_WRITE, CNTR_REMOTE_READ, CNTR_REMOTE_WRITE, CNTRS };

struct options {
    uint64_t caps;
    uint64_t send_flags; /* of all sends, in the attributes of the endpoint */
    uint64_t cq_flags;   /* with which queues are bound */
    int mr_mode;
    enum fi_av_type av_type;
    enum fi_progress progress;
    enum fi_wait_obj wait;
    enum fi_cq_format format; /* FI_CQ_FORMAT_TAGGED if it is 0 */
    size_t cq_size;
    bool has_cntrs;
    bool is_apart; /* neither knows the address of the other */
};

/* One end: all that a program opens for an endpoint. */
struct side {
    struct fi_info *info;
    struct fid_fabric *fabric;
    struct fid_domain *domain;
    struct fid_av *av;
    struct fid_cq *tx, *rx;
    struct fid_cntr *cntrs[CNTRS];
    struct fid_ep *ep;
    uint8_t name[64];
    size_t name_length;
    fi_addr_t peer; /* the other end */
    size_t inject;
};

/* The two sides of most scenarios; all open sides make progress whenever something is awaited. */
extern struct side here, there;
extern const char *sockets[2];

/* Hints that fit. */
struct fi_info *hints_of(const struct options *options);
void open_domain(struct side *side, const char *socket, const struct options *options);
void open_endpoint(struct side *side, const struct options *options);
void open_side(struct side *side, const char *socket, const struct options *options);
void close_endpoint(struct side *side);
void close_domain(struct side *side);
void close_side(struct side *side);
fi_addr_t insert(struct side *at, const struct side *other);
void open_pair(const struct options *options);
void close_pair(void);

/* Progress of all that is open. */
void turn(void);
/* So much of it that whatever is under way has arrived, or never will. */
void settle(void);
struct place {
    const char *file;
    int line;
};
#define HERE (&(struct place){__FILE__, __LINE__})

struct fi_cq_tagged_entry take_at(const struct place *place, struct fid_cq *cq, fi_addr_t *source);
struct fi_cq_tagged_entry take_of_at(const struct place *place, struct fid_cq *cq, const void *context);
struct fi_cq_err_entry take_error_at(const struct place *place, struct fid_cq *cq);
/* The next completion, which must be no error. */
#define take(cq) take_at(HERE, cq, NULL)
#define take_from(cq, source) take_at(HERE, cq, source)
/* The next completion, with this context. */
#define take_of(cq, context) take_of_at(HERE, cq, context)
/* The next completion, which must be an error. */
#define take_error(cq) take_error_at(HERE, cq)
/* There is no completion, and none comes. */
void expect_nothing(struct fid_cq *cq);

/* A call that is repeated while the queue is full. */
#define POST(call)                                  \
    do {                                            \
        ssize_t posted_;                            \
        int64_t end_ = now_ns() + LIMIT_NS;         \
        while ((posted_ = (call)) == -FI_EAGAIN) {  \
            CHECK(now_ns() < end_);                 \
            turn();                                 \
        }                                           \
        EXPECT(0, posted_);                         \
    } while (0)

#define AWAIT(condition)                    \
    do {                                    \
        int64_t end_ = now_ns() + LIMIT_NS; \
        while (!(condition)) {              \
            CHECK(now_ns() < end_);         \
            turn();                         \
        }                                   \
    } while (0)

/* A tagged message is at this end and nobody has asked for it. */
bool is_there(struct side *side, uint64_t tag);
#define AWAIT_UNEXPECTED(side, tag) AWAIT(is_there(side, tag))

/* Bytes that depend on the seed and their place. */
void fill(void *bytes, size_t length, uint64_t seed);
/* The index of the first that is not so; `length` if there is none. */
size_t first_wrong(const void *bytes, size_t length, uint64_t seed);
#define EXPECT_BYTES(bytes, length, seed) EXPECT(length, first_wrong(bytes, length, seed))

/* Memory with a margin on which nothing may write. */
uint8_t *buffer_of(size_t length);
/* Fails if something was written beyond the first `written` bytes. */
void check_margin(const uint8_t *buffer, size_t written, size_t length);

static inline uint64_t next_random(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static inline void *number_context(uintptr_t number) {
    return (void *)number; /* the provider may not look into it: no mode bit asks for a struct fi_context */
}

typedef void scenario(char **arguments);

/* provider_info.c */
scenario info_hints, calls;
/* provider_message.c */
scenario sizes, match, peek, cancel, multi;
/* provider_queue.c */
scenario completion, waiting, full, behind;
/* provider_peer.c */
scenario addresses, closing, serve, outlive, parted;
/* provider_rma.c and provider_atomic.c */
scenario remote, atomic;
/* provider_collective.c */
scenario collective;
/* provider_patience.c */
scenario patience;
/* provider_random.c */
scenario random_operations;

/* A message with this tag, from here to there. */
void send_tag(uint64_t tag);

#endif
