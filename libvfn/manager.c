/* See manager.h. */
#include "connection.h"

#include "vfn_codes.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_LIMIT_MS 5000
#define MAX_PLAN_VIDS 4094
/* Of 262,144 that a manager keeps for all its sessions. */
#define MAX_DEMANDS 131072

/* ---- opening and closing ---- */

static int hello(struct vfn_manager *m) {
    struct vfn_message message;
    vfn_message_clear(&message, VFN_OP_HELLO);
    int code = vfn_exchange(m, &message);
    if (code != VFN_SUCCESS) return code;
    int status = (int)vfn_message_get(&message, VFN_F_STATUS);
    if (status != VFN_ST_OK) return vfn_refused(m, status);
    uint64_t hosts = vfn_message_get(&message, VFN_F_VALUE1), vids = vfn_message_get(&message, VFN_F_VALUE2);
    m->plan = vfn_message_get(&message, VFN_F_PLAN);
    m->host = (int)vfn_message_get(&message, VFN_F_INDEX);
    if (hosts == 0 || hosts > VFN_MAX_HOSTS || vids > MAX_PLAN_VIDS || m->host < 0 || (uint64_t)m->host >= hosts) {
        return vfn_fail(m, VFN_ERR_PROTOCOL, "the network manager at %s has a plan of %llu hosts and %llu VIDs", m->path,
                    (unsigned long long)hosts, (unsigned long long)vids);
    }
    m->hosts = (int)hosts;
    m->vid_count = (int)vids;
    return VFN_SUCCESS;
}

static void ask_vid(void *context, int index, struct vfn_message *request) {
    (void)context;
    vfn_message_clear(request, VFN_OP_VID_TRAFFIC);
    vfn_message_put(request, VFN_F_INDEX, (uint64_t)index);
}

static int take_vid(void *context, int index, const struct vfn_message *reply) {
    struct vfn_manager *m = context;
    m->vids[index] = (uint16_t)vfn_message_get(reply, VFN_F_VID);
    int status = (int)vfn_message_get(reply, VFN_F_STATUS);
    return status == VFN_ST_OK ? VFN_SUCCESS : vfn_refused(m, status);
}

static int64_t environment(const char *name, int64_t default_value, int64_t max) {
    const char *text = getenv(name);
    if (!text || !*text) return default_value;
    char *end;
    long long value = strtoll(text, &end, 10);
    return *end || value < 0 || value > max ? default_value : value;
}

static void forget(struct vfn_manager *m) {
    free(m->vids);
    free(m->claims);
    free(m->sent);
    m->vids = m->claims = NULL;
    m->sent = NULL;
}

int vfn_open(struct vfn_manager *m) {
    memset(m, 0, sizeof *m);
    m->fd = -1;
    m->spin_ns = environment("VFN_SPIN_US", 0, 1000000) * 1000;
    m->limit_ns = environment("VFN_TIMEOUT_MS", DEFAULT_LIMIT_MS, 3600000) * 1000000;
    if (m->limit_ns == 0) m->limit_ns = 1000000;
    int code = vfn_connect(m);
    if (code == VFN_SUCCESS) code = hello(m);
    if (code == VFN_SUCCESS) {
        m->vids = calloc((size_t)m->vid_count + 1, sizeof *m->vids);
        m->claims = calloc((size_t)m->hosts, sizeof *m->claims);
        m->sent = calloc((size_t)m->hosts, sizeof *m->sent);
        if (!m->vids || !m->claims || !m->sent) code = vfn_fail(m, VFN_ERR_MEMORY, "%s", vfn_text(VFN_ERR_MEMORY));
    }
    if (code == VFN_SUCCESS) code = vfn_exchange_list(m, m->vid_count, ask_vid, take_vid, m);
    if (code != VFN_SUCCESS) vfn_abandon(m);
    return code;
}

void vfn_abandon(struct vfn_manager *m) {
    vfn_disconnect(m);
    forget(m);
}

int vfn_close(struct vfn_manager *m) {
    int code = m->fd >= 0 && m->claim_count > 0 ? vfn_reset_all(m) : VFN_SUCCESS;
    /* Without a connection the manager, or the kernel in its place, has undone everything already. */
    if (m->fd < 0) code = VFN_SUCCESS;
    vfn_abandon(m);
    return code;
}

int vfn_is_planned(const struct vfn_manager *m, int vid) {
    for (int i = 0; i < m->vid_count; i++) {
        if (m->vids[i] == vid) return 1;
    }
    return 0;
}

/* ---- changes ---- */

static void claim(struct vfn_manager *m, int host, int vid) {
    m->claim_count += (vid != 0) - (m->claims[host] != 0);
    m->claims[host] = (uint16_t)vid;
}

