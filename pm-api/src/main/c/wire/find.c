/* Finds the socket of this machine's node, by the rules of the classes NodeSockets and RunFolders. */
#define _GNU_SOURCE
#include "wire/wire.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOOK_MS 200
#define LIST_BYTES 512

/* The sockets that were found: the first one, and all of them as a text. */
struct found {
    char first[PATH_MAX];
    char list[LIST_BYTES];
    int count;
};

static bool is_set(const char *value) {
    return value != NULL && value[strspn(value, " \t")] != '\0';
}

/* The socket of a dead node does not accept connections any more. */
static bool is_live(const char *path) {
    int fd = -1;
    int result = connect_node(path, &fd, LOOK_MS);
    if (result == HXB_OK) {
        descriptor_close(fd);
    }
    return result != HXB_E_NO_NODE && result != HXB_E_ARGUMENT;
}

static void look_at(struct found *found, const char *path) {
    size_t length = strlen(path);
    if (length < 5 || strcmp(path + length - 5, ".sock") != 0 || !is_live(path)) {
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

/* A folder of this user's that no other user may enter: anybody could have put a node into another. */
static bool is_private(const char *folder) {
    struct stat status;
    return lstat(folder, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid()
        && (status.st_mode & 077) == 0;
}

static bool personal_folder(char *folder, size_t capacity) {
    const char *runtime = secure_getenv("XDG_RUNTIME_DIR");
    struct stat status;
    if (is_set(runtime) && lstat(runtime, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid()) {
        return snprintf(folder, capacity, "%s/hxb", runtime) < (int)capacity;
    }
    char buffer[4096];
    struct passwd entry;
    struct passwd *user = NULL;
    if (getpwuid_r(geteuid(), &entry, buffer, sizeof buffer, &user) != 0 || user == NULL) {
        return false;
    }
    return snprintf(folder, capacity, "/tmp/hxb-%s", user->pw_name) < (int)capacity;
}

int find_node(char *path, size_t capacity) {
    const char *chosen = secure_getenv("HXB_SOCKET");
    const char *run = secure_getenv("HXB_RUN");
    char personal[PATH_MAX];
    const char *folders[3];
    int count = 0;
    if (is_set(run)) {
        folders[count++] = run;
    }
    folders[count++] = "/run/hxb";
    if (personal_folder(personal, sizeof personal)) {
        folders[count++] = personal;
    }
    struct found found = {0};
    for (int i = 0; i < count && !is_set(chosen) && found.count == 0; i++) {
        /* One that is not there yet is not private: another user could make it now. */
        if (folders[i] == personal && !is_private(personal)) {
            continue;
        }
        look_into(&found, folders[i], false);
        if (found.count == 0) {
            char labs[PATH_MAX];
            if (snprintf(labs, sizeof labs, "%s/labs", folders[i]) < (int)sizeof labs) {
                look_into(&found, labs, true);
            }
        }
    }
    if (found.count > 1) {
        return fail(HXB_E_NO_NODE, "several nodes run here: set HXB_SOCKET to the socket of the one to attach to (hxb"
                    " lab exec COORD -- COMMAND does that); there are %s", found.list);
    }
    if (found.count == 0 && !is_set(chosen)) {
        return fail(HXB_E_NO_NODE, "no node runs here: there is no socket of one in %s%s%s%s%s; start it with hxb node,"
                    " or a lab with hxb lab up, or set HXB_SOCKET to the socket of a node elsewhere", folders[0],
                    count > 1 ? ", " : "", count > 1 ? folders[1] : "", count > 2 ? ", " : "",
                    count > 2 ? folders[2] : "");
    }
    if (snprintf(path, capacity, "%s", is_set(chosen) ? chosen : found.first) >= (int)capacity) {
        return fail(HXB_E_ARGUMENT, "a socket path has at most %zu bytes: %s", capacity - 1,
                    is_set(chosen) ? chosen : found.first);
    }
    return HXB_OK;
}
