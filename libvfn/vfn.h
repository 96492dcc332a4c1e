/*
 * vfn.h: MPI programs choose the VLAN, and with it the path through a network of plain switches, by which two ranks
 * exchange their frames. The calls of VFREC-Net (Miura, Okamoto, Boku, Hanawa, 2007, section 4.2), and a few more.
 *
 * Every host runs a network manager (hxb manager). VFN_InitMPI begins a session with that of this host; when the
 * session ends, by VFN_FinalizeMPI or because the process has died, what the process has set is undone.
 *
 * All calls return VFN_SUCCESS or one of the codes of vfn_codes.h, print nothing, and never end the program, unless the
 * environment variable VFN_ERRORS says so (print, abort). Calls of several threads are made one after the other.
 *
 * Fortran: use vfn, or include 'vfnf.h'; the same names, with the code as an additional last argument.
 */
#ifndef VFN_H
#define VFN_H

#include "vfn_codes.h"

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Begins: finds the host of each rank of MPI_COMM_WORLD. Collective over it, and returns success on all ranks or an
 * error on all.
 */
int VFN_InitMPI(void);

/*
 * The same for the ranks of another communicator, such as one that holds spawned processes too
 * (MPI_Intercomm_merge). Collective over comm; ranks in later calls are those of comm.
 */
int VFN_InitCommMPI(MPI_Comm comm);

/*
 * Ends: the paths that this process has changed are as before when it returns. Not collective. Works after
 * MPI_Finalize, too.
 */
int VFN_FinalizeMPI(void);

/*
 * Frames between the hosts of two ranks take a VID from now on. The order of the ranks is irrelevant. Call it on all
 * ranks, or at least on one at each of the two hosts: each call changes the paths of its own host, at once and
 * without communication, and nothing if neither rank is there. Between the two calls frames arrive, but are flooded;
 * a barrier before or after keeps that short. Ranks on one host: nothing to do, success.
 */
int VFN_SetRouteMPI(int rank1, int rank2, int vid);

/* As many calls of VFN_SetRouteMPI in the order of the arrays, [count] each; all of it holds at once, or nothing. */
int VFN_SetRoutesMPI(int count, const int rank1s[], const int rank2s[], const int vids[]);

/* Takes back what this process has set for a pair, or for all; what others have set, or the plan, holds again. */
int VFN_ResetRouteMPI(int rank1, int rank2);
int VFN_ResetRoutesMPI(void);

/* The VID that frames of this host to the host of the other rank take now; 0 if both ranks are on this host. */
int VFN_GetRouteMPI(int rank1, int rank2, int *vid);

/* VIDs of the plan: how many, and the first max of them; vids may be null if max is 0. */
int VFN_GetVidsMPI(int max, int vids[], int *count);

/* From now on traffic is measured for the next VFN_OptimiseMPI. Not collective, but to be called on all its ranks. */
int VFN_MeasureMPI(void);

/*
 * Sets the best paths for what hosts of comm have sent to one another since VFN_MeasureMPI, the last VFN_OptimiseMPI or
 * VFN_InitMPI: call it after an iteration. Collective over comm, whose ranks have all called VFN_InitMPI. The hosts
 * are asked what left their NICs, so everything counts, also what MPI sends on its own account. When it returns, the
 * paths hold on all hosts.
 */
int VFN_OptimiseMPI(MPI_Comm comm);

/* Of the last VFN_OptimiseMPI: bytes on the busiest link by the plan's own table, and by the paths that were set. */
int VFN_GetLoadMPI(double *planned, double *chosen);

/* A sentence for a code. Never null. */
const char *VFN_StrError(int code);

/* What the last call of this thread that failed ran into, in words; empty if none has. */
const char *VFN_LastError(void);

#ifdef __cplusplus
}
#endif

#endif
