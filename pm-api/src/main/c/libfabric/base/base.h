/* The lowest floor of the libfabric provider "hxb": limits, lists, maps and addresses. An endpoint is
 * a context of libhxb; all that passes between endpoints are messages of that library, in order and exactly once.
 *
 * Floors, the lowest first; the files of one use each other without circles, and of other floors only lower ones:
 *
 *   base      errors, lists, maps, addresses, versions of libfabric
 *   objects   the objects that programs open, as data: completions, addresses, memory, matching, states of peers
 *   messages  sending, receiving, which peers are there, and answers to their requests
 *   progress  progress of endpoints and groups, and how threads wait
 *   calls     the functions for programs
 *
 * One lock for a domain guards all that belongs to it. */
#ifndef HXB_FI_BASE_H
#define HXB_FI_BASE_H

#include "base/clock.h"
#include "hxb.h"
#include "libfabric/base/compat.h"

#include <pthread.h>
#include <rdma/fabric.h>
#include <rdma/fi_atomic.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_collective.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>
#include <rdma/providers/fi_log.h>
#include <rdma/providers/fi_prov.h>
#include <string.h>
#include <sys/uio.h>

#define OWNER(pointer, type, field) ((type *)(void *)((char *)(pointer)-offsetof(type, field)))

extern struct fi_provider hxb_provider;

#define WARN(...) FI_WARN(&hxb_provider, FI_LOG_EP_CTRL, __VA_ARGS__)

#define VERSION FI_VERSION(0, 1)
#define ADDRESS_FORMAT (FI_PROV_SPECIFIC | 0x485842)
#define ALL_CAPS (FI_MSG | FI_TAGGED | FI_RMA | FI_ATOMIC | FI_SEND | FI_RECV | FI_READ | FI_WRITE | FI_REMOTE_READ \
                  | FI_REMOTE_WRITE | FI_COLLECTIVE | FI_DIRECTED_RECV | FI_SOURCE | FI_MULTI_RECV | FI_LOCAL_COMM \
                  | FI_REMOTE_COMM)

/* Of all objects: none has operations of the provider's own. */
int no_ops_open(struct fid *fid, const char *name, uint64_t flags, void **ops, void *context);
/* A positive FI_Exxx for a negative result of libhxb. */
int error_of(int result);

/* ---- Lists: rings of links, with a link of the owner's as their head ---- */

struct link {
    struct link *next, *previous;
};

static inline void list_init(struct link *list) {
    list->next = list->previous = list;
}

static inline bool list_is_empty(const struct link *list) {
    return list->next == list;
}

static inline void list_add(struct link *list, struct link *link) {
    link->next = list;
    link->previous = list->previous;
    list->previous->next = link;
    list->previous = link;
}

/* Of a link that is in no list, too. */
static inline void list_remove(struct link *link) {
    link->previous->next = link->next;
    link->next->previous = link->previous;
    list_init(link);
}

/* ---- Limits ---- */

enum {
    IOV_LIMIT = 4,          /* parts of a buffer */
    QUEUE_LIMIT = 1024,     /* sends of programs that wait for a slot; beyond it, calls return -FI_EAGAIN */
    SEND_BUFFERS = 256,     /* slots of the context */
    RESERVED_SLOTS = 16,    /* which parts of long messages leave to others */
    EAGER_WINDOW = 1 << 16, /* bytes of a message that are sent before the receiver asks for the rest */
    AWAITED_FACTOR = 64,          /* times the limit of what is kept while something is awaited */
    RECEIVE_TURN = 64,      /* messages that one call takes at most */
    AHEAD_MESSAGES = 64,    /* after and before those taken, whose bytes are asked for before a receive wants them */
    AHEAD_BYTES = 1 << 19   /* of them, beyond the limit of what is kept */
};

#define BUCKETS 256 /* of a hash table */
#define MASKS 8
#define INDEXES 4

#define MAX_MESSAGE (UINT64_C(1) << 40)

/* ---- Maps: open addressing, at most half full, without removal (map.c) ---- */

#define NO_KEY UINT64_MAX

struct pair {
    uint64_t key, value;
};

struct map {
    struct pair *pairs;
    size_t size, count;
};

uint64_t map_get(const struct map *map, uint64_t key, uint64_t otherwise);
/* False if there is no memory. */
bool map_set(struct map *map, uint64_t key, uint64_t value);

/* ---- Addresses ---- */

#define ADDRESS_MAGIC 0x31465848u /* "HXF1" */

/* The address of fi_getname: names one opening of one context. */
struct address {
    uint32_t magic;
    int32_t node;
    int32_t context;
    uint32_t incarnation; /* random, so that an earlier or later user of the context is not taken for it */
};

/* In the source addresses that fi_getinfo answers: the endpoint opens any context that is free. */
#define ANY_CONTEXT (-1)

#define ANY UINT64_MAX /* any peer */

/* A peer: its node (20 bits, as many as there can be nodes), context (12 bits) and incarnation. */
static inline uint64_t peer_of(int node, int context, uint32_t incarnation) {
    return (uint64_t)(uint32_t)node << 44 | (uint64_t)(uint32_t)context << 32 | incarnation;
}

static inline uint64_t peer_of_address(const struct address *address) {
    return peer_of(address->node, address->context, address->incarnation);
}

static inline int node_of(uint64_t peer) {
    return (int)(peer >> 44);
}

static inline int context_of(uint64_t peer) {
    return (int)(peer >> 32 & 0xFFF);
}

static inline uint32_t incarnation_of(uint64_t peer) {
    return (uint32_t)peer;
}

#endif
