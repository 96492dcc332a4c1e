/* Devices: attachments to a node, its facts, its links, and regions. */
#define _GNU_SOURCE
#include "connection.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

static void free_device(hxb_device *device) {
    descriptor_close(device->gone);
    descriptor_close(device->socket);
    if (device->page != NULL) {
        munmap((void *)(uintptr_t)device->page, HXB_PAGE_LENGTH_BYTES);
    }
    if (device->pool != NULL) {
        munmap((void *)(uintptr_t)device->pool, device->pool_bytes);
    }
    pthread_mutex_destroy(&device->lock);
    pthread_cond_destroy(&device->answered);
    pthread_mutex_destroy(&device->link_lock);
    free(device);
}

/* The socket is readable whenever an answer has come, which is of no interest to the application. */
static int watch_for_the_end(hxb_device *device) {
    descriptors_hold();
    device->gone = epoll_create1(EPOLL_CLOEXEC);
    descriptors_add(device->gone);
    descriptors_release();
    struct epoll_event end = {.events = EPOLLRDHUP};
    if (device->gone < 0 || epoll_ctl(device->gone, EPOLL_CTL_ADD, device->socket, &end) < 0) {
        return fail_errno("cannot watch the connection to the node on %s", device->path);
    }
    return HXB_OK;
}

static int attach(const char *socket, hxb_device *device) {
    int result = socket == NULL ? find_node(device->path, sizeof device->path) : HXB_OK;
    if (socket != NULL && snprintf(device->path, sizeof device->path, "%s", socket) >= (int)sizeof device->path) {
        result = fail(HXB_E_ARGUMENT, "a socket path has at most %zu bytes: %s", sizeof device->path - 1, socket);
    }
    if (result == HXB_OK) {
        result = connect_node(device->path, &device->socket, 5000);
    }
    if (result == HXB_OK) {
        result = watch_for_the_end(device);
    }
    if (result == HXB_OK) {
        result = say_hello(device);
    }
    if (result == HXB_OK) {
        atomic_store(&device->links_taken, get64_acquire(device->page + HXB_PAGE_LINK_EVENTS_OFFSET));
    }
    return result;
}

int hxb_attach(const char *socket, hxb_device **device) {
    if (device == NULL) {
        return fail(HXB_E_ARGUMENT, "there is no place for the device: NULL");
    }
    *device = NULL;
    int state = call_begin();
    hxb_device *made = calloc(1, sizeof *made);
    int64_t process = process_number();
    int result = HXB_E_MEMORY;
    if (made == NULL || process < 0) {
        free(made);
        fail(result, "there is no memory for a device");
    } else {
        made->process = process;
        made->socket = made->gone = -1;
        pthread_mutex_init(&made->lock, NULL);
        pthread_condattr_t clock;
        pthread_condattr_init(&clock);
        pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
        pthread_cond_init(&made->answered, &clock);
        pthread_condattr_destroy(&clock);
        pthread_mutex_init(&made->link_lock, NULL);
        result = attach(socket, made);
        if (result == HXB_OK) {
            *device = made;
        } else {
            free_device(made);
        }
    }
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
    end_calls(device); /* of other threads: the lists are this one's now */
    while (device->contexts != NULL) {
        close_context(device->contexts);
    }
    while (device->regions != NULL) {
        hxb_close_region(device->regions);
    }
    forget_untold(device);
    free_device(device);
    call_end(state);
    return HXB_OK;
}

/* ---- Facts ---- */

#define FACT(name, field)                              \
    int name(const hxb_device *device) {               \
        int result = check_device(device);             \
        return result == HXB_OK ? device->field : result; \
    }

FACT(hxb_node_id, facts.node_id)
FACT(hxb_node_count, facts.node_count)
FACT(hxb_context_count, facts.contexts)
FACT(hxb_mtu, facts.mtu)
FACT(hxb_device_fd, gone)

const char *hxb_shape(const hxb_device *device) {
    return check_device(device) == HXB_OK ? device->facts.shape : NULL;
}