static void change(struct vfn_message *request, int host, int vid) {
    vfn_message_clear(request, vid ? VFN_OP_SET : VFN_OP_RESET);
    vfn_message_put(request, VFN_F_VID, (uint64_t)vid);
    vfn_name_host(request, host);
}

struct batch {
    struct vfn_manager *manager;
    int count;
    const int32_t *hosts;
    const int32_t *vids;
};

static void ask_batch(void *context, int index, struct vfn_message *request) {
    struct batch *batch = context;
    if (index == 0) vfn_message_clear(request, VFN_OP_BEGIN);
    else if (index == batch->count + 1) vfn_message_clear(request, VFN_OP_END);
    else change(request, batch->hosts[index - 1], batch->vids[index - 1]);
}

static int take_batch(void *context, int index, const struct vfn_message *reply) {
    struct batch *batch = context;
    (void)index;
    int status = (int)vfn_message_get(reply, VFN_F_STATUS);
    /* The reply to the change that failed had the reason. */
    if (status == VFN_ST_BATCH_FAILED) return VFN_ERR_PROTOCOL;
    return status == VFN_ST_OK ? VFN_SUCCESS : vfn_refused(batch->manager, status);
}

static int send_batch(struct vfn_manager *m, int count, const int32_t *hosts, const int32_t *vids) {
    struct batch batch = {.manager = m, .count = count, .hosts = hosts, .vids = vids};
    return vfn_exchange_list(m, count + 2, ask_batch, take_batch, &batch);
}

/* Sets the paths of this session again, after the manager was restarted. */
static int restore(struct vfn_manager *m) {
    int32_t *hosts = malloc(2 * (size_t)(m->claim_count + 1) * sizeof *hosts);
    if (!hosts) return vfn_fail(m, VFN_ERR_MEMORY, "%s", vfn_text(VFN_ERR_MEMORY));
    int32_t *vids = hosts + m->claim_count + 1;
    int count = 0;
    for (int host = 0; host < m->hosts; host++) {
        if (m->claims[host]) {
            hosts[count] = host;
            vids[count++] = m->claims[host];
        }
    }
    int code = count > 0 ? send_batch(m, count, hosts, vids) : VFN_SUCCESS;
    free(hosts);
    return code;
}

/* A manager that was started again begins without the changes of this session; one of another plan is of no use. */
static int reconnect(struct vfn_manager *m) {
    int host = m->host, hosts = m->hosts, vids = m->vid_count;
    uint64_t plan = m->plan;
    char path[sizeof m->path];
    memcpy(path, m->path, sizeof path);
    int code = vfn_connect_to(m, path);
    if (code == VFN_SUCCESS) code = hello(m);
    int is_same = m->host == host && m->hosts == hosts && m->plan == plan && m->vid_count == vids;
    m->host = host;
    m->hosts = hosts;
    m->plan = plan;
    m->vid_count = vids;
    if (code == VFN_SUCCESS && !is_same) {
        code = vfn_fail(m, VFN_ERR_PLAN, "the network manager at %s was started again with another plan", path);
    }
    if (code == VFN_SUCCESS) {
        /* It counts from 0 again. */
        memset(m->sent, 0, (size_t)hosts * sizeof *m->sent);
        code = restore(m);
    }
    if (code != VFN_SUCCESS) vfn_disconnect(m);
    return code;
}

static int is_lost(const struct vfn_manager *m, int code) { return code != VFN_SUCCESS && m->fd < 0; }

static int ensure(struct vfn_manager *m) { return m->fd >= 0 ? VFN_SUCCESS : reconnect(m); }

static int try_set(struct vfn_manager *m, int host, int vid) {
    struct vfn_message message;
    int code = ensure(m);
    if (code != VFN_SUCCESS) return code;
    change(&message, host, vid);
    code = vfn_exchange(m, &message);
    if (code != VFN_SUCCESS) return code;
    int status = (int)vfn_message_get(&message, VFN_F_STATUS);
    return status == VFN_ST_OK ? VFN_SUCCESS : vfn_refused(m, status);
}

int vfn_set(struct vfn_manager *m, int host, int vid) {
    int code = try_set(m, host, vid);
    if (is_lost(m, code) && code == VFN_ERR_NO_MANAGER) code = try_set(m, host, vid);
    if (code == VFN_SUCCESS) claim(m, host, vid);
    return code;
}

int vfn_set_all(struct vfn_manager *m, int count, const int32_t *hosts, const int32_t *vids) {
    int code = ensure(m);
    if (code == VFN_SUCCESS) code = send_batch(m, count, hosts, vids);
    if (is_lost(m, code) && code == VFN_ERR_NO_MANAGER && (code = ensure(m)) == VFN_SUCCESS) {
        code = send_batch(m, count, hosts, vids);
    }
    for (int i = 0; code == VFN_SUCCESS && i < count; i++) claim(m, hosts[i], vids[i]);
    return code;
}

