/* Contexts: slots and rings by which messages are handed to the node and taken from it. The classes SendEnd, SendSlots,
 * ReceiveEnd and those of io.hxb.pm.shm explain the rules; here they are in C, with the same memory order.
 *
 * A ring has one writer and one reader. The writer fills an entry with relaxed stores and then stores its stamp with
 * release; the reader loads the stamp with acquire and then reads the rest. So what it reads is what was written
 * before that stamp. Nobody waits for the other side's index: there is none. */
#define _GNU_SOURCE
#include "internal.h"

#include <stdlib.h>

#define BUFFER_BITS 24 /* of a handle; the rest is the position in the delivery ring */
#define NONE (-1)

/* ---- Layout ---- */

static uint32_t power_of_two(uint32_t count) {
    uint32_t power = 16;
    while (power < count) {
        power *= 2;
    }
    return power;
}

/* Rings of different writers share neither a cache line nor the adjacent one that is prefetched. */
static uint64_t align(uint64_t offset) {
    return (offset + 127) & ~UINT64_C(127);
}

void control_layout(struct control_layout *layout, int send_buffers, int delivery_entries) {
    uint32_t entries = power_of_two((uint32_t)send_buffers);
    uint32_t short_bytes = entries * HXB_SHORT_BYTES_PER_SLOT;
    layout->submission_entries = entries;
    layout->release_entries = power_of_two((uint32_t)delivery_entries + HXB_CONTROL_EVENT_ENTRIES);
    layout->short_bytes = short_bytes < HXB_SHORT_MAX_BYTES ? short_bytes : HXB_SHORT_MAX_BYTES;
    layout->submissions = HXB_CONTROL_RINGS;
    layout->completions = layout->submissions + (uint64_t)entries * HXB_SUBMISSION_ENTRY_BYTES;
    layout->shorts = align(layout->completions + (uint64_t)entries * HXB_COMPLETION_ENTRY_BYTES);
    layout->deliveries = align(layout->shorts + HXB_SHORT_DATA + layout->short_bytes);
    layout->releases = align(layout->deliveries + (uint64_t)delivery_entries * HXB_DELIVERY_ENTRY_BYTES);
    layout->events = align(layout->releases + (uint64_t)layout->release_entries * HXB_RELEASE_ENTRY_BYTES);
    layout->length = layout->events + HXB_CONTROL_EVENT_ENTRIES * HXB_EVENTS_ENTRY_BYTES;
}

/* ---- Opening and closing ---- */

void hxb_default_options(hxb_context_options *options) {
    if (options != NULL) {
        *options = (hxb_context_options){256, 0, 4096, 10000, 10 * HXB_SECOND};
    }
}

static int check_options(const hxb_context_options *options) {
    if (options->send_buffers < 1 || options->send_buffers > 1 << 16) {
        return fail(HXB_E_ARGUMENT, "send_buffers must be 1..65536: %d", options->send_buffers);
    }
    int bytes = options->send_buffer_bytes;
    if (bytes < 0 || (bytes & 63) != 0 || bytes > 1 << 20) {
        return fail(HXB_E_ARGUMENT, "send_buffer_bytes must be a multiple of 64, at most 1048576: %d", bytes);
    }
    int entries = options->delivery_entries;
    if (entries < 64 || entries > 1 << 20 || (entries & (entries - 1)) != 0) {
        return fail(HXB_E_ARGUMENT, "delivery_entries must be a power of two, 64..1048576: %d", entries);
    }
    if (options->spin_ns < 0 || options->peer_wait_ns < 0 || options->peer_wait_ns > 86400 * HXB_SECOND) {
        return fail(HXB_E_ARGUMENT, "spin_ns must be 0 or more, and peer_wait_ns 0 to a day");
    }
    return HXB_OK;
}

static void free_context(hxb_context *context) {
    free(context->slots);
    free(context->free_slots);
    free(context->failed);
    free(context->held);
    free(context);
}

