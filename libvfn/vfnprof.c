/*
 * libvfnprof: programs that were never changed get the best paths for what they send. Loaded before MPI (LD_PRELOAD),
 * it looks at the clock in each MPI call of the program. One rank of each host takes part. In rounds, which never make
 * a rank wait, it
 *   1. sends rank 0 the bytes that its host has sent to each other host since the last round, as its network manager
 *      counts them;
 *   2. on rank 0, computes paths once two rounds in a row look alike. They do when a round spans whole iterations of
 *      the program: the first rounds are short, and each is twice as long as the one before;
 *   3. sets the paths of its host when they arrive.
 * Paths are computed again only after the traffic looks different for two rounds. If a program changes all the time,
 * the rounds become longer, up to a second or two.
 *
 * Rounds consist of MPI's own nonblocking collectives on a communicator of their own, begun and completed in whatever
 * call the program makes, so nothing depends on which calls those are.
 */
#define _GNU_SOURCE
#include "base/clock.h"
#include "job.h"
#include "vfn_codes.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default")))
#define WEAK __attribute__((weak))
#define MS INT64_C(1000000)

#define FIRST_WINDOW_NS (10 * MS)
#define MAX_WINDOW_NS (1000 * MS)
/* Time to read one host's traffic is below a microsecond or two: at most a few per cent of a round. */
#define WINDOW_NS_A_HOST (50 * MS / 1000)
#define ASK_AGAIN_NS (1 * MS)
/* Fewer bytes in a round do not show how a program behaves. */
#define MIN_BYTES (256 * 1024)
/* Rounds are alike if no more than this share of their traffic would have to go elsewhere to make them equal. */
#define ALIKE 0.1
#define DIFFERENT 0.25

enum phase { OFF, IDLE, GATHERING, COMPUTING, HEAD, LIST };

/* The message of rank 0 to the others at the end of a round. */
enum { WINDOW, COUNT, PLANNED, CHOSEN, HEAD_LENGTH };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static enum phase phase = OFF;
static struct vfn_manager manager = {.fd = -1};
static MPI_Comm comm = MPI_COMM_NULL;    /* of the rounds; one rank for each host, in the order of hosts */
static MPI_Comm closing = MPI_COMM_NULL; /* the same ranks, to agree on the last round */
static int is_root, is_verbose, is_closing;
static int host_count;
static int32_t *hosts;
static uint64_t *row, *matrix;
static double *shares, *last, *served; /* of each pair in the traffic of a round, [host_count * host_count] */
static int has_last, has_served;
static char *is_optimised;
static int64_t window_ns, floor_ns, next_ns, ask_ns;
static int started, searches;
static MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
static double head[HEAD_LENGTH];
static struct vfn_choice *choices;
static struct vfn_loads loads;

/* The function that the program would have called without this library: of MPI, or of a library between the two. */
#define NEXT(name) ((__typeof__(&PMPI_##name))next("MPI_" #name, (void (*)(void))PMPI_##name))

static void (*next(const char *name, void (*otherwise)(void)))(void) {
    void *found = dlsym(RTLD_NEXT, name);
    void (*function)(void) = otherwise;
    if (found) memcpy(&function, &found, sizeof function);
    return function;
}

static void report(const char *what, const char *why) { fprintf(stderr, "libvfnprof: %s%s\n", what, why); }

/* ---- rank 0: is there a pattern, and is it a new one ---- */

static double distance(const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < host_count * host_count; i++) sum += fabs(a[i] - b[i]);
    return sum / 2;
}

static void announce(int64_t window, int count) {
    head[WINDOW] = (double)window;
    head[COUNT] = count;
    head[PLANNED] = loads.planned;
    head[CHOSEN] = loads.chosen;
    PMPI_Ibcast(head, HEAD_LENGTH, MPI_DOUBLE, 0, comm, &requests[0]);
    phase = HEAD;
}

static int64_t twice(int64_t window) { return 2 * window < MAX_WINDOW_NS ? 2 * window : MAX_WINDOW_NS; }

