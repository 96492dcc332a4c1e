/*
 * cg: the conjugate gradient solver of CgRank.java as an MPI program of 4, 8 or 16 ranks, which knows nothing of paths:
 *
 *   mpirun -n 16 cg LENGTH INNER ITERATIONS
 *
 * Ranks are a grid of rows and columns, with as many columns as rows or twice as many. A vector has a part of LENGTH
 * for each column; a row of ranks multiplies one part of it or two. Rank 0 prints the seconds of each iteration, and
 * the result.
 */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int length, rank, row, column;
static int columns, parts; /* parts of a vector that a row multiplies */
static double *p, *q, *r, *z, *received;

static double coefficient(int a, int b, int i) {
    return a == b ? 7 + i % 97 / 97.0 : -1.0 / (1 + (a + b + i) % 5);
}

static void multiply(void) {
    for (int part = 0; part < parts; part++) {
        int of_row = row * parts + part;
        double *to = q + (size_t)part * length;
        for (int i = 0; i < length; i++) {
            double sum = coefficient(of_row, column, i) * p[i];
            if (of_row == column) sum -= (i > 0 ? p[i - 1] : 0) + (i + 1 < length ? p[i + 1] : 0);
            to[i] = sum;
        }
    }
}

static void swap(const double *values, int count, int partner) {
    MPI_Sendrecv(values, count, MPI_DOUBLE, partner, 0, received, count, MPI_DOUBLE, partner, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

/* Of the sums that a row has, each rank needs the part of its column; a rank that has it needs one of this rank's. */
static void transpose(void) {
    int part = column % parts;
    int partner = column / parts * columns + row * parts + part;
    if (partner == rank) {
        memmove(q, q + (size_t)part * length, (size_t)length * sizeof *q);
    } else {
        swap(q + (size_t)part * length, length, partner);
        memcpy(q, received, (size_t)length * sizeof *q);
    }
}

static double dot(const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < length; i++) sum += a[i] * b[i];
    return sum;
}

/* The sum over the columns, which the ranks of a row have among them. */
static double row_sum(double sum) {
    for (int step = 1; step < columns; step *= 2) {
        double other;
        MPI_Sendrecv(&sum, 1, MPI_DOUBLE, rank ^ step, 1, &other, 1, MPI_DOUBLE, rank ^ step, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        sum += other;
    }
    return sum;
}

static double solve(int inner) {
    double x_times_z = 0, rho;
    for (int i = 0; i < length; i++) {
        z[i] = 0;
        r[i] = p[i] = 1;
    }
    rho = row_sum(dot(r, r));
    for (int iteration = 0; iteration < inner; iteration++) {
        double alpha, before = rho;
        multiply();
        for (int step = 1; step < columns; step *= 2) {
            swap(q, parts * length, rank ^ step);
            for (int i = 0; i < parts * length; i++) q[i] += received[i];
        }
        transpose();
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

static double *vector(int of_parts) {
    double *made = calloc((size_t)of_parts * length, sizeof *made);
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
    if ((ranks != 4 && ranks != 8 && ranks != 16) || length < 1 || inner < 1 || iterations < 1) {
        if (rank == 0) fprintf(stderr, "usage: mpirun -n 4|8|16 cg LENGTH INNER ITERATIONS\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    columns = ranks == 4 ? 2 : 4;
    parts = columns * columns / ranks;
    row = rank / columns;
    column = rank % columns;
    p = vector(1);
    q = vector(parts);
    r = vector(1);
    z = vector(1);
    received = vector(parts);
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
