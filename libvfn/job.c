/* See job.h. Only PMPI names are called, so that tools that record the calls of a program do not see these. */
#define _GNU_SOURCE
#include "job.h"

#include "vfn_codes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Rank 0 keeps 8 bytes for each two of them. */
#define MAX_OPTIMISED_HOSTS 8192

/* The message of each rank about itself. */
struct place {
    int32_t code;
    int32_t host;
    uint64_t plan;
};

static int explain_code(char *why, size_t length, int code) {
    snprintf(why, length, "%s", vfn_text(code));
    return code;
}

static int compare(const void *a, const void *b) {
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

int32_t *vfn_job_hosts(int ranks, const int32_t *host_of_rank, int *count) {
    int32_t *hosts = malloc(((size_t)ranks + 1) * sizeof *hosts);
    if (!hosts) return NULL;
    memcpy(hosts, host_of_rank, (size_t)ranks * sizeof *hosts);
    qsort(hosts, (size_t)ranks, sizeof *hosts, compare);
    int different = 0;
    for (int i = 0; i < ranks; i++) {
        if (i == 0 || hosts[i] != hosts[different - 1]) hosts[different++] = hosts[i];
    }
    *count = different;
    return hosts;
}

/* The text of the first rank that has failed goes to all that have not failed themselves. */
static int explain(MPI_Comm comm, int rank, int failed, int code, char *why, size_t length) {
    char text[512];
    memset(text, 0, sizeof text);
    if (rank == failed) {
        char host[64] = "";
        gethostname(host, sizeof host - 1);
        snprintf(text, sizeof text, "rank %d on %s: %.400s", rank, host, why);
    }
    if (PMPI_Bcast(text, (int)sizeof text, MPI_CHAR, failed, comm) != MPI_SUCCESS) {
        return explain_code(why, length, VFN_ERR_MPI);
    }
    if (code != VFN_SUCCESS) return code;
    snprintf(why, length, "%s", text);
    return VFN_ERR_OTHER_RANK;
}

int vfn_job_agree(MPI_Comm comm, int code, char *why, size_t length) {
    int rank, failed, first;
    PMPI_Comm_rank(comm, &rank);
    failed = code == VFN_SUCCESS ? -1 : rank;
    if (PMPI_Allreduce(&failed, &first, 1, MPI_INT, MPI_MAX, comm) != MPI_SUCCESS) {
        return explain_code(why, length, VFN_ERR_MPI);
    }
    return first < 0 ? VFN_SUCCESS : explain(comm, rank, first, code, why, length);
}

static int check_plans(const struct place *places, int ranks, char *why, size_t length) {
    for (int i = 1; i < ranks; i++) {
        if (places[i].plan != places[0].plan) {
            snprintf(why, length, "the network managers of ranks 0 and %d have different plans (%016llx, %016llx)", i,
                     (unsigned long long)places[0].plan, (unsigned long long)places[i].plan);
            return VFN_ERR_PLAN;
        }
    }
    return VFN_SUCCESS;
}

static int find_hosts(struct vfn_job *job) {
    job->hosts = vfn_job_hosts(job->ranks, job->host_of_rank, &job->host_count);
    if (!job->hosts) return VFN_ERR_MEMORY;
    job->leaders = malloc((size_t)job->host_count * sizeof *job->leaders);
    job->row = calloc((size_t)job->host_count, sizeof *job->row);
    if (!job->leaders || !job->row) return VFN_ERR_MEMORY;
    for (int rank = job->ranks - 1; rank >= 0; rank--) {
        int32_t *found = bsearch(&job->host_of_rank[rank], job->hosts, (size_t)job->host_count, sizeof *found, compare);
        job->leaders[found - job->hosts] = rank;
    }
    for (int i = 0; i < job->host_count; i++) job->leads |= job->leaders[i] == job->rank;
    return VFN_SUCCESS;
}

int vfn_job_begin(struct vfn_job *job, MPI_Comm comm, int code, const struct vfn_manager *manager, char *why,
                  size_t length) {
    memset(job, 0, sizeof *job);
    PMPI_Comm_rank(comm, &job->rank);
    PMPI_Comm_size(comm, &job->ranks);
    if (code != VFN_SUCCESS && manager) snprintf(why, length, "%s", manager->why);
    struct place own = {.code = code, .host = manager ? manager->host : -1, .plan = manager ? manager->plan : 0};
    struct place *places = malloc((size_t)job->ranks * sizeof *places);
    job->host_of_rank = malloc((size_t)job->ranks * sizeof *job->host_of_rank);
    if (!places || !job->host_of_rank) {
        /* The others still wait for this one. */
        code = explain_code(why, length, VFN_ERR_MEMORY);
    }
    code = vfn_job_agree(comm, code, why, length);
    if (code == VFN_SUCCESS && PMPI_Allgather(&own, (int)sizeof own, MPI_BYTE, places, (int)sizeof own, MPI_BYTE, comm) !=
                                   MPI_SUCCESS) {
        code = explain_code(why, length, VFN_ERR_MPI);
    }
    if (code == VFN_SUCCESS) code = check_plans(places, job->ranks, why, length);
    if (code == VFN_SUCCESS) {
        for (int i = 0; i < job->ranks; i++) job->host_of_rank[i] = places[i].host;
        code = find_hosts(job);
        if (code != VFN_SUCCESS) explain_code(why, length, code);
        code = vfn_job_agree(comm, code, why, length);
    }
    free(places);
    if (code != VFN_SUCCESS) vfn_job_end(job);
    return code;
}

void vfn_job_end(struct vfn_job *job) {
    free(job->host_of_rank);
    free(job->hosts);
    free(job->leaders);
    free(job->row);
    memset(job, 0, sizeof *job);
}

int vfn_job_gather(const struct vfn_job *job, MPI_Comm comm, uint64_t **matrix, char *why, size_t length) {
    size_t hosts = (size_t)job->host_count, ranks = (size_t)job->ranks;
    int code = VFN_SUCCESS;
    int *counts = NULL, *offsets = NULL;
    *matrix = NULL;
    if (hosts > MAX_OPTIMISED_HOSTS) {
        code = explain_code(why, length, VFN_ERR_LIMIT);
    } else if (job->rank == 0) {
        counts = calloc(ranks, sizeof *counts);
        offsets = calloc(ranks, sizeof *offsets);
        *matrix = calloc(hosts * hosts, sizeof **matrix);
        if (!counts || !offsets || !*matrix) code = explain_code(why, length, VFN_ERR_MEMORY);
    }
    code = vfn_job_agree(comm, code, why, length);
    if (code == VFN_SUCCESS) {
        for (size_t i = 0; job->rank == 0 && i < hosts; i++) {
            counts[job->leaders[i]] = (int)hosts;
            offsets[job->leaders[i]] = (int)(i * hosts);
        }
        if (PMPI_Gatherv(job->row, job->leads ? (int)hosts : 0, MPI_UINT64_T, *matrix, counts, offsets, MPI_UINT64_T, 0,
                         comm) != MPI_SUCCESS) {
            code = explain_code(why, length, VFN_ERR_MPI);
        }
    }
    free(counts);
    free(offsets);
    return code;
}

int vfn_job_spread(MPI_Comm comm, int *count, struct vfn_choice **choices, struct vfn_loads *loads) {
    int rank;
    PMPI_Comm_rank(comm, &rank);
    double head[3] = {*count, loads->planned, loads->chosen};
    if (PMPI_Bcast(head, 3, MPI_DOUBLE, 0, comm) != MPI_SUCCESS) return VFN_ERR_MPI;
    *count = (int)head[0];
    *loads = (struct vfn_loads){.planned = head[1], .chosen = head[2]};
    int fails = 0;
    if (rank != 0) {
        *choices = malloc(((size_t)*count + 1) * sizeof **choices);
        fails = !*choices;
    }
    char none[1] = "";
    int code = vfn_job_agree(comm, fails ? VFN_ERR_MEMORY : VFN_SUCCESS, none, sizeof none);
    if (code != VFN_SUCCESS) return code;
    int numbers = *count * (int)(sizeof **choices / sizeof(int32_t));
    return PMPI_Bcast(*choices, numbers, MPI_INT32_T, 0, comm) == MPI_SUCCESS ? VFN_SUCCESS : VFN_ERR_MPI;
}

int vfn_job_apply(struct vfn_manager *manager, int count, const struct vfn_choice *choices, char *is_optimised) {
    int32_t *hosts = malloc(2 * (size_t)manager->hosts * sizeof *hosts);
    char *is_chosen = calloc((size_t)manager->hosts, 1);
    if (!hosts || !is_chosen) {
        free(hosts);
        free(is_chosen);
        snprintf(manager->why, sizeof manager->why, "%s", vfn_text(VFN_ERR_MEMORY));
        return VFN_ERR_MEMORY;
    }
    int32_t *vids = hosts + manager->hosts;
    int changes = 0;
    for (int i = 0; i < count; i++) {
        int is_low = choices[i].low == manager->host;
        if (!is_low && choices[i].high != manager->host) continue;
        int host = is_low ? choices[i].high : choices[i].low;
        if (is_chosen[host]) continue;
        is_chosen[host] = 1;
        hosts[changes] = host;
        vids[changes++] = choices[i].vid;
    }
    for (int host = 0; host < manager->hosts; host++) {
        if (is_optimised[host] && !is_chosen[host]) {
            hosts[changes] = host;
            vids[changes++] = 0;
        }
    }
    int code = changes > 0 ? vfn_set_all(manager, changes, hosts, vids) : VFN_SUCCESS;
    if (code == VFN_SUCCESS) memcpy(is_optimised, is_chosen, (size_t)manager->hosts);
    free(hosts);
    free(is_chosen);
    return code;
}
