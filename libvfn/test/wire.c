/*
 * wire: a session with a manager in which each operation occurs, printed line by line; the test at the other end of the
 * socket compares the bytes. `wire lost` sets a path, waits for a line of input, and sets another.
 */
#include "manager.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct vfn_manager m;

static void print(const char *what, int code) {
    printf("%s %d%s%s\n", what, code, code ? " " : "", code ? m.why : "");
    fflush(stdout);
}

static void get(int host) {
    int vid = -1;
    int code = vfn_get(&m, host, &vid);
    printf("get %d %d\n", code, vid);
}

static void lost(void) {
    print("set", vfn_set(&m, 1, m.vids[1]));
    if (getchar() == EOF) exit(1);
    print("set", vfn_set(&m, 2, m.vids[1]));
    get(1);
    get(2);
    print("close", vfn_close(&m));
}

static void optimise(void) {
    const int32_t hosts[] = {0, 2};
    const uint64_t bytes[] = {0, 5000, 700, 0};
    int done = 0, count = 0;
    struct vfn_choice *choices;
    struct vfn_loads loads;
    print("optimise", vfn_optimise(&m, 2, hosts, bytes));
    while (!done && vfn_choices(&m, &done, &count, &choices, &loads) == 0) continue;
    printf("choices %d planned %.0f chosen %.0f\n", count, loads.planned, loads.chosen);
    for (int i = 0; i < count; i++) printf("choice %d %d %d\n", choices[i].low, choices[i].high, choices[i].vid);
    free(choices);
}

int main(int argc, char **argv) {
    int code = vfn_open(&m);
    print("open", code);
    if (code != 0) return 0;
    printf("host %d of %d, plan %016" PRIx64 ", VIDs", m.host, m.hosts, m.plan);
    for (int i = 0; i < m.vid_count; i++) printf(" %d", m.vids[i]);
    printf("\n");
    if (argc > 1 && strcmp(argv[1], "lost") == 0) {
        lost();
        return 0;
    }
    print("set", vfn_set(&m, 1, m.vids[1]));
    get(1);
    print("reset", vfn_set(&m, 1, 0));
    get(1);
    print("own", vfn_set(&m, m.host, m.vids[0]));
    print("vid", vfn_set(&m, 1, 4095));
    const int32_t hosts[] = {1, 2, 1}, vids[] = {m.vids[1], m.vids[1], 0}, wrong[] = {m.vids[1], 4095, 0};
    print("batch", vfn_set_all(&m, 3, hosts, vids));
    get(1);
    get(2);
    print("failing", vfn_set_all(&m, 3, hosts, wrong));
    get(1);
    const int32_t all[] = {1, 2};
    uint64_t bytes[2] = {0};
    print("traffic", vfn_traffic(&m, 2, all, bytes));
    printf("sent %" PRIu64 " %" PRIu64 "\n", bytes[0], bytes[1]);
    optimise();
    print("close", vfn_close(&m));
    return 0;
}