int vfn_reset_all(struct vfn_manager *m) {
    struct vfn_message message;
    memset(m->claims, 0, (size_t)m->hosts * sizeof *m->claims);
    m->claim_count = 0;
    if (m->fd < 0) return VFN_SUCCESS;
    vfn_message_clear(&message, VFN_OP_RESET_ALL);
    int code = vfn_exchange(m, &message);
    if (code != VFN_SUCCESS) return is_lost(m, code) ? VFN_SUCCESS : code;
    int status = (int)vfn_message_get(&message, VFN_F_STATUS);
    return status == VFN_ST_OK ? VFN_SUCCESS : vfn_refused(m, status);
}

int vfn_get(struct vfn_manager *m, int host, int *vid) {
    struct vfn_message message;
    int code = VFN_SUCCESS;
    for (int tries = 0; tries < 2; tries++) {
        code = ensure(m);
        if (code != VFN_SUCCESS) return code;
        vfn_message_clear(&message, VFN_OP_GET);
        vfn_name_host(&message, host);
        code = vfn_exchange(m, &message);
        if (!is_lost(m, code) || code != VFN_ERR_NO_MANAGER) break;
    }
    if (code != VFN_SUCCESS) return code;
    int status = (int)vfn_message_get(&message, VFN_F_STATUS);
    if (status != VFN_ST_OK) return vfn_refused(m, status);
    *vid = (int)vfn_message_get(&message, VFN_F_VID);
    return VFN_SUCCESS;
}

/* ---- traffic and its best paths ---- */

struct reading {
    struct vfn_manager *manager;
    const int32_t *hosts;
    uint64_t *bytes;
};

static void ask_traffic(void *context, int index, struct vfn_message *request) {
    struct reading *reading = context;
    vfn_message_clear(request, VFN_OP_TRAFFIC);
    vfn_message_put(request, VFN_F_INDEX, (uint64_t)reading->hosts[index]);
}

static int take_traffic(void *context, int index, const struct vfn_message *reply) {
    struct reading *reading = context;
    int host = reading->hosts[index], status = (int)vfn_message_get(reply, VFN_F_STATUS);
    if (status != VFN_ST_OK && status != VFN_ST_END_OF_LIST) return vfn_refused(reading->manager, status);
    /* The manager answers with the next host to which anything was sent. */
    int has = status == VFN_ST_OK && (int)vfn_message_get(reply, VFN_F_INDEX) == host;
    uint64_t now = has ? vfn_message_get(reply, VFN_F_VALUE0) : 0, *sent = &reading->manager->sent[host];
    if (reading->bytes) reading->bytes[index] = now < *sent ? now : now - *sent;
    *sent = now;
    return VFN_SUCCESS;
}

int vfn_traffic(struct vfn_manager *m, int count, const int32_t *hosts, uint64_t *bytes) {
    struct reading reading = {.manager = m, .hosts = hosts, .bytes = bytes};
    int code = ensure(m);
    if (code == VFN_SUCCESS) code = vfn_exchange_list(m, count, ask_traffic, take_traffic, &reading);
    if (is_lost(m, code) && code == VFN_ERR_NO_MANAGER && (code = ensure(m)) == VFN_SUCCESS) {
        code = vfn_exchange_list(m, count, ask_traffic, take_traffic, &reading);
    }
    return code;
}

struct demand {
    int32_t from;
    int32_t to;
    uint64_t bytes;
};

struct demands {
    struct vfn_manager *manager;
    const struct demand *list;
};

static void ask_demand(void *context, int index, struct vfn_message *request) {
    const struct demand *demand = &((struct demands *)context)->list[index];
    vfn_message_clear(request, VFN_OP_DEMAND);
    vfn_message_put(request, VFN_F_INDEX, (uint64_t)demand->from);
    vfn_name_host(request, demand->to);
    vfn_message_put(request, VFN_F_VALUE0, demand->bytes);
}

static int take_demand(void *context, int index, const struct vfn_message *reply) {
    (void)index;
    int status = (int)vfn_message_get(reply, VFN_F_STATUS);
    return status == VFN_ST_OK ? VFN_SUCCESS : vfn_refused(((struct demands *)context)->manager, status);
}

/* The amounts above a threshold, few enough for the manager; those that are left out load no link. */
static size_t list_demands(int count, const int32_t *hosts, const uint64_t *bytes, uint64_t above, struct demand *list) {
    size_t size = 0;
    for (int from = 0; from < count; from++) {
        for (int to = 0; to < count; to++) {
            uint64_t amount = bytes[(size_t)from * (size_t)count + (size_t)to];
            if (amount <= above || from == to) continue;
            if (list) list[size] = (struct demand){.from = hosts[from], .to = hosts[to], .bytes = amount};
            size++;
        }
    }
    return size;
}