static void stop(const char *why) {
    report("no paths are set any more: ", why);
    announce(-1, 0);
}

static void begin_search(void) {
    int code = vfn_optimise(&manager, host_count, hosts, matrix);
    if (code != VFN_SUCCESS) {
        stop(manager.why);
        return;
    }
    if (has_served) floor_ns = twice(floor_ns);
    memcpy(served, shares, (size_t)(host_count * host_count) * sizeof *served);
    has_served = 1;
    phase = COMPUTING;
    ask_ns = now_ns();
}

/* The numbers of all hosts have arrived. */
static void judge(void) {
    double total = 0;
    for (int i = 0; i < host_count * host_count; i++) total += (double)matrix[i];
    if (is_closing || total < MIN_BYTES) {
        announce(window_ns, 0);
        return;
    }
    for (int i = 0; i < host_count * host_count; i++) shares[i] = (double)matrix[i] / total;
    int is_settled = has_last && distance(shares, last) < ALIKE;
    int is_new = !has_served || distance(shares, served) > DIFFERENT;
    memcpy(last, shares, (size_t)(host_count * host_count) * sizeof *last);
    has_last = 1;
    if (is_new && is_settled) {
        begin_search();
    } else {
        /* A change shortens the rounds; otherwise they become longer. */
        announce(is_new && has_served && window_ns > 2 * floor_ns ? floor_ns : twice(window_ns), 0);
    }
}

static void ask(void) {
    int64_t now = now_ns();
    if (is_closing) {
        announce(window_ns, 0);
        return;
    }
    if (now - ask_ns < 0) return;
    int done, count;
    int code = vfn_choices(&manager, &done, &count, &choices, &loads);
    ask_ns = now + ASK_AGAIN_NS;
    if (code != VFN_SUCCESS) {
        stop(manager.why);
    } else if (done) {
        searches++;
        if (is_verbose) {
            fprintf(stderr, "libvfnprof: paths of %d pairs of hosts, after %d rounds, for one of %.0f ms: the busiest link"
                    " carries %.0f bytes of it, by the plan %.0f\n", count, started, (double)window_ns / 1e6, loads.chosen,
                    loads.planned);
        }
        announce(window_ns > floor_ns ? window_ns : floor_ns, count);
    }
}

/* ---- rounds ---- */

static void begin_round(void) {
    started++;
    if (vfn_traffic(&manager, host_count, hosts, row) != VFN_SUCCESS) {
        /* The others do not have to know: what this host sends just does not count. */
        memset(row, 0, (size_t)host_count * sizeof *row);
    }
    PMPI_Igather(row, host_count, MPI_UINT64_T, matrix, host_count, MPI_UINT64_T, 0, comm, &requests[1]);
    phase = GATHERING;
    if (!is_root) {
        PMPI_Ibcast(head, HEAD_LENGTH, MPI_DOUBLE, 0, comm, &requests[0]);
        phase = HEAD;
    }
}

static void end_round(void) {
    free(choices);
    choices = NULL;
    window_ns = (int64_t)head[WINDOW];
    next_ns = now_ns() + window_ns;
    phase = window_ns < 0 ? OFF : IDLE;
}

static void on_head(void) {
    int count = (int)head[COUNT];
    if (count == 0) {
        end_round();
        return;
    }
    if (!is_root) choices = malloc((size_t)count * sizeof *choices);
    if (!choices) {
        report("not enough memory", "");
        PMPI_Abort(MPI_COMM_WORLD, 1);
    }
    int numbers = count * (int)(sizeof *choices / sizeof(int32_t));
    PMPI_Ibcast(choices, numbers, MPI_INT32_T, 0, comm, &requests[0]);
    phase = LIST;
}

static void on_list(void) {
    int code = vfn_job_apply(&manager, (int)head[COUNT], choices, is_optimised);
    if (code != VFN_SUCCESS) report("paths of this host were not set: ", manager.why);
    end_round();
}

