/* Requests to a node: its facts, memory that it may use, contexts, direct rings and remote memory. */
#define _GNU_SOURCE
#include "device/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define RETRY_PAUSE_NS 10000000
#define MIN_MTU (HXB_GROUP_HEADER_BYTES + 8) /* no protocol has a message that is shorter and cannot be cut */

/* ---- Hello ---- */

static int read_shape(const hxb_device *device, struct facts *facts) {
    uint32_t length = get32(device->page + HXB_PAGE_SHAPE_LENGTH);
    length = length < HXB_PAGE_MAX_SHAPE_BYTES ? length : HXB_PAGE_MAX_SHAPE_BYTES;
    memcpy(facts->shape, device->page + HXB_PAGE_SHAPE, length);
    facts->shape[length] = '\0';
    int64_t nodes = 1;
    const char *at = facts->shape;
    do {
        char *end;
        long extent = *at >= '0' && *at <= '9' ? strtol(at, &end, 10) : 0;
        if (extent < 1 || extent > 1 << 24 || facts->dimensions == 8 || (*end != 'x' && *end != '\0')) {
            return -1;
        }
        facts->extents[facts->dimensions++] = (int)extent;
        nodes *= extent;
        at = end + (*end == 'x');
        if (*end == 'x' && *at == '\0') {
            return -1;
        }
    } while (*at != '\0' && nodes <= 1 << 24);
    return nodes == facts->node_count ? 0 : -1;
}

static int read_page(hxb_device *device) {
    struct facts *facts = &device->facts;
    const uint8_t *page = device->page;
    if (get64(page) != HXB_PAGE_MAGIC || get32(page + HXB_PAGE_VERSION_OFFSET) != HXB_PAGE_VERSION) {
        return fail(HXB_E_VERSION, "the page of the node on %s has version %u, this library needs %d",
                    device->connection.path, get32(page + HXB_PAGE_VERSION_OFFSET), HXB_PAGE_VERSION);
    }
    facts->node_id = (int)get32(page + HXB_PAGE_NODE_ID);
    facts->node_count = (int)get32(page + HXB_PAGE_NODE_COUNT);
    facts->mtu = (int)get32(page + HXB_PAGE_MTU);
    facts->contexts = (int)get32(page + HXB_PAGE_CONTEXTS);
    facts->receive_buffers = (int)get32(page + HXB_PAGE_RECEIVE_BUFFERS);
    facts->receive_buffer_bytes = (int)get32(page + HXB_PAGE_RECEIVE_BUFFER_BYTES);
    facts->loops = (int)get32(page + HXB_PAGE_LOOPS);
    if (read_shape(device, facts) < 0 || facts->node_id < 0 || facts->node_id >= facts->node_count
        || facts->mtu < MIN_MTU || facts->mtu > 1 << 20 || facts->contexts < 1 || facts->receive_buffers < 1
        || facts->receive_buffers > 1 << 24 || facts->receive_buffer_bytes < 1
        || facts->receive_buffer_bytes > 1 << 24 || facts->loops < 1 || facts->loops > HXB_PAGE_MAX_LOOPS) {
        return fail(HXB_E_PROTOCOL, "the page of the node on %s has impossible contents", device->connection.path);
    }
    return HXB_OK;
}

static bool is_ring_size(const hxb_device *device, int64_t bytes) {
    return bytes >= (int64_t)whole_pages(1) && bytes <= 1 << 30 && (bytes & (bytes - 1)) == 0
        && bytes >= 2 * (int64_t)direct_record_bytes((uint32_t)device->facts.mtu);
}