static void lay_out(hxb_context *context, const hxb_context_options *sizes) {
    const hxb_device *device = context->device;
    const struct context_memory *memory = &context->memory;
    struct control_layout layout;
    control_layout(&layout, sizes->send_buffers, sizes->delivery_entries);
    uint8_t *control = memory->control.data;
    context->control = control;
    context->submissions = control + layout.submissions;
    context->submission_mask = layout.submission_entries - 1;
    context->completions = control + layout.completions;
    context->shorts = control + layout.shorts;
    context->short_bytes = layout.short_bytes;
    context->deliveries = control + layout.deliveries;
    context->delivery_mask = (uint32_t)sizes->delivery_entries - 1;
    context->releases = control + layout.releases;
    context->release_mask = layout.release_entries - 1;
    context->events = control + layout.events;
    context->send_pool = memory->send.data;
    context->loop = memory->loop;
    context->receive_pool = device->own_buffers > 0 ? memory->own.data : device->pool;
    context->last_node = context->last_context = context->run_slot = context->written_slot = NONE;
}

/* Everything but the memory that is shared. */
static hxb_context *make_context(hxb_device *device, int id, const hxb_context_options *sizes) {
    hxb_context *context = calloc(1, sizeof *context);
    if (context == NULL) {
        return NULL;
    }
    size_t slots = (size_t)sizes->send_buffers;
    context->device = device;
    context->process = device->process;
    context->owner = pthread_self();
    context->id = id;
    context->slot_count = sizes->send_buffers;
    context->send_buffer_bytes = (uint32_t)sizes->send_buffer_bytes;
    context->receive_buffers = device->own_buffers > 0 ? device->own_buffers : device->facts.receive_buffers;
    context->receive_buffer_bytes = (uint32_t)device->facts.receive_buffer_bytes;
    context->slots = calloc(slots, sizeof *context->slots);
    context->free_slots = calloc(slots, sizeof *context->free_slots);
    context->failed = calloc(slots, sizeof *context->failed);
    context->held = calloc((size_t)context->receive_buffers, sizeof *context->held);
    if (context->slots == NULL || context->free_slots == NULL || context->failed == NULL || context->held == NULL) {
        free_context(context);
        return NULL;
    }
    for (int slot = sizes->send_buffers - 1; slot >= 0; slot--) {
        context->free_slots[context->free_count++] = slot;
    }
    spin_init(&context->spin, sizes->spin_ns);
    return context;
}

static int check_control(hxb_context *context) {
    const uint8_t *control = context->control;
    if (get64(control) != HXB_CONTROL_MAGIC || get32(control + HXB_CONTROL_VERSION_OFFSET) != HXB_CONTROL_VERSION) {
        return fail(HXB_E_VERSION, "control memory has version %u, this library needs %d",
                    get32(control + HXB_CONTROL_VERSION_OFFSET), HXB_CONTROL_VERSION);
    }
    return HXB_OK;
}

static int open_context(hxb_device *device, int id, const hxb_context_options *sizes, hxb_context **context) {
    for (const hxb_context *open = device->contexts; open != NULL; open = open->next) {
        if (open->id == id) {
            return fail(HXB_E_REFUSED, "context %d is in use by this device", id);
        }
    }
    hxb_context *made = make_context(device, id, sizes);
    if (made == NULL) {
        return fail(HXB_E_MEMORY, "there is no memory for a context");
    }
    int result = attach_context(device, id, sizes, &made->memory);
    if (result == HXB_OK) {
        lay_out(made, sizes);
        result = check_control(made);
        if (result != HXB_OK) {
            detach_context(device, id, &made->memory);
        }
    }
    if (result != HXB_OK) {
        free_context(made);
        return result;
    }
    made->next = device->contexts;
    device->contexts = made;
    *context = made;
    return HXB_OK;
}

