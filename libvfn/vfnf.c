/*
 * The calls of vfn.h for Fortran: each with the code as an additional last argument. Compilers differ in what they make
 * of a name, so each has all of the usual ones.
 */
#include "vfn.h"

#include <string.h>

#define API __attribute__((visibility("default")))
#define NAMES(lower, upper, parameters)                                     \
    API void lower##_ parameters;                                           \
    API void lower parameters __attribute__((alias(#lower "_")));           \
    API void lower##__ parameters __attribute__((alias(#lower "_")));       \
    API void upper parameters __attribute__((alias(#lower "_")));

NAMES(vfn_initmpi, VFN_INITMPI, (MPI_Fint * code))
NAMES(vfn_initcommmpi, VFN_INITCOMMMPI, (const MPI_Fint *comm, MPI_Fint *code))
NAMES(vfn_finalizempi, VFN_FINALIZEMPI, (MPI_Fint * code))
NAMES(vfn_setroutempi, VFN_SETROUTEMPI,
      (const MPI_Fint *rank1, const MPI_Fint *rank2, const MPI_Fint *vid, MPI_Fint *code))
NAMES(vfn_setroutesmpi, VFN_SETROUTESMPI,
      (const MPI_Fint *count, const MPI_Fint *rank1s, const MPI_Fint *rank2s, const MPI_Fint *vids, MPI_Fint *code))
NAMES(vfn_resetroutempi, VFN_RESETROUTEMPI, (const MPI_Fint *rank1, const MPI_Fint *rank2, MPI_Fint *code))
NAMES(vfn_resetroutesmpi, VFN_RESETROUTESMPI, (MPI_Fint * code))
NAMES(vfn_getroutempi, VFN_GETROUTEMPI, (const MPI_Fint *rank1, const MPI_Fint *rank2, MPI_Fint *vid, MPI_Fint *code))
NAMES(vfn_getvidsmpi, VFN_GETVIDSMPI, (const MPI_Fint *max, MPI_Fint *vids, MPI_Fint *count, MPI_Fint *code))
NAMES(vfn_measurempi, VFN_MEASUREMPI, (MPI_Fint * code))
NAMES(vfn_optimisempi, VFN_OPTIMISEMPI, (const MPI_Fint *comm, MPI_Fint *code))
NAMES(vfn_getloadmpi, VFN_GETLOADMPI, (double *planned, double *chosen, MPI_Fint *code))
NAMES(vfn_strerror, VFN_STRERROR, (const MPI_Fint *of, char *text, MPI_Fint *code, size_t length))
NAMES(vfn_lasterror, VFN_LASTERROR, (char *text, MPI_Fint *code, size_t length))

_Static_assert(sizeof(MPI_Fint) == sizeof(int), "integers of Fortran are those of C");

void vfn_initmpi_(MPI_Fint *code) { *code = VFN_InitMPI(); }

void vfn_initcommmpi_(const MPI_Fint *comm, MPI_Fint *code) { *code = VFN_InitCommMPI(MPI_Comm_f2c(*comm)); }

void vfn_finalizempi_(MPI_Fint *code) { *code = VFN_FinalizeMPI(); }

void vfn_setroutempi_(const MPI_Fint *rank1, const MPI_Fint *rank2, const MPI_Fint *vid, MPI_Fint *code) {
    *code = VFN_SetRouteMPI(*rank1, *rank2, *vid);
}

void vfn_setroutesmpi_(const MPI_Fint *count, const MPI_Fint *rank1s, const MPI_Fint *rank2s, const MPI_Fint *vids,
                       MPI_Fint *code) {
    *code = VFN_SetRoutesMPI(*count, rank1s, rank2s, vids);
}

void vfn_resetroutempi_(const MPI_Fint *rank1, const MPI_Fint *rank2, MPI_Fint *code) {
    *code = VFN_ResetRouteMPI(*rank1, *rank2);
}

void vfn_resetroutesmpi_(MPI_Fint *code) { *code = VFN_ResetRoutesMPI(); }

void vfn_getroutempi_(const MPI_Fint *rank1, const MPI_Fint *rank2, MPI_Fint *vid, MPI_Fint *code) {
    *code = VFN_GetRouteMPI(*rank1, *rank2, vid);
}

void vfn_getvidsmpi_(const MPI_Fint *max, MPI_Fint *vids, MPI_Fint *count, MPI_Fint *code) {
    *code = VFN_GetVidsMPI(*max, vids, count);
}

void vfn_measurempi_(MPI_Fint *code) { *code = VFN_MeasureMPI(); }

void vfn_optimisempi_(const MPI_Fint *comm, MPI_Fint *code) { *code = VFN_OptimiseMPI(MPI_Comm_f2c(*comm)); }

void vfn_getloadmpi_(double *planned, double *chosen, MPI_Fint *code) { *code = VFN_GetLoadMPI(planned, chosen); }

/* Fortran pads with blanks. */
static void put_text(char *text, size_t length, const char *from) {
    size_t have = strlen(from);
    if (have > length) have = length;
    memcpy(text, from, have);
    memset(text + have, ' ', length - have);
}

void vfn_strerror_(const MPI_Fint *of, char *text, MPI_Fint *code, size_t length) {
    put_text(text, length, VFN_StrError(*of));
    *code = VFN_SUCCESS;
}

void vfn_lasterror_(char *text, MPI_Fint *code, size_t length) {
    put_text(text, length, VFN_LastError());
    *code = VFN_SUCCESS;
}
