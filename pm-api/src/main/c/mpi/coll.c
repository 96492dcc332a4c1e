/* libhxb-coll.so: MPI_Barrier, MPI_Bcast and MPI_Allreduce of programs of MPI, carried out by the nodes of HXB.
 *
 *   mpirun -x LD_PRELOAD=.../libhxb-coll.so ./program
 *
 * It stands between a program and any MPI, by the profiling interface. It passes other operations on to the MPI, or to
 * another library that is loaded between the two: those of more than HXB_GROUP_BYTES, of other types and functions, on
 * intercommunicators, and on communicators with a rank that cannot use a node. Whether it takes an operation depends
 * only on values that MPI requires to be the same at all ranks.
 *
 * A communicator becomes a group at its JOIN_AFTERth operation, so that those that are soon freed cost nothing. Ranks
 * find their node as hxb_attach does. HXB_COLLECTIVES=off at any rank: no operation is taken; HXB_COLLECTIVES=report at
 * rank 0: it prints at the end how many were. */
#define _GNU_SOURCE
#include "base/clock.h"
#include "free_context.h"

#include <mpi.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#define JOIN_AFTER 4
#define JOIN_NS (20 * HXB_SECOND)
#define PROGRESS_NS (HXB_SECOND / 2000) /* between turns of MPI, which may have messages for others to pass on */
#define SEND_BUFFERS 64
#define API __attribute__((visibility("default")))

/* The function that the program would have called without this library: of MPI, or of a library between the two. */
#define NEXT(name) ((__typeof__(&P##name))next(#name, (void (*)(void))P##name))

/* The state of a communicator, as its attribute. */
struct coll {
    struct coll *next;
    MPI_Comm communicator;
    int ranks, uses;
    bool is_taken;   /* by the nodes */
    bool is_decided; /* whether it is */
    hxb_group *group;
};

static hxb_device *device;
static hxb_context *context;
static MPI_Comm progress = MPI_COMM_NULL;
static int keyval = MPI_KEYVAL_INVALID;
static struct coll *all;
static bool is_started, is_reporting;
static unsigned long long by_nodes, by_mpi;

static void (*next(const char *name, void (*otherwise)(void)))(void) {
    void *found = dlsym(RTLD_NEXT, name);
    void (*function)(void) = otherwise;
    if (found != NULL) {
        memcpy(&function, &found, sizeof function);
    }
    return function;
}

/* The functions for operations that this library does not take. */
static struct {
    __typeof__(&PMPI_Barrier) barrier;
    __typeof__(&PMPI_Bcast) broadcast;
    __typeof__(&PMPI_Allreduce) allreduce;
} following = {PMPI_Barrier, PMPI_Bcast, PMPI_Allreduce};

/* ---- Starting and ending ---- */

static void open_context(void) {
    hxb_context_options options;
    hxb_default_options(&options);
    options.send_buffers = SEND_BUFFERS;
    int id;
    open_free_context(device, 1, &options, &context, &id);
}

/* Removes what is known of a communicator; MPI calls it when that is freed. */
static int on_free(MPI_Comm communicator, int key, void *value, void *unused) {
    (void)communicator, (void)key, (void)unused;
    struct coll *coll = value;
    struct coll **at = &all;
    while (*at != coll) {
        at = &(*at)->next;
    }
    *at = coll->next;
    if (coll->group != NULL) {
        hxb_own_context(context);
        hxb_group_leave(coll->group);
    }
    free(coll);
    return MPI_SUCCESS;
}

/* A rank that cannot take part still has to send that, when its communicators become groups. */
static void start(int level) {
    following.barrier = NEXT(MPI_Barrier);
    following.broadcast = NEXT(MPI_Bcast);
    following.allreduce = NEXT(MPI_Allreduce);
    const char *wish = getenv("HXB_COLLECTIVES");
    bool is_wanted = wish == NULL || strcmp(wish, "off") != 0;
    is_reporting = wish != NULL && strcmp(wish, "report") == 0;
    if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_free, &keyval, NULL) != MPI_SUCCESS
        || PMPI_Comm_dup(MPI_COMM_SELF, &progress) != MPI_SUCCESS) {
        return;
    }
    is_started = true;
    if (is_wanted && level != MPI_THREAD_MULTIPLE && hxb_attach(NULL, &device) == HXB_OK) {
        open_context();
    }
}

API int MPI_Init(int *count, char ***arguments) {
    int result = NEXT(MPI_Init)(count, arguments);
    if (result == MPI_SUCCESS) {
        start(MPI_THREAD_SINGLE);
    }
    return result;
}

API int MPI_Init_thread(int *count, char ***arguments, int required, int *provided) {
    int result = NEXT(MPI_Init_thread)(count, arguments, required, provided);
    if (result == MPI_SUCCESS) {
        start(*provided);
    }
    return result;
}

static void report(void) {
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (is_reporting && rank == 0) {
        fprintf(stderr, "libhxb-coll: rank 0 had %llu operations carried out by the nodes, and %llu by MPI\n", by_nodes,
                by_mpi);
    }
}

