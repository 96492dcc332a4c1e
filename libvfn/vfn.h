/*
 * vfn.h: MPI programs choose the VLAN of the frames between two ranks, and with it their path through a network of
 * plain switches. These are the calls of VFREC-Net (Miura, Okamoto, Boku, Hanawa, 2007, section 4.2), and a few more.
 *
 * Every host runs a network manager (hxb manager). VFN_InitMPI begins a session with the manager of this host. When the
 * session ends, by VFN_FinalizeMPI or with the process, the manager undoes all changes of the process.
 *
 * All calls return VFN_SUCCESS or one of the codes of vfn_codes.h. They print nothing and never end the program, unless
 * the environment variable VFN_ERRORS is print or abort. Calls of several threads are made one after the other.
 *
 * Fortran: use vfn, or include 'vfnf.h'. The names are the same; the code is an additional last argument.
 */
#ifndef VFN_H
#define VFN_H

#include "vfn_codes.h"

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Begins a session, and finds the host of each rank of MPI_COMM_WORLD. Collective over it; returns success on all ranks
 * or an error on all.
 */
int VFN_InitMPI(void);

/*
 * As VFN_InitMPI, for the ranks of another communicator, such as one with spawned processes (MPI_Intercomm_merge).
 * Collective over comm; ranks in later calls are those of comm.
 */
int VFN_InitCommMPI(MPI_Comm comm);

/*
 * Ends the session: after the return, the paths that this process has changed are as before. Not collective. May be
 * called after MPI_Finalize.
 */
int VFN_FinalizeMPI(void);

/*
 * Sets the VID of frames between the hosts of two ranks, whose order is irrelevant. Call it on all ranks, or at least
 * on one at each of the two hosts: each call changes the paths of its own host, at once and without communication. It
 * changes nothing, and succeeds, if neither rank is on this host or both are. Between the calls of the two hosts frames
 * arrive, but are flooded; a barrier before or after the call keeps that time short.
 */
int VFN_SetRouteMPI(int rank1, int rank2, int vid);

/* As VFN_SetRouteMPI for each element of the arrays, [count] each, in their order: all changes at once, or none. */
int VFN_SetRoutesMPI(int count, const int rank1s[], const int rank2s[], const int vids[]);

/* Undo the changes of this process for one pair, or for all. Changes of others, or the plan, apply again. */
int VFN_ResetRouteMPI(int rank1, int rank2);
int VFN_ResetRoutesMPI(void);

/* Sets *vid to the present VID of frames of this host to the host of the other rank; 0 if both are on this host. */
int VFN_GetRouteMPI(int rank1, int rank2, int *vid);

/* The number of VIDs of the plan, and the first max of them; vids may be null if max is 0. */
int VFN_GetVidsMPI(int max, int vids[], int *count);

/* Begins to measure traffic for the next VFN_OptimiseMPI. Not collective, but call it on all ranks of that call. */
int VFN_MeasureMPI(void);

/*
 * Sets the best paths for the traffic between hosts of comm since VFN_MeasureMPI, the last VFN_OptimiseMPI or
 * VFN_InitMPI: call it after an iteration. Collective over comm, whose ranks have all called VFN_InitMPI. All bytes
 * that left the NICs of the hosts count, including those that MPI sends for itself. After the return the paths are set
 * on all hosts.
 */
int VFN_OptimiseMPI(MPI_Comm comm);

/* Bytes on the busiest link in the last VFN_OptimiseMPI, with the table of the plan and with the paths that it set. */
int VFN_GetLoadMPI(double *planned, double *chosen);

/* The meaning of a code as a sentence. Never null. */
const char *VFN_StrError(int code);

/* The reason why the last failed call of this thread has failed; empty if none has. */
const char *VFN_LastError(void);

#ifdef __cplusplus
}
#endif

#endif