int hxb_open_context(hxb_device *device, int context_id, const hxb_context_options *options, hxb_context **context) {
    int result = check_device(device);
    hxb_context_options sizes;
    hxb_default_options(&sizes);
    if (result == HXB_OK && options != NULL) {
        sizes = *options;
        result = check_options(&sizes);
    }
    if (result != HXB_OK) {
        return result;
    }
    if (context == NULL || context_id < 0 || context_id >= device->facts.contexts) {
        return fail(HXB_E_ARGUMENT, "context_id must be 0..%d, and the place for the context not NULL: %d",
                    device->facts.contexts - 1, context_id);
    }
    *context = NULL;
    if (sizes.send_buffer_bytes == 0) {
        sizes.send_buffer_bytes = (device->facts.mtu + 63) & -64;
    }
    while (sizes.delivery_entries < device->min_delivery_entries) {
        sizes.delivery_entries *= 2;
    }
    int state = call_begin();
    pthread_mutex_lock(&device->lock);
    result = open_context(device, context_id, &sizes, context);
    pthread_mutex_unlock(&device->lock);
    call_end(state);
    return result;
}

int hxb_own_context(hxb_context *context) {
    if (context == NULL || is_forked(context->process)) {
        return check_context(context);
    }
    context->owner = pthread_self();
    return HXB_OK;
}

int hxb_close_context(hxb_context *context) {
    if (context == NULL) {
        return HXB_OK;
    }
    int result = check_context(context);
    if (result != HXB_OK) {
        return result;
    }
    hxb_device *device = context->device;
    int state = call_begin();
    pthread_mutex_lock(&device->lock);
    hxb_context **at = &device->contexts;
    while (*at != context) {
        at = &(*at)->next;
    }
    *at = context->next;
    detach_context(device, context->id, &context->memory);
    pthread_mutex_unlock(&device->lock);
    large_close(context->large);
    free_context(context);
    call_end(state);
    return HXB_OK;
}

/* ---- State ---- */

int corrupt(hxb_context *context, const char *what) {
    context->broken = HXB_E_CORRUPT;
    return fail(HXB_E_CORRUPT, "the node of context %d has written nonsense: %s", context->id, what);
}

static bool is_open_at_node(const hxb_context *context) {
    return get32_acquire(context->control + HXB_CONTROL_STATE) == HXB_CONTROL_OPEN;
}

int context_status(const hxb_context *context) {
    if (UNLIKELY(context->broken != 0)) {
        return context->broken;
    }
    if (context->is_gone || get32_acquire(context->device->page + HXB_PAGE_STATE) != HXB_PAGE_ALIVE) {
        return HXB_NODE_GONE;
    }
    return is_open_at_node(context) ? HXB_OK : HXB_CONTEXT_CLOSED;
}

/* Called when there was nothing to do; checks from time to time whether the node is still alive. */
int context_idle(hxb_context *context, int status) {
    int closed = context_status(context);
    if (closed != HXB_OK) {
        return closed;
    }
    if (++context->idle_calls >= 256) {
        context->idle_calls = 0;
        int64_t now = now_ns();
        if (now - context->checked_ns > HXB_SECOND / 10) {
            context->checked_ns = now;
            context->is_gone = !is_node_alive(context->device);
        }
    }
    return status;
}

const char *hxb_close_reason(const hxb_context *context) {
    static const char *const TEXTS[] = {HXB_REASON_TEXTS};
    _Static_assert(sizeof TEXTS / sizeof TEXTS[0] == HXB_REASON_COUNT, "a text for each reason");
    if (check_context(context) != HXB_OK) {
        return hxb_last_error();
    }
    uint32_t reason = get32(context->control + HXB_CONTROL_REASON);
    return TEXTS[reason < HXB_REASON_COUNT ? reason : HXB_REASON_NONE];
}

#define FACT(name, value)                                 \
    int name(const hxb_context *context) {                \
        int result = check_context(context);              \
        return result == HXB_OK ? (int)(value) : result;  \
    }

static uint32_t max_length(const hxb_context *context) {
    uint32_t mtu = (uint32_t)context->device->facts.mtu;
    return mtu < context->send_buffer_bytes ? mtu : context->send_buffer_bytes;
}

FACT(hxb_context_id, context->id)
FACT(hxb_send_buffer_count, context->slot_count)
FACT(hxb_max_length, max_length(context))
FACT(hxb_messages_held, context->held_count)
FACT(hxb_context_fd, context->memory.wake_application)

/* ---- The node's bell ---- */

