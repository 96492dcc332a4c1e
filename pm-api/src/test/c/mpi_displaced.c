/* Sends rows of a matrix by datatypes that begin after the address given, by everything of MPI that may use a
 * persistent request for it, and starts such requests again with other numbers. Rank 0 prints a line for each; the exit
 * status is 1 if one was wrong. The variable FOO is printed as well. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, wrong;

/* The second of two rows. */
static MPI_Datatype second_row(int length) {
    MPI_Datatype type;
    MPI_Type_create_indexed_block(1, length, (int[]){length}, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    return type;
}

static void report(const char *name, int length, int differences) {
    int all;
    MPI_Allreduce(&differences, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%s of %d: %s\n", name, length, all ? "WRONG" : "right");
    }
    wrong += all != 0;
}

static double *numbers(int count, double first) {
    double *data = malloc((size_t)count * sizeof *data);
    for (int i = 0; i < count; i++) {
        data[i] = first + i;
    }
    return data;
}

static int differ(const double *data, int count, double first) {
    int differences = 0;
    for (int i = 0; i < count; i++) {
        differences += data[i] != first + i;
    }
    return differences;
}

static void persistent(int length) {
    int (*const kinds[])(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *) = {
        MPI_Send_init, MPI_Ssend_init, MPI_Rsend_init, MPI_Bsend_init};
    const char *names[] = {"MPI_Send_init", "MPI_Ssend_init", "MPI_Rsend_init", "MPI_Bsend_init"};
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    int room = 2 * (length * (int)sizeof(double) + MPI_BSEND_OVERHEAD);
    void *buffer = malloc((size_t)room);
    MPI_Buffer_attach(buffer, room);
    for (int kind = 0; kind < 4; kind++) {
        double *sent = numbers(2 * length, 1000 * rank), *got = numbers(length, -9);
        MPI_Datatype type = second_row(length);
        MPI_Request requests[2];
        MPI_Recv_init(got, length, MPI_DOUBLE, before, 5, MPI_COMM_WORLD, &requests[0]);
        kinds[kind](sent, 1, type, next, 5, MPI_COMM_WORLD, &requests[1]);
        MPI_Type_free(&type);
        int differences = 0;
        for (int round = 0; round < 3; round++) {
            sent[length] += 1;
            MPI_Start(&requests[0]);
            MPI_Barrier(MPI_COMM_WORLD);
            MPI_Startall(1, &requests[1]);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
            got[0] -= round + 1;
            differences += differ(got, length, 1000 * before + length);
            MPI_Barrier(MPI_COMM_WORLD);
        }
        MPI_Request_free(&requests[0]);
        MPI_Request_free(&requests[1]);
        report(names[kind], length, differences);
        free(sent), free(got);
    }
    MPI_Buffer_detach(&buffer, &room);
    free(buffer);
}

static void exchange(const char *name, const double *sent, double *got, int length) {
    int *ones = calloc(5 * (size_t)size, sizeof *ones);
    int *at = ones + size, *lengths = at + size, *to = lengths + size;
    MPI_Datatype row = second_row(length), both, *rows = malloc(2 * (size_t)size * sizeof row), *plain = rows + size;
    MPI_Type_create_resized(row, 0, 2 * length * (MPI_Aint)sizeof(double), &both);
    MPI_Type_commit(&both);
    const int is_bytes = strcmp(name, "MPI_Alltoallw") == 0;
    for (int i = 0; i < size; i++) {
        ones[i] = 1, lengths[i] = length, rows[i] = row, plain[i] = MPI_DOUBLE;
        at[i] = is_bytes ? 2 * length * i * (int)sizeof(double) : i;
        to[i] = i * length * (is_bytes ? (int)sizeof(double) : 1);
    }
    memset(got, 0, (size_t)(length * size) * sizeof *got);
    if (is_bytes) {
        MPI_Alltoallw(sent, ones, at, rows, got, lengths, to, plain, MPI_COMM_WORLD);
    } else if (strcmp(name, "MPI_Alltoallv") == 0) {
        MPI_Alltoallv(sent, ones, at, both, got, lengths, to, MPI_DOUBLE, MPI_COMM_WORLD);
    } else {
        MPI_Alltoall(sent, 1, both, got, length, MPI_DOUBLE, MPI_COMM_WORLD);
    }
    int differences = 0;
    for (int i = 0; i < size; i++) {
        differences += differ(got + length * i, length, 1000 * i + 2 * length * rank + length);
    }
    report(name, length, differences);
    MPI_Type_free(&row), MPI_Type_free(&both);
    free(ones), free(rows);
}

static void one_sided(int length) {
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    MPI_Datatype type = second_row(length);
    const MPI_Aint bytes = 2 * length * (MPI_Aint)sizeof(double);
    double *sent = numbers(2 * length, 1000 * rank), *put = numbers(2 * length, -9), *got = numbers(length, -9);
    MPI_Win written, read;
    MPI_Win_create(put, bytes, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &written);
    MPI_Win_create(sent, bytes, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &read);
    MPI_Win_fence(0, written);
    MPI_Put(sent, 1, type, next, 0, length, MPI_DOUBLE, written);
    MPI_Win_fence(0, written);
    report("MPI_Put", length, differ(put, length, 1000 * before + length));
    MPI_Win_fence(0, read);
    MPI_Get(got, length, MPI_DOUBLE, next, 0, 1, type, read);
    MPI_Win_fence(0, read);
    report("MPI_Get", length, differ(got, length, 1000 * next + length));
    memset(put, 0, (size_t)bytes);
    MPI_Win_fence(0, written);
    MPI_Accumulate(sent, 1, type, next, 0, length, MPI_DOUBLE, MPI_SUM, written);
    MPI_Win_fence(0, written);
    report("MPI_Accumulate", length, differ(put, length, 1000 * before + length));
    MPI_Win_free(&written), MPI_Win_free(&read);
    MPI_Type_free(&type);
    free(sent), free(put), free(got);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        printf("FOO is %s\n", getenv("FOO") != NULL ? getenv("FOO") : "not set");
    }
    const int lengths[] = {8, 200, 5000, 40000};
    for (int i = 0; i < 4; i++) {
        const int length = lengths[i];
        double *sent = numbers(2 * length * size, 1000 * rank);
        double *got = numbers(length * size, -9);
        persistent(length);
        exchange("MPI_Alltoall", sent, got, length);
        exchange("MPI_Alltoallv", sent, got, length);
        exchange("MPI_Alltoallw", sent, got, length);
        one_sided(length);
        free(sent), free(got);
    }
    MPI_Finalize();
    return wrong != 0;
}
