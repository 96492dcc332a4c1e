/* Messages over HXB for programs in C and C++: the API of io.hxb.pm. A program attaches to the node of its machine,
 * opens contexts (endpoints of messages) and exchanges messages with contexts of other nodes. Messages arrive in order
 * and exactly once; an event reports those that may not have arrived.
 *
 *   hxb_device *device;
 *   hxb_context *context;
 *   hxb_message message;
 *   if (hxb_attach(NULL, &device) == HXB_OK && hxb_open_context(device, 1, NULL, &context) == HXB_OK) {
 *       hxb_send(context, (hxb_address){.node = 3, .context = 1}, "hello", 5, 42, HXB_SECOND);
 *       if (hxb_receive_wait(context, &message, 10 * HXB_SECOND) == HXB_OK) {
 *           fwrite(message.data, 1, message.length, stdout);
 *           hxb_release(context, &message);
 *       }
 *       hxb_wait_all_sends(context, HXB_SECOND);
 *   }
 *   hxb_detach(device);
 *
 * Results: 0 or more is success. -1 to -99 is an outcome that a correct program has to expect; the numbers are those of
 * Java. -100 and below is an error of the caller, the system or the node, which hxb_last_error describes.
 *
 * Threads: any thread may call functions of a device or a region. A context, and the large messages, remote memory and
 * groups on it, belong to the thread that opened the context, until another thread takes it over with hxb_own_context.
 * In every other thread their functions return HXB_E_THREAD, except hxb_own_context, hxb_wake, hxb_group_rank,
 * hxb_group_members, and hxb_close_context while the owner waits. After one thread has called hxb_detach,
 * hxb_close_context or hxb_close_region, no other thread may begin a call with the same object.
 *
 * Signals: handlers of signals may call hxb_wake, hxb_strerror, hxb_result_name and hxb_version, and nothing else. A
 * signal interrupts no call; hxb_wake does.
 *
 * Structs that a program fills in begin with their size. Later versions append fields, which have their defaults for a
 * program that does not know them. After fork, the child gets HXB_E_FORKED for everything that was opened before; it
 * may attach again. No function is a cancellation point, raises SIGPIPE, or passes a descriptor to a program that is
 * executed. */
#ifndef HXB_H
#define HXB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define HXB_API __attribute__((visibility("default")))
#else
#define HXB_API
#endif

#define HXB_VERSION_MAJOR 0
#define HXB_VERSION_MINOR 1
#define HXB_VERSION_PATCH 0
#define HXB_VERSION_STRING "0.1.0"
/* True if this header has this version or a newer one. */
#define HXB_VERSION_AT_LEAST(major, minor) \
    (HXB_VERSION_MAJOR > (major) || (HXB_VERSION_MAJOR == (major) && HXB_VERSION_MINOR >= (minor)))

#define HXB_SECOND INT64_C(1000000000) /* of ns, the unit of all times here */
#define HXB_FOREVER INT64_MAX

enum hxb_result {
    HXB_OK = 0,
    HXB_NO_BUFFERS = -1,       /* all send buffers that the destination may have are in use: wait or poll, try again */
    HXB_EMPTY = -2,            /* no message, or no event, is waiting */
    HXB_TIMED_OUT = -3,        /* the time given to a wait has passed */
    HXB_PEER_UNREACHABLE = -4, /* no path to the peer's node, it was silent too long, or contradicts itself */
    HXB_PEER_RESTARTED = -5,   /* the peer was restarted; with a slot: it had not released this message before */
    HXB_NO_SUCH_CONTEXT = -6,  /* nobody has opened that context in time, or it has been closed */
    HXB_CONTEXT_CLOSED = -7,   /* closed by the node, see hxb_close_reason; or, during a wait, by another thread */
    HXB_NODE_GONE = -8,        /* the node is gone: detach, then attach again */
    HXB_TOO_LONG = -9,         /* the message is longer than announced */
    HXB_NODE_SILENT = -10,     /* the node has stood still for seconds; nothing is lost: wait again, or close */
    HXB_PEER_FULL = -11,       /* the peer's node or user has as many flows as it may have */
    HXB_STATUS_EVENT = -12,    /* there is an event, but not what was waited for: hxb_poll_event takes it */
    HXB_NOT_ALLOWED = -13,     /* this context's tenant may not send to the peer's */
    HXB_FLOW_LIMIT = -14,      /* this node, context or user has as many flows as it may have */
    HXB_DROPPED = -15,         /* dropped and not sent, as hxb_set_destination has set */
    HXB_INTERRUPTED = -16,     /* hxb_wake has ended this wait */
    HXB_BAD_KEY = -20,         /* no such key at the destination, or it has been revoked */
    HXB_BAD_RANGE = -21,       /* bytes outside of the remote region, or a number that is not at a multiple of 8 */
    HXB_NO_ACCESS = -22,       /* the key does not allow this operation */