/* Behind a full fence, either the node sees what was put, or this thread sees that the node sleeps: the node writes its
 * sleep and then looks at the rings, with a full fence between the two. */
static void wake_node(hxb_context *context) {
    const uint8_t *word = context->device->page + HXB_PAGE_SLEEP + HXB_PAGE_SLEEP_STRIDE * context->loop;
    uint32_t sleep = atomic_load_explicit((const _Atomic uint32_t *)word, memory_order_seq_cst);
    if (UNLIKELY(sleep != 0 && sleep != context->signalled_sleep)) {
        context->signalled_sleep = sleep;
        signal_event(context->memory.wake_node);
    }
}

/* ---- Sending ---- */

static uint32_t record_bytes(uint32_t length) {
    return (HXB_SHORT_HEADER_BYTES + length + 7) & ~UINT32_C(7);
}

static uint8_t *record_at(const hxb_context *context, uint64_t position) {
    return context->shorts + HXB_SHORT_DATA + (position & (context->short_bytes - 1));
}

/* Finds where a record would begin in the ring of short messages; false if the node still needs that memory. */
static bool short_room(hxb_context *context, uint32_t length) {
    uint32_t bytes = record_bytes(length);
    uint64_t position = context->short_position;
    uint32_t left = context->short_bytes - (uint32_t)(position & (context->short_bytes - 1));
    uint64_t begin = bytes <= left ? position : position + left;
    if (begin + bytes - context->short_taken > context->short_bytes) {
        uint64_t taken = get64_acquire(context->shorts + HXB_SHORT_TAKEN);
        if (taken > position) {
            corrupt(context, "it has taken short messages that were never sent");
            return false;
        }
        context->short_taken = taken;
        if (begin + bytes - taken > context->short_bytes) {
            return false;
        }
    }
    context->written_begin = begin;
    return true;
}

static bool is_next_short(const hxb_context *context, int node, int peer_context, uint32_t length) {
    return length <= HXB_SHORT_MAX_LENGTH && node == context->last_node && peer_context == context->last_context;
}

static uint8_t *slot_buffer(const hxb_context *context, int slot) {
    return context->send_pool + (uint64_t)slot * context->send_buffer_bytes;
}

static uint8_t *message_buffer(const hxb_context *context, int slot) {
    return slot == context->written_slot ? record_at(context, context->written_begin) + HXB_SHORT_HEADER_BYTES
                                         : slot_buffer(context, slot);
}

int claim_slot(hxb_context *context, int node, int peer_context, uint32_t length, void **data) {
    if (context->free_count == 0) {
        take_done_sends(context);
        if (context->free_count == 0) {
            return context_idle(context, HXB_NO_BUFFERS);
        }
    }
    int slot = context->free_slots[--context->free_count];
    struct slot *facts = &context->slots[slot];
    facts->state = SLOT_CLAIMED;
    facts->node = node;
    facts->context = peer_context;
    facts->length = length;
    if (context->written_slot == NONE && is_next_short(context, node, peer_context, length)
        && short_room(context, length)) {
        context->written_slot = slot;
    }
    *data = message_buffer(context, slot);
    return slot;
}

static void free_slot(hxb_context *context, int slot) {
    if (slot == context->written_slot) {
        context->written_slot = NONE;
    }
    context->slots[slot].state = SLOT_FREE;
    context->free_slots[context->free_count++] = slot;
}

static void put_submission(hxb_context *context, int slot, uint32_t length, int node, int peer_context, uint32_t tag,
                           int region, uint64_t offset, uint64_t shorts_before) {
    uint8_t *entry =
        context->submissions + (context->submitted & context->submission_mask) * HXB_SUBMISSION_ENTRY_BYTES;
    put32(entry + HXB_SUBMISSION_SLOT, (uint32_t)slot);
    put32(entry + HXB_SUBMISSION_LENGTH, length);
    put32(entry + HXB_SUBMISSION_NODE, (uint32_t)node);
    put32(entry + HXB_SUBMISSION_CONTEXT, (uint32_t)peer_context);
    put32(entry + HXB_SUBMISSION_TAG, tag);
    put32(entry + HXB_SUBMISSION_REGION, (uint32_t)region);
    put64(entry + HXB_SUBMISSION_REGION_OFFSET, offset);
    put64(entry + HXB_SUBMISSION_SHORTS_BEFORE, shorts_before);
    put64_release(entry, ++context->submitted);
}

