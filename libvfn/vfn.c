/* The calls of vfn.h. */
#define _GNU_SOURCE
#include "vfn.h"

#include "job.h"
#include "manager.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define API __attribute__((visibility("default")))

/* How long a rank sleeps between two polls for the computed paths. */
#define ASK_AGAIN_US 500

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread char last_error[512];
static struct vfn_manager manager = {.fd = -1};
static int is_begun;
static int ranks;
static int32_t *host_of_rank;
static char *is_optimised; /* hosts whose path VFN_OptimiseMPI has set, [hosts] */
static struct vfn_loads loads;

static int error(int code, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last_error, sizeof last_error, format, arguments);
    va_end(arguments);
    return code;
}

static int plain(int code) { return error(code, "%s", vfn_text(code)); }

static int of_manager(int code) { return code == VFN_SUCCESS ? code : error(code, "%s", manager.why); }

/* The end of every call. */
static int end(const char *call, int code) {
    pthread_mutex_unlock(&lock);
    if (code == VFN_SUCCESS) return code;
    const char *wish = getenv("VFN_ERRORS");
    int aborts = wish && strcmp(wish, "abort") == 0;
    if (aborts || (wish && strcmp(wish, "print") == 0)) fprintf(stderr, "%s: %s\n", call, last_error);
    if (aborts) {
        int is_initialised = 0, is_finalised = 0;
        PMPI_Initialized(&is_initialised);
        PMPI_Finalized(&is_finalised);
        if (is_initialised && !is_finalised) PMPI_Abort(MPI_COMM_WORLD, code);
        abort();
    }
    return code;
}

static void begin(void) { pthread_mutex_lock(&lock); }

static void forget(void) {
    free(host_of_rank);
    free(is_optimised);
    host_of_rank = NULL;
    is_optimised = NULL;
    is_begun = 0;
    ranks = 0;
    memset(&loads, 0, sizeof loads);
}

/* A child that lives on would keep the session of its parent alive. */
static void on_fork(void) {
    vfn_abandon(&manager);
    forget();
    pthread_mutex_init(&lock, NULL);
}

static int check_mpi(void) {
    int is_initialised = 0, is_finalised = 0;
    PMPI_Initialized(&is_initialised);
    if (is_initialised) PMPI_Finalized(&is_finalised);
    if (!is_initialised) return error(VFN_ERR_MPI, "MPI is not initialised: call MPI_Init first");
    return is_finalised ? error(VFN_ERR_MPI, "MPI is finalised already") : VFN_SUCCESS;
}

static int check_comm(MPI_Comm comm) {
    int is_inter = 0;
    if (comm == MPI_COMM_NULL) return error(VFN_ERR_COMM, "the communicator is MPI_COMM_NULL");
    if (PMPI_Comm_test_inter(comm, &is_inter) != MPI_SUCCESS) return plain(VFN_ERR_MPI);
    return is_inter ? plain(VFN_ERR_COMM) : VFN_SUCCESS;
}

static int start(MPI_Comm comm) {
    static int handles_fork;
    if (!handles_fork) handles_fork = pthread_atfork(NULL, NULL, on_fork) == 0;
    struct vfn_job job;
    int code = vfn_job_begin(&job, comm, vfn_open(&manager), &manager, last_error, sizeof last_error);
    if (code == VFN_SUCCESS) {
        is_optimised = calloc((size_t)manager.hosts, 1);
        host_of_rank = job.host_of_rank;
        ranks = job.ranks;
        job.host_of_rank = NULL;
        if (!is_optimised) code = plain(VFN_ERR_MEMORY);
    }
    if (code == VFN_SUCCESS) code = of_manager(vfn_traffic(&manager, job.host_count, job.hosts, NULL));
    code = vfn_job_agree(comm, code, last_error, sizeof last_error);
    vfn_job_end(&job);
    if (code != VFN_SUCCESS) {
        vfn_abandon(&manager);
        forget();
    } else {
        is_begun = 1;
    }
    return code;
}

API int VFN_InitCommMPI(MPI_Comm comm) {
    begin();
    int code = check_mpi();
    if (code == VFN_SUCCESS) code = check_comm(comm);
    if (code == VFN_SUCCESS && is_begun) code = plain(VFN_ERR_ALREADY);
    if (code == VFN_SUCCESS) code = start(comm);
    return end("VFN_InitMPI", code);
}

API int VFN_InitMPI(void) { return VFN_InitCommMPI(MPI_COMM_WORLD); }

