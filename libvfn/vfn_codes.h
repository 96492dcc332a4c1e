/* vfn_codes.h: what the calls of vfn.h return. */
#ifndef VFN_CODES_H
#define VFN_CODES_H

enum {
    VFN_SUCCESS = 0,
    VFN_ERR_NOT_INIT = 1,     /* before VFN_InitMPI, or after VFN_FinalizeMPI */
    VFN_ERR_ALREADY = 2,      /* VFN_InitMPI twice */
    VFN_ERR_MPI = 3,          /* MPI is not initialised, or is finalised, or one of its calls failed */
    VFN_ERR_COMM = 4,         /* not a communicator, or an intercommunicator */
    VFN_ERR_NO_MANAGER = 5,   /* no network manager answers on this host */
    VFN_ERR_PLAN = 6,         /* the managers of two ranks have different plans */
    VFN_ERR_OTHER_RANK = 7,   /* it failed on another rank; VFN_LastError has the rank and the reason */
    VFN_ERR_RANK = 8,         /* there is no such rank, or the two are the same */
    VFN_ERR_VID = 9,          /* the VID is not one of the plan */
    VFN_ERR_NOT_HERE = 10,    /* neither rank is on this host; its manager knows only its own paths */
    VFN_ERR_NOT_ALLOWED = 11, /* this user may read paths but not change them */
    VFN_ERR_LIMIT = 12,       /* a limit of the manager has been reached */
    VFN_ERR_TIMEOUT = 13,     /* the manager has not answered in time */
    VFN_ERR_PROTOCOL = 14,    /* the manager has another version, or answered something else */
    VFN_ERR_ARGUMENT = 15,    /* a null pointer, or a negative count */
    VFN_ERR_OPTIMISER = 16,   /* the manager computes no paths */
    VFN_ERR_MEMORY = 17       /* there is not enough memory */
};

#endif
