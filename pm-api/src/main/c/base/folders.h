/* The folders in which the sockets of this machine's nodes and managers may be, by the rule of the class RunFolders. */
#ifndef HXB_FOLDERS_H
#define HXB_FOLDERS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct run_folders {
    int count;
    int personal; /* the index of this user's; -1 if there is none */
    char at[3][PATH_MAX];
};

/* True if a variable of the environment has a value that is not blank. */
bool is_set(const char *value);

/* In the order in which they are searched: that of HXB_RUN, /run/hxb, and the personal one of this user. */
void find_run_folders(struct run_folders *folders);

/* True for a folder that only this user or root can have made: another user could put a socket into any other. */
bool may_look_into(const struct run_folders *folders, int index);

#endif
