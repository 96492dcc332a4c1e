/* Finds the socket of this machine's node, by the rules of the classes NodeSockets and RunFolders. */
#define _GNU_SOURCE
#include "base/folders.h"
#include "wire/wire.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#define LOOK_MS 200
#define LIST_BYTES 512

/* The sockets that were found: the first one, and all of them as a text. */
struct found {
    char first[PATH_MAX];
    char list[LIST_BYTES];
    int count;
};

/* The socket of a dead node does not accept connections any more. */
static bool is_live(const char *path) {
    int fd = -1;
    int result = connect_node(path, &fd, LOOK_MS);
    if (result == HXB_OK) {
        descriptor_close(fd);
    }
    return result != HXB_E_NO_NODE && result != HXB_E_ARGUMENT;
}

/* CLUSTER-NODE.sock, as class NodeSocketName: others are those of who looks at nodes, and of managers. */
static bool is_of_node(const char *path) {
    const char *number = strrchr(path, '-');
    size_t digits = number == NULL ? 0 : strspn(number + 1, "0123456789");
    return digits > 0 && strcmp(number + 1 + digits, ".sock") == 0;
}

static void look_at(struct found *found, const char *path) {
    if (!is_of_node(path) || !is_live(path)) {
        return;
    }
    if (found->count++ == 0) {
        snprintf(found->first, sizeof found->first, "%s", path);
    }
    size_t used = strlen(found->list);
    snprintf(found->list + used, sizeof found->list - used, "%s%s", used == 0 ? "" : ", ", path);
}

static void look_into(struct found *found, const char *folder, bool is_of_labs) {
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char path[PATH_MAX];
        if (entries[i]->d_name[0] != '.'
            && snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name) < (int)sizeof path) {
            if (is_of_labs) {
                look_into(found, path, false);
            } else {
                look_at(found, path);
            }
        }
        free(entries[i]);
    }
    if (count >= 0) {
        free(entries);
    }
}

/* Fails with the folders in which there is no socket. */
static int fail_none(const struct run_folders *folders) {
    char list[3 * PATH_MAX + 8] = "";
    for (int i = 0; i < folders->count; i++) {
        strcat(strcat(list, i == 0 ? "" : ", "), folders->at[i]);
    }
    return fail(HXB_E_NO_NODE, "no node runs here: there is no socket of one in %s; start it with hxb node, or a lab"
                " with hxb lab up, or set HXB_SOCKET to the socket of a node elsewhere", list);
}

static void look_for(struct found *found, const struct run_folders *folders) {
    for (int i = 0; i < folders->count && found->count == 0; i++) {
        if (!may_look_into(folders, i)) {
            continue;
        }
        look_into(found, folders->at[i], false);
        char labs[PATH_MAX];
        if (found->count == 0 && snprintf(labs, sizeof labs, "%s/labs", folders->at[i]) < (int)sizeof labs) {
            look_into(found, labs, true);
        }
    }
}

int find_node(char *path, size_t capacity) {
    const char *chosen = secure_getenv("HXB_SOCKET");
    struct found found = {0};
    if (!is_set(chosen)) {
        struct run_folders folders;
        find_run_folders(&folders);
        look_for(&found, &folders);
        if (found.count > 1) {
            return fail(HXB_E_NO_NODE, "several nodes run here: set HXB_SOCKET to the socket of the one to attach to"
                        " (hxb lab exec COORD -- COMMAND does that); there are %s", found.list);
        }
        if (found.count == 0) {
            return fail_none(&folders);
        }
        chosen = found.first;
    }
    if (snprintf(path, capacity, "%s", chosen) >= (int)capacity) {
        return fail(HXB_E_ARGUMENT, "a socket path has at most %zu bytes: %s", capacity - 1, chosen);
    }
    return HXB_OK;
}
