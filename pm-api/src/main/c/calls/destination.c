/* Calls about one destination: what is on the way to it, and its options. */
#include "calls/calls.h"

static int check_peer(const hxb_context *context, int node, int peer_context, const void *place) {
    int result = check_context(context);
    if (result == HXB_OK) {
        result = check_destination(context->device, node, peer_context);
    }
    return result == HXB_OK && place == NULL ? fail(HXB_E_ARGUMENT, "the pointer for the answer is NULL") : result;
}

int hxb_unfinished_to(hxb_context *context, hxb_address to, hxb_unfinished *unfinished) {
    int result = check_peer(context, to.node, to.context, unfinished);
    if (result == HXB_OK) {
        *unfinished = (hxb_unfinished){0};
        take_done(context);
        int number = share_find(&context->shares, share_key(to.node, to.context));
        unfinished->is_full = context->free_count == 0;
        if (number != NONE) {
            const struct share *share = &context->shares.all[number];
            unfinished->messages = share->messages;
            unfinished->bytes = share->bytes;
            unfinished->dropped = share->dropped;
            unfinished->is_full |= !share_may_take(&context->shares, number);
        }
    }
    return result;
}

int hxb_set_destination(hxb_context *context, hxb_address to, const hxb_destination_options *wanted) {
    hxb_destination_options known = {.size = sizeof known, .max_wait_ns = HXB_FOREVER};
    const hxb_destination_options *options = &known;
    int result = check_peer(context, to.node, to.context, options);
    if (result == HXB_OK && wanted != NULL) {
        result = take_struct(&known, sizeof known, wanted, "the options of a destination");
    }
    if (result != HXB_OK) {
        return result;
    }
    if (options->max_messages < 0 || options->max_wait_ns < 0) {
        return fail(HXB_E_ARGUMENT, "max_messages and max_wait_ns must be 0 or more: %d, %lld", options->max_messages,
                    (long long)options->max_wait_ns);
    }
    int number = share_add(&context->shares, share_key(to.node, to.context));
    if (number == NONE) {
        return fail(HXB_E_MEMORY, "there is no memory for the options of another destination");
    }
    struct share *share = &context->shares.all[number];
    bool is_kept = options->max_messages > 0 || options->max_wait_ns < HXB_FOREVER || options->is_dropping;
    context->shares.kept += is_kept - share->is_kept;
    share->is_kept = is_kept;
    share->max_messages = options->max_messages > 0 ? options->max_messages : INT32_MAX;
    share->max_wait_ns = options->max_wait_ns;
    share->is_dropping = options->is_dropping;
    return HXB_OK;
}