static void step(void) {
    int done = 0;
    switch (phase) {
    case OFF: break;
    case IDLE:
        if (now_ns() - next_ns >= 0) begin_round();
        break;
    case COMPUTING: ask(); break;
    case GATHERING:
    case HEAD:
    case LIST:
        PMPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE);
        if (!done) break;
        if (phase == GATHERING) judge();
        else if (phase == HEAD) on_head();
        else on_list();
        break;
    }
}

static inline void tick(void) {
    if (phase == OFF || pthread_mutex_trylock(&lock) != 0) return;
    step();
    pthread_mutex_unlock(&lock);
}

/* ---- begin and end ---- */

static int allocate(void) {
    size_t pairs = (size_t)host_count * (size_t)host_count;
    row = calloc((size_t)host_count, sizeof *row);
    is_optimised = calloc((size_t)manager.hosts, 1);
    if (!is_root) return row && is_optimised ? VFN_SUCCESS : VFN_ERR_MEMORY;
    matrix = calloc(pairs, sizeof *matrix);
    shares = calloc(pairs, sizeof *shares);
    last = calloc(pairs, sizeof *last);
    served = calloc(pairs, sizeof *served);
    return row && is_optimised && matrix && shares && last && served ? VFN_SUCCESS : VFN_ERR_MEMORY;
}

static void begin(void) {
    static int has_begun;
    const char *wish = getenv("VFN_PROFILE"), *verbose = getenv("VFN_VERBOSE");
    if (has_begun++ || (wish && strcmp(wish, "0") == 0)) return;
    is_verbose = verbose && *verbose && strcmp(verbose, "0") != 0;
    char why[512] = "";
    struct vfn_job job;
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int code = vfn_job_begin(&job, MPI_COMM_WORLD, vfn_open(&manager), &manager, why, sizeof why);
    if (code != VFN_SUCCESS) {
        if (rank == 0) report("the program runs along the paths that are set already: ", why);
        vfn_abandon(&manager);
        return;
    }
    host_count = job.host_count;
    hosts = job.hosts;
    job.hosts = NULL;
    is_root = job.leads && hosts[0] == manager.host;
    code = job.leads ? allocate() : VFN_SUCCESS;
    if (code == VFN_SUCCESS && job.leads) code = vfn_traffic(&manager, host_count, hosts, NULL);
    code = vfn_job_agree(MPI_COMM_WORLD, code, why, sizeof why);
    int takes_part = code == VFN_SUCCESS && job.leads && host_count > 1;
    if (code == VFN_SUCCESS && host_count > 1) {
        PMPI_Comm_split(MPI_COMM_WORLD, takes_part ? 0 : MPI_UNDEFINED, manager.host, &comm);
    }
    vfn_job_end(&job);
    if (!takes_part) {
        vfn_abandon(&manager);
        return;
    }
    PMPI_Comm_dup(comm, &closing);
    floor_ns = FIRST_WINDOW_NS > host_count * WINDOW_NS_A_HOST ? FIRST_WINDOW_NS : host_count * WINDOW_NS_A_HOST;
    if (floor_ns > MAX_WINDOW_NS) floor_ns = MAX_WINDOW_NS;
    window_ns = floor_ns;
    next_ns = now_ns() + window_ns;
    phase = IDLE;
}

/* Ranks may have begun different numbers of rounds; all have to take part in each. */
static void finish(void) {
    if (comm == MPI_COMM_NULL) return;
    pthread_mutex_lock(&lock);
    int rounds = started;
    PMPI_Allreduce(&started, &rounds, 1, MPI_INT, MPI_MAX, closing);
    is_closing = 1;
    while ((phase != IDLE && phase != OFF) || started < rounds) {
        if (phase == IDLE) begin_round();
        else step();
        sched_yield();
    }
    phase = OFF;
    if (is_root && is_verbose) fprintf(stderr, "libvfnprof: %d rounds, paths were computed %d times\n", started, searches);
    vfn_close(&manager);
    PMPI_Comm_free(&closing);
    PMPI_Comm_free(&comm);
    pthread_mutex_unlock(&lock);
}