    HXB_DISAGREEMENT = -23,    /* members of a group do not agree on an operation, or on who is a member */
    HXB_GROUP_LIMIT = -24,     /* the node has as many groups, or as much memory for them, as it may */
    HXB_GROUP_NODES = -25,     /* the nodes of a group are too many, or not a box of coordinates and more than 64 */

    HXB_E_ARGUMENT = -100, /* an argument is out of its range, or a pointer is null */
    HXB_E_STATE = -101,    /* not valid now: the slot is not claimed, the message not held, the region closed */
    HXB_E_THREAD = -102,   /* the context belongs to another thread */
    HXB_E_FORKED = -103,   /* it was opened before a fork, by the parent process */
    HXB_E_NO_NODE = -104,  /* no node listens there: trying again later may help */
    HXB_E_DENIED = -105,   /* this user may not attach to that node */
    HXB_E_REFUSED = -106,  /* the node refuses, for the reason it gives: a limit, or a context in use */
    HXB_E_SILENT = -107,   /* the node does not answer within 5 s */
    HXB_E_VERSION = -108,  /* the node and this library have no version of the protocol in common */
    HXB_E_PROTOCOL = -109, /* the node answered with something that is not valid */
    HXB_E_MEMORY = -110,   /* there is not enough memory, or too many files are open */
    HXB_E_SYSTEM = -111,   /* a system call failed */
    HXB_E_CORRUPT = -112   /* the shared memory of a context has impossible contents: close it */
};

typedef struct hxb_device hxb_device;
typedef struct hxb_context hxb_context;
typedef struct hxb_region hxb_region;
typedef struct hxb_large hxb_large;
typedef struct hxb_remote hxb_remote;
typedef struct hxb_group hxb_group;

/* The source or destination of messages. */
typedef struct hxb_address {
    int node;    /* its id */
    int context; /* of that node */
} hxb_address;

/* ---- Errors ---- */

/* The meaning of a result as a sentence, for any int. The text is constant: do not free it. */
HXB_API const char *hxb_strerror(int result);

/* The name of a result, such as "HXB_TIMED_OUT", for any int. */
HXB_API const char *hxb_result_name(int result);

/* Details of the last result of -100 or below in this thread, and what to do; "" if there was none. Valid until this
 * thread calls the library again. */
HXB_API const char *hxb_last_error(void);

/* Version of the library, such as "0.1.0"; HXB_VERSION_STRING is the version of this header. */
HXB_API const char *hxb_version(void);

/* ---- Devices: attachments to the node of this machine ---- */

/* Attaches to the node that listens on a Unix socket. If `socket` is NULL, attaches to the node whose socket HXB_SOCKET
 * names. Otherwise looks for the only node in the folder that HXB_RUN names, in /run/hxb, and in $XDG_RUNTIME_DIR/hxb
 * or, without that variable, /tmp/hxb-USER; the first folder that has a socket counts. Blocks for at most 5 seconds. */
HXB_API int hxb_attach(const char *socket, hxb_device **device);

/* Closes all contexts and regions of the device, and the device itself; none of them may be used afterwards. Waits of
 * other threads return HXB_CONTEXT_CLOSED, and their requests HXB_NODE_GONE. NULL is allowed. */
HXB_API int hxb_detach(hxb_device *device);

HXB_API int hxb_node_id(const hxb_device *device);       /* of the attached node */
HXB_API int hxb_node_count(const hxb_device *device);    /* node ids are 0 to this - 1 */
HXB_API int hxb_context_count(const hxb_device *device); /* context ids are 0 to this - 1 */
HXB_API int hxb_mtu(const hxb_device *device);           /* bytes of the longest message */
HXB_API const char *hxb_shape(const hxb_device *device); /* for example "3x3x3"; NULL if the device is not valid */

/* Writes the coordinates of a node, X first, one for each dimension and at most `capacity`. Returns the number of
 * dimensions, 1 to 8. */
HXB_API int hxb_coordinates(const hxb_device *device, int node, int *coordinates, int capacity);