/* True if the message lies in the ring of short messages; it is copied there if it suits. */
static bool is_in_ring(hxb_context *context, int slot, int node, int peer_context, uint32_t length) {
    if (slot == context->written_slot) {
        return true;
    }
    if (context->written_slot != NONE || !is_next_short(context, node, peer_context, length)
        || !short_room(context, length)) {
        return false;
    }
    memcpy(record_at(context, context->written_begin) + HXB_SHORT_HEADER_BYTES, slot_buffer(context, slot), length);
    return true;
}

/* Appends the message that lies in the ring to those of its run, or begins one with it. */
static void append_short(hxb_context *context, int slot, int node, int peer_context, uint32_t length, uint32_t tag) {
    uint64_t begin = context->written_begin;
    uint64_t end = context->short_position;
    bool is_same = node == context->last_node && peer_context == context->last_context;
    bool is_next = begin == end && (begin & (context->short_bytes - 1)) != 0;
    if (is_same && context->run_slot != NONE && is_next) {
        context->slots[context->run_slot].following = slot;
    } else {
        /* Before the message itself, so that the node never sees one without the other. */
        put_submission(context, 0, 0, node, peer_context, 0, HXB_SUBMISSION_RUN, begin, end);
    }
    context->run_slot = slot;
    put64(record_at(context, begin), (uint64_t)tag << 32 | (uint32_t)slot << 16 | length);
    context->short_position = begin + record_bytes(length);
    put64_release(context->shorts, context->short_position);
}

int commit_slot(hxb_context *context, int slot, uint32_t length, uint32_t tag, int region, uint64_t offset) {
    int closed = context_status(context);
    if (UNLIKELY(closed != HXB_OK)) {
        free_slot(context, slot);
        return closed;
    }
    struct slot *facts = &context->slots[slot];
    facts->state = SLOT_IN_FLIGHT;
    context->in_flight++;
    int node = facts->node;
    int peer_context = facts->context;
    if (region == 0 && is_in_ring(context, slot, node, peer_context, length)) {
        append_short(context, slot, node, peer_context, length, tag);
    } else {
        put_submission(context, slot, length, node, peer_context, tag, region, offset, context->short_position);
        context->run_slot = NONE;
    }
    context->last_node = node;
    context->last_context = peer_context;
    if (slot == context->written_slot) {
        context->written_slot = NONE;
    }
    atomic_thread_fence(memory_order_seq_cst); /* the full fence of wake_node */
    wake_node(context);
    return HXB_OK;
}

static int check_claim(const hxb_context *context, int node, int peer_context, size_t length, const void *data) {
    int result = check_context(context);
    if (result == HXB_OK) {
        result = check_destination(context->device, node, peer_context);
    }
    if (UNLIKELY(result == HXB_OK && (length > max_length(context) || data == NULL))) {
        return fail(HXB_E_ARGUMENT, "the length must be 0..%u, and the pointer not NULL: %zu", max_length(context),
                    length);
    }
    return result;
}

static int check_slot(const hxb_context *context, int slot) {
    int result = check_context(context);
    if (UNLIKELY(result == HXB_OK && (slot < 0 || slot >= context->slot_count))) {
        return fail(HXB_E_ARGUMENT, "slot must be 0..%d: %d", context->slot_count - 1, slot);
    }
    return result;
}

static int check_claimed(const hxb_context *context, int slot) {
    int result = check_slot(context, slot);
    if (UNLIKELY(result == HXB_OK && context->slots[slot].state != SLOT_CLAIMED)) {
        return fail(HXB_E_STATE, "slot is not claimed: %d", slot);
    }
    return result;
}

int hxb_claim(hxb_context *context, int node, int peer_context, size_t length, void **data) {
    int result = check_claim(context, node, peer_context, length, data);
    return result == HXB_OK ? claim_slot(context, node, peer_context, (uint32_t)length, data) : result;
}

