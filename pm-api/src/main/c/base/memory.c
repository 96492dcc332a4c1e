/* Memory that this process lends its node, and memory of the node that it reads. */
#define _GNU_SOURCE
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_INTERRUPTIONS 1000

uint64_t whole_pages(uint64_t length) {
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    return (length + page - 1) & -page;
}

int lent_reserve(struct lent *lent, uint64_t length) {
    lent->length = whole_pages(length);
    lent->filled = 0;
    void *mapped = mmap(NULL, lent->length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) {
        lent->data = NULL;
        return fail_errno("cannot reserve the addresses of %" PRIu64 " bytes", length);
    }
    lent->data = mapped;
    return HXB_OK;
}

/* All pages are taken now, so that neither side is ever killed for want of one (SIGBUS). */
int make_file(const char *name, uint64_t length) {
    descriptors_hold();
    int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    descriptors_add(fd);
    descriptors_release();
    if (fd < 0) {
        return -1;
    }
    int result = fallocate(fd, 0, 0, (off_t)length);
    for (int i = 0; result < 0 && errno == EINTR && i < MAX_INTERRUPTIONS; i++) {
        result = fallocate(fd, 0, 0, (off_t)length);
    }
    if (result < 0 || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) < 0) {
        int saved = errno;
        descriptor_close(fd);
        errno = saved;
        return -1;
    }
    return fd;
}

int lent_fill(struct lent *lent, const char *name, int *pieces, int max) {
    int count = 0;
    while (count < max && lent->filled < lent->length) {
        uint64_t left = lent->length - lent->filled;
        uint64_t length = left < HXB_ATTACH_PIECE_BYTES ? left : HXB_ATTACH_PIECE_BYTES;
        int fd = make_file(name, length);
        if (fd >= 0) {
            pieces[count++] = fd;
        }
        /* Mapped before it is lent: the node then seals the file against further writable mappings. */
        if (fd < 0
            || mmap(lent->data + lent->filled, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0)
                   == MAP_FAILED) {
            int result = fail_errno("cannot make %" PRIu64 " bytes of memory to share with the node", lent->length);
            while (count > 0) {
                descriptor_close(pieces[--count]);
            }
            return result;
        }
        /* The ring of a context or a buffer of a region is not for children of this process. */
        madvise(lent->data + lent->filled, length, MADV_DONTFORK);
        lent->filled += length;
    }
    return count;
}

void lent_close(struct lent *lent) {
    if (lent->data != NULL) {
        munmap(lent->data, lent->length);
        lent->data = NULL;
    }
}

const char *file_problem(int fd, uint64_t length) {
    struct stat status;
    int seals = fcntl(fd, F_GET_SEALS);
    if (seals < 0 || fstat(fd, &status) < 0) {
        return "is not a file in memory";
    }
    if ((seals & F_SEAL_SHRINK) == 0) {
        return "could be cut off while it is read";
    }
    return length == 0 || (uint64_t)status.st_size < length ? "is shorter than the node reports" : NULL;
}

int map_node_memory(int fd, uint64_t length, const char *what, const uint8_t **data) {
    const char *problem = file_problem(fd, length);
    if (problem != NULL) {
        descriptor_close(fd);
        return fail(HXB_E_PROTOCOL, "%s %s", what, problem);
    }
    void *mapped = mmap(NULL, length, PROT_READ, MAP_SHARED, fd, 0);
    int result = mapped == MAP_FAILED ? fail_errno("cannot map %s of %" PRIu64 " bytes", what, length) : HXB_OK;
    descriptor_close(fd);
    *data = mapped == MAP_FAILED ? NULL : mapped;
    if (mapped != MAP_FAILED) {
        madvise(mapped, length, MADV_DONTFORK);
    }
    return result;
}
