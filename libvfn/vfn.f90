! The module of libvfn: codes, and interfaces of the calls of vfn.h, each with the code as an additional last argument.
! It has no code of its own. With mpi_f08 a communicator is given as comm%MPI_VAL.
module vfn
  implicit none
  integer, parameter :: VFN_SUCCESS = 0
  integer, parameter :: VFN_ERR_NOT_INIT = 1
  integer, parameter :: VFN_ERR_ALREADY = 2
  integer, parameter :: VFN_ERR_MPI = 3
  integer, parameter :: VFN_ERR_COMM = 4
  integer, parameter :: VFN_ERR_NO_MANAGER = 5
  integer, parameter :: VFN_ERR_PLAN = 6
  integer, parameter :: VFN_ERR_OTHER_RANK = 7
  integer, parameter :: VFN_ERR_RANK = 8
  integer, parameter :: VFN_ERR_VID = 9
  integer, parameter :: VFN_ERR_NOT_HERE = 10
  integer, parameter :: VFN_ERR_NOT_ALLOWED = 11
  integer, parameter :: VFN_ERR_LIMIT = 12
  integer, parameter :: VFN_ERR_TIMEOUT = 13
  integer, parameter :: VFN_ERR_PROTOCOL = 14
  integer, parameter :: VFN_ERR_ARGUMENT = 15
  integer, parameter :: VFN_ERR_OPTIMISER = 16
  integer, parameter :: VFN_ERR_MEMORY = 17

  interface
    subroutine VFN_InitMPI(code)
      integer, intent(out) :: code
    end subroutine
    subroutine VFN_InitCommMPI(comm, code)
      integer, intent(in) :: comm
      integer, intent(out) :: code
    end subroutine
    subroutine VFN_FinalizeMPI(code)
      integer, intent(out) :: code
    end subroutine
    subroutine VFN_SetRouteMPI(rank1, rank2, vid, code)
      integer, intent(in) :: rank1
      integer, intent(in) :: rank2
      integer, intent(in) :: vid
      integer, intent(out) :: code
    end subroutine
    subroutine VFN_SetRoutesMPI(count, rank1s, rank2s, vids, code)
      integer, intent(in) :: count
      integer, intent(in) :: rank1s(*)
      integer, intent(in) :: rank2s(*)
      integer, intent(in) :: vids(*)
      integer, intent(out) :: code
    end subroutine
    subroutine VFN_ResetRouteMPI(rank1, rank2, code)
      integer, intent(in) :: rank1
      integer, intent(in) :: rank2
      integer, intent(out) :: code
    end subroutine
    subroutine VFN_ResetRoutesMPI(code)
      integer, intent(out) :: code
    end subroutine
    subroutine VFN_GetRouteMPI(rank1, rank2, vid, code)
      integer, intent(in) :: rank1
      integer, intent(in) :: rank2
      integer, intent(out) :: vid
      integer, intent(out) :: code
    end subroutine
    subroutine VFN_GetVidsMPI(max, vids, count, code)
      integer, intent(in) :: max
      integer, intent(out) :: vids(*)
      integer, intent(out) :: count
      integer, intent(out) :: code
    end subroutine
    subroutine VFN_MeasureMPI(code)
      integer, intent(out) :: code
    end subroutine
    subroutine VFN_OptimiseMPI(comm, code)
      integer, intent(in) :: comm
      integer, intent(out) :: code
    end subroutine
    subroutine VFN_GetLoadMPI(planned, chosen, code)
      double precision, intent(out) :: planned
      double precision, intent(out) :: chosen
      integer, intent(out) :: code
    end subroutine
    subroutine VFN_StrError(of, text, code)
      integer, intent(in) :: of
      character(len=*), intent(out) :: text
      integer, intent(out) :: code
    end subroutine
    subroutine VFN_LastError(text, code)
      character(len=*), intent(out) :: text
      integer, intent(out) :: code
    end subroutine
  end interface
end module vfn