static int claim_waiting(hxb_context *context, int node, int peer_context, uint32_t length, void **data,
                         int64_t timeout_ns) {
    int slot = claim_slot(context, node, peer_context, length, data);
    if (LIKELY(slot != HXB_NO_BUFFERS)) {
        return slot;
    }
    int64_t start = now_ns();
    while (slot == HXB_NO_BUFFERS) {
        int64_t left = timeout_ns - (now_ns() - start);
        int status = wait_for(context, HXB_SENDS, left > 0 ? left : 0);
        if (status != HXB_OK) {
            return status;
        }
        slot = claim_slot(context, node, peer_context, length, data);
    }
    return slot;
}

static int check_timeout(int64_t timeout_ns) {
    return LIKELY(timeout_ns >= 0) ? HXB_OK : fail(HXB_E_ARGUMENT, "timeout_ns must be 0 or more");
}

int hxb_claim_wait(hxb_context *context, int node, int peer_context, size_t length, void **data, int64_t timeout_ns) {
    int result = check_claim(context, node, peer_context, length, data);
    if (result == HXB_OK) {
        result = check_timeout(timeout_ns);
    }
    return result == HXB_OK ? claim_waiting(context, node, peer_context, (uint32_t)length, data, timeout_ns) : result;
}

int hxb_send(hxb_context *context, int node, int peer_context, const void *data, size_t length, uint32_t tag,
             int64_t timeout_ns) {
    int result = check_claim(context, node, peer_context, length, length == 0 ? "" : data);
    if (result == HXB_OK) {
        result = check_timeout(timeout_ns);
    }
    if (result != HXB_OK) {
        return result;
    }
    void *buffer;
    int slot = claim_waiting(context, node, peer_context, (uint32_t)length, &buffer, timeout_ns);
    if (UNLIKELY(slot < 0)) {
        return slot;
    }
    if (length > 0) {
        memcpy(buffer, data, length);
    }
    return commit_slot(context, slot, (uint32_t)length, tag, 0, 0);
}

int hxb_commit(hxb_context *context, int slot, size_t length, uint32_t tag) {
    int result = check_claimed(context, slot);
    if (UNLIKELY(result == HXB_OK && length > context->slots[slot].length)) {
        result = fail(HXB_E_ARGUMENT, "the length must be 0..%u: %zu", context->slots[slot].length, length);
    }
    return result == HXB_OK ? commit_slot(context, slot, (uint32_t)length, tag, 0, 0) : result;
}

int check_range(const hxb_context *context, const hxb_region *region, uint64_t offset, uint64_t length) {
    if (region == NULL || region->device != context->device) {
        return fail(HXB_E_ARGUMENT, "the region is NULL, or of another device");
    }
    if (offset > region->length || length > region->length - offset) {
        return fail(HXB_E_ARGUMENT, "bytes outside of a region of %llu bytes: %llu+%llu",
                    (unsigned long long)region->length, (unsigned long long)offset, (unsigned long long)length);
    }
    return HXB_OK;
}

int hxb_commit_from(hxb_context *context, int slot, const hxb_region *region, uint64_t offset, size_t length,
                    uint32_t tag) {
    int result = check_claimed(context, slot);
    if (result == HXB_OK) {
        result = check_range(context, region, offset, length);
    }
    if (result == HXB_OK && length > (size_t)context->device->facts.mtu) {
        result = fail(HXB_E_ARGUMENT, "the length must be 0..%d: %zu", context->device->facts.mtu, length);
    }
    return result == HXB_OK ? commit_slot(context, slot, (uint32_t)length, tag, region->lent.id, offset) : result;
}

int hxb_abort(hxb_context *context, int slot) {
    int result = check_claimed(context, slot);
    if (result == HXB_OK) {
        free_slot(context, slot);
    }
    return result;
}

/* ---- Sends that are done ---- */

static const uint8_t *completion(const hxb_context *context) {
    return context->completions + (context->completed & context->submission_mask) * HXB_COMPLETION_ENTRY_BYTES;
}

