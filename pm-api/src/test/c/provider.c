/* Checks the libfabric provider "hxb" against the manual pages of libfabric:
 *
 *   provider SCENARIO SOCKET_A SOCKET_B [SEED]
 *   provider serve SOCKET SOCKET                      prints its address, and serves until it is killed
 *   provider parted SOCKET SOCKET first|second short|long  prints when links between the two are to be cut, and healed
 *   provider outlive SOCKET SOCKET ADDRESS [busy|idle]  uses it; with a last argument, until it is killed
 *
 * with FI_PROVIDER_PATH and FI_PROVIDER=hxb set, and the sockets of two nodes. A failure is printed with its line,
 * and ends the program with 1. */
#include "provider.h"

static const struct {
    const char *name;
    scenario *run;
} scenarios[] = {{"info", info_hints},     {"calls", calls},     {"sizes", sizes},   {"match", match},
                 {"peek", peek},           {"cancel", cancel},   {"multi", multi},   {"completion", completion},
                 {"waiting", waiting},     {"full", full}, {"behind", behind},       {"remote", remote}, {"atomic", atomic},
                 {"addresses", addresses}, {"closing", closing}, {"serve", serve},   {"outlive", outlive},
                 {"random", random_operations},    {"collective", collective},
                 {"patience", patience},           {"parted", parted}};

int main(int count, char **arguments) {
    if (count < 4) {
        fprintf(stderr, "usage: provider SCENARIO SOCKET_A SOCKET_B [SEED]\n");
        return 2;
    }
    sockets[0] = arguments[2];
    sockets[1] = arguments[3];
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        if (strcmp(arguments[1], scenarios[i].name) == 0) {
            scenarios[i].run(arguments + 4);
            return 0;
        }
    }
    fprintf(stderr, "no scenario %s\n", arguments[1]);
    return 2;
}