API int MPI_Finalize(void) {
    if (is_started) {
        is_started = false;
        report();
        while (all != NULL) {
            struct coll *first = all;
            PMPI_Comm_delete_attr(first->communicator, keyval);
            if (all == first) {
                break;
            }
        }
        PMPI_Comm_free(&progress);
        PMPI_Comm_free_keyval(&keyval);
        if (context != NULL) {
            hxb_own_context(context);
            hxb_close_context(context);
            context = NULL;
        }
        hxb_detach(device);
        device = NULL;
    }
    return NEXT(MPI_Finalize)();
}

/* ---- Waiting ---- */

/* Other ranks may need messages that this one's MPI has to pass on, so it gets its turns. */
static void make_progress(void) {
    int flag;
    PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, progress, &flag, MPI_STATUS_IGNORE);
}

/* Waits for the operation of a group; for the time given, 0 for any. A rank sleeps rather than yields: a yield does not
 * let a node run that has had its share of the CPU, and all ranks wait for nodes. */
static int finish(hxb_group *group, int64_t limit_ns) {
    int64_t begin = limit_ns > 0 ? now_ns() : 0;
    for (;;) {
        int result = hxb_group_wait(group, PROGRESS_NS);
        if (result != HXB_TIMED_OUT && result != HXB_NODE_SILENT) {
            return result;
        }
        make_progress();
        if (limit_ns > 0 && now_ns() - begin > limit_ns) {
            return HXB_TIMED_OUT;
        }
    }
}

/* ---- Which communicators the nodes serve ---- */

/* The message of a rank about itself when a communicator becomes a group. */
struct introduction {
    uint64_t id; /* that it proposes; the first one's is taken */
    int32_t node;
    char shape[28]; /* of the cluster; empty if it cannot take part */
};

static void introduce(struct introduction *mine) {
    memset(mine, 0, sizeof *mine);
    if (context == NULL || getrandom(&mine->id, sizeof mine->id, 0) != sizeof mine->id) {
        return;
    }
    mine->node = hxb_node_id(device);
    snprintf(mine->shape, sizeof mine->shape, "%s", hxb_shape(device));
}

static bool can_all(const struct introduction *ranks, int count) {
    for (int i = 0; i < count; i++) {
        if (ranks[i].shape[0] == '\0' || strcmp(ranks[i].shape, ranks[0].shape) != 0) {
            return false;
        }
    }
    return true;
}

static bool join(struct coll *coll, const struct introduction *ranks, int rank) {
    int *nodes = malloc((size_t)coll->ranks * sizeof *nodes);
    if (nodes == NULL) {
        return false;
    }
    for (int i = 0; i < coll->ranks; i++) {
        nodes[i] = ranks[i].node;
    }
    int result = hxb_group_start_join(context, ranks[0].id, nodes, coll->ranks, rank, &coll->group);
    free(nodes);
    return result == HXB_OK && finish(coll->group, JOIN_NS) == HXB_OK;
}

/* All ranks come to the same decision, by messages of MPI. */
static void decide(struct coll *coll) {
    coll->is_decided = true;
    int rank, is_joined = 0, have_all = 0;
    PMPI_Comm_rank(coll->communicator, &rank);
    struct introduction mine, *ranks = calloc((size_t)coll->ranks, sizeof *ranks);
    int has_room = ranks != NULL, have_room = 0;
    PMPI_Allreduce(&has_room, &have_room, 1, MPI_INT, MPI_MIN, coll->communicator);
    if (!have_room) {
        free(ranks);
        return;
    }
    introduce(&mine);
    PMPI_Allgather(&mine, sizeof mine, MPI_BYTE, ranks, sizeof mine, MPI_BYTE, coll->communicator);
    if (can_all(ranks, coll->ranks)) {
        hxb_own_context(context);
        is_joined = join(coll, ranks, rank);
        PMPI_Allreduce(&is_joined, &have_all, 1, MPI_INT, MPI_MIN, coll->communicator);
        if (!have_all && coll->group != NULL) {
            hxb_group_leave(coll->group);
            coll->group = NULL;
        }
    }
    free(ranks);
    coll->is_taken = have_all;
}

static struct coll *add(MPI_Comm communicator) {
    struct coll *coll = calloc(1, sizeof *coll);
    if (coll == NULL) {
        return NULL;
    }
    int is_inter;
    PMPI_Comm_test_inter(communicator, &is_inter);
    PMPI_Comm_size(communicator, &coll->ranks);
    coll->communicator = communicator;
    coll->is_decided = is_inter || coll->ranks < 2;
    if (PMPI_Comm_set_attr(communicator, keyval, coll) != MPI_SUCCESS) {
        free(coll);
        return NULL;
    }
    coll->next = all;
    all = coll;
    return coll;
}