int say_hello(hxb_device *device) {
    struct message message;
    device->connection.version = HXB_ATTACH_OLDEST_VERSION;
    request(&message, HXB_ATTACH_HELLO);
    put_argument(&message, 0, HXB_ATTACH_VERSION);
    int result = ask(&device->connection, &message, -1);
    if (result != HXB_OK) {
        return result;
    }
    int64_t pool_bytes = argument(&message, 0);
    int64_t min_entries = argument(&message, 1);
    int64_t own_buffers = argument(&message, 2);
    int64_t direct_bytes = device->connection.version >= HXB_ATTACH_DIRECT_VERSION ? argument(&message, 3) : 0;
    int expected = own_buffers == 0 ? 2 : 1;
    if (message.descriptor_count != expected || pool_bytes < 0 || min_entries < 0 || min_entries > 1 << 20
        || own_buffers < 0 || own_buffers > 1 << 24) {
        int received = message.descriptor_count;
        close_descriptors(&message);
        return fail(HXB_E_PROTOCOL, "the node on %s answered with impossible sizes, or %d descriptors instead of %d",
                    device->connection.path, received, expected);
    }
    device->min_delivery_entries = (int)min_entries;
    device->own_buffers = (int)own_buffers;
    result = map_node_memory(message.descriptors[0], HXB_PAGE_LENGTH_BYTES, "the node's page", &device->page);
    if (expected == 2) {
        if (result == HXB_OK) {
            result = map_node_memory(message.descriptors[1], (uint64_t)pool_bytes, "the node's receive pool",
                                     &device->pool);
        } else {
            descriptor_close(message.descriptors[1]);
        }
        device->pool_bytes = (uint64_t)pool_bytes;
    }
    if (result == HXB_OK) {
        result = read_page(device);
    }
    const struct facts *facts = &device->facts;
    if (result == HXB_OK && own_buffers == 0
        && (uint64_t)facts->receive_buffers * (uint64_t)facts->receive_buffer_bytes > (uint64_t)pool_bytes) {
        return fail(HXB_E_PROTOCOL, "the receive pool of the node on %s is shorter than its buffers",
                    device->connection.path);
    }
    if (result == HXB_OK && is_ring_size(device, direct_bytes)) {
        device->direct_bytes = (uint32_t)direct_bytes;
        device->has_fences = register_fences();
    }
    device->has_words = device->connection.version >= HXB_ATTACH_WORDS_VERSION && futex_is_there();
    return result;
}

/* ---- Memory that is lent ---- */

static int announce(hxb_device *device, int id, uint64_t length, int use) {
    /* Memory of earlier processes of the same user may not be free yet: that takes a moment. */
    int64_t deadline = now_ns() + REPLY_TIMEOUT_NS;
    for (;;) {
        struct message message;
        request(&message, HXB_ATTACH_LEND);
        put_argument(&message, 0, id);
        put_argument(&message, 1, (int64_t)length);
        put_argument(&message, 2, use);
        int result = ask(&device->connection, &message, 0);
        if (result != HXB_OK && message.is_unanswered) {
            notify(&device->connection, HXB_ATTACH_TAKE_BACK, id); /* the node may take it later */
        }
        if (result == HXB_OK || !message.is_refused_for_now || now_ns() > deadline) {
            return result;
        }
        struct timespec pause = {0, RETRY_PAUSE_NS};
        int state = call_begin();
        nanosleep(&pause, NULL);
        call_end(state);
    }
}

static int take_id(hxb_device *device) {
    int id = 1;
    pthread_mutex_lock(&device->lock);
    while (id < HXB_ATTACH_MEMORY_IDS && device->has_id[id]) {
        id++;
    }
    if (id < HXB_ATTACH_MEMORY_IDS) {
        device->has_id[id] = true;
    }
    pthread_mutex_unlock(&device->lock);
    return id;
}

static void give_back_id(hxb_device *device, int id) {
    pthread_mutex_lock(&device->lock);
    device->has_id[id] = false;
    pthread_mutex_unlock(&device->lock);
}

int lend(hxb_device *device, struct lent *lent, const char *name, uint64_t length, int use) {
    memset(lent, 0, sizeof *lent);
    int id = take_id(device);
    if (id == HXB_ATTACH_MEMORY_IDS) {
        return fail(HXB_E_MEMORY, "an attachment has at most %d regions and parts of contexts: use fewer and larger"
                    " regions", HXB_ATTACH_MEMORY_IDS - 1);
    }
    int result = announce(device, id, length, use);
    if (result != HXB_OK) {
        give_back_id(device, id);
        return result;
    }
    lent->id = id;
    result = lent_reserve(lent, length);
    while (result == HXB_OK && lent->filled < lent->length) {
        struct message message;
        request(&message, HXB_ATTACH_ADD_PIECES);
        int count = lent_fill(lent, name, message.descriptors, MAX_DESCRIPTORS);
        if (count < 0) {
            result = count;
        } else {
            message.descriptor_count = count;
            put_argument(&message, 0, id);
            put_argument(&message, 1, count);
            result = ask(&device->connection, &message, 0);
        }
    }
    if (result != HXB_OK) {
        take_back(device, lent);
    }
    return result;
}

void take_back(hxb_device *device, struct lent *lent) {
    if (lent->id > 0) {
        lent_close(lent);
        notify(&device->connection, HXB_ATTACH_TAKE_BACK, lent->id);
        give_back_id(device, lent->id);
        lent->id = 0;
    }
}

/* ---- Contexts ---- */