int vfn_optimise(struct vfn_manager *m, int count, const int32_t *hosts, const uint64_t *bytes) {
    uint64_t above = 0;
    size_t size = list_demands(count, hosts, bytes, above, NULL);
    while (size > MAX_DEMANDS) {
        above = 2 * above + 1;
        size = list_demands(count, hosts, bytes, above, NULL);
    }
    struct demand *list = malloc((size + 1) * sizeof *list);
    if (!list) return vfn_fail(m, VFN_ERR_MEMORY, "%s", vfn_text(VFN_ERR_MEMORY));
    list_demands(count, hosts, bytes, above, list);
    struct demands demands = {.manager = m, .list = list};
    int code = ensure(m);
    if (code == VFN_SUCCESS) code = vfn_exchange_list(m, (int)size, ask_demand, take_demand, &demands);
    free(list);
    if (m->fd < 0) return code;
    /* Also if a demand was refused: the manager forgets the others with it. */
    struct vfn_message message;
    vfn_message_clear(&message, VFN_OP_OPTIMISE);
    int begun = vfn_exchange(m, &message);
    if (code != VFN_SUCCESS || begun != VFN_SUCCESS) return code != VFN_SUCCESS ? code : begun;
    int status = (int)vfn_message_get(&message, VFN_F_STATUS);
    return status == VFN_ST_OK ? VFN_SUCCESS : vfn_refused(m, status);
}

struct answers {
    struct vfn_manager *manager;
    struct vfn_choice *list;
    int first;
    int length; /* -1 while it is not known */
};

static void ask_choice(void *context, int index, struct vfn_message *request) {
    vfn_message_clear(request, VFN_OP_CHOICE);
    vfn_message_put(request, VFN_F_INDEX, (uint64_t)(((struct answers *)context)->first + index));
}

static int take_choice(void *context, int index, const struct vfn_message *reply) {
    struct answers *answers = context;
    struct vfn_manager *m = answers->manager;
    int status = (int)vfn_message_get(reply, VFN_F_STATUS), at = answers->first + index;
    if (status == VFN_ST_END_OF_LIST) {
        if (answers->length < 0) answers->length = at;
        return VFN_SUCCESS;
    }
    if (status != VFN_ST_OK) return vfn_refused(m, status);
    struct vfn_choice choice = {.low = (int32_t)vfn_message_get(reply, VFN_F_INDEX),
                                .high = (int32_t)vfn_message_get(reply, VFN_F_PEER),
                                .vid = (int32_t)vfn_message_get(reply, VFN_F_VID)};
    if (choice.low < 0 || choice.low >= m->hosts || choice.high < 0 || choice.high >= m->hosts ||
        choice.low == choice.high || !vfn_is_planned(m, choice.vid)) {
        return vfn_fail(m, VFN_ERR_PROTOCOL, "the network manager at %s has computed an invalid path", m->path);
    }
    answers->list[at] = choice;
    return VFN_SUCCESS;
}

int vfn_choices(struct vfn_manager *m, int *done, int *count, struct vfn_choice **choices, struct vfn_loads *loads) {
    struct vfn_message message;
    *done = 0;
    *count = 0;
    *choices = NULL;
    vfn_message_clear(&message, VFN_OP_CHOICE);
    if (m->fd < 0) return vfn_fail(m, VFN_ERR_NO_MANAGER, "the network manager at %s has ended meanwhile", m->path);
    int code = vfn_exchange(m, &message);
    if (code != VFN_SUCCESS) return code;
    int status = (int)vfn_message_get(&message, VFN_F_STATUS);
    if (status == VFN_ST_RUNNING) return VFN_SUCCESS;
    if (status != VFN_ST_OK && status != VFN_ST_END_OF_LIST) return vfn_refused(m, status);
    *done = 1;
    loads->planned = (double)vfn_message_get(&message, VFN_F_VALUE0);
    loads->chosen = (double)vfn_message_get(&message, VFN_F_VALUE1);
    struct answers answers = {.manager = m, .length = status == VFN_ST_OK ? -1 : 0};
    while (answers.length < 0 && code == VFN_SUCCESS) {
        size_t room = (size_t)answers.first + WINDOW;
        struct vfn_choice *more = realloc(answers.list, room * sizeof *more);
        if (!more) {
            code = vfn_fail(m, VFN_ERR_MEMORY, "%s", vfn_text(VFN_ERR_MEMORY));
            break;
        }
        answers.list = more;
        code = vfn_exchange_list(m, WINDOW, ask_choice, take_choice, &answers);
        answers.first += WINDOW;
    }
    if (code != VFN_SUCCESS) {
        free(answers.list);
        return code;
    }
    *count = answers.length;
    *choices = answers.list;
    return VFN_SUCCESS;
}