/* The id of the node at these coordinates, one for each dimension. */
HXB_API int hxb_node_at(const hxb_device *device, const int *coordinates, int dimensions);

/* 1 if the node is alive, 0 if it is gone. Makes a system call. */
HXB_API int hxb_is_node_alive(const hxb_device *device);

/* A descriptor that becomes readable when the node dies. Poll it together with hxb_context_fd. */
HXB_API int hxb_device_fd(const hxb_device *device);

/* ---- Links of the node ---- */

typedef struct hxb_link_event {
    int64_t time_ms; /* when the node noticed, in ms since 1970 */
    int dimension;   /* of the link, 0 to 7 */
    int number;      /* of the link in the trunk of its dimension, from 0 */
    int neighbour;   /* node id of the node at its other end */
    bool is_good;    /* frames pass now */
    bool is_last;    /* the link failed, and no other link of this trunk reaches the neighbour */
    char reason[65];
} hxb_link_event;

typedef void (*hxb_link_listener)(void *user, const hxb_link_event *event);

/* Sets the function to call when links of the node fail or recover; NULL removes it. Waits, hxb_arm and hxb_poll_event
 * of any context of the device, and hxb_poll_link_events, call it in their own thread. */
HXB_API int hxb_on_link_event(hxb_device *device, hxb_link_listener listener, void *user);

/* Passes the changes since the last call to the listener, and returns their number. Only the last 16 are kept. */
HXB_API int hxb_poll_link_events(hxb_device *device);

/* Number of link changes since the node started. */
HXB_API int64_t hxb_link_event_count(const hxb_device *device);

/* ---- Contexts: endpoints of messages ---- */

typedef struct hxb_context_options {
    size_t size;           /* of the struct as the program knows it: hxb_default_options sets it */
    int send_buffers;      /* messages that may be in flight at the same time, 1 to 65,536 */
    /* Of each, a multiple of 64, at most 2^20, which is the longest message of the context then; 0 for the node's
     * longest message. With 0 and 32 buffers or more none has more than 9,216 bytes, and a longer message takes as many
     * adjacent ones as it needs, rounded up to a power of two: one of 65,536 bytes takes 8. */
    int send_buffer_bytes;
    int delivery_entries;  /* messages delivered and not released, a power of two of 64 to 2^20 */
    int64_t spin_ns;       /* longest spin of a wait before it sleeps: 0 sleeps at once, HXB_FOREVER hardly ever. A wait
                            * yields while other threads need its CPU, as in Java. */
    int64_t peer_wait_ns;  /* longest time for which messages wait until their destination is opened, at most a day */
} hxb_context_options;

/* The defaults: 256 buffers, 4,096 deliveries, 50 us of spinning, 10 s for a peer to open. */
#define hxb_default_options(options) hxb_default_options_sized((options), sizeof *(options))
HXB_API void hxb_default_options_sized(hxb_context_options *options, size_t size);

/* Opens context `context_id` of this node, with the default options if `options` is NULL. Each of a few requests to the
 * node blocks for at most 5 seconds. */
HXB_API int hxb_open_context(hxb_device *device, int context_id, const hxb_context_options *options,
                             hxb_context **context);

/* Makes the calling thread the owner. The former owner must not use the context any more. */
HXB_API int hxb_own_context(hxb_context *context);

/* Closes a context. Messages that were sent and not acknowledged may be lost. Senders of messages that were not
 * released get an event that they may be lost. Never waits for the node. Another thread may close the context while its
 * owner waits: the wait returns HXB_CONTEXT_CLOSED. NULL is allowed. */
HXB_API int hxb_close_context(hxb_context *context);

HXB_API int hxb_context_id(const hxb_context *context);
HXB_API int hxb_send_buffer_count(const hxb_context *context);
HXB_API int hxb_max_length(const hxb_context *context); /* of a message in send buffers, at most hxb_mtu */
HXB_API const char *hxb_close_reason(const hxb_context *context);

/* ---- Sending ---- */

/* Sends a copy of `length` bytes. Waits for a buffer if the destination has none left, but not until the message
 * arrives. Returns HXB_OK, HXB_TIMED_OUT, HXB_STATUS_EVENT (an earlier message has failed), HXB_CONTEXT_CLOSED,
 * HXB_NODE_GONE or HXB_NODE_SILENT; and with the options of hxb_set_destination, HXB_NO_BUFFERS or HXB_DROPPED. */
HXB_API int hxb_send(hxb_context *context, hxb_address to, const void *data, size_t length, uint32_t tag,
                     int64_t timeout_ns);