static bool is_event_descriptor(int fd) {
    char link[40];
    char target[40];
    struct stat status;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, target, sizeof target);
    if (length >= 0) {
        return length == 20 && memcmp(target, "anon_inode:[eventfd]", 20) == 0;
    }
    /* Without /proc: at least nothing to which a write could block or raise a signal. */
    return fstat(fd, &status) == 0 && !S_ISFIFO(status.st_mode) && !S_ISSOCK(status.st_mode)
        && !S_ISCHR(status.st_mode);
}

static bool is_signal_socket(int fd) {
    struct stat status;
    return fstat(fd, &status) == 0 && S_ISSOCK(status.st_mode);
}

static int request_context(hxb_device *device, int id, const hxb_context_options *sizes,
                           struct context_memory *memory) {
    struct message message;
    request(&message, HXB_ATTACH_OPEN_CONTEXT);
    const int64_t arguments[ARGUMENTS] = {id, sizes->send_buffers, sizes->send_buffer_bytes, sizes->delivery_entries,
                                          sizes->peer_wait_ns, memory->control.id, memory->send.id, memory->own.id};
    for (int i = 0; i < ARGUMENTS; i++) {
        put_argument(&message, i, arguments[i]);
    }
    int result = ask(&device->connection, &message, 2);
    if (result != HXB_OK) {
        if (message.is_unanswered) {
            notify(&device->connection, HXB_ATTACH_CLOSE_CONTEXT, id); /* the node may open it later */
        }
        return result;
    }
    int64_t loop = argument(&message, 0);
    if (loop < 0 || loop >= device->facts.loops || !is_signal_socket(message.descriptors[0])
        || !is_event_descriptor(message.descriptors[1])) {
        close_descriptors(&message);
        notify(&device->connection, HXB_ATTACH_CLOSE_CONTEXT, id);
        return fail(HXB_E_PROTOCOL, "the node on %s passed descriptors of the wrong kind, or an impossible loop",
                    device->connection.path);
    }
    memory->loop = (int)loop;
    memory->wake_application = message.descriptors[0];
    memory->wake_node = message.descriptors[1];
    return HXB_OK;
}

int attach_context(hxb_device *device, int id, const hxb_context_options *sizes, struct context_memory *memory) {
    struct control_layout layout;
    control_layout(&layout, sizes->send_buffers, sizes->delivery_entries);
    memset(memory, 0, sizeof *memory);
    int result = lend(device, &memory->control, "hxb-control", layout.length, HXB_ATTACH_CONTEXT_MEMORY);
    if (result == HXB_OK) {
        uint64_t bytes = (uint64_t)sizes->send_buffers * (uint64_t)sizes->send_buffer_bytes;
        result = lend(device, &memory->send, "hxb-send", bytes, HXB_ATTACH_CONTEXT_MEMORY);
    }
    if (result == HXB_OK && device->own_buffers > 0) {
        uint64_t bytes = (uint64_t)device->own_buffers * (uint64_t)device->facts.receive_buffer_bytes;
        result = lend(device, &memory->own, "hxb-own-receive", bytes, HXB_ATTACH_CONTEXT_MEMORY);
    }
    if (result == HXB_OK) {
        result = request_context(device, id, sizes, memory);
    }
    if (result != HXB_OK) {
        take_back(device, &memory->control);
        take_back(device, &memory->send);
        take_back(device, &memory->own);
    }
    return result;
}

void detach_context(hxb_device *device, int id, struct context_memory *memory) {
    struct lent *parts[] = {&memory->control, &memory->send, &memory->own, &memory->remote};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        lent_close(parts[i]);
    }
    descriptor_close(memory->wake_application);
    descriptor_close(memory->wake_node);
    notify(&device->connection, HXB_ATTACH_CLOSE_CONTEXT, id);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        give_back_id(device, parts[i]->id);
    }
}

/* ---- Direct rings ---- */

int offer_direct(hxb_device *device, int id, int peer_context, const int *descriptors, struct asked *asked) {
    struct message message;
    request(&message, HXB_ATTACH_OFFER_DIRECT);
    put_argument(&message, 0, id);
    put_argument(&message, 1, peer_context);
    message.descriptors[0] = descriptors[0];
    message.descriptors[1] = descriptors[1];
    message.descriptor_count = 2;
    return ask_later(&device->connection, &message, asked);
}

int offer_answer(hxb_device *device, struct asked *asked, int64_t *number) {
    struct message *message = &asked->message;
    int result = ask_result(&device->connection, asked, 1);
    if (result != HXB_OK) {
        return result;
    }
    if (!is_signal_socket(message->descriptors[0])) {
        close_descriptors(message);
        return HXB_E_PROTOCOL;
    }
    *number = argument(message, 0);
    return message->descriptors[--message->descriptor_count];
}

