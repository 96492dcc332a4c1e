/* Calls that receive messages and events, and release messages. */
#include "calls/calls.h"

HOT int check_message(const hxb_context *context, const hxb_message *message) {
    int result = check_context(context);
    return LIKELY(result != HXB_OK || message != NULL) ? result : fail(HXB_E_ARGUMENT, "the message is NULL");
}

int hxb_receive(hxb_context *context, hxb_message *message) {
    int result = check_message(context, message);
    return result == HXB_OK ? receive_next(context, message) : result;
}

int hxb_receive_many(hxb_context *context, hxb_message *messages, int count) {
    int result = check_message(context, messages);
    if (result == HXB_OK && count < 1) {
        result = fail(HXB_E_ARGUMENT, "the count must be 1 or more: %d", count);
    }
    int received = 0;
    while (result == HXB_OK && received < count) {
        result = receive_next(context, &messages[received]);
        received += result == HXB_OK;
    }
    return received > 0 ? received : result;
}

int hxb_receive_wait(hxb_context *context, hxb_message *message, int64_t timeout_ns) {
    int result = check_message(context, message);
    if (result == HXB_OK) {
        result = check_timeout(timeout_ns);
    }
    if (result == HXB_OK) {
        result = receive_next(context, message);
    }
    if (result == HXB_EMPTY) {
        wait_enter(context);
        result = wait_for(context, HXB_WAIT_MESSAGES, timeout_ns);
        if (result == HXB_OK) {
            result = receive_next(context, message);
        }
        result = wait_leave(context, result);
    }
    return result;
}

int hxb_release(hxb_context *context, hxb_message *message) {
    int result = check_message(context, message);
    if (result != HXB_OK) {
        return result;
    }
    return LIKELY(release_buffer(context, message)) ? HXB_OK : fail(HXB_E_STATE, "no such message is held");
}

int hxb_poll_event(hxb_context *context, hxb_event *event) {
    int result = check_context(context);
    if (result == HXB_OK && event == NULL) {
        result = fail(HXB_E_ARGUMENT, "the event is NULL");
    }
    return result == HXB_OK ? take_event(context, event) : result;
}