bool has_done_sends(const hxb_context *context) {
    return context->done_left > 0 || (uint32_t)get64_acquire(completion(context)) == context->completed + 1;
}

static bool next_completion(hxb_context *context) {
    const uint8_t *entry = completion(context);
    uint64_t first = get64_acquire(entry);
    if ((uint32_t)first != context->completed + 1) {
        return false;
    }
    uint64_t second = get64(entry + HXB_COMPLETION_SLOT);
    context->completed++;
    context->done_left = (int)(first >> 32);
    context->done_slot = (int)second;
    context->done_status = (int)(second >> 32);
    if (UNLIKELY(context->done_left < 1)) {
        context->done_left = 0;
        corrupt(context, "a completion of no message");
        return false;
    }
    return true;
}

static void add_failed(hxb_context *context, int slot) {
    if (context->failed_tail - context->failed_head == (uint64_t)context->slot_count) {
        context->failed_head++;
    }
    const struct slot *facts = &context->slots[slot];
    context->failed[context->failed_tail++ % (uint64_t)context->slot_count] =
        (hxb_event){context->done_status, facts->node, facts->context, slot};
}

int take_done_sends(hxb_context *context) {
    int taken = 0;
    while (context->broken == 0 && (context->done_left > 0 || next_completion(context))) {
        int slot = context->done_slot;
        if (UNLIKELY(slot < 0 || slot >= context->slot_count || context->slots[slot].state != SLOT_IN_FLIGHT)) {
            context->done_left = 0;
            corrupt(context, "a completion of a slot that is not in flight");
            break;
        }
        context->in_flight--;
        if (--context->done_left > 0) {
            context->done_slot = context->slots[slot].following;
        }
        if (UNLIKELY(context->done_status != HXB_OK)) {
            add_failed(context, slot);
        }
        free_slot(context, slot);
        taken++;
        if (context->large != NULL) {
            large_on_send_done(context->large, slot, context->done_status);
        }
    }
    return taken;
}

int hxb_is_send_done(hxb_context *context, int slot) {
    int result = check_slot(context, slot);
    if (result != HXB_OK) {
        return result;
    }
    if (context->slots[slot].state == SLOT_IN_FLIGHT) {
        take_done_sends(context);
    }
    return context->slots[slot].state != SLOT_IN_FLIGHT;
}

int hxb_unfinished_sends(hxb_context *context) {
    int result = check_context(context);
    if (result == HXB_OK) {
        take_done_sends(context);
        result = context->in_flight;
    }
    return result;
}

int hxb_wait_all_sends(hxb_context *context, int64_t timeout_ns) {
    int status = check_context(context);
    if (status == HXB_OK) {
        status = check_timeout(timeout_ns);
    }
    int64_t start = now_ns();
    while (status == HXB_OK && hxb_unfinished_sends(context) > 0) {
        int64_t left = timeout_ns - (now_ns() - start);
        status = wait_for(context, HXB_SENDS, left > 0 ? left : 0);
    }
    return status == HXB_OK && context->failed_head != context->failed_tail ? HXB_EVENT : status;
}

/* ---- Receiving ---- */

static const uint8_t *delivery(const hxb_context *context) {
    return context->deliveries + (context->delivered & context->delivery_mask) * HXB_DELIVERY_ENTRY_BYTES;
}

bool has_message(const hxb_context *context) {
    return get64_acquire(delivery(context)) == context->delivered + 1;
}

int receive_next(hxb_context *context, hxb_message *message) {
    if (!has_message(context) || !is_open_at_node(context) || UNLIKELY(context->broken != 0)) {
        return context_idle(context, HXB_EMPTY);
    }
    const uint8_t *entry = delivery(context);
    uint32_t buffer = get32(entry + HXB_DELIVERY_BUFFER);
    uint32_t offset = get32(entry + HXB_DELIVERY_OFFSET);
    uint32_t length = get32(entry + HXB_DELIVERY_LENGTH);
    if (UNLIKELY(buffer >= (uint32_t)context->receive_buffers || offset > context->receive_buffer_bytes
                 || length > context->receive_buffer_bytes - offset)) {
        return corrupt(context, "a message outside of its buffers");
    }
    message->data = context->receive_pool + (uint64_t)buffer * context->receive_buffer_bytes + offset;
    message->length = length;
    message->tag = get32(entry + HXB_DELIVERY_TAG);
    message->node = (int)get32(entry + HXB_DELIVERY_SOURCE_NODE);
    message->context = (int)get32(entry + HXB_DELIVERY_SOURCE_CONTEXT);
    message->handle = (int64_t)((context->delivered << BUFFER_BITS | buffer) & INT64_MAX);
    context->held[buffer]++;
    context->held_count++;
    context->delivered++;
    return HXB_OK;
}

