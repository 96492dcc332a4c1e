/*
 * cg: the conjugate gradient solver of CgRank.java as an MPI program of 16 ranks, which knows nothing of paths:
 *
 *   mpirun -n 16 cg LENGTH INNER ITERATIONS
 *
 * LENGTH is that of a rank's part of a vector. Rank 0 prints the seconds of each iteration, and the result.
 */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 4

static int length, rank, row, column;
static double *p, *q, *r, *z, *received;

static double coefficient(int a, int b, int i) {
    return a == b ? 7 + i % 97 / 97.0 : -1.0 / (1 + (a + b + i) % 5);
}

static void multiply(void) {
    for (int i = 0; i < length; i++) {
        double sum = coefficient(row, column, i) * p[i];
        if (row == column) sum -= (i > 0 ? p[i - 1] : 0) + (i + 1 < length ? p[i + 1] : 0);
        q[i] = sum;
    }
}

static void swap(int partner) {
    MPI_Sendrecv(q, length, MPI_DOUBLE, partner, 0, received, length, MPI_DOUBLE, partner, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

static double dot(const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < length; i++) sum += a[i] * b[i];
    return sum;
}

/* The sum over the columns, which the ranks of a row have among them. */
static double row_sum(double sum) {
    for (int step = 1; step < SIDE; step *= 2) {
        double other;
        MPI_Sendrecv(&sum, 1, MPI_DOUBLE, rank ^ step, 1, &other, 1, MPI_DOUBLE, rank ^ step, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        sum += other;
    }
    return sum;
}

static double solve(int inner) {
    int transposed = rank % SIDE * SIDE + rank / SIDE;
    double x_times_z = 0, rho;
    for (int i = 0; i < length; i++) {
        z[i] = 0;
        r[i] = p[i] = 1;
    }
    rho = row_sum(dot(r, r));
    for (int iteration = 0; iteration < inner; iteration++) {
        double alpha, before = rho;
        multiply();
        for (int step = 1; step < SIDE; step *= 2) {
            swap(rank ^ step);
            for (int i = 0; i < length; i++) q[i] += received[i];
        }
        if (transposed != rank) {
            swap(transposed);
            memcpy(q, received, (size_t)length * sizeof *q);
        }
        alpha = rho / row_sum(dot(p, q));
        for (int i = 0; i < length; i++) {
            z[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        rho = row_sum(dot(r, r));
        for (int i = 0; i < length; i++) p[i] = r[i] + rho / before * p[i];
    }
    for (int i = 0; i < length; i++) x_times_z += z[i];
    return row_sum(x_times_z);
}

static double *vector(void) {
    double *made = calloc((size_t)length, sizeof *made);
    if (made == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
    return made;
}

int main(int argc, char **argv) {
    int ranks, inner, iterations;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    length = argc == 4 ? atoi(argv[1]) : 0;
    inner = argc == 4 ? atoi(argv[2]) : 0;
    iterations = argc == 4 ? atoi(argv[3]) : 0;
    if (ranks != SIDE * SIDE || length < 1 || inner < 1 || iterations < 1) {
        if (rank == 0) fprintf(stderr, "usage: mpirun -n 16 cg LENGTH INNER ITERATIONS\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    row = rank / SIDE;
    column = rank % SIDE;
    p = vector();
    q = vector();
    r = vector();
    z = vector();
    received = vector();
    for (int iteration = 0; iteration < iterations; iteration++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        double result = solve(inner);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) {
            printf("iteration %d: %.3f s, result %.17g\n", iteration, MPI_Wtime() - start, result);
            fflush(stdout);
        }
    }
    MPI_Finalize();
    return 0;
}