API int MPI_Init(int *argc, char ***argv) {
    int result = NEXT(Init)(argc, argv);
    if (result == MPI_SUCCESS) begin();
    return result;
}

API int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
    int result = NEXT(Init_thread)(argc, argv, required, provided);
    if (result == MPI_SUCCESS) begin();
    return result;
}

API int MPI_Finalize(void) {
    finish();
    return NEXT(Finalize)();
}

/* ---- the calls of programs ---- */

#define C(name, parameters, arguments)                                       \
    API int MPI_##name parameters {                                          \
        static __typeof__(&PMPI_##name) following;                           \
        __typeof__(following) now = __atomic_load_n(&following, __ATOMIC_RELAXED); \
        if (!now) {                                                          \
            now = NEXT(name);                                                \
            __atomic_store_n(&following, now, __ATOMIC_RELAXED);             \
        }                                                                    \
        tick();                                                              \
        return now arguments;                                                \
    }

#define SEND (const void *b, int n, MPI_Datatype t, int r, int g, MPI_Comm c)
#define SEND_REQUEST (const void *b, int n, MPI_Datatype t, int r, int g, MPI_Comm c, MPI_Request *q)

C(Send, SEND, (b, n, t, r, g, c))
C(Bsend, SEND, (b, n, t, r, g, c))
C(Ssend, SEND, (b, n, t, r, g, c))
C(Rsend, SEND, (b, n, t, r, g, c))
C(Isend, SEND_REQUEST, (b, n, t, r, g, c, q))
C(Ibsend, SEND_REQUEST, (b, n, t, r, g, c, q))
C(Issend, SEND_REQUEST, (b, n, t, r, g, c, q))
C(Irsend, SEND_REQUEST, (b, n, t, r, g, c, q))
C(Recv, (void *b, int n, MPI_Datatype t, int r, int g, MPI_Comm c, MPI_Status *s), (b, n, t, r, g, c, s))
C(Irecv, (void *b, int n, MPI_Datatype t, int r, int g, MPI_Comm c, MPI_Request *q), (b, n, t, r, g, c, q))
C(Sendrecv,
  (const void *b, int n, MPI_Datatype t, int r, int g, void *b2, int n2, MPI_Datatype t2, int r2, int g2, MPI_Comm c,
   MPI_Status *s),
  (b, n, t, r, g, b2, n2, t2, r2, g2, c, s))
C(Sendrecv_replace, (void *b, int n, MPI_Datatype t, int r, int g, int r2, int g2, MPI_Comm c, MPI_Status *s),
  (b, n, t, r, g, r2, g2, c, s))
C(Probe, (int r, int g, MPI_Comm c, MPI_Status *s), (r, g, c, s))
C(Iprobe, (int r, int g, MPI_Comm c, int *f, MPI_Status *s), (r, g, c, f, s))
C(Start, (MPI_Request * q), (q))
C(Startall, (int n, MPI_Request q[]), (n, q))
C(Wait, (MPI_Request * q, MPI_Status *s), (q, s))
C(Waitall, (int n, MPI_Request q[], MPI_Status s[]), (n, q, s))
C(Waitany, (int n, MPI_Request q[], int *i, MPI_Status *s), (n, q, i, s))
C(Waitsome, (int n, MPI_Request q[], int *o, int i[], MPI_Status s[]), (n, q, o, i, s))
C(Test, (MPI_Request * q, int *f, MPI_Status *s), (q, f, s))
C(Testall, (int n, MPI_Request q[], int *f, MPI_Status s[]), (n, q, f, s))
C(Testany, (int n, MPI_Request q[], int *i, int *f, MPI_Status *s), (n, q, i, f, s))
C(Testsome, (int n, MPI_Request q[], int *o, int i[], MPI_Status s[]), (n, q, o, i, s))
C(Barrier, (MPI_Comm c), (c))
C(Ibarrier, (MPI_Comm c, MPI_Request *q), (c, q))
C(Bcast, (void *b, int n, MPI_Datatype t, int r, MPI_Comm c), (b, n, t, r, c))
C(Ibcast, (void *b, int n, MPI_Datatype t, int r, MPI_Comm c, MPI_Request *q), (b, n, t, r, c, q))
C(Reduce, (const void *b, void *b2, int n, MPI_Datatype t, MPI_Op o, int r, MPI_Comm c), (b, b2, n, t, o, r, c))
C(Allreduce, (const void *b, void *b2, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c), (b, b2, n, t, o, c))
C(Iallreduce, (const void *b, void *b2, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c, MPI_Request *q),
  (b, b2, n, t, o, c, q))