static void put_release(hxb_context *context, uint32_t buffer) {
    uint8_t *entry = context->releases + (context->released & context->release_mask) * HXB_RELEASE_ENTRY_BYTES;
    context->released++;
    put64_release(entry, context->released << 32 | buffer);
}

void release_buffer(hxb_context *context, hxb_message *message) {
    uint32_t buffer = (uint32_t)message->handle & ((1U << BUFFER_BITS) - 1);
    message->handle = -1;
    context->held[buffer]--;
    context->held_count--;
    put_release(context, buffer);
    /* Either the node sees the release, or this thread sees that the node waits for one. */
    atomic_thread_fence(memory_order_seq_cst);
    if (get32(context->control + HXB_CONTROL_RELEASE_AWAITED) != 0) {
        wake_node(context);
    }
}

static int check_message(const hxb_context *context, const hxb_message *message) {
    int result = check_context(context);
    return LIKELY(result != HXB_OK || message != NULL) ? result : fail(HXB_E_ARGUMENT, "the message is NULL");
}

int hxb_receive(hxb_context *context, hxb_message *message) {
    int result = check_message(context, message);
    return result == HXB_OK ? receive_next(context, message) : result;
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
        result = wait_for(context, HXB_MESSAGES, timeout_ns);
        if (result == HXB_OK) {
            result = receive_next(context, message);
        }
    }
    return result;
}

int hxb_release(hxb_context *context, hxb_message *message) {
    int result = check_message(context, message);
    if (result != HXB_OK) {
        return result;
    }
    uint32_t buffer = (uint32_t)message->handle & ((1U << BUFFER_BITS) - 1);
    if (UNLIKELY(message->handle < 0 || buffer >= (uint32_t)context->receive_buffers || context->held[buffer] == 0)) {
        return fail(HXB_E_STATE, "no such message is held");
    }
    release_buffer(context, message);
    return HXB_OK;
}

/* ---- Events ---- */

static const uint8_t *event_entry(const hxb_context *context) {
    return context->events + (context->events_taken & (HXB_CONTROL_EVENT_ENTRIES - 1)) * HXB_EVENTS_ENTRY_BYTES;
}

bool has_event(const hxb_context *context) {
    return get64_acquire(event_entry(context)) == context->events_taken + 1;
}

int take_event(hxb_context *context, hxb_event *event) {
    take_link_events(context->device);
    if (take_done_sends(context) > 0) {
        context->has_untold_sends = true;
    }
    if (context->failed_head != context->failed_tail) {
        *event = context->failed[context->failed_head++ % (uint64_t)context->slot_count];
        return HXB_OK;
    }
    if (context->broken != 0 || !has_event(context)) {
        return HXB_EMPTY;
    }
    const uint8_t *entry = event_entry(context);
    event->status = (int)get32(entry + HXB_EVENTS_STATUS);
    event->node = (int)get32(entry + HXB_EVENTS_NODE);
    event->context = (int)get32(entry + HXB_EVENTS_CONTEXT);
    event->slot = NONE;
    context->events_taken++;
    put_release(context, (uint32_t)HXB_RELEASE_EVENT);
    return HXB_OK;
}

int hxb_poll_event(hxb_context *context, hxb_event *event) {
    int result = check_context(context);
    if (result == HXB_OK && event == NULL) {
        result = fail(HXB_E_ARGUMENT, "the event is NULL");
    }
    return result == HXB_OK ? take_event(context, event) : result;
}
