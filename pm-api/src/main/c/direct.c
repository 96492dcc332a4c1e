/* Direct rings: their memory, and how a context hears from the node of those that others offer. */
#define _GNU_SOURCE
#include "connection.h"
#include "direct.h"

#include <linux/membarrier.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_CONTEXTS (1 << 20)
#define COPIES 2 /* of the records, one behind the other: no record is ever cut by the end of the ring */

/* ---- Fences ---- */

bool register_fences(void) {
    return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) == 0
        && syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0) == 0;
}

/* A full fence in all threads of all processes that have registered for it; a microsecond. */
static void run_fence(void) {
    syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0);
}

/* ---- Memory ---- */

int direct_make(struct direct_memory *memory, uint32_t capacity, int *descriptors) {
    descriptors[0] = make_file("hxb-direct", capacity);
    if (descriptors[0] < 0) {
        return fail_errno("cannot make a ring of %u bytes", capacity);
    }
    descriptors[1] = make_file("hxb-direct-page", HXB_DIRECTPAGE_LENGTH_BYTES);
    int result = descriptors[1] < 0 ? fail_errno("cannot make the page of a ring")
                                    : direct_map(memory, capacity, descriptors[0], descriptors[1], true);
    if (result != HXB_OK) {
        descriptor_close(descriptors[0]);
        if (descriptors[1] >= 0) {
            descriptor_close(descriptors[1]);
        }
    }
    return result;
}

static bool map_at(uint8_t *at, uint64_t length, int fd, bool is_writable) {
    int protection = is_writable ? PROT_READ | PROT_WRITE : PROT_READ;
    return mmap(at, length, protection, MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED;
}

static uint64_t mapped_bytes(uint32_t capacity) {
    return HXB_DIRECTPAGE_LENGTH_BYTES + (uint64_t)COPIES * capacity;
}

int direct_map(struct direct_memory *memory, uint32_t capacity, int records, int page, bool is_sender) {
    uint64_t length = mapped_bytes(capacity);
    void *range = mmap(NULL, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED) {
        return fail_errno("cannot reserve the addresses of a ring of %u bytes", capacity);
    }
    uint8_t *first = (uint8_t *)range + HXB_DIRECTPAGE_LENGTH_BYTES;
    if (!map_at(range, HXB_DIRECTPAGE_LENGTH_BYTES, page, true) || !map_at(first, capacity, records, is_sender)
        || !map_at(first + capacity, capacity, records, is_sender)) {
        int result = fail_errno("cannot map a ring of %u bytes", capacity);
        munmap(range, length);
        return result;
    }
    madvise(range, length, MADV_DONTFORK);
    *memory = (struct direct_memory){.page = range, .records = first, .capacity = capacity, .peer_signal = -1};
    return HXB_OK;
}

void direct_unmap(struct direct_memory *memory) {
    munmap(memory->page, mapped_bytes(memory->capacity));
    if (memory->peer_signal >= 0) {
        int state = call_begin();
        descriptor_close(memory->peer_signal);
        call_end(state);
    }
}

/* ---- Introductions ---- */

int direct_open(hxb_context *context, int delivery_entries) {
    if (context->device->direct_bytes == 0 || context->device->facts.contexts > MAX_CONTEXTS) {
        return HXB_OK;
    }
    int result = direct_open_sends(context);
    return result == HXB_OK ? direct_open_receives(context, (uint32_t)delivery_entries) : result;
}

static void forget_change(hxb_context *context) {
    if (context->change_request != NULL) {
        ask_forget(context->device, context->change_request);
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
    /* Read before it is asked for: what is told meanwhile is asked for again. */
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
    while (context->change_request != NULL && ask_is_over(context->device, context->change_request)) {
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
