/* Requests and replies over HXB, for programs in C and C++: what most services need on top of messages. Works with
 * io.hxb.pm.rpc of Java; docs/howto/rpc.md describes both and their messages.
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
 * An endpoint of requests, hxb_rpc, has a device and a context of its own. It works only within its calls. A program
 * calls hxb_rpc_serve again and again, which sends, receives, and calls the functions of the program. The endpoint
 * attaches again when the node of this machine has been restarted; requests continue.
 *
 * At most once: a request that may have been lost is sent again, and the peer knows which requests it has begun. Always
 * ended: each request ends, at its deadline at the latest, by one call of its function. Bounded: at most
 * HXB_RPC_OUTSTANDING requests to one peer are unfinished; a slow peer holds up no other peer.
 *
 * Threads: an endpoint belongs to the thread that opened it, or called hxb_rpc_own last; every other thread gets
 * HXB_E_THREAD. Any thread may call hxb_rpc_wake while the endpoint is open. Signals: handlers of signals may call
 * hxb_rpc_wake, and nothing else. A signal interrupts no call. After fork, the child gets HXB_E_FORKED; it may open an
 * endpoint of its own. Functions of the program may call everything but hxb_rpc_serve, hxb_rpc_call_wait and
 * hxb_rpc_close, which return HXB_E_STATE there. */
#ifndef HXB_RPC_H
#define HXB_RPC_H

#include <hxb.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HXB_RPC_UNDER_WAY 64     /* requests to one peer that have been sent and have no reply */
#define HXB_RPC_WAITING 1024     /* further requests that wait here, and as many published messages */
#define HXB_RPC_OUTSTANDING 1088 /* both together */
#define HXB_RPC_HEADER_BYTES 24  /* of each message: a request or reply has at most hxb_mtu minus this */

typedef struct hxb_rpc hxb_rpc;

/* A request of a peer, or a published message. Copy it to reply later; `data` is valid within the call. */
typedef struct hxb_rpc_request {
    hxb_address from;
    const void *data;
    size_t length;
    bool is_published; /* to many peers: there is no reply */
    uint64_t endpoint_id; /* of the sender; with `from` and `number`, identifies the request */
    uint64_t number;
    uint64_t reserved[2];
} hxb_rpc_request;

/* The end of a request. */
typedef struct hxb_rpc_result {
    hxb_address peer;
    int status;       /* HXB_OK: `data` is the reply. HXB_E_REFUSED: `data` is the peer's reason. HXB_TIMED_OUT.
                       * HXB_PEER_RESTARTED: the peer is another process, or its reply was lost. HXB_NO_BUFFERS: the
                       * peer has too many requests. HXB_CONTEXT_CLOSED: hxb_rpc_close was called. HXB_NODE_GONE,
                       * HXB_NO_SUCH_CONTEXT, HXB_PEER_UNREACHABLE, HXB_PEER_FULL, HXB_FLOW_LIMIT: the reason for which
                       * it timed out. */
    bool may_be_done; /* false: it was certainly not carried out, or `data` is its result */
    const void *data; /* valid within the call */
    size_t length;
    uint64_t reserved[2];
} hxb_rpc_result;

typedef void (*hxb_rpc_done)(void *user, const hxb_rpc_result *result);

typedef struct hxb_rpc_options {
    size_t size;        /* of the struct as the program knows it */
    const char *socket; /* of the node; NULL to find it, as hxb_attach does */
    int context_id;     /* to which others send requests */
    void *user;         /* passed to the functions */
    /* A request has come, each one once. Call hxb_rpc_reply or hxb_rpc_refuse, now or later: a peer may have 128
     * requests without an answer. NULL refuses all. */
    void (*on_request)(void *user, hxb_rpc *rpc, const hxb_rpc_request *request);
    /* A watched peer has answered, or has failed or not answered for three seconds. NULL if not wanted. */
    void (*on_peer)(void *user, hxb_rpc *rpc, hxb_address peer, bool is_there);
} hxb_rpc_options;

/* Attaches and opens the context, as hxb_attach and hxb_open_context do. Blocks for some seconds at most. */
HXB_API int hxb_rpc_open(const hxb_rpc_options *options, hxb_rpc **rpc);

/* Ends all requests with HXB_CONTEXT_CLOSED, and closes the endpoint. NULL is allowed. */
HXB_API int hxb_rpc_close(hxb_rpc *rpc);

/* Makes the calling thread the owner. The former owner must not use the endpoint any more. */
HXB_API int hxb_rpc_own(hxb_rpc *rpc);

/* Works, and waits for more work, until functions of the program have been called or the time has passed. Returns the
 * number of calls, 1 or more, HXB_TIMED_OUT, or HXB_INTERRUPTED after hxb_rpc_wake. A node that is gone is no error. */
HXB_API int hxb_rpc_serve(hxb_rpc *rpc, int64_t timeout_ns);

/* Interrupts hxb_rpc_serve: the call that waits, or otherwise the next one. Any thread and any handler of signals may
 * call it. */
HXB_API int hxb_rpc_wake(hxb_rpc *rpc);

/* Sends a copy of a request. hxb_rpc_serve calls `done` once, within `timeout_ns`, which is at most a day. Returns
 * HXB_OK, or HXB_NO_BUFFERS at once if the peer has HXB_RPC_OUTSTANDING requests: then `done` is not called. */
HXB_API int hxb_rpc_call(hxb_rpc *rpc, hxb_address to, const void *data, size_t length, int64_t timeout_ns,
                         hxb_rpc_done done, void *user);

/* As hxb_rpc_call, but serves until there is room, at most for `timeout_ns`; the request has the rest of that time.
 * Returns HXB_OK, HXB_TIMED_OUT or HXB_INTERRUPTED. */
HXB_API int hxb_rpc_call_wait(hxb_rpc *rpc, hxb_address to, const void *data, size_t length, int64_t timeout_ns,
                              hxb_rpc_done done, void *user);

/* Number of requests to a peer that have not ended. */
HXB_API int hxb_rpc_outstanding(const hxb_rpc *rpc, hxb_address to);

/* Replies with a copy of the data. Returns HXB_PEER_RESTARTED if the peer is another process by now, or HXB_E_STATE if
 * the request has a reply already. */
HXB_API int hxb_rpc_reply(hxb_rpc *rpc, const hxb_rpc_request *request, const void *data, size_t length);

/* Replies that the request is not carried out, with the reason as UTF-8 text. */
HXB_API int hxb_rpc_refuse(hxb_rpc *rpc, const hxb_rpc_request *request, const char *why);

/* Sends a copy to each of `count` peers, without replies. Peers that are gone, or for which HXB_RPC_WAITING messages
 * wait, miss it. Returns the number of the other peers. */
HXB_API int hxb_rpc_publish(hxb_rpc *rpc, const hxb_address *to, int count, const void *data, size_t length);

/* Pings a peer every second; on_peer reports changes. The peer counts as gone until it answers. */
HXB_API int hxb_rpc_watch(hxb_rpc *rpc, hxb_address peer);

HXB_API int hxb_rpc_node_id(const hxb_rpc *rpc);        /* of this machine's node */
HXB_API size_t hxb_rpc_max_length(const hxb_rpc *rpc);  /* bytes of a request or reply */
HXB_API int64_t hxb_rpc_attachments(const hxb_rpc *rpc); /* number of times that it has attached, 1 or more */

#ifdef __cplusplus
}
#endif

#endif