/* Sends a message that consists of 0 to 1,024 parts in this order; otherwise as hxb_send. A cookie other than 0 is as
 * in hxb_set_cookie. */
HXB_API int hxb_sendv(hxb_context *context, hxb_address to, const struct iovec *parts, int count, uint32_t tag,
                      uint64_t cookie, int64_t timeout_ns);

/* Sends without a copy: claims a send slot for a message of at most `length` bytes, and sets *data to its buffer, which
 * is 8-byte aligned. Returns the slot, 0 or more; hxb_commit or hxb_abort ends the claim. Returns HXB_NO_BUFFERS or
 * HXB_DROPPED if all slots that the destination may have are claimed or in flight. */
HXB_API int hxb_claim(hxb_context *context, hxb_address to, size_t length, void **data);

/* As hxb_claim, but waits for a slot; returns the results of hxb_send, too. */
HXB_API int hxb_claim_wait(hxb_context *context, hxb_address to, size_t length, void **data, int64_t timeout_ns);

/* Names the message of a claimed slot by a number of the program's own, not 0. hxb_poll_completion reports its end, and
 * its slot is not claimed again before. */
HXB_API int hxb_set_cookie(hxb_context *context, int slot, uint64_t cookie);

/* Sends the message in a claimed slot; `length` is at most the length that was claimed. Do not touch the bytes until
 * hxb_is_send_done returns 1. */
HXB_API int hxb_commit(hxb_context *context, int slot, size_t length, uint32_t tag);

/* As hxb_commit, for a message of at most hxb_mtu bytes in a region; the buffer of the slot is not used. */
HXB_API int hxb_commit_from(hxb_context *context, int slot, const hxb_region *region, uint64_t offset, size_t length,
                            uint32_t tag);

/* Gives a claimed slot back without sending. */
HXB_API int hxb_abort(hxb_context *context, int slot);

typedef struct hxb_completion {
    uint64_t cookie;
    int status; /* HXB_OK: acknowledged by the peer's node; otherwise that of the event, which there is, too */
    int slot;
    hxb_address to;
    uint64_t reserved[2];
} hxb_completion;

/* Takes the completion of the next message that has a cookie: HXB_OK or HXB_EMPTY. HXB_WAIT_SENDS waits for one. */
HXB_API int hxb_poll_completion(hxb_context *context, hxb_completion *completion);

/* 1 if the message of the slot was acknowledged by the peer's node, or failed, which an event reports; otherwise 0. */
HXB_API int hxb_is_send_done(hxb_context *context, int slot);

/* Number of messages sent that are neither acknowledged nor failed. */
HXB_API int hxb_unfinished_sends(hxb_context *context);

/* Destinations share the send buffers by how many are free. A slow destination leaves some buffers to the others, and
 * several slow ones have equal parts of the rest. Of 8 buffers or more no destination gets all; of 256, one alone gets
 * 200. A destination that has none of its messages done while 512 messages to others are done gets 32. A send waits for
 * buffers of its own destination only. */
typedef struct hxb_unfinished {
    int messages;    /* claimed, or sent and neither acknowledged nor failed; without those that went directly to a
                      * context of this node, which are done at once */
    bool is_full;    /* another message to this destination would find no buffer now */
    int64_t bytes;   /* of the messages that were sent */
    int64_t dropped; /* messages dropped since hxb_set_destination */
    uint64_t reserved[2];
} hxb_unfinished;

/* Unfinished messages to one destination. */
HXB_API int hxb_unfinished_to(hxb_context *context, hxb_address to, hxb_unfinished *unfinished);

typedef struct hxb_destination_options {
    size_t size;         /* of the struct as the program knows it */
    int max_messages;    /* claimed or unfinished at a time, at most the share of the destination; 0 for that share */
    int64_t max_wait_ns; /* longest wait of a send or claim, if shorter than its time-out: 0 returns HXB_NO_BUFFERS at
                          * once; HXB_FOREVER leaves the time-out of the call */
    bool is_dropping;    /* a message for which there is no buffer within that time is dropped: HXB_DROPPED */
} hxb_destination_options;

/* Sets how messages to one destination are handled while it is slow, until the next call for it. If `options` is NULL,
 * they are 0, HXB_FOREVER and false. */
HXB_API int hxb_set_destination(hxb_context *context, hxb_address to,
                                const hxb_destination_options *options);

/* Waits until all messages sent are acknowledged. Returns HXB_STATUS_EVENT if one has failed: take the events, then
 * call it again. */
