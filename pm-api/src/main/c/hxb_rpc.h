/* Requests and replies over HXB, for programs in C and C++: what most services need on top of messages. Speaks with
 * io.hxb.pm.rpc of Java, whose page (docs/howto/rpc.md) describes both and what they send each other.
 *
 *   static void on_request(void *user, hxb_rpc *rpc, const hxb_rpc_request *request) {
 *       hxb_rpc_reply(rpc, request, request->data, request->length);
 *   }
 *   static void on_done(void *user, const hxb_rpc_result *result) {
 *       printf("%s: %.*s\n", hxb_result_name(result->status), (int)result->length, (const char *)result->data);
 *   }
 *   ...
 *   hxb_rpc *rpc;
 *   hxb_rpc_options options = {.size = sizeof options, .context_id = 10, .on_request = on_request};
 *   if (hxb_rpc_open(&options, &rpc) == HXB_OK) {
 *       hxb_rpc_call(rpc, (hxb_address){1, 10}, "what", 4, 5 * HXB_SECOND, on_done, NULL);
 *       while (is_running) {
 *           hxb_rpc_serve(rpc, HXB_SECOND);
 *       }
 *   }
 *
 * An end has a device and a context of its own. Everything happens within its calls, above all hxb_rpc_serve, which a
 * program has to call again and again: it sends, receives, and calls the functions that the program has given. It
 * attaches by itself, now and whenever the node of this machine has been started again; requests go on meanwhile.
 *
 * At most once: a request that may have been lost is sent again by itself, and the peer knows which it has begun.
 * Told: each request ends, at its deadline at the latest, by one call of its function.
 * Bounded: requests to one peer that have not ended are HXB_RPC_OUTSTANDING at most; a slow peer holds up nobody else.
 *
 * Threads: an end belongs to the thread that opened it, or called hxb_rpc_own last; every other thread gets HXB_E_THREAD.
 * Any thread may call hxb_rpc_wake, while the end is open. Signals: handlers of signals may call hxb_rpc_wake, and
 * nothing else. Signals interrupt no call. After fork, the child gets HXB_E_FORKED; it may open an end of its own.
 * Functions of the program may call everything but hxb_rpc_serve, hxb_rpc_call_wait and hxb_rpc_close (HXB_E_STATE). */
#ifndef HXB_RPC_H
#define HXB_RPC_H

#include <hxb.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HXB_RPC_UNDER_WAY 64     /* requests to one peer that have been sent and have no reply */
#define HXB_RPC_WAITING 1024     /* further ones that wait here, and as many messages to many */
#define HXB_RPC_OUTSTANDING 1088 /* both together */
#define HXB_RPC_HEADER_BYTES 24  /* a request or reply is at most a message less these */

typedef struct hxb_rpc hxb_rpc;

/* A request of a peer, or a message to many. It may be copied, to be replied to later; `data` is valid within the call. */
typedef struct hxb_rpc_request {
    hxb_address from;
    const void *data;
    size_t length;
    bool is_published; /* to many: there is no reply */
    uint64_t end;      /* with `from`, names the request */
    uint64_t number;
    uint64_t reserved[2];
} hxb_rpc_request;

/* How a request has ended. */
typedef struct hxb_rpc_result {
    hxb_address peer;
    int status;       /* HXB_OK: there is a reply. HXB_E_REFUSED: the peer says why there is none, in `data`. HXB_TIMED_OUT;
                       * HXB_PEER_RESTARTED: the peer is another process, or its reply was lost; HXB_NO_BUFFERS: the peer
                       * has too many requests; HXB_CONTEXT_CLOSED: hxb_rpc_close; HXB_NODE_GONE, HXB_NO_SUCH_CONTEXT,
                       * HXB_PEER_UNREACHABLE, HXB_PEER_FULL, HXB_FLOW_LIMIT: timed out, and this is why */
    bool may_be_done; /* false: it was certainly not carried out, or `data` says what has come of it */
    const void *data; /* valid within the call */
    size_t length;
    uint64_t reserved[2];
} hxb_rpc_result;

typedef void (*hxb_rpc_done)(void *user, const hxb_rpc_result *result);

