/* Devices: attachments to a node, and its facts. */
#define _GNU_SOURCE
#include "device/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

static void free_device(hxb_device *device) {
    descriptor_close(device->gone);
    connection_close(&device->connection);
    if (device->page != NULL) {
        munmap((void *)(uintptr_t)device->page, HXB_PAGE_LENGTH_BYTES);
    }
    if (device->pool != NULL) {
        munmap((void *)(uintptr_t)device->pool, device->pool_bytes);
    }
    pthread_mutex_destroy(&device->lock);
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
    if (device->gone < 0 || epoll_ctl(device->gone, EPOLL_CTL_ADD, device->connection.socket, &end) < 0) {
        return fail_errno("cannot watch the connection to the node on %s", device->connection.path);
    }
    return HXB_OK;
}

static int attach(const char *socket, hxb_device *device) {
    char *path = device->connection.path;
    const size_t room = sizeof device->connection.path;
    int result = socket == NULL ? find_node(path, room) : HXB_OK;
    if (socket != NULL && snprintf(path, room, "%s", socket) >= (int)room) {
        result = fail(HXB_E_ARGUMENT, "a socket path has at most %zu bytes: %s", room - 1, socket);
    }
    if (result == HXB_OK) {
        result = connect_node(device->connection.path, &device->connection.socket, 5000);
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

int device_open(const char *socket, int64_t process, hxb_device **device) {
    hxb_device *made = process < 0 ? NULL : calloc(1, sizeof *made);
    if (made == NULL) {
        return fail(HXB_E_MEMORY, "there is no memory for a device");
    }
    made->process = process;
    made->gone = -1;
    connection_init(&made->connection);
    pthread_mutex_init(&made->lock, NULL);
    pthread_mutex_init(&made->link_lock, NULL);
    int result = attach(socket, made);
    if (result == HXB_OK) {
        *device = made;
    } else {
        free_device(made);
    }
    return result;
}

void device_close(hxb_device *device) {
    while (device->regions != NULL) {
        hxb_close_region(device->regions);
    }
    free_device(device);
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

bool is_node_alive(const hxb_device *device) {
    bool is_gone = is_hung_up(&device->connection);
    return get32_acquire(device->page + HXB_PAGE_STATE) == HXB_PAGE_ALIVE && !is_gone;
}

int fail_destination(const hxb_device *device, int node, int peer_context) {
    if (node < 0 || node >= device->facts.node_count) {
        return fail(HXB_E_ARGUMENT, "node must be 0..%d: %d", device->facts.node_count - 1, node);
    }
    return fail(HXB_E_ARGUMENT, "the peer's context must be 0..%d: %d", device->facts.contexts - 1, peer_context);
}