HXB_API int hxb_wait_all_sends(hxb_context *context, int64_t timeout_ns);

/* ---- Receiving ---- */

typedef struct hxb_message {
    const void *data; /* in shared memory, 8-byte aligned, read-only; valid until hxb_release */
    uint32_t length;  /* bytes, 0 to hxb_mtu */
    uint32_t tag;     /* given by the sender */
    hxb_address from;
    int64_t handle; /* names the message until its release; -1 afterwards */
} hxb_message;

/* Receives the next message in place, if there is one: HXB_OK, HXB_EMPTY, HXB_CONTEXT_CLOSED or HXB_NODE_GONE. A
 * program may hold many messages at a time, and release them in any order. */
HXB_API int hxb_receive(hxb_context *context, hxb_message *message);

/* Receives up to `count` messages. Returns their number, 1 or more, or a result of hxb_receive. */
HXB_API int hxb_receive_many(hxb_context *context, hxb_message *messages, int count);

/* As hxb_receive, but waits as hxb_wait(context, HXB_WAIT_MESSAGES, ...) does. */
HXB_API int hxb_receive_wait(hxb_context *context, hxb_message *message, int64_t timeout_ns);

/* Gives the buffer of a message back to the node; do not read its bytes afterwards. */
HXB_API int hxb_release(hxb_context *context, hxb_message *message);

/* Number of messages received and not released. */
HXB_API int hxb_messages_held(const hxb_context *context);

/* ---- Events and waiting ---- */

typedef struct hxb_event {
    int status;  /* HXB_PEER_UNREACHABLE, _PEER_RESTARTED, _PEER_FULL, _NO_SUCH_CONTEXT, _NOT_ALLOWED or _FLOW_LIMIT */
    hxb_address peer;
    int slot;        /* of the message that the peer may not have taken; -1 when a flow as a whole has ended */
    uint64_t cookie; /* of that message; 0 if it has none */
    uint64_t reserved[2];
} hxb_event;

/* Takes the next event: HXB_OK or HXB_EMPTY. After a wait has returned HXB_STATUS_EVENT, call it until HXB_EMPTY. */
HXB_API int hxb_poll_event(hxb_context *context, hxb_event *event);

enum hxb_interest { HXB_WAIT_MESSAGES = 1, HXB_WAIT_SENDS = 2, HXB_WAIT_REMOTE = 64 };

/* Waits for a message (HXB_WAIT_MESSAGES), the end of a send (HXB_WAIT_SENDS), an outcome or notification of remote
 * memory (HXB_WAIT_REMOTE), or any of several. Returns HXB_OK, HXB_STATUS_EVENT if there is only an event,
 * HXB_TIMED_OUT, HXB_CONTEXT_CLOSED, HXB_NODE_GONE (within a second) or HXB_NODE_SILENT. */
HXB_API int hxb_wait(hxb_context *context, int interest, int64_t timeout_ns);

/* Interrupts the owner of the context: its present wait, or otherwise its next one, returns HXB_INTERRUPTED unless it
 * has something to return. Any thread and any handler of signals may call it. It does not make hxb_context_fd
 * readable. */
HXB_API int hxb_wake(hxb_context *context);

/* A descriptor for the program's own poll or epoll. It becomes readable only while armed: call hxb_arm, poll if that
 * returned 1, then call hxb_disarm. */
HXB_API int hxb_context_fd(const hxb_context *context);

/* Arms the descriptor: returns 1, or 0 if there is something to take already or the context is closed. Link events make
 * the descriptor readable, too. An armed context may be armed again, for the same interest or another one. */
HXB_API int hxb_arm(hxb_context *context, int interest);
HXB_API int hxb_disarm(hxb_context *context);

/* ---- Regions: memory from which messages are sent without a copy ---- */

/* Makes 1 to 2^40 bytes of zeroed memory that the node may read, in memfd files of this process. All of it is allocated
 * at once and counts for this process; the cluster file limits how much each user may share with the node. */
HXB_API int hxb_open_region(hxb_device *device, uint64_t length, hxb_region **region);

/* As hxb_open_region, but the node may also write to the memory: for hxb_get, and for regions that others write to.
 * Returns HXB_E_VERSION if the node has no remote memory. */
HXB_API int hxb_open_writable_region(hxb_device *device, uint64_t length, hxb_region **region);

HXB_API void *hxb_region_data(const hxb_region *region); /* 4,096-byte aligned */
HXB_API uint64_t hxb_region_length(const hxb_region *region);

