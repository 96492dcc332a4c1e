/* Progress of one endpoint. */
#include "libfabric/progress/progress.h"

bool progress(struct endpoint *endpoint) {
    disarm(endpoint);
    bool did = endpoint->failure == 0 && (receive_some(endpoint) | ping_peers(endpoint));
    did |= send_waiting(endpoint);
    did |= copy_left(endpoint);
    did |= progress_groups(endpoint);
    if (endpoint->failure != 0 && !endpoint->has_ended) {
        endpoint->has_ended = true;
        fail_sends(endpoint, ANY, endpoint->failure);
        fail_receives(endpoint, ANY, endpoint->failure);
        did = true;
    }
    return did;
}

bool arm(struct endpoint *endpoint) {
    if (endpoint->failure != 0) {
        return true; /* nothing will come any more */
    }
    bool is_sending = !list_is_empty(&endpoint->queue) || !list_is_empty(&endpoint->sending)
                      || !list_is_empty(&endpoint->waiting);
    endpoint->is_armed = true;
    return hxb_arm(endpoint->context, is_sending ? HXB_WAIT_MESSAGES | HXB_WAIT_SENDS : HXB_WAIT_MESSAGES) == 1
           && (endpoint->group_context == NULL || arm_groups(endpoint));
}