C(Reduce_scatter, (const void *b, void *b2, const int n[], MPI_Datatype t, MPI_Op o, MPI_Comm c), (b, b2, n, t, o, c))
C(Reduce_scatter_block, (const void *b, void *b2, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c), (b, b2, n, t, o, c))
C(Scan, (const void *b, void *b2, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c), (b, b2, n, t, o, c))
C(Gather, (const void *b, int n, MPI_Datatype t, void *b2, int n2, MPI_Datatype t2, int r, MPI_Comm c),
  (b, n, t, b2, n2, t2, r, c))
C(Gatherv,
  (const void *b, int n, MPI_Datatype t, void *b2, const int n2[], const int d2[], MPI_Datatype t2, int r, MPI_Comm c),
  (b, n, t, b2, n2, d2, t2, r, c))
C(Scatter, (const void *b, int n, MPI_Datatype t, void *b2, int n2, MPI_Datatype t2, int r, MPI_Comm c),
  (b, n, t, b2, n2, t2, r, c))
C(Scatterv,
  (const void *b, const int n[], const int d[], MPI_Datatype t, void *b2, int n2, MPI_Datatype t2, int r, MPI_Comm c),
  (b, n, d, t, b2, n2, t2, r, c))
C(Allgather, (const void *b, int n, MPI_Datatype t, void *b2, int n2, MPI_Datatype t2, MPI_Comm c),
  (b, n, t, b2, n2, t2, c))
C(Allgatherv,
  (const void *b, int n, MPI_Datatype t, void *b2, const int n2[], const int d2[], MPI_Datatype t2, MPI_Comm c),
  (b, n, t, b2, n2, d2, t2, c))
C(Alltoall, (const void *b, int n, MPI_Datatype t, void *b2, int n2, MPI_Datatype t2, MPI_Comm c),
  (b, n, t, b2, n2, t2, c))
C(Alltoallv,
  (const void *b, const int n[], const int d[], MPI_Datatype t, void *b2, const int n2[], const int d2[],
   MPI_Datatype t2, MPI_Comm c),
  (b, n, d, t, b2, n2, d2, t2, c))
C(Ialltoall, (const void *b, int n, MPI_Datatype t, void *b2, int n2, MPI_Datatype t2, MPI_Comm c, MPI_Request *q),
  (b, n, t, b2, n2, t2, c, q))
C(Neighbor_alltoall, (const void *b, int n, MPI_Datatype t, void *b2, int n2, MPI_Datatype t2, MPI_Comm c),
  (b, n, t, b2, n2, t2, c))
C(Put, (const void *b, int n, MPI_Datatype t, int r, MPI_Aint d, int n2, MPI_Datatype t2, MPI_Win w),
  (b, n, t, r, d, n2, t2, w))
C(Get, (void *b, int n, MPI_Datatype t, int r, MPI_Aint d, int n2, MPI_Datatype t2, MPI_Win w), (b, n, t, r, d, n2, t2, w))
C(Accumulate, (const void *b, int n, MPI_Datatype t, int r, MPI_Aint d, int n2, MPI_Datatype t2, MPI_Op o, MPI_Win w),
  (b, n, t, r, d, n2, t2, o, w))
C(Win_fence, (int a, MPI_Win w), (a, w))
C(Win_unlock, (int r, MPI_Win w), (r, w))
C(Win_flush, (int r, MPI_Win w), (r, w))
C(Win_wait, (MPI_Win w), (w))
C(Win_complete, (MPI_Win w), (w))