/* Closes a region. First wait until all sends and operations with it are done, and revoke its keys: the keys of a
 * closed region end only when the node notices that it is closed. NULL is allowed. */
HXB_API int hxb_close_region(hxb_region *region);

/* ---- Large messages: of up to 2^40 bytes, over a context that is used for nothing else ---- */

#define HXB_REJECT ((void *)-1)

typedef struct hxb_large_handler {
    size_t size; /* of the struct as the program knows it */
    /* A message begins. Returns a buffer of `length` bytes or more for it; NULL to get its fragments in place, by
     * on_fragment; or HXB_REJECT, which ends the message at its sender, too. */
    void *(*on_start)(void *user, hxb_address from, uint64_t length, uint32_t tag);
    /* A fragment, in order and without gaps; the bytes are valid within the call. NULL if not wanted. */
    void (*on_fragment)(void *user, hxb_address from, uint64_t offset, const void *data, uint32_t length);
    /* A message has ended: HXB_OK, or the reason why the rest will not come. */
    void (*on_end)(void *user, hxb_address from, uint64_t length, uint32_t tag, void *target, int status);
    /* A message sent is done; its memory belongs to the program again. HXB_TOO_LONG: the receiver has
     * rejected it before the rest was sent. NULL if not wanted. */
    void (*on_sent)(void *user, int64_t transfer, int status);
    void *user;
} hxb_large_handler;

typedef struct hxb_large_limits {
    size_t size;         /* of the struct as the program knows it */
    int max_transfers;   /* in flight at the same time, 1 to 65,536 */
    int max_sources;     /* contexts from which messages are received at the same time */
    uint64_t max_length; /* of a message received, 1 to 2^40; longer ones are rejected */
} hxb_large_limits;

/* Uses a context for large messages. If `limits` is NULL, they are 256 transfers, 4,096 sources and 1 GiB.
 * hxb_close_context also ends this use. */
HXB_API int hxb_open_large(hxb_context *context, const hxb_large_handler *handler, const hxb_large_limits *limits,
                           hxb_large **large);

/* Begins to send `length` bytes, which must not change until on_sent; hxb_large_poll continues. The bytes are copied
 * once, or not at all from a region. Returns the number of the transfer, 0 or more, or HXB_NO_BUFFERS. */
HXB_API int64_t hxb_large_send(hxb_large *large, hxb_address to, const void *data, uint64_t length,
                               uint32_t tag);
HXB_API int64_t hxb_large_send_from(hxb_large *large, hxb_address to, const hxb_region *region,
                                    uint64_t offset, uint64_t length, uint32_t tag);

HXB_API int hxb_large_is_sent(hxb_large *large, int64_t transfer); /* 1 if it is done, with or without success */
HXB_API int hxb_large_unfinished(hxb_large *large);                /* transfers that are not done */

/* Receives and sends a bounded amount and calls the handler. Returns the amount of work done, 0 for none. */
HXB_API int hxb_large_poll(hxb_large *large);

/* Waits until hxb_large_poll has something to do. */
HXB_API int hxb_large_wait(hxb_large *large, int64_t timeout_ns);

/* Number of messages and fragments dropped because their sender broke the rules or the limits. */
HXB_API int64_t hxb_large_rejected(const hxb_large *large);

/* ---- Remote memory: reading, writing and changing memory that other programs share, without waking them ----
 *
 * Puts, atomic operations and fences of one context to another are performed in the order in which they were begun, and
 * all operations end in that order. A get reads after the puts and atomic operations before it, but may see later ones;
 * a fence keeps these back. The bytes of one put or get are written and read in no particular order. An atomic
 * operation is also atomic towards atomic operations of the CPU. Operations of different pairs of contexts have no
 * order, and neither have operations and messages. */

enum hxb_access { HXB_ACCESS_READ = 1, HXB_ACCESS_WRITE = 2, HXB_ACCESS_ATOMIC = 4 };

typedef struct hxb_remote_options {
    size_t size;       /* of the struct as the program knows it: hxb_default_remote_options sets it */
    int operations;    /* in flight or with an outcome that was not taken, a power of two of 16 to 4,096 */
    int notifications; /* that wait to be taken, a power of two of 16 to 65,536; further puts wait */
    int fragments;     /* in flight in each direction, 8 to 4,096; each takes twice hxb_mtu of memory, at most
                        * 9,216 bytes: longer ones take as many as they need */
} hxb_remote_options;