int hxb_coordinates(const hxb_device *device, int node, int *coordinates, int capacity) {
    int result = check_device(device);
    if (result != HXB_OK) {
        return result;
    }
    const struct facts *facts = &device->facts;
    if (node < 0 || node >= facts->node_count || (coordinates == NULL && capacity > 0)) {
        return fail(HXB_E_ARGUMENT, "node must be 0..%d: %d", facts->node_count - 1, node);
    }
    int rest = node;
    for (int i = 0; i < facts->dimensions; i++) {
        if (i < capacity) {
            coordinates[i] = rest % facts->extents[i];
        }
        rest /= facts->extents[i];
    }
    return facts->dimensions;
}

int hxb_node_at(const hxb_device *device, const int *coordinates, int dimensions) {
    int result = check_device(device);
    if (result != HXB_OK) {
        return result;
    }
    const struct facts *facts = &device->facts;
    bool is_inside = coordinates != NULL && dimensions == facts->dimensions;
    int node = 0;
    for (int i = facts->dimensions - 1; i >= 0 && is_inside; i--) {
        is_inside = coordinates[i] >= 0 && coordinates[i] < facts->extents[i];
        node = node * facts->extents[i] + coordinates[i];
    }
    return is_inside ? node : fail(HXB_E_ARGUMENT, "coordinates must be %d numbers of a node in %s",
                                   facts->dimensions, facts->shape);
}

int hxb_is_node_alive(const hxb_device *device) {
    int result = check_device(device);
    return result == HXB_OK ? is_node_alive(device) : result;
}

int fail_destination(const hxb_device *device, int node, int peer_context) {
    if (node < 0 || node >= device->facts.node_count) {
        return fail(HXB_E_ARGUMENT, "node must be 0..%d: %d", device->facts.node_count - 1, node);
    }
    return fail(HXB_E_ARGUMENT, "the peer's context must be 0..%d: %d", device->facts.contexts - 1, peer_context);
}

/* ---- Links ---- */

/* Copies the next change, unless the node has overwritten it meanwhile; a bounded number of times. */
static bool next_link_event(hxb_device *device, hxb_link_event *event) {
    const uint8_t *ring = device->page + HXB_PAGE_LINK_EVENTS_OFFSET;
    for (int i = 0; i < 2 * HXB_LINKS_ENTRIES; i++) {
        uint64_t count = get64_acquire(ring);
        uint64_t taken = atomic_load_explicit(&device->links_taken, memory_order_relaxed);
        if (count == taken) {
            return false;
        }
        if (count - taken > HXB_LINKS_ENTRIES) {
            taken = count - HXB_LINKS_ENTRIES;
        }
        uint64_t wanted = taken + 1;
        atomic_store_explicit(&device->links_taken, wanted, memory_order_relaxed);
        const uint8_t *entry = ring + HXB_LINKS_FIRST + (wanted - 1) % HXB_LINKS_ENTRIES * HXB_LINKS_ENTRY_BYTES;
        if (get64_acquire(entry) != wanted) {
            continue;
        }
        event->time_ms = (int64_t)get64(entry + HXB_LINKS_TIME);
        event->neighbour = (int)get32(entry + HXB_LINKS_NODE);
        uint32_t bytes = get32(entry + HXB_LINKS_DIMENSION); /* four fields of a byte, read as one word */
        event->dimension = (int)(bytes & 7);
        event->number = (int)(bytes >> 8 & 0xFF);
        event->is_good = (bytes >> 16 & 0xFF) != 0;
        event->is_last = (bytes >> 24 & 0xFF) != 0;
        uint32_t length = get32(entry + HXB_LINKS_TEXT_LENGTH);
        length = length < HXB_LINKS_MAX_TEXT_BYTES ? length : HXB_LINKS_MAX_TEXT_BYTES;
        memcpy(event->reason, entry + HXB_LINKS_TEXT, length);
        event->reason[length] = '\0';
        /* As in a sequence lock: what was copied counts only if the stamp is still the same behind the copy. */
        atomic_thread_fence(memory_order_acquire);
        if (get64(entry) == wanted) {
            return true;
        }
    }
    return false;
}

