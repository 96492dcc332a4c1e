/*
 * mpi_check: does MPI deliver what it must? A program of random messages and operations that checks all that it gets.
 *
 *   mpirun -n RANKS mpi_check [--seed N] [--rounds N] [--seconds S] [--first N] [--timeout S] [--only PART]
 *                            [--strict] [--verbose]
 *
 *   --seed N      what is sent to whom follows from it (default: from the clock)
 *   --rounds N    each does all tests once (default: 3)
 *   --seconds S   no round begins later than that (default: 10 without --rounds, none with it)
 *   --first N     begins with that round (default: 0), to repeat one that failed
 *   --timeout S   seconds that one test may take, 0 forever (default: 60)
 *   --only PART   only the tests whose names have PART in them
 *   --strict      also what Open MPI 4.1 cannot do by itself: nothing may be written after the end of a receive that was
 *                 too short (its ob1 does), and a rank may compare and swap in its own window (its vader fails)
 *   --verbose     prints how long each test took
 *
 * For any number of ranks. Rank 0 prints the seed first and `ok SEED checks=N` at last. What is wrong ends the program
 * with status 1 and a line with its seed, round, test and rank; wrong usage ends it with status 2.
 */
#include "mpi_check.h"
#include "mpi_check_collectives.h"
#include "mpi_check_messages.h"
#include "mpi_check_one_sided.h"

/* ---- The whole ---- */

static const struct {
    const char *name;
    void (*run)(void);
} TESTS[] = {
    {"messages", random_messages}, {"probes", probes},           {"flood", flood},
    {"cancel", cancel},            {"truncation", truncation},   {"persistent", persistent},
    {"datatypes", datatypes},      {"collectives", collectives}, {"communicators", communicators},
    {"put-and-get", put_and_get},  {"accumulate", accumulate},   {"counters", counters},
};

static void run_test(int index) {
    uint64_t mixed = seed + (uint64_t)round_number * 1000003 + (uint64_t)index;
    plan = draw(&mixed);
    own = draw(&mixed) + (uint64_t)rank * 7919;
    next_number = (uint64_t)round_number << 32 | (uint64_t)index << 24;
    begin(TESTS[index].name);
    double start = MPI_Wtime();
    TESTS[index].run();
    MPI_Barrier(MPI_COMM_WORLD);
    if (is_verbose && rank == 0) {
        printf("round %d %s: %.3f s\n", round_number, test_name, MPI_Wtime() - start);
        fflush(stdout);
    }
}

static bool is_over(double start) {
    int over = (rounds >= 0 && round_number - first_round >= rounds)
               || (seconds >= 0 && round_number > first_round && MPI_Wtime() - start >= seconds);
    MPI_Bcast(&over, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return over;
}

static void misuse(const char *what, const char *value) {
    if (rank == 0) {
        fprintf(stderr,
                "mpi_check: %s%s\nusage: mpirun -n RANKS mpi_check [--seed N] [--rounds N] [--seconds S] [--first N]"
                " [--timeout S] [--only PART] [--strict] [--verbose]\n",
                what, value);
    }
    MPI_Finalize();
    exit(2);
}

static uint64_t whole_number(const char *option, const char *text, uint64_t max) {
    char *rest;
    uint64_t value = *text >= '0' && *text <= '9' ? strtoull(text, &rest, 10) : 0;
    if (*text < '0' || *text > '9' || *rest != '\0' || value > max) {
        char what[96];
        snprintf(what, sizeof what, "%s must be a whole number up to %" PRIu64 ": ", option, max);
        misuse(what, text);
    }
    return value;
}

static void parse(int argc, char **argv) {
    bool is_known = false;
    for (int i = 1; i < argc; i++) {
        const char *option = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(option, "--verbose") == 0 || strcmp(option, "--strict") == 0) {
            is_verbose |= strcmp(option, "--verbose") == 0;
            is_strict |= strcmp(option, "--strict") == 0;
            continue;
        }
        if (strcmp(option, "--seed") == 0) seed = whole_number(option, value, UINT64_MAX);
        else if (strcmp(option, "--rounds") == 0) rounds = (int)whole_number(option, value, 1000000000);
        else if (strcmp(option, "--seconds") == 0) seconds = (double)whole_number(option, value, 1000000);
        else if (strcmp(option, "--first") == 0) first_round = (int)whole_number(option, value, 1000000000);
        else if (strcmp(option, "--timeout") == 0) limit_s = (int)whole_number(option, value, 1000000);
        else if (strcmp(option, "--only") == 0) only = value;
        else misuse("there is no such option: ", option);
        i++;
    }
    for (int i = 0; i < COUNT(TESTS); i++) is_known |= strstr(TESTS[i].name, only) != NULL;
    if (!is_known) misuse("no test has that in its name: ", only);
    if (rounds < 0 && seconds < 0) {
        rounds = 3;
        seconds = 10;
    }
}

int main(int argc, char **argv) {
    struct timespec now;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    clock_gettime(CLOCK_REALTIME, &now);
    seed = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
    parse(argc, argv);
    signal(SIGALRM, on_timeout);
    begin("start");
    MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("seed %" PRIu64 ", %d ranks\n", seed, ranks);
        fflush(stdout);
    }
    double start = MPI_Wtime();
    for (round_number = first_round; !is_over(start); round_number++) {
        for (int i = 0; i < COUNT(TESTS); i++) {
            if (strstr(TESTS[i].name, only) != NULL) run_test(i);
        }
    }
    begin("end");
    uint64_t all = 0;
    MPI_Reduce(&checks, &all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("ok %" PRIu64 " checks=%" PRIu64 "\n", seed, all);
    MPI_Finalize();
    if (ferror(stdout) || fclose(stdout) != 0) return 1;
    return 0;
}
