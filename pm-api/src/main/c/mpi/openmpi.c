/* libhxb-openmpi.so: corrects sends of Open MPI through libfabric, where it would send other bytes than the program
 * gave.
 *
 *   mpirun -x LD_PRELOAD=.../libhxb-openmpi.so ./program
 *
 * Two faults of Open MPI's pml cm, over any provider of libfabric: - Before 4.1.6, a persistent request sends a
 * contiguous datatype from the address given, even if the datatype begins
 *   after it (MPI_Type_get_true_extent). MPI_Send_init and its kinds, MPI_Alltoall, MPI_Alltoallv, MPI_Alltoallw, and
 *   one-sided operations by messages (osc pt2pt) use such requests.
 * - In all releases up to 5.0.10, a request of MPI_Bsend_init that is started again sends what it sent the first time.
 *
 * The end of MPI_Init tries both by messages of the rank to itself, and nothing is changed where they arrive as they
 * should. The first fault is corrected in Open MPI's table of functions (mca_pml), which all its parts use: the
 * function there gets the address at which the datatype begins and a datatype that begins there. The second is
 * corrected by calling MPI_Bsend at each start. Rank 0 prints a fault that cannot be corrected. HXB_OPENMPI=off:
 * nothing is tried or changed; HXB_OPENMPI=report: rank 0 prints the corrections.
 *
 * The library is not linked with an MPI, so that programs that are none can be started with it. Both MPI_* and PMPI_*
 * stand before Open MPI's, since Fortran and tools for profiling call the latter. Handles of Open MPI are pointers. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *handle;

/* From mpi.h of Open MPI 3.0 to 5.0. */
#define OTHER_ERROR 16 /* MPI_ERR_OTHER */
#define PROC_NULL (-2)
#define OVERHEAD 128 /* MPI_BSEND_OVERHEAD */
#define VERSION_LENGTH 256 /* MPI_MAX_LIBRARY_VERSION_STRING */
/* Place of pml_isend_init in mca_pml. Source: ompi/mca/pml/pml.h of Open MPI 3.0.0 to 4.1.5. */
#define ISEND_INIT 9

#define EXPORT __attribute__((visibility("default")))

typedef int pml_isend_init(const void *, size_t, handle, int, int, int, handle, handle *);

static pml_isend_init *isend_init; /* of Open MPI, once it has been replaced */
static bool is_tried, is_reporting, is_bsend_replaced;

/* ---- Functions of Open MPI ---- */

static void *find_in(void *scope, const char *name) {
    static const char *const libraries[] = {"libmpi.so.40", "libmpi.so.20"};
    void *found = dlsym(scope, name);
    /* Programs may have loaded Open MPI for themselves, as Python does. */
    for (size_t i = 0; found == NULL && i < sizeof libraries / sizeof *libraries; i++) {
        void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
        if (library != NULL) {
            found = dlsym(library, name);
            dlclose(library);
        }
    }
    return found;
}

/* A function of the next library. */
static void *find(const char *name) {
    return find_in(RTLD_NEXT, name);
}

/* A variable, which may have been copied into the program. */
static void *find_data(const char *name) {
    return find_in(RTLD_DEFAULT, name);
}

/* Calls a function of Open MPI by its name, with the types of its parameters in the first parentheses. */
#define CALL(name, types, ...) \
    ({ \
        static int(*function) types; \
        if (__atomic_load_n(&function, __ATOMIC_RELAXED) == NULL) { \
            __atomic_store_n(&function, (int(*) types)find(name), __ATOMIC_RELAXED); \
        } \
        function == NULL ? OTHER_ERROR : function(__VA_ARGS__); \
    })

static int true_extent(handle type, ptrdiff_t *begin, ptrdiff_t *extent) {
    return CALL("PMPI_Type_get_true_extent", (handle, ptrdiff_t *, ptrdiff_t *), type, begin, extent);
}

static int type_size(handle type, int *bytes) {
    return CALL("PMPI_Type_size", (handle, int *), type, bytes);
}

/* A datatype that is another one so many bytes on. */
static int moved(int count, ptrdiff_t bytes, handle type, handle *result) {
    int error = CALL("PMPI_Type_create_hindexed", (int, const int *, const ptrdiff_t *, handle, handle *), 1, &count,
                     &bytes, type, result);
    return error != 0 ? error : CALL("PMPI_Type_commit", (handle *), result);
}

static int type_free(handle *type) {
    return CALL("PMPI_Type_free", (handle *), type);
}

static int request_free(handle *request) {
    return CALL("PMPI_Request_free", (handle *), request);
}

static int start(handle *request) {
    return CALL("PMPI_Start", (handle *), request);
}

static int wait_for(handle *request) {
    return CALL("PMPI_Wait", (handle *, void *), request, NULL);
}

static int bsend_init(const void *buffer, int count, handle type, int to, int tag, handle comm, handle *request) {
    return CALL("PMPI_Bsend_init", (const void *, int, handle, int, int, handle, handle *), buffer, count, type, to,
                tag, comm, request);
}

