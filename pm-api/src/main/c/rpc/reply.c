/* Answers of the program to requests of peers. */
#include "rpc/rpc.h"

static int answer(hxb_rpc *rpc, const hxb_rpc_request *request, int kind, const void *data, size_t length) {
    int result = rpc_check(rpc);
    if (result == HXB_OK && request == NULL) {
        return fail(HXB_E_ARGUMENT, "the request is NULL");
    }
    result = result == HXB_OK ? rpc_check_data(rpc, data, length) : result;
    if (result != HXB_OK) {
        return result;
    }
    struct rpc_peer *peer = rpc_find(rpc, request->from);
    if (peer == NULL || peer->history.endpoint_id != request->endpoint_id) {
        return HXB_PEER_RESTARTED;
    }
    int place = request->is_published ? -1 : rpc_find_run(&peer->history, request->number);
    if (place < 0 || peer->history.run[place].is_answered) {
        return fail(HXB_E_STATE, "the request has a reply, or wants none");
    }
    if (!rpc_post(peer, kind, request->endpoint_id, request->number, data, length)) {
        return fail(HXB_E_MEMORY, "no memory for a reply of %zu bytes", length);
    }
    peer->history.run[place].is_answered = true;
    rpc_flush_outside(rpc);
    return HXB_OK;
}

int hxb_rpc_reply(hxb_rpc *rpc, const hxb_rpc_request *request, const void *data, size_t length) {
    return answer(rpc, request, RPC_REPLY, data, length);
}

int hxb_rpc_refuse(hxb_rpc *rpc, const hxb_rpc_request *request, const char *why) {
    return answer(rpc, request, RPC_FAILURE, why, why == NULL ? 0 : strlen(why));
}
