! vfnf.h: codes and calls of libvfn for programs that include it (fixed or free form). See vfn.h.
      integer VFN_SUCCESS
      parameter (VFN_SUCCESS=0)
      integer VFN_ERR_NOT_INIT
      parameter (VFN_ERR_NOT_INIT=1)
      integer VFN_ERR_ALREADY
      parameter (VFN_ERR_ALREADY=2)
      integer VFN_ERR_MPI
      parameter (VFN_ERR_MPI=3)
      integer VFN_ERR_COMM
      parameter (VFN_ERR_COMM=4)
      integer VFN_ERR_NO_MANAGER
      parameter (VFN_ERR_NO_MANAGER=5)
      integer VFN_ERR_PLAN
      parameter (VFN_ERR_PLAN=6)
      integer VFN_ERR_OTHER_RANK
      parameter (VFN_ERR_OTHER_RANK=7)
      integer VFN_ERR_RANK
      parameter (VFN_ERR_RANK=8)
      integer VFN_ERR_VID
      parameter (VFN_ERR_VID=9)
      integer VFN_ERR_NOT_HERE
      parameter (VFN_ERR_NOT_HERE=10)
      integer VFN_ERR_NOT_ALLOWED
      parameter (VFN_ERR_NOT_ALLOWED=11)
      integer VFN_ERR_LIMIT
      parameter (VFN_ERR_LIMIT=12)
      integer VFN_ERR_TIMEOUT
      parameter (VFN_ERR_TIMEOUT=13)
      integer VFN_ERR_PROTOCOL
      parameter (VFN_ERR_PROTOCOL=14)
      integer VFN_ERR_ARGUMENT
      parameter (VFN_ERR_ARGUMENT=15)
      integer VFN_ERR_OPTIMISER
      parameter (VFN_ERR_OPTIMISER=16)
      integer VFN_ERR_MEMORY
      parameter (VFN_ERR_MEMORY=17)
      external VFN_InitMPI, VFN_InitCommMPI, VFN_FinalizeMPI
      external VFN_SetRouteMPI, VFN_SetRoutesMPI
      external VFN_ResetRouteMPI, VFN_ResetRoutesMPI
      external VFN_GetRouteMPI, VFN_GetVidsMPI, VFN_MeasureMPI
      external VFN_OptimiseMPI, VFN_GetLoadMPI
      external VFN_StrError, VFN_LastError
