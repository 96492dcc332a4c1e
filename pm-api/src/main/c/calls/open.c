/* Attaching and detaching, and opening and closing contexts, which other threads may do while their own waits. */
#define _GNU_SOURCE
#include "calls/calls.h"

#include <stdlib.h>

static const hxb_context_options DEFAULTS = {.size = sizeof DEFAULTS,
                                             .send_buffers = 256,
                                             .delivery_entries = 4096,
                                             .spin_ns = HXB_IDLE_SPIN_NS,
                                             .peer_wait_ns = 10 * HXB_SECOND};

void hxb_default_options_sized(hxb_context_options *options, size_t size) {
    give_struct(options, size, &DEFAULTS, sizeof DEFAULTS);
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

static void free_arrays(hxb_context *context) {
    descriptor_close(context->wake_event);
    free_slots(context);
    free_held(context);
}

static void free_context(hxb_context *context) {
    free_arrays(context);
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
static hxb_context *make_context(hxb_device *device, int id, const hxb_context_options *sizes, uint32_t max_length) {
    hxb_context *context = calloc(1, sizeof *context);
    if (context == NULL) {
        return NULL;
    }
    context->wake_event = NONE;
    context->device = device;
    context->process = device->process;
    context->owner = this_thread();
    context->id = id;
    context->send_buffer_bytes = (uint32_t)sizes->send_buffer_bytes;
    context->max_length = max_length;
    context->receive_buffers = device->own_buffers > 0 ? device->own_buffers : device->facts.receive_buffers;
    context->receive_buffer_bytes = (uint32_t)device->facts.receive_buffer_bytes;
    if (!make_slots(context, sizes->send_buffers) || !make_places(context, (uint32_t)sizes->delivery_entries)) {
        free_context(context);
        return NULL;
    }
    idle_init(&context->idle, sizes->spin_ns);
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

/* A context of this number that is open, or is being opened by another thread. */
static bool is_in_use(const hxb_device *device, int id) {
    const hxb_context *open = device->contexts;
    while (open != NULL && open->id != id) {
        open = open->next;
    }
    return open != NULL;
}

static void unlist(hxb_context *context) {
    hxb_device *device = context->device;
    pthread_mutex_lock(&device->lock);
    hxb_context **at = &device->contexts;
    while (*at != context) {
        at = &(*at)->next;
    }
    *at = context->next;
    pthread_mutex_unlock(&device->lock);
}

/* Threads that sleep on words of memory are woken there. */
static int make_wake_event(hxb_context *context) {
    if (!context->device->has_words) {
        context->wake_event = event_open();
        return context->wake_event < 0 ? fail_errno("cannot make an eventfd") : HXB_OK;
    }
    return HXB_OK;
}

static int open_listed(hxb_context *made, const hxb_context_options *sizes) {
    hxb_device *device = made->device;
    int result = make_wake_event(made);
    if (result != HXB_OK) {
        return result;
    }
    result = attach_context(device, made->id, sizes, &made->memory);
    if (result == HXB_OK) {
        lay_out(made, sizes);
        result = check_control(made);
        if (result == HXB_OK) {
            result = direct_open(made, sizes->delivery_entries);
        }
        if (result != HXB_OK) {
            direct_close(made);
            detach_context(device, made->id, &made->memory);
        }
    }
    return result;
}

static int open_context(hxb_device *device, int id, const hxb_context_options *sizes, uint32_t max_length,
                        hxb_context **context) {
    hxb_context *made = make_context(device, id, sizes, max_length);
    if (made == NULL) {
        return fail(HXB_E_MEMORY, "there is no memory for a context");
    }
    pthread_mutex_lock(&device->lock);
    bool is_free = !is_in_use(device, id);
    if (is_free) {
        made->next = device->contexts;
        device->contexts = made;
    }
    pthread_mutex_unlock(&device->lock);
    int result = is_free ? open_listed(made, sizes) : fail(HXB_E_REFUSED, "context %d is in use by this device", id);
    if (result == HXB_OK) {
        *context = made;
        return HXB_OK;
    }
    if (is_free) {
        unlist(made);
    }
    free_context(made);
    return result;
}

/* As ContextRequest.resolved. */
static int buffer_bytes(int buffers, int mtu) {
    int longest = (mtu + 63) & -64;
    bool is_shared = buffers >= HXB_REQUEST_MIN_SHARED_BUFFERS && longest > HXB_REQUEST_SHARED_BUFFER_BYTES;
    return is_shared ? HXB_REQUEST_SHARED_BUFFER_BYTES : longest;
}

int hxb_open_context(hxb_device *device, int context_id, const hxb_context_options *options, hxb_context **context) {
    int result = check_device(device);
    hxb_context_options sizes = DEFAULTS;
    if (result == HXB_OK && options != NULL) {
        result = take_struct(&sizes, sizeof sizes, options, "the options of a context");
    }
    if (result == HXB_OK) {
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
    int max_length = device->facts.mtu;
    if (sizes.send_buffer_bytes == 0) {
        sizes.send_buffer_bytes = buffer_bytes(sizes.send_buffers, device->facts.mtu);
    } else if (sizes.send_buffer_bytes < max_length) {
        max_length = sizes.send_buffer_bytes;
    }
    while (sizes.delivery_entries < device->min_delivery_entries) {
        sizes.delivery_entries *= 2;
    }
    int state = connection_enter(&device->connection);
    result = open_context(device, context_id, &sizes, (uint32_t)max_length, context);
    connection_leave(&device->connection, state);
    return result;
}

int hxb_own_context(hxb_context *context) {
    if (context == NULL || is_unusable(context)) {
        return fail_unusable(context);
    }
    if (!is_owner(context) && atomic_load(&context->inside) != INSIDE_NONE) {
        return fail(HXB_E_STATE, "the thread that owns context %d waits in a call", context->id);
    }
    atomic_store(&context->owner, this_thread());
    return HXB_OK;
}

/* Contexts that were closed by another thread than their own, which may still have the pointer. */
static pthread_mutex_t closed_lock = PTHREAD_MUTEX_INITIALIZER;
static hxb_context *closed_contexts;

static void keep_closed(hxb_context *context) {
    pthread_mutex_lock(&closed_lock);
    context->next = closed_contexts;
    closed_contexts = context;
    pthread_mutex_unlock(&closed_lock);
}

static void end_context(hxb_context *context) {
    if (!is_owner(context) && !wait_end(context)) {
        atomic_store(&context->process, CLOSED_PROCESS);
    }
}

static hxb_context *next_to_end(hxb_device *device) {
    pthread_mutex_lock(&device->lock);
    hxb_context *context = device->contexts;
    while (context != NULL && context->is_ended) {
        context = context->next;
    }
    pthread_mutex_unlock(&device->lock);
    return context;
}

static void end_contexts(hxb_device *device) {
    hxb_context *context;
    while ((context = next_to_end(device)) != NULL) {
        context->is_ended = true;
        end_context(context);
    }
}

static void close_context(hxb_context *context) {
    direct_close(context);
    detach_context(context->device, context->id, &context->memory);
    unlist(context);
    free_arrays(context);
    if (context->process == CLOSED_PROCESS) {
        keep_closed(context);
        return;
    }
    for (int i = 0; i < SERVICES; i++) {
        if (context->services[i] != NULL) {
            context->services[i]->close(context->services[i]);
        }
    }
    free(context);
}

int hxb_close_context(hxb_context *context) {
    if (context == NULL) {
        return HXB_OK;
    }
    bool was_waiting = !is_unusable(context) && !is_owner(context) && wait_end(context);
    int result = was_waiting ? HXB_OK : check_context(context);
    if (result == HXB_OK) {
        int state = call_begin();
        close_context(context);
        call_end(state);
    }
    return result;
}

/* ---- Attachments ---- */

int hxb_attach(const char *socket, hxb_device **device) {
    if (device == NULL) {
        return fail(HXB_E_ARGUMENT, "the pointer for the device is NULL");
    }
    *device = NULL;
    int state = call_begin();
    int result = device_open(socket, process_number(), device);
    call_end(state);
    return result;
}

int hxb_detach(hxb_device *device) {
    if (device == NULL) {
        return HXB_OK;
    }
    int result = check_device(device);
    if (result != HXB_OK) {
        return result;
    }
    int state = call_begin();
    end_contexts(device);
    end_calls(&device->connection); /* of other threads: the lists are this one's now */
    while (device->contexts != NULL) {
        close_context(device->contexts);
    }
    device_close(device);
    call_end(state);
    return HXB_OK;
}

/* ---- Facts ---- */

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

FACT(hxb_context_id, context->id)
FACT(hxb_send_buffer_count, context->slot_count)
FACT(hxb_max_length, max_length(context))
FACT(hxb_messages_held, context->held_count)
FACT(hxb_context_fd, context->memory.wake_application)
