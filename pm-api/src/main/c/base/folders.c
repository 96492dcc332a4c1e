/* The folders in which sockets of this machine may be. */
#define _GNU_SOURCE
#include "base/folders.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool is_set(const char *value) {
    return value != NULL && value[strspn(value, " \t")] != '\0';
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

void find_run_folders(struct run_folders *folders) {
    const char *run = secure_getenv("HXB_RUN");
    folders->count = 0;
    folders->personal = -1;
    if (is_set(run) && snprintf(folders->at[0], sizeof folders->at[0], "%s", run) < (int)sizeof folders->at[0]) {
        folders->count++;
    }
    strcpy(folders->at[folders->count++], "/run/hxb");
    if (personal_folder(folders->at[folders->count], sizeof folders->at[0])) {
        folders->personal = folders->count++;
    }
}

/* A folder of this user that no other user may enter. One that is not there yet is not private: another user could make
 * it now. */
static bool is_private(const char *folder) {
    struct stat status;
    return lstat(folder, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid()
        && (status.st_mode & 077) == 0;
}

bool may_look_into(const struct run_folders *folders, int index) {
    return index != folders->personal || is_private(folders->at[index]);
}
