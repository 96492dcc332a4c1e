! froutes: the calls from Fortran on two or more ranks of different hosts. It ends without VFN_FinalizeMPI, as a program
! that has died.
program froutes
  use mpi
  use vfn
  implicit none
  integer :: rank, code, count, vid, before, i
  integer :: vids(16), failures
  character(len=120) :: text
  double precision :: planned, chosen
  character(len=1) :: data(65536)
  integer :: status(MPI_STATUS_SIZE)

  failures = 0
  data = 'x'
  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call VFN_InitCommMPI(MPI_COMM_WORLD, code)
  call expect(VFN_SUCCESS, code, 'init')
  call VFN_GetVidsMPI(16, vids, count, code)
  call expect(2, count, 'VIDs')
  call VFN_SetRouteMPI(0, 1, 4095, code)
  call expect(VFN_ERR_VID, code, 'a wrong VID')
  call VFN_LastError(text, code)
  call expect(1, index(text, 'VID 4095 is not one of the plan'), trim(text))
  call VFN_StrError(VFN_ERR_VID, text, code)
  call expect(1, index(text, 'the VID is not one of the plan'), trim(text))
  call VFN_MeasureMPI(code)
  call MPI_Barrier(MPI_COMM_WORLD, code)
  do i = 1, 40
    if (rank < 2) call MPI_Sendrecv_replace(data, 65536, MPI_CHARACTER, 1 - rank, 0, 1 - rank, 0, MPI_COMM_WORLD, &
                                            status, code)
  end do
  call VFN_OptimiseMPI(MPI_COMM_WORLD, code)
  call expect(VFN_SUCCESS, code, 'optimise')
  call VFN_GetLoadMPI(planned, chosen, code)
  if (planned < 2d6 .or. chosen > planned) call expect(1, 0, 'load')
  if (rank < 2) then
    call VFN_GetRouteMPI(0, 1, before, code)
    call expect(VFN_SUCCESS, code, 'get')
  end if
  call VFN_SetRouteMPI(1, 0, vids(2), code)
  call expect(VFN_SUCCESS, code, 'set')
  call MPI_Barrier(MPI_COMM_WORLD, code)
  if (rank < 2) then
    call VFN_GetRouteMPI(0, 1, vid, code)
    call expect(vids(2), vid, 'the path')
  end if
  print '(a,i0,a,i0,a)', 'froutes: rank ', rank, ': ', failures, ' failures'
  call MPI_Finalize(code)

contains

  subroutine expect(expected, is, what)
    integer, intent(in) :: expected, is
    character(len=*), intent(in) :: what
    if (expected /= is) then
      failures = failures + 1
      print '(a,i0,3a,i0,a,i0)', 'rank ', rank, ': ', what, ' is ', is, ', not ', expected
    end if
  end subroutine
end program
