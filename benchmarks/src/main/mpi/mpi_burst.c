/*
 * mpi_burst: bytes that one MPI rank gets from another as they arrive, in short samples: the peer of a one-way burst.
 *
 *   mpirun -n 2 mpi_burst -t start_ns [-S seconds] [-b sample_ms] [-s message_bytes] FILE
 *
 * Rank 0 sends to rank 1, eight messages ahead, until a moment after the last sample. Rank 1 keeps the bytes of each
 * sample from start_ns (CLOCK_MONOTONIC) on in FILE, as 64-bit numbers, so that they are there when the job is stopped.
 * Each rank spins on a CPU of its own.
 */
#include "../c/hxbb.h"

#include <mpi.h>
#include <sched.h>
#include <sys/mman.h>

#define AHEAD 8

static uint8_t *data[AHEAD];

static uint64_t *map_samples(const char *path, int count) {
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    size_t length = (size_t)count * sizeof(uint64_t);
    if (fd < 0 || ftruncate(fd, (off_t)length) != 0) fail("open", path);
    uint64_t *samples = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (samples == MAP_FAILED) fail("mmap", path);
    return samples;
}

static void post(int rank, int index, int bytes, MPI_Request *requests) {
    if (rank == 0) MPI_Isend(data[index], bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &requests[index]);
    else MPI_Irecv(data[index], bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &requests[index]);
}

int main(int argc, char **argv) {
    uint64_t start = 0, sample_ns = 10000000;
    double seconds = 2;
    int bytes = 256 * 1024;
    for (int option; (option = getopt(argc, argv, "S:t:b:s:")) != -1;) {
        switch (option) {
        case 'S': seconds = atof(optarg); break;
        case 't': start = strtoull(optarg, NULL, 10); break;
        case 'b': sample_ns = strtoull(optarg, NULL, 10) * 1000000; break;
        case 's': bytes = atoi(optarg); break;
        default: return 2;
        }
    }
    if (argc - optind != 1 || sample_ns == 0 || bytes <= 0) return 2;
    MPI_Init(NULL, NULL);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET(rank, &cpus);
    sched_setaffinity(0, sizeof cpus, &cpus);
    int count = (int)(seconds * 1e9 / (double)sample_ns);
    uint64_t *samples = rank == 1 ? map_samples(argv[optind], count) : NULL;
    MPI_Request requests[AHEAD];
    for (int i = 0; i < AHEAD; i++) {
        data[i] = calloc(1, (size_t)bytes);
        post(rank, i, bytes, requests);
    }
    uint64_t end = start + (uint64_t)(seconds * 1e9) + (rank == 0 ? 300000000 : 0);
    while (now_ns() < end) {
        int done, indexes[AHEAD];
        MPI_Testsome(AHEAD, requests, &done, indexes, MPI_STATUSES_IGNORE);
        uint64_t now = now_ns();
        for (int i = 0; i < done; i++) {
            if (rank == 1 && now >= start && (now - start) / sample_ns < (uint64_t)count) {
                samples[(now - start) / sample_ns] += (uint64_t)bytes;
            }
            post(rank, indexes[i], bytes, requests);
        }
    }
    _exit(0); /* what is on the way over links that failed would keep MPI_Finalize waiting */
}
