/* Attachments to a node: its facts, its links, and requests to use memory of this process, to open contexts, to
 * introduce direct rings and to share memory with other nodes. Not installed. */
#ifndef HXB_DEVICE_H
#define HXB_DEVICE_H

#include "rings/rings.h"
#include "wire/wire.h"

struct facts {
    int node_id;
    int node_count;
    int mtu;
    int contexts;
    int receive_buffers;
    int receive_buffer_bytes;
    int loops;
    int dimensions;
    int extents[8];
    char shape[HXB_PAGE_MAX_SHAPE_BYTES + 1];
};

struct hxb_region {
    hxb_device *device;
    hxb_region *next;
    struct lent lent;
    uint64_t length;
    bool is_writable;
};

struct hxb_device {
    int64_t process;
    struct connection connection;
    int gone; /* readable as soon as the node has closed the connection, even if it has sent something before */
    const uint8_t *page;
    const uint8_t *pool;
    uint64_t pool_bytes;
    struct facts facts;
    int min_delivery_entries;
    int own_buffers;
    uint32_t direct_bytes; /* of a direct ring; 0 for none */
    bool has_fences;       /* this process takes part in memory fences of others */
    bool has_words;        /* threads may sleep on words of shared memory: the node wakes them there, too */

    pthread_mutex_t lock; /* of the numbers and lists below; never held while a thread waits */
    bool has_id[HXB_ATTACH_MEMORY_IDS];
    hxb_context *contexts; /* kept by calls/open.c */
    hxb_region *regions;

    pthread_mutex_t link_lock;
    hxb_link_listener link_listener;
    void *link_user;
    _Atomic bool has_listener;
    _Atomic uint64_t links_taken;
};

/* ---- The attachment (device.c) ---- */

/* Attaches to a node by its socket, or to this machine's node if that is NULL, in the process of this number. */
int device_open(const char *socket, int64_t process, hxb_device **device);
/* Closes regions and the connection, which no other thread uses any more. */
void device_close(hxb_device *device);
bool is_node_alive(const hxb_device *device);

static inline int check_device(const hxb_device *device) {
    if (UNLIKELY(device == NULL)) {
        return fail(HXB_E_ARGUMENT, "the device is NULL");
    }
    if (is_forked(device->process)) {
        return fail(HXB_E_FORKED, "the device on %s was attached before a fork: attach in the child",
                    device->connection.path);
    }
    return HXB_OK;
}

int fail_destination(const hxb_device *device, int node, int peer_context) __attribute__((cold));

static inline int check_destination(const hxb_device *device, int node, int peer_context) {
    bool is_valid = (uint32_t)node < (uint32_t)device->facts.node_count
        && (uint32_t)peer_context < (uint32_t)device->facts.contexts;
    return LIKELY(is_valid) ? HXB_OK : fail_destination(device, node, peer_context);
}

static inline bool has_link_events(hxb_device *device) {
    return atomic_load_explicit(&device->has_listener, memory_order_acquire)
        && get64_acquire(device->page + HXB_PAGE_LINK_EVENTS_OFFSET)
               != atomic_load_explicit(&device->links_taken, memory_order_relaxed);
}

/* Passes the changes of links since the last call to the listener; returns their number. */
int take_link_events(hxb_device *device);

/* ---- Regions (region.c) ---- */

/* HXB_OK if the bytes lie within a region of the device. */
int check_range(const hxb_device *device, const hxb_region *region, uint64_t offset, uint64_t length);

/* ---- Requests to the node (attach.c) ---- */

/* The memory and descriptors of a context: made by attach_context, given back by detach_context. */
struct context_memory {
    struct lent control;
    struct lent send;
    struct lent own;
    struct lent remote; /* none until it is used */
    int loop;
    int wake_application;
    int wake_node;
};

/* Greets the node, and maps its memory. */
int say_hello(hxb_device *device);
int attach_context(hxb_device *device, int id, const hxb_context_options *sizes, struct context_memory *memory);
void detach_context(hxb_device *device, int id, struct context_memory *memory);
/* Makes memory and lets the node use it. */
int lend(hxb_device *device, struct lent *lent, const char *name, uint64_t length, int use);
/* Memory that the node may write to; only if the node knows remote memory. */
int lend_writable(hxb_device *device, struct lent *lent, uint64_t length);
void take_back(hxb_device *device, struct lent *lent);
/* Lends the memory for operations of a context on remote memory; without an answer the node may use it later. */
int attach_remote(hxb_device *device, int id, const hxb_remote_options *sizes, uint64_t length, struct lent *lent,
                  bool *is_unanswered);
int share_memory(hxb_device *device, int id, int rights, uint64_t *key);
int revoke_key(hxb_device *device, uint64_t key);

/* Offers a ring, whose two descriptors it takes, and leaves the node's answer in `asked`. */
int offer_direct(hxb_device *device, int id, int peer_context, const int *descriptors, struct asked *asked);
/* Takes the answer: the descriptor that wakes the other end, and the number of the ring with the node; or an error. */
int offer_answer(hxb_device *device, struct asked *asked, int64_t *number);

/* A change of the rings of a context that the node reports. */
struct direct_change {
    int peer_context;
    int64_t number;              /* of the ring with the node */
    struct direct_memory memory; /* of a ring that is offered; `page` is NULL if it cannot be mapped */
};

int ask_direct_change(hxb_device *device, int id, struct asked *asked);
/* The kind of the change in the answer. */
int direct_change(hxb_device *device, struct asked *asked, struct direct_change *change);

#endif