/* The group that carries out the next operation of a communicator; NULL if MPI does. */
static struct coll *taken(MPI_Comm communicator) {
    if (!is_started || communicator == MPI_COMM_NULL) {
        return NULL;
    }
    struct coll *coll;
    int is_known;
    if (PMPI_Comm_get_attr(communicator, keyval, &coll, &is_known) != MPI_SUCCESS) {
        return NULL;
    }
    if (!is_known) {
        coll = add(communicator);
    }
    if (coll != NULL && !coll->is_decided && ++coll->uses > JOIN_AFTER) {
        decide(coll);
    }
    if (coll == NULL || !coll->is_taken) {
        by_mpi++;
        return NULL;
    }
    by_nodes++;
    hxb_own_context(context);
    return coll;
}

/* Some ranks may have the result of an operation that has failed at others, so nothing can be repeated. */
static int end(const struct coll *coll, int result, const char *name) {
    if (result == HXB_OK) {
        result = finish(coll->group, 0);
    }
    if (result == HXB_OK) {
        return MPI_SUCCESS;
    }
    fprintf(stderr, "libhxb-coll: %s: %s\n", name, result <= -100 ? hxb_last_error() : hxb_strerror(result));
    PMPI_Comm_call_errhandler(coll->communicator, MPI_ERR_OTHER);
    return MPI_ERR_OTHER;
}

/* ---- Operations ---- */

API int MPI_Barrier(MPI_Comm communicator) {
    const struct coll *coll = taken(communicator);
    return coll == NULL ? following.barrier(communicator)
                        : end(coll, hxb_group_start_barrier(coll->group), "MPI_Barrier");
}

static bool is_contiguous(MPI_Datatype type) {
    int integers, addresses, types, combiner = MPI_COMBINER_STRUCT;
    PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    if (combiner != MPI_COMBINER_NAMED) {
        return false;
    }
    MPI_Aint lower, extent;
    int size;
    PMPI_Type_get_extent(type, &lower, &extent);
    PMPI_Type_size(type, &size);
    return lower == 0 && extent == size;
}

static int broadcast(const struct coll *coll, void *data, int bytes, int root) {
    return end(coll, hxb_group_start_broadcast(coll->group, root, data, (size_t)bytes), "MPI_Bcast");
}

static int broadcast_packed(const struct coll *coll, void *data, int count, MPI_Datatype type, int bytes, int root) {
    char packed[2 * HXB_GROUP_BYTES];
    int rank, position = 0;
    PMPI_Comm_rank(coll->communicator, &rank);
    if (rank == root) {
        PMPI_Pack(data, count, type, packed, sizeof packed, &position, coll->communicator);
    }
    int result = broadcast(coll, packed, bytes, root);
    position = 0;
    if (result == MPI_SUCCESS && rank != root) {
        PMPI_Unpack(packed, bytes, &position, data, count, type, coll->communicator);
    }
    return result;
}

API int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm communicator) {
    /* Types may differ between the ranks, but not how much it is altogether. */
    int size = 0;
    bool is_fit = count > 0 && type != MPI_DATATYPE_NULL && PMPI_Type_size(type, &size) == MPI_SUCCESS && size > 0
        && count <= HXB_GROUP_BYTES / size;
    const struct coll *coll = is_fit ? taken(communicator) : NULL;
    if (coll == NULL || root < 0 || root >= coll->ranks) {
        return following.broadcast(data, count, type, root, communicator);
    }
    return is_contiguous(type) ? broadcast(coll, data, count * size, root)
                               : broadcast_packed(coll, data, count, type, count * size, root);
}

static int function_of(MPI_Op operation) {
    return operation == MPI_SUM   ? HXB_OP_SUM
           : operation == MPI_MIN ? HXB_OP_MIN
           : operation == MPI_MAX ? HXB_OP_MAX
                                  : 0;
}

static int type_of(MPI_Datatype type) {
    if (type == MPI_DOUBLE) {
        return HXB_TYPE_DOUBLE;
    }
    if (type == MPI_INT || type == MPI_INT32_T) {
        return HXB_TYPE_INT32;
    }
    bool is_long = type == MPI_LONG && sizeof(long) == sizeof(int64_t);
    return is_long || type == MPI_INT64_T || type == MPI_LONG_LONG ? HXB_TYPE_INT64 : 0;
}

API int MPI_Allreduce(const void *data, void *result, int count, MPI_Datatype type, MPI_Op operation,
                  MPI_Comm communicator) {
    int function = function_of(operation), element = type_of(type);
    bool is_fit = function != 0 && element != 0 && count > 0
        && count <= HXB_GROUP_BYTES / (element == HXB_TYPE_INT32 ? (int)sizeof(int32_t) : (int)sizeof(int64_t));
    const struct coll *coll = is_fit ? taken(communicator) : NULL;
    if (coll == NULL) {
        return following.allreduce(data, result, count, type, operation, communicator);
    }
    const void *mine = data == MPI_IN_PLACE ? result : data;
    return end(coll, hxb_group_start_allreduce(coll->group, function, element, mine, result, count), "MPI_Allreduce");
}