/* The defaults: 256 operations, 1,024 notifications, 256 fragments. */
#define hxb_default_remote_options(options) hxb_default_remote_options_sized((options), sizeof *(options))
HXB_API void hxb_default_remote_options_sized(hxb_remote_options *options, size_t size);

/* Lets a context use remote memory, with the default options if `options` is NULL; once for a context. This use ends
 * with the context, and belongs to its thread. Blocks for at most 5 seconds. */
HXB_API int hxb_open_remote(hxb_context *context, const hxb_remote_options *options, hxb_remote **remote);

/* Shares a region with all programs that know the key, through any context of its device that uses remote memory.
 * Rights are of enum hxb_access; more than HXB_ACCESS_READ needs a writable region. The key cannot be guessed. Blocks
 * for at most 5 seconds. */
HXB_API int hxb_share_region(const hxb_region *region, int rights, uint64_t *key);

/* Ends the sharing by a key: after the return nothing is written through it, and operations that use it end with
 * HXB_BAD_KEY. Blocks for at most 5 seconds. */
HXB_API int hxb_revoke(hxb_device *device, uint64_t key);

/* A region that another context shares. Every program that has the address and the key may use it. */
typedef struct hxb_remote_region {
    hxb_address at;
    uint64_t key;
} hxb_remote_region;

/* The functions below begin an operation and return its number, 0 or more, which is free again after hxb_poll_outcome
 * has returned its outcome. They return HXB_NO_BUFFERS when too many operations are in flight, in all or to the
 * destination: poll, then try again. They also return HXB_CONTEXT_CLOSED or HXB_NODE_GONE. The node of the remote
 * region checks ranges in it. A length is 0 to 2^30 bytes. */

/* Writes bytes of `from`, which must not change until the operation is done: then they can be read at the
 * destination. */
HXB_API int hxb_put(hxb_remote *remote, const hxb_region *from, uint64_t from_offset, const hxb_remote_region *to,
                    uint64_t to_offset, uint64_t length);

/* As hxb_put; the other program then gets a notification, by hxb_poll_notification. */
HXB_API int hxb_put_notify(hxb_remote *remote, const hxb_region *from, uint64_t from_offset,
                           const hxb_remote_region *to, uint64_t to_offset, uint64_t length, uint64_t tag);

/* Reads into `to`, a writable region; do not use these bytes until the operation is done. */
HXB_API int hxb_get(hxb_remote *remote, const hxb_remote_region *from, uint64_t from_offset, hxb_region *to,
                    uint64_t to_offset, uint64_t length);

/* Change a number of 8 bytes at a multiple of 8; the outcome has the previous value. */
HXB_API int hxb_fetch_add(hxb_remote *remote, const hxb_remote_region *to, uint64_t offset, uint64_t addend);
HXB_API int hxb_compare_swap(hxb_remote *remote, const hxb_remote_region *to, uint64_t offset, uint64_t expected,
                             uint64_t desired);

/* Is done when all operations to this context that were begun before it are; later ones are performed after it. */
HXB_API int hxb_fence(hxb_remote *remote, hxb_address to);

typedef struct hxb_outcome {
    int operation;
    int status; /* HXB_OK, _BAD_KEY, _BAD_RANGE, _NO_ACCESS, or the reason why the destination was not reached */
    uint64_t value;
} hxb_outcome;

/* Takes the outcome of an operation that is done: HXB_OK, HXB_EMPTY, HXB_CONTEXT_CLOSED or HXB_NODE_GONE. */
HXB_API int hxb_poll_outcome(hxb_remote *remote, hxb_outcome *outcome);

typedef struct hxb_notification {
    hxb_address from;
    uint64_t key, offset, length, tag; /* of the put */
    uint64_t reserved[2];
} hxb_notification;

/* Takes the next notification; returns the results of hxb_poll_outcome. */
HXB_API int hxb_poll_notification(hxb_remote *remote, hxb_notification *notification);

HXB_API int hxb_unfinished_operations(const hxb_remote *remote); /* operations whose outcomes were not taken */

/* The same for one destination. A destination that takes no notifications holds back operations to itself only. The
 * share of a destination is as for send buffers, see hxb_unfinished_to. */
HXB_API int hxb_unfinished_operations_to(const hxb_remote *remote, hxb_address to);

/* Waits until all operations are done, and takes the outcomes of all but atomic operations, whose values remain for
 * hxb_poll_outcome; notifications remain, too. Returns HXB_OK, or the status of the first operation that failed; with
 * operations left, HXB_TIMED_OUT or another result of hxb_wait. */