/* ---- Datatypes that begin after the address ---- */

static int send_from_begin(const void *buffer, size_t count, handle type, int to, int tag, int mode, handle comm,
                           handle *request) {
    ptrdiff_t begin = 0, extent = 0;
    int bytes = 0;
    int error = type_size(type, &bytes);
    if (error == 0 && bytes > 0) {
        error = true_extent(type, &begin, &extent);
    }
    if (error == 0 && begin == 0) {
        return isend_init(buffer, count, type, to, tag, mode, comm, request);
    }
    handle there;
    if (error == 0) {
        error = moved(1, -begin, type, &there);
    }
    if (error != 0) {
        return error;
    }
    error = isend_init((const char *)buffer + begin, count, there, to, tag, mode, comm, request);
    type_free(&there); /* the request keeps it */
    return error;
}

/* True if mca_pml is known to be laid out as above. */
static bool is_known(void) {
    char text[VERSION_LENGTH + 1] = "";
    int length = 0, major = 0, minor = 0, release = 0;
    if (CALL("PMPI_Get_library_version", (char *, int *), text, &length) != 0
        || sscanf(text, "Open MPI v%d.%d.%d", &major, &minor, &release) != 3) {
        return false;
    }
    int version = major * 10000 + minor * 100 + release;
    return version >= 30000 && version < 40106;
}

/* Exchanges the function for another one; false if it is not where it is expected. */
static bool replace(void) {
    pml_isend_init **functions = find_data("mca_pml");
    Dl_info place;
    if (functions == NULL || !is_known() || dladdr((void *)functions[ISEND_INIT], &place) == 0
        || place.dli_fname == NULL || strstr(place.dli_fname, "mpi") == NULL) {
        return false;
    }
    isend_init = functions[ISEND_INIT];
    functions[ISEND_INIT] = send_from_begin;
    return true;
}

/* ---- Buffered requests that are started again ---- */

#define BUCKETS 256

/* A request of MPI_Bsend_init: Open MPI has one to nobody, and the arguments of the program are here. */
struct buffered {
    struct buffered *next;
    handle request, type, comm;
    const void *buffer;
    int count, to, tag;
};

static struct buffered *buckets[BUCKETS];
static unsigned buffered_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct buffered **bucket(handle request) {
    return &buckets[((uintptr_t)request >> 6) % BUCKETS];
}

static void add(struct buffered *one) {
    pthread_mutex_lock(&lock);
    struct buffered **at = bucket(one->request);
    one->next = *at;
    *at = one;
    __atomic_fetch_add(&buffered_count, 1, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&lock);
}