/*
 * The same calls of Fortran, which lead to PMPI without passing through the ones above. Everything is passed by
 * reference; mpi_f08 has names of its own. The real ones exist only in programs that use Fortran.
 */
#define F(name, parameters, arguments)                     \
    WEAK extern void pmpi_##name##_ parameters;            \
    WEAK extern void pmpi_##name##_f08_ parameters;        \
    API void mpi_##name##_ parameters {                    \
        tick();                                            \
        pmpi_##name##_ arguments;                          \
    }                                                      \
    API void mpi_##name##_f08_ parameters {                \
        tick();                                            \
        pmpi_##name##_f08_ arguments;                      \
    }
#define F2(name) F(name, (void *a, void *b), (a, b))
#define F3(name) F(name, (void *a, void *b, void *c), (a, b, c))
#define F4(name) F(name, (void *a, void *b, void *c, void *d), (a, b, c, d))
#define F5(name) F(name, (void *a, void *b, void *c, void *d, void *e), (a, b, c, d, e))
#define F6(name) F(name, (void *a, void *b, void *c, void *d, void *e, void *f), (a, b, c, d, e, f))
#define F7(name) F(name, (void *a, void *b, void *c, void *d, void *e, void *f, void *g), (a, b, c, d, e, f, g))
#define F8(name) \
    F(name, (void *a, void *b, void *c, void *d, void *e, void *f, void *g, void *h), (a, b, c, d, e, f, g, h))
#define F9(name)                                                                               \
    F(name, (void *a, void *b, void *c, void *d, void *e, void *f, void *g, void *h, void *i), \
      (a, b, c, d, e, f, g, h, i))
#define F10(name)                                                                                       \
    F(name, (void *a, void *b, void *c, void *d, void *e, void *f, void *g, void *h, void *i, void *j), \
      (a, b, c, d, e, f, g, h, i, j))
#define F13(name)                                                                                                       \
    F(name,                                                                                                             \
      (void *a, void *b, void *c, void *d, void *e, void *f, void *g, void *h, void *i, void *j, void *k, void *l, void *m), \
      (a, b, c, d, e, f, g, h, i, j, k, l, m))

F7(send) F7(bsend) F7(ssend) F7(rsend) F8(isend) F8(ibsend) F8(issend) F8(irsend) F8(recv) F8(irecv) F13(sendrecv)
F10(sendrecv_replace) F5(probe) F6(iprobe) F2(start) F3(startall) F3(wait) F4(waitall) F5(waitany) F6(waitsome)
F4(test) F5(testall) F6(testany) F6(testsome) F2(barrier) F3(ibarrier) F6(bcast) F7(ibcast) F8(reduce) F7(allreduce)
F8(iallreduce) F7(reduce_scatter) F7(reduce_scatter_block) F7(scan) F9(gather) F10(gatherv) F9(scatter) F10(scatterv)
F8(allgather) F9(allgatherv) F8(alltoall) F10(alltoallv) F9(ialltoall) F8(neighbor_alltoall) F9(put) F9(get)
F10(accumulate) F3(win_fence) F3(win_unlock) F3(win_flush) F2(win_wait) F2(win_complete)

#define FI(suffix)                                                      \
    WEAK extern void pmpi_init_##suffix(int *code);                     \
    WEAK extern void pmpi_init_thread_##suffix(int *, int *, int *);    \
    WEAK extern void pmpi_finalize_##suffix(int *code);                 \
    API void mpi_init_##suffix(int *code) {                             \
        pmpi_init_##suffix(code);                                       \
        begin();                                                        \
    }                                                                   \
    API void mpi_init_thread_##suffix(int *a, int *b, int *code) {      \
        pmpi_init_thread_##suffix(a, b, code);                          \
        begin();                                                        \
    }                                                                   \
    API void mpi_finalize_##suffix(int *code) {                         \
        finish();                                                       \
        pmpi_finalize_##suffix(code);                                   \
    }

FI()
FI(f08_)
