/* Checks of what programs pass. */
#include "rpc/rpc.h"

int rpc_check(const hxb_rpc *rpc) {
    if (rpc == NULL) {
        return fail(HXB_E_ARGUMENT, "the endpoint is NULL");
    }
    if (is_forked(rpc->process)) {
        return fail(HXB_E_FORKED, "the endpoint of context %d was opened before a fork", rpc->context_id);
    }
    if (atomic_load_explicit(&rpc->owner, memory_order_relaxed) != this_thread()) {
        return fail(HXB_E_THREAD, "the endpoint of context %d belongs to another thread: hxb_rpc_own hands it over",
                    rpc->context_id);
    }
    return HXB_OK;
}

int rpc_check_outside(const hxb_rpc *rpc) {
    int result = rpc_check(rpc);
    return result == HXB_OK && rpc->is_calling ? fail(HXB_E_STATE, "not within a function that the endpoint has called")
                                               : result;
}

int rpc_check_peer(const hxb_rpc *rpc, hxb_address peer) {
    bool is_valid = peer.node >= 0 && peer.node < rpc->nodes && peer.context >= 0 && peer.context < rpc->contexts;
    return is_valid ? HXB_OK : fail(HXB_E_ARGUMENT, "there is no context %d of node %d", peer.context, peer.node);
}

int rpc_check_data(const hxb_rpc *rpc, const void *data, size_t length) {
    if (length > rpc->max_length) {
        return fail(HXB_E_ARGUMENT, "a request or reply has at most %zu bytes: %zu", rpc->max_length, length);
    }
    return data == NULL && length > 0 ? fail(HXB_E_ARGUMENT, "data is NULL") : HXB_OK;
}