_Static_assert(HXB_LINKS_NUMBER == HXB_LINKS_DIMENSION + 1 && HXB_LINKS_GOOD == HXB_LINKS_DIMENSION + 2
                   && HXB_LINKS_LAST == HXB_LINKS_DIMENSION + 3 && HXB_LINKS_DIMENSION % 4 == 0,
               "four fields of a byte that are read as one word");

int take_link_events(hxb_device *device) {
    int count = 0;
    bool has_event = has_link_events(device);
    while (has_event) {
        hxb_link_event event;
        pthread_mutex_lock(&device->link_lock);
        hxb_link_listener listener = device->link_listener;
        void *user = device->link_user;
        has_event = listener != NULL && next_link_event(device, &event);
        pthread_mutex_unlock(&device->link_lock);
        if (has_event) {
            listener(user, &event);
            count++;
        }
    }
    return count;
}

int hxb_on_link_event(hxb_device *device, hxb_link_listener listener, void *user) {
    int result = check_device(device);
    if (result == HXB_OK) {
        pthread_mutex_lock(&device->link_lock);
        device->link_listener = listener;
        device->link_user = user;
        atomic_store_explicit(&device->has_listener, listener != NULL, memory_order_release);
        pthread_mutex_unlock(&device->link_lock);
    }
    return result;
}

int hxb_poll_link_events(hxb_device *device) {
    int result = check_device(device);
    return result == HXB_OK ? take_link_events(device) : result;
}

int64_t hxb_link_event_count(const hxb_device *device) {
    int result = check_device(device);
    return result == HXB_OK ? (int64_t)get64_acquire(device->page + HXB_PAGE_LINK_EVENTS_OFFSET) : result;
}

/* ---- Regions ---- */

static int open_region(hxb_device *device, uint64_t length, bool is_writable, hxb_region **region) {
    int result = check_device(device);
    if (result != HXB_OK) {
        return result;
    }
    if (region == NULL || length < 1 || length > UINT64_C(1) << 40) {
        return fail(HXB_E_ARGUMENT, "the length must be 1..2^40, and the place for the region not NULL");
    }
    *region = NULL;
    int state = device_enter(device);
    hxb_region *made = calloc(1, sizeof *made);
    if (made == NULL) {
        result = fail(HXB_E_MEMORY, "there is no memory for a region");
    } else {
        made->device = device;
        made->length = length;
        made->is_writable = is_writable;
        result = is_writable ? lend_writable(device, &made->lent, length)
                             : lend(device, &made->lent, "hxb-region", length, HXB_ATTACH_READ_REGION);
        if (result == HXB_OK) {
            pthread_mutex_lock(&device->lock);
            made->next = device->regions;
            device->regions = made;
            pthread_mutex_unlock(&device->lock);
            *region = made;
        } else {
            free(made);
        }
    }
    device_leave(device, state);
    return result;
}

int hxb_open_region(hxb_device *device, uint64_t length, hxb_region **region) {
    return open_region(device, length, false, region);
}

int hxb_open_writable_region(hxb_device *device, uint64_t length, hxb_region **region) {
    return open_region(device, length, true, region);
}

void *hxb_region_data(const hxb_region *region) {
    return region == NULL ? NULL : region->lent.data;
}

uint64_t hxb_region_length(const hxb_region *region) {
    return region == NULL ? 0 : region->length;
}

int hxb_close_region(hxb_region *region) {
    if (region == NULL) {
        return HXB_OK;
    }
    hxb_device *device = region->device;
    int result = check_device(device);
    if (result != HXB_OK) {
        return result;
    }
    int state = call_begin();
    pthread_mutex_lock(&device->lock);
    for (hxb_region **at = &device->regions; *at != NULL; at = &(*at)->next) {
        if (*at == region) {
            *at = region->next;
            break;
        }
    }
    pthread_mutex_unlock(&device->lock);
    take_back(device, &region->lent);
    free(region);
    call_end(state);
    return HXB_OK;
}
