/* The processes of a communicator and their hosts: what libvfn and libvfnprof share. */
#ifndef VFN_JOB_H
#define VFN_JOB_H

#include "manager.h"

#include <mpi.h>

struct vfn_job {
    int rank;
    int ranks;
    int32_t *host_of_rank; /* [ranks] */
    int host_count;
    int32_t *hosts;  /* the different hosts of all ranks, ascending, [host_count] */
    int32_t *leaders; /* lowest rank on each of these, [host_count] */
    int leads;       /* whether this rank is one of them */
    uint64_t *row;   /* for what this host has sent to each of hosts, [host_count] */
};

/*
 * Sends all ranks the host of this one. Collective. code is what this rank has come to before; if it, or that of
 * any other rank, is not VFN_SUCCESS, or if plans differ, it fails on all ranks, and then there is nothing to end.
 */
int vfn_job_begin(struct vfn_job *job, MPI_Comm comm, int code, const struct vfn_manager *manager, char *why,
                  size_t length);

void vfn_job_end(struct vfn_job *job);

/* The different hosts among those of ranks, ascending, to be freed; null if there is no memory. */
int32_t *vfn_job_hosts(int ranks, const int32_t *host_of_rank, int *count);

/* The same result on all ranks: an error of this rank stays, others get VFN_ERR_OTHER_RANK. Collective. */
int vfn_job_agree(MPI_Comm comm, int code, char *why, size_t length);

/* Rank 0 gets the rows of all leaders, host_count * host_count, to be freed; others get null. Collective. */
int vfn_job_gather(const struct vfn_job *job, MPI_Comm comm, uint64_t **matrix, char *why, size_t length);

/* All get what rank 0 has. Collective. */
int vfn_job_spread(MPI_Comm comm, int *count, struct vfn_choice **choices, struct vfn_loads *loads);

/*
 * Sets the choices of this host's pairs as one batch, and takes back what was chosen before and is not any more;
 * is_optimised, [hosts of the plan], keeps which those are.
 */
int vfn_job_apply(struct vfn_manager *manager, int count, const struct vfn_choice *choices, char *is_optimised);

#endif