/* The ring whose descriptors have come: its records, its page, and what wakes its sender. */
static void map_direct(const hxb_device *device, struct message *message, struct direct_memory *memory) {
    int64_t capacity = argument(message, 2);
    const int *descriptors = message->descriptors;
    if (message->descriptor_count == 3 && is_ring_size(device, capacity) && capacity <= device->direct_bytes
        && file_problem(descriptors[0], (uint64_t)capacity) == NULL
        && file_problem(descriptors[1], HXB_DIRECTPAGE_LENGTH_BYTES) == NULL && is_signal_socket(descriptors[2])
        && direct_map(memory, (uint32_t)capacity, descriptors[0], descriptors[1], false) == HXB_OK) {
        memory->peer_signal = message->descriptors[--message->descriptor_count];
    }
}

int ask_direct_change(hxb_device *device, int id, struct asked *asked) {
    struct message message;
    request(&message, HXB_ATTACH_DIRECT_CHANGE);
    put_argument(&message, 0, id);
    return ask_later(&device->connection, &message, asked);
}

int direct_change(hxb_device *device, struct asked *asked, struct direct_change *change) {
    struct message *message = &asked->message;
    memset(change, 0, sizeof *change);
    if (ask_result(&device->connection, asked, -1) != HXB_OK) {
        return HXB_DIRECTCHANGE_NONE;
    }
    int64_t kind = argument(message, 0);
    int64_t peer = argument(message, 1);
    bool is_known = peer >= 0 && peer < device->facts.contexts && kind >= HXB_DIRECTCHANGE_OFFERED
        && kind <= HXB_DIRECTCHANGE_SENDER_GONE;
    if (is_known && kind == HXB_DIRECTCHANGE_OFFERED) {
        map_direct(device, message, &change->memory);
    }
    close_descriptors(message);
    change->peer_context = (int)peer;
    change->number = argument(message, 3);
    return is_known ? (int)kind : HXB_DIRECTCHANGE_NONE;
}

/* ---- Remote memory ---- */

static int check_remote_version(const hxb_device *device) {
    return device->connection.version >= HXB_ATTACH_REMOTE_MEMORY_VERSION
             ? HXB_OK
             : fail(HXB_E_VERSION, "the node on %s is of an HXB without remote memory", device->connection.path);
}

int lend_writable(hxb_device *device, struct lent *lent, uint64_t length) {
    int result = check_remote_version(device);
    return result == HXB_OK ? lend(device, lent, "hxb-region", length, HXB_ATTACH_WRITTEN_REGION) : result;
}

static int open_remote(hxb_device *device, int id, const hxb_remote_options *sizes, const struct lent *lent,
                       bool *is_unanswered) {
    struct message message;
    request(&message, HXB_ATTACH_OPEN_REMOTE);
    const int64_t arguments[] = {id, sizes->operations, sizes->notifications, sizes->fragments, lent->id};
    for (int i = 0; i < 5; i++) {
        put_argument(&message, i, arguments[i]);
    }
    int result = ask(&device->connection, &message, 0);
    *is_unanswered = message.is_unanswered;
    return result;
}

int attach_remote(hxb_device *device, int id, const hxb_remote_options *sizes, uint64_t length, struct lent *lent,
                  bool *is_unanswered) {
    int result = check_remote_version(device);
    *is_unanswered = false;
    if (result == HXB_OK) {
        result = lend(device, lent, "hxb-remote", length, HXB_ATTACH_CONTEXT_MEMORY);
    }
    if (result == HXB_OK) {
        result = open_remote(device, id, sizes, lent, is_unanswered);
        /* Memory that the node may use later stays until the context is closed. */
        if (result != HXB_OK && !*is_unanswered) {
            take_back(device, lent);
        }
    }
    return result;
}

int share_memory(hxb_device *device, int id, int rights, uint64_t *key) {
    int result = check_remote_version(device);
    if (result == HXB_OK) {
        struct message message;
        request(&message, HXB_ATTACH_SHARE);
        put_argument(&message, 0, id);
        put_argument(&message, 1, rights);
        result = ask(&device->connection, &message, 0);
        *key = result == HXB_OK ? (uint64_t)argument(&message, 0) : 0;
    }
    return result;
}

int revoke_key(hxb_device *device, uint64_t key) {
    int result = check_remote_version(device);
    if (result == HXB_OK) {
        struct message message;
        request(&message, HXB_ATTACH_REVOKE);
        put_argument(&message, 0, (int64_t)key);
        result = ask(&device->connection, &message, 0);
    }
    return result;
}