API int VFN_FinalizeMPI(void) {
    begin();
    int code = VFN_SUCCESS;
    if (!is_begun) {
        code = plain(VFN_ERR_NOT_INIT);
    } else {
        code = of_manager(vfn_close(&manager));
        forget();
    }
    return end("VFN_FinalizeMPI", code);
}

static int check_rank(int rank) {
    if (rank >= 0 && rank < ranks) return VFN_SUCCESS;
    return error(VFN_ERR_RANK, "there is no rank %d: there are %d, from 0", rank, ranks);
}

static int check_pair(int rank1, int rank2) {
    if (!is_begun) return plain(VFN_ERR_NOT_INIT);
    int code = check_rank(rank1);
    if (code == VFN_SUCCESS) code = check_rank(rank2);
    if (code == VFN_SUCCESS && rank1 == rank2) {
        code = error(VFN_ERR_RANK, "rank %d and itself are no pair", rank1);
    }
    return code;
}

static int check_vid(int vid) {
    if (vfn_is_planned(&manager, vid)) return VFN_SUCCESS;
    char list[256];
    size_t length = 0;
    for (int i = 0; i < manager.vid_count && length < sizeof list - 16; i++) {
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%d", i ? ", " : "", manager.vids[i]);
    }
    return error(VFN_ERR_VID, "VID %d is not one of the plan: %s", vid, list);
}

/* The host at the other end of a pair; -1 if this host is not part of it, or is both ends. */
static int other_host(int rank1, int rank2) {
    int a = host_of_rank[rank1], b = host_of_rank[rank2];
    if (a == b) return -1;
    return a == manager.host ? b : b == manager.host ? a : -1;
}

static int set(int rank1, int rank2, int vid) {
    int host = other_host(rank1, rank2);
    if (host < 0) return VFN_SUCCESS;
    is_optimised[host] = 0;
    return of_manager(vfn_set(&manager, host, vid));
}

API int VFN_SetRouteMPI(int rank1, int rank2, int vid) {
    begin();
    int code = check_pair(rank1, rank2);
    if (code == VFN_SUCCESS) code = check_vid(vid);
    if (code == VFN_SUCCESS) code = set(rank1, rank2, vid);
    return end("VFN_SetRouteMPI", code);
}

static int set_all(int count, const int rank1s[], const int rank2s[], const int vids[]) {
    int code = is_begun ? VFN_SUCCESS : plain(VFN_ERR_NOT_INIT);
    if (code == VFN_SUCCESS && (count < 0 || (count > 0 && (!rank1s || !rank2s || !vids)))) {
        code = plain(VFN_ERR_ARGUMENT);
    }
    for (int i = 0; code == VFN_SUCCESS && i < count; i++) {
        code = check_pair(rank1s[i], rank2s[i]);
        if (code == VFN_SUCCESS) code = check_vid(vids[i]);
    }
    if (code != VFN_SUCCESS || count == 0) return code;
    int32_t *hosts = malloc(2 * (size_t)count * sizeof *hosts);
    if (!hosts) return plain(VFN_ERR_MEMORY);
    int changes = 0;
    for (int i = 0; i < count; i++) {
        int host = other_host(rank1s[i], rank2s[i]);
        if (host < 0) continue;
        hosts[changes] = host;
        hosts[count + changes++] = vids[i];
        is_optimised[host] = 0;
    }
    code = changes > 0 ? of_manager(vfn_set_all(&manager, changes, hosts, hosts + count)) : VFN_SUCCESS;
    free(hosts);
    return code;
}

API int VFN_SetRoutesMPI(int count, const int rank1s[], const int rank2s[], const int vids[]) {
    begin();
    return end("VFN_SetRoutesMPI", set_all(count, rank1s, rank2s, vids));
}

API int VFN_ResetRouteMPI(int rank1, int rank2) {
    begin();
    int code = check_pair(rank1, rank2);
    if (code == VFN_SUCCESS) code = set(rank1, rank2, 0);
    return end("VFN_ResetRouteMPI", code);
}

API int VFN_ResetRoutesMPI(void) {
    begin();
    int code = is_begun ? VFN_SUCCESS : plain(VFN_ERR_NOT_INIT);
    if (code == VFN_SUCCESS) {
        memset(is_optimised, 0, (size_t)manager.hosts);
        code = of_manager(vfn_reset_all(&manager));
    }
    return end("VFN_ResetRoutesMPI", code);
}