/* Finds that of a request, and takes it out if it is to go. The program uses a request in one thread at a time. */
static struct buffered *look_up(handle request, bool is_removed) {
    if (__atomic_load_n(&buffered_count, __ATOMIC_RELAXED) == 0) {
        return NULL;
    }
    pthread_mutex_lock(&lock);
    struct buffered **at = bucket(request);
    while (*at != NULL && (*at)->request != request) {
        at = &(*at)->next;
    }
    struct buffered *found = *at;
    if (found != NULL && is_removed) {
        *at = found->next;
        __atomic_fetch_sub(&buffered_count, 1, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&lock);
    return found;
}

static int send_again(handle request) {
    const struct buffered *one = look_up(request, false);
    return one == NULL ? 0
                       : CALL("PMPI_Bsend", (const void *, int, handle, int, int, handle), one->buffer, one->count,
                              one->type, one->to, one->tag, one->comm);
}

static int buffered_init(const void *buffer, int count, handle type, int to, int tag, handle comm, handle *request) {
    if (!is_bsend_replaced || to == PROC_NULL) {
        return bsend_init(buffer, count, type, to, tag, comm, request);
    }
    struct buffered *one = calloc(1, sizeof *one);
    if (one == NULL) {
        return OTHER_ERROR;
    }
    *one = (struct buffered){.comm = comm, .buffer = buffer, .count = count, .to = to, .tag = tag};
    int error = bsend_init(buffer, count, type, PROC_NULL, tag, comm, request);
    if (error == 0) {
        error = CALL("PMPI_Type_dup", (handle, handle *), type, &one->type);
    }
    if (error != 0) {
        free(one);
        return error;
    }
    one->request = *request;
    add(one);
    return 0;
}

static int start_one(handle *request) {
    int error = request == NULL ? 0 : send_again(*request);
    return error != 0 ? error : start(request);
}

static int start_all(int count, handle *requests) {
    for (int i = 0; requests != NULL && i < count; i++) {
        int error = send_again(requests[i]);
        if (error != 0) {
            return error;
        }
    }
    return CALL("PMPI_Startall", (int, handle *), count, requests);
}

static int free_one(handle *request) {
    struct buffered *one = request == NULL ? NULL : look_up(*request, true);
    if (one != NULL) {
        type_free(&one->type);
        free(one);
    }
    return request_free(request);
}

/* ---- Trying ---- */

#define WORD ((int)sizeof(uint64_t))

/* Starts a request twice, each time with another number after the first word of its buffer, and checks that this number
 * comes. Other failures are none of this library's business. */
static bool arrives(uint64_t *numbers, handle *request, handle bytes, handle self) {
    bool is_same = true;
    for (uint64_t round = 1; round <= 2; round++) {
        uint64_t got = 0;
        handle receive;
        numbers[1] = round;
        if (CALL("PMPI_Irecv", (void *, int, handle, int, int, handle, handle *), &got, WORD, bytes, 0, 0, self,
                 &receive) != 0
            || start(request) != 0 || wait_for(request) != 0 || wait_for(&receive) != 0) {
            return true;
        }
        is_same &= got == round;
    }
    return is_same;
}

static bool sends_from_begin(handle bytes, handle self) {
    uint64_t numbers[2] = {0, 0};
    handle second, request;
    if (moved(WORD, WORD, bytes, &second) != 0) {
        return true;
    }
    bool is_right = true;
    if (CALL("PMPI_Send_init", (const void *, int, handle, int, int, handle, handle *), numbers, 1, second, 0, 0, self,
             &request) == 0) {
        is_right = arrives(numbers, &request, bytes, self);
        request_free(&request);
    }
    type_free(&second);
    return is_right;
}

static bool sends_again(handle bytes, handle self) {
    char room[2 * (WORD + OVERHEAD)];
    void *detached;
    int length;
    uint64_t numbers[2] = {0, 0};
    handle request;
    if (CALL("PMPI_Buffer_attach", (void *, int), room, sizeof room) != 0) {
        return true;
    }
    bool is_right = true;
    if (bsend_init(&numbers[1], WORD, bytes, 0, 0, self, &request) == 0) {
        is_right = arrives(numbers, &request, bytes, self);
        request_free(&request);
    }
    CALL("PMPI_Buffer_detach", (void *, int *), &detached, &length);
    return is_right;
}

static void report(const char *text) {
    int rank = 1;
    if (CALL("PMPI_Comm_rank", (handle, int *), find_data("ompi_mpi_comm_world"), &rank) == 0 && rank == 0) {
        fprintf(stderr, "libhxb-openmpi: %s\n", text);
    }
}

static void try_out(void) {
    const char *wish = getenv("HXB_OPENMPI");
    handle self = find_data("ompi_mpi_comm_self"), bytes = find_data("ompi_mpi_byte");
    if (is_tried || self == NULL || bytes == NULL || (wish != NULL && strcmp(wish, "off") == 0)) {
        return;
    }
    is_tried = true;
    is_reporting = wish != NULL && strcmp(wish, "report") == 0;
    if (!sends_from_begin(bytes, self)) {
        bool is_right = replace() && sends_from_begin(bytes, self);
        if (!is_right) {
            report("this Open MPI sends wrong numbers where a persistent send, MPI_Alltoallv, MPI_Alltoallw or a"
                " one-sided operation has a datatype that begins after the address given, and they cannot be corrected"
                " here: take Open MPI 4.1.6 or later, or MPICH");
        } else if (is_reporting) {
            report("datatypes of persistent sends are corrected");
        }
    }
    if (!sends_again(bytes, self)) {
        is_bsend_replaced = true;
        if (is_reporting) {
            report("MPI_Bsend_init is corrected");
        }
    }
}

/* ---- What programs call ---- */

/* Defines MPI_name and PMPI_name. The former leaves it to the latter where another library stands before Open MPI, such
 * as a tool for profiling, which calls PMPI_name itself. */
#define BOTH(name, parameters, arguments, function) \
    EXPORT int MPI_##name parameters; \
    EXPORT int PMPI_##name parameters; \
    int MPI_##name parameters { \
        int(*next) parameters = (int(*) parameters)find("MPI_" #name); \
        return next == NULL || (void *)next == find("PMPI_" #name) ? function arguments : next arguments; \
    } \
    int PMPI_##name parameters { \
        return function arguments; \
    }

BOTH(Bsend_init,
     (const void *buffer, int count, handle type, int to, int tag, handle comm, handle *request),
     (buffer, count, type, to, tag, comm, request), buffered_init)
BOTH(Start, (handle * request), (request), start_one)
BOTH(Startall, (int count, handle *requests), (count, requests), start_all)
BOTH(Request_free, (handle * request), (request), free_one)

/* Other libraries that stand before Open MPI come between MPI_Init here and that of Open MPI. */
static int after_init(int error) {
    if (error == 0) {
        try_out();
    }
    return error;
}

#define INIT(name) \
    EXPORT int name##_Init(int *count, char ***arguments); \
    EXPORT int name##_Init_thread(int *count, char ***arguments, int required, int *provided); \
    int name##_Init(int *count, char ***arguments) { \
        return after_init(CALL(#name "_Init", (int *, char ***), count, arguments)); \
    } \
    int name##_Init_thread(int *count, char ***arguments, int required, int *provided) { \
        return after_init( \
            CALL(#name "_Init_thread", (int *, char ***, int, int *), count, arguments, required, provided)); \
    }

INIT(MPI)
INIT(PMPI)