HXB_API int hxb_finish(hxb_remote *remote, int64_t timeout_ns);

/* ---- Groups: operations of many programs together, which the nodes carry out ----
 *
 * A node combines the data of its members and then of its lines, along X, then Y, then Z, and wakes each member once.
 * All members get the same bits. All members call the same operations in the same order, with the same types, counts,
 * functions and roots; otherwise all get HXB_DISAGREEMENT. A member may begin an operation when it has the result of
 * the previous one. Every operation waits for all members, a broadcast, too. When a member or its node goes away,
 * operations without a result and all later ones end with a status at all members. Links that fail only cost time.
 *
 * The nodes of a group are any box of coordinates, such as a line, a plane or all; otherwise at most 64. */

enum hxb_function { HXB_OP_SUM = 1, HXB_OP_MIN = 2, HXB_OP_MAX = 3 };
enum hxb_type { HXB_TYPE_INT32 = 2, HXB_TYPE_INT64 = 3, HXB_TYPE_DOUBLE = 4 };

#define HXB_GROUP_BYTES 4096 /* longest data of an operation */

/* Joins a group through a context, which is used for nothing but groups afterwards, at most 16. `id` is any number that
 * the members have agreed on; a new one that cannot be guessed keeps others out. `nodes` has the node of each member by
 * rank, and is the same at all members. Waits until all members of this node and of the nodes on its lines have joined.
 * Returns HXB_OK, HXB_TIMED_OUT, HXB_DISAGREEMENT, HXB_GROUP_LIMIT, HXB_GROUP_NODES, HXB_NOT_ALLOWED (the members are
 * of different tenants), HXB_NO_SUCH_CONTEXT (a member is gone), HXB_PEER_UNREACHABLE, or another result of
 * hxb_wait. */
HXB_API int hxb_group_join(hxb_context *context, uint64_t id, const int *nodes, int members, int rank,
                           int64_t timeout_ns, hxb_group **group);

/* As hxb_group_join, but does not wait. Begin nothing else until hxb_group_test or hxb_group_wait returns whether the
 * member has joined. Leave the group in any case. */
HXB_API int hxb_group_start_join(hxb_context *context, uint64_t id, const int *nodes, int members, int rank,
                                 hxb_group **group);

/* Leaves the group: operations that this member has not begun end at all others. hxb_close_context leaves all groups.
 * Waits until the node has taken the message, usually some microseconds. Returns HXB_CONTEXT_CLOSED or HXB_NODE_GONE
 * where the node has ended; the group is left then, too. NULL is allowed. */
HXB_API int hxb_group_leave(hxb_group *group);

HXB_API int hxb_group_rank(const hxb_group *group);
HXB_API int hxb_group_members(const hxb_group *group);

/* The functions below begin an operation: HXB_OK, or the reason why the group has ended. Do not change the data or use
 * the result until hxb_group_test or hxb_group_wait returns that the operation has ended. */
HXB_API int hxb_group_start_barrier(hxb_group *group);

/* All members get `length` bytes of the root, at most HXB_GROUP_BYTES. */
HXB_API int hxb_group_start_broadcast(hxb_group *group, int root, void *data, size_t length);

/* Each of `count` elements of the result is the combination of those of all members; at most HXB_GROUP_BYTES. `result`
 * may be `data`. Integers wrap. */
HXB_API int hxb_group_start_allreduce(hxb_group *group, int function, int type, const void *data, void *result,
                                      int count);

/* Returns HXB_OK if the operation has ended, HXB_EMPTY if it has not, HXB_DISAGREEMENT if there is no result because
 * the members do not agree on the operation, or the reason why the group has ended: leave it. */
HXB_API int hxb_group_test(hxb_group *group);

/* As hxb_group_test, but waits. After HXB_TIMED_OUT or HXB_NODE_SILENT the operation is still in progress. */
HXB_API int hxb_group_wait(hxb_group *group, int64_t timeout_ns);

/* The functions below begin an operation and wait for it. */
HXB_API int hxb_group_barrier(hxb_group *group, int64_t timeout_ns);
HXB_API int hxb_group_broadcast(hxb_group *group, int root, void *data, size_t length, int64_t timeout_ns);
HXB_API int hxb_group_allreduce(hxb_group *group, int function, int type, const void *data, void *result, int count,
                                int64_t timeout_ns);

#ifdef __cplusplus
}
#endif

#endif