typedef struct hxb_rpc_options {
    size_t size;        /* of the struct as the program knows it */
    const char *socket; /* of the node; NULL to find it, as hxb_attach does */
    int context_id;     /* that others send requests to */
    void *user;         /* given to the functions */
    /* A peer asks for something, once for each request; hxb_rpc_reply or hxb_rpc_refuse has to follow, now or later: a
     * peer may have 128 requests without. NULL refuses all. */
    void (*on_request)(void *user, hxb_rpc *rpc, const hxb_rpc_request *request);
    /* A peer that is watched has been heard of, or has failed or not been heard of for three seconds. NULL if not wanted. */
    void (*on_peer)(void *user, hxb_rpc *rpc, hxb_address peer, bool is_there);
} hxb_rpc_options;

/* Attaches and opens the context; blocks for some seconds at most. As hxb_attach and hxb_open_context. */
HXB_API int hxb_rpc_open(const hxb_rpc_options *options, hxb_rpc **rpc);

/* Ends all requests with HXB_CONTEXT_CLOSED, and the end itself. NULL is allowed. */
HXB_API int hxb_rpc_close(hxb_rpc *rpc);

/* Makes the calling thread the owner. The former owner must not use the end any more. */
HXB_API int hxb_rpc_own(hxb_rpc *rpc);

/* Does what there is to do, and waits for more, until functions of the program have been called or the time has passed:
 * how many, 1 or more; HXB_TIMED_OUT; HXB_INTERRUPTED by hxb_rpc_wake. That the node is gone is no error. */
HXB_API int hxb_rpc_serve(hxb_rpc *rpc, int64_t timeout_ns);

/* Ends hxb_rpc_serve, the one that waits or else the next. For any thread, and handlers of signals. */
HXB_API int hxb_rpc_wake(hxb_rpc *rpc);

/* Sends a copy of a request. `done` is called once, by hxb_rpc_serve, within `timeout_ns`, at most a day. HXB_OK;
 * HXB_NO_BUFFERS at once if the peer has HXB_RPC_OUTSTANDING: then `done` is not called. */
HXB_API int hxb_rpc_call(hxb_rpc *rpc, hxb_address to, const void *data, size_t length, int64_t timeout_ns,
                         hxb_rpc_done done, void *user);

/* The same, and serves until there is room, at most for `timeout_ns`; then the rest of it is the request's. HXB_OK,
 * HXB_TIMED_OUT, HXB_INTERRUPTED. */
HXB_API int hxb_rpc_call_wait(hxb_rpc *rpc, hxb_address to, const void *data, size_t length, int64_t timeout_ns,
                              hxb_rpc_done done, void *user);

/* Requests to a peer that have not ended. */
HXB_API int hxb_rpc_outstanding(const hxb_rpc *rpc, hxb_address to);

/* Replies with a copy. HXB_PEER_RESTARTED if the peer's process is another one by now; HXB_E_STATE if the request has a
 * reply. */
HXB_API int hxb_rpc_reply(hxb_rpc *rpc, const hxb_rpc_request *request, const void *data, size_t length);

/* The same with why it is not done, UTF-8. */
HXB_API int hxb_rpc_refuse(hxb_rpc *rpc, const hxb_rpc_request *request, const char *why);

/* Sends a copy to each of `count` peers, without replies: those that are gone, or for which HXB_RPC_WAITING wait, miss it.
 * Returns for how many it waits or was sent. */
HXB_API int hxb_rpc_publish(hxb_rpc *rpc, const hxb_address *to, int count, const void *data, size_t length);

/* Asks a peer every second whether it is there: on_peer tells of changes. It counts as gone until it is heard of. */
HXB_API int hxb_rpc_watch(hxb_rpc *rpc, hxb_address peer);

HXB_API int hxb_rpc_node_id(const hxb_rpc *rpc);        /* of this machine's node */
HXB_API size_t hxb_rpc_max_length(const hxb_rpc *rpc);  /* bytes of a request or reply */
HXB_API int64_t hxb_rpc_attachments(const hxb_rpc *rpc); /* how often it has attached, 1 or more */

#ifdef __cplusplus
}
#endif

#endif