static int get(int rank1, int rank2, int *vid) {
    int code = check_pair(rank1, rank2);
    if (code != VFN_SUCCESS) return code;
    if (!vid) return plain(VFN_ERR_ARGUMENT);
    int host = other_host(rank1, rank2);
    if (host >= 0) return of_manager(vfn_get(&manager, host, vid));
    if (host_of_rank[rank1] != manager.host) return plain(VFN_ERR_NOT_HERE);
    *vid = 0;
    return VFN_SUCCESS;
}

API int VFN_GetRouteMPI(int rank1, int rank2, int *vid) {
    begin();
    return end("VFN_GetRouteMPI", get(rank1, rank2, vid));
}

API int VFN_GetVidsMPI(int max, int vids[], int *count) {
    begin();
    int code = is_begun ? VFN_SUCCESS : plain(VFN_ERR_NOT_INIT);
    if (code == VFN_SUCCESS && (!count || max < 0 || (max > 0 && !vids))) code = plain(VFN_ERR_ARGUMENT);
    if (code == VFN_SUCCESS) {
        *count = manager.vid_count;
        for (int i = 0; i < max && i < manager.vid_count; i++) vids[i] = manager.vids[i];
    }
    return end("VFN_GetVidsMPI", code);
}

API int VFN_MeasureMPI(void) {
    begin();
    int code = is_begun ? VFN_SUCCESS : plain(VFN_ERR_NOT_INIT);
    if (code == VFN_SUCCESS) {
        int count = 0;
        int32_t *hosts = vfn_job_hosts(ranks, host_of_rank, &count);
        code = hosts ? of_manager(vfn_traffic(&manager, count, hosts, NULL)) : plain(VFN_ERR_MEMORY);
        free(hosts);
    }
    return end("VFN_MeasureMPI", code);
}

static int compute(const struct vfn_job *job, const uint64_t *matrix, int *count, struct vfn_choice **choices) {
    int done = 0;
    int code = vfn_optimise(&manager, job->host_count, job->hosts, matrix);
    while (code == VFN_SUCCESS && !done) {
        code = vfn_choices(&manager, &done, count, choices, &loads);
        if (code == VFN_SUCCESS && !done) usleep(ASK_AGAIN_US);
    }
    return of_manager(code);
}

static int optimise(MPI_Comm comm) {
    struct vfn_job job;
    int code = vfn_job_begin(&job, comm, is_begun ? VFN_SUCCESS : plain(VFN_ERR_NOT_INIT), is_begun ? &manager : NULL,
                             last_error, sizeof last_error);
    if (code != VFN_SUCCESS) return code;
    uint64_t *matrix = NULL;
    struct vfn_choice *choices = NULL;
    int count = 0;
    if (job.leads) {
        code = of_manager(vfn_traffic(&manager, job.host_count, job.hosts, job.row));
    }
    code = vfn_job_agree(comm, code, last_error, sizeof last_error);
    if (code == VFN_SUCCESS) code = vfn_job_gather(&job, comm, &matrix, last_error, sizeof last_error);
    if (code == VFN_SUCCESS && matrix) code = compute(&job, matrix, &count, &choices);
    /* Only rank 0 can have failed. */
    code = vfn_job_agree(comm, code, last_error, sizeof last_error);
    if (code == VFN_SUCCESS) {
        code = vfn_job_spread(comm, &count, &choices, &loads);
        if (code != VFN_SUCCESS) plain(code);
    }
    if (code == VFN_SUCCESS && job.leads) {
        code = of_manager(vfn_job_apply(&manager, count, choices, is_optimised));
    }
    code = vfn_job_agree(comm, code, last_error, sizeof last_error);
    free(matrix);
    free(choices);
    vfn_job_end(&job);
    return code;
}

API int VFN_OptimiseMPI(MPI_Comm comm) {
    begin();
    int code = check_mpi();
    if (code == VFN_SUCCESS) code = check_comm(comm);
    if (code == VFN_SUCCESS) code = optimise(comm);
    return end("VFN_OptimiseMPI", code);
}

API int VFN_GetLoadMPI(double *planned, double *chosen) {
    begin();
    int code = is_begun ? VFN_SUCCESS : plain(VFN_ERR_NOT_INIT);
    if (code == VFN_SUCCESS && (!planned || !chosen)) code = plain(VFN_ERR_ARGUMENT);
    if (code == VFN_SUCCESS) {
        *planned = loads.planned;
        *chosen = loads.chosen;
    }
    return end("VFN_GetLoadMPI", code);
}

API const char *VFN_StrError(int code) { return vfn_text(code); }

API const char *VFN_LastError(void) { return last_error; }
