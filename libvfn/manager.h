/*
 * A session with the network manager of this host, over its Unix socket. Nothing of MPI is needed here. Messages are
 * drawn in io.hxb.manager.ManagerMessage. Calls are made by one thread at a time; they return a code of vfn.h, and put
 * the reason of a failure into why.
 */
#ifndef VFN_MANAGER_H
#define VFN_MANAGER_H

#include <stddef.h>
#include <stdint.h>

/* io.hxb.manager.ManagerMessage, Operation, Status. */
#define VFN_MESSAGE_BYTES 64
#define VFN_PROTOCOL 1
#define VFN_REPLY 0x80
#define VFN_PEER_HOST 1
#define VFN_MAX_HOSTS 65536

enum vfn_operation {
    VFN_OP_HELLO = 1,
    VFN_OP_GET = 2,
    VFN_OP_SET = 3,
    VFN_OP_RESET = 4,
    VFN_OP_RESET_ALL = 5,
    VFN_OP_BEGIN = 6,
    VFN_OP_END = 7,
    VFN_OP_TRAFFIC = 11,
    VFN_OP_VID_TRAFFIC = 12,
    VFN_OP_DEMAND = 24,
    VFN_OP_OPTIMISE = 25,
    VFN_OP_CHOICE = 26
};

enum vfn_status {
    VFN_ST_OK = 0,
    VFN_ST_VERSION = 1,
    VFN_ST_NO_SUCH_VID = 3,
    VFN_ST_NO_SUCH_HOST = 4,
    VFN_ST_LIMIT = 7,
    VFN_ST_NOT_ALLOWED = 8,
    VFN_ST_BATCH_FAILED = 9,
    VFN_ST_END_OF_LIST = 11,
    VFN_ST_NO_PLAN = 24,
    VFN_ST_RUNNING = 25
};

struct vfn_message {
    uint8_t bytes[VFN_MESSAGE_BYTES];
};

void vfn_message_clear(struct vfn_message *m, int operation);
void vfn_message_put(struct vfn_message *m, size_t offset, size_t length, uint64_t value);
uint64_t vfn_message_get(const struct vfn_message *m, size_t offset, size_t length);

/* Offsets and lengths, to be given to the two functions above. */
#define VFN_F_VERSION 0, 1
#define VFN_F_OPERATION 1, 1
#define VFN_F_STATUS 2, 2
#define VFN_F_TAG 4, 4
#define VFN_F_NUMBER 8, 8
#define VFN_F_VID 16, 2
#define VFN_F_KIND 18, 2
#define VFN_F_INDEX 20, 4
#define VFN_F_PEER 24, 4
#define VFN_F_PLAN 24, 8
#define VFN_F_VALUE0 40, 8
#define VFN_F_VALUE1 48, 8
#define VFN_F_VALUE2 56, 8

struct vfn_manager {
    int fd; /* -1: no session */
    uint32_t tag;
    int64_t spin_ns;
    int64_t limit_ns;
    int host;  /* this host's number */
    int hosts; /* of the plan */
    uint64_t plan;
    int vid_count;
    uint16_t *vids;      /* of the plan, [vid_count] */
    uint16_t *claims;    /* what this session has set, 0: nothing, [hosts] */
    int claim_count;
    uint64_t *sent;      /* bytes to each host when traffic was read last, [hosts] */
    char path[108];      /* of the socket */
    char why[400];
};

/* A pair of hosts, and the VID that was computed for it. */
struct vfn_choice {
    int32_t low;
    int32_t high;
    int32_t vid;
};

/* Bytes on the busiest link. */
struct vfn_loads {
    double planned;
    double chosen;
};

/* Begins a session with the manager whose socket VFN_MANAGER names, or otherwise with the one where hxb looks. */
int vfn_open(struct vfn_manager *m);

/* Undoes all changes of the session, and ends it. */
int vfn_close(struct vfn_manager *m);

/* Ends without a message: for a child of fork, whose parent continues. */
void vfn_abandon(struct vfn_manager *m);

int vfn_is_planned(const struct vfn_manager *m, int vid);

/* Sets the VID of frames to a host; 0 undoes what this session has set for it. */
int vfn_set(struct vfn_manager *m, int host, int vid);

/* The same for several hosts, in their order: all changes, or none. */
int vfn_set_all(struct vfn_manager *m, int count, const int32_t *hosts, const int32_t *vids);

int vfn_reset_all(struct vfn_manager *m);
int vfn_get(struct vfn_manager *m, int host, int *vid);

/* Bytes sent to each of some hosts since the last call, [count]; null only begins to count. */
int vfn_traffic(struct vfn_manager *m, int count, const int32_t *hosts, uint64_t *bytes);

/* Begins to compute paths for bytes[from * count + to]. */
int vfn_optimise(struct vfn_manager *m, int count, const int32_t *hosts, const uint64_t *bytes);

/*
 * Asks for the paths. *done is 0 while they are computed; otherwise *choices is an array to be freed, and *count its
 * length.
 */
int vfn_choices(struct vfn_manager *m, int *done, int *count, struct vfn_choice **choices, struct vfn_loads *loads);

/* A sentence for a code; see vfn.h. */
const char *vfn_text(int code);

#endif
