/* Direct rings: how a context hears from the node of those that others offer. */
#include "context/direct.h"

#include <stdlib.h>

#define MAX_CONTEXTS (1 << 20)

int direct_open(hxb_context *context, int delivery_entries) {
    if (context->device->direct_bytes == 0 || context->device->facts.contexts > MAX_CONTEXTS) {
        return HXB_OK;
    }
    int result = direct_open_sends(context);
    return result == HXB_OK ? direct_open_receives(context, (uint32_t)delivery_entries) : result;
}

static void forget_change(hxb_context *context) {
    if (context->change_request != NULL) {
        ask_forget(&context->device->connection, context->change_request);
        free(context->change_request);
        context->change_request = NULL;
        context->direct_requests--;
    }
}

void direct_close(hxb_context *context) {
    direct_close_receives(context);
    direct_close_sends(context);
    forget_change(context);
}

static void take_change(hxb_context *context, int kind, struct direct_change *change) {
    if (kind == HXB_DIRECTCHANGE_OFFERED) {
        if (change->memory.page != NULL) {
            direct_take_offer(context, change->peer_context, &change->memory);
        }
    } else if (kind == HXB_DIRECTCHANGE_SENDER_GONE) {
        direct_on_sender_gone(context, change->peer_context);
    } else {
        direct_on_receiver_gone(context, change->peer_context, change->number);
    }
}

/* Asks for the next change; without memory, or if the node takes no requests now, a later call does. */
static void ask_for_change(hxb_context *context) {
    /* Read before the request: a change that is reported meanwhile causes another one. */
    uint32_t changes = get32_acquire(context->control + HXB_CONTROL_DIRECT_CHANGES);
    struct asked *asked = malloc(sizeof *asked);
    if (asked == NULL || ask_direct_change(context->device, context->id, asked) != HXB_OK) {
        free(asked);
        context->direct_changes = changes - 1;
        return;
    }
    context->direct_changes = changes;
    context->change_request = asked;
    context->direct_requests++;
}

static void take_changes(hxb_context *context) {
    direct_take_answers(context);
    if (context->change_request == NULL
        && get32_acquire(context->control + HXB_CONTROL_DIRECT_CHANGES) != context->direct_changes) {
        ask_for_change(context);
    }
    while (context->change_request != NULL && ask_is_over(&context->device->connection, context->change_request)) {
        direct_take_answers(context); /* to what was asked before */
        struct direct_change change;
        int kind = direct_change(context->device, context->change_request, &change);
        forget_change(context);
        if (kind == HXB_DIRECTCHANGE_NONE) {
            context->direct_changes_taken = context->direct_changes;
        } else {
            take_change(context, kind, &change);
            ask_for_change(context);
        }
    }
}

void direct_take_changes(hxb_context *context) {
    int state = call_begin();
    take_changes(context);
    call_end(state);
}

void direct_sleep(hxb_context *context, int interest) {
    if (context->sends == NULL) {
        return;
    }
    bool are_senders = (interest & HXB_WAIT_MESSAGES) != 0 && direct_receives_sleep(context);
    bool is_receiver = (interest & HXB_WAIT_SENDS) != 0 && direct_sends_sleep(context);
    if ((are_senders || is_receiver) && context->device->has_fences) {
        run_fence();
    }
}

int direct_awake(hxb_context *context) {
    return context->sends == NULL ? 0 : direct_receives_awake(context) + direct_sends_awake(context);
}
