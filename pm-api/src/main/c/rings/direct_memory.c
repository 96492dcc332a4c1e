/* Direct rings: the memory that a sender makes and both ends map, and fences of both ends. */
#define _GNU_SOURCE
#include "rings/rings.h"

#include <linux/membarrier.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define COPIES 2 /* of the records, one after the other: no record is ever cut by the end of the ring */

/* ---- Fences ---- */

bool register_fences(void) {
    return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) == 0
        && syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0) == 0;
}

void run_fence(void) {
    syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0);
}

/* ---- Memory ---- */

int direct_make(struct direct_memory *memory, uint32_t capacity, int *descriptors) {
    descriptors[0] = make_file("hxb-direct", capacity);
    if (descriptors[0] < 0) {
        return fail_errno("cannot make a ring of %u bytes", capacity);
    }
    descriptors[1] = make_file("hxb-direct-page", HXB_DIRECTPAGE_LENGTH_BYTES);
    int result = descriptors[1] < 0 ? fail_errno("cannot make the page of a ring")
                                    : direct_map(memory, capacity, descriptors[0], descriptors[1], true);
    if (result != HXB_OK) {
        descriptor_close(descriptors[0]);
        if (descriptors[1] >= 0) {
            descriptor_close(descriptors[1]);
        }
    }
    return result;
}

static bool map_at(uint8_t *at, uint64_t length, int fd, bool is_writable) {
    int protection = is_writable ? PROT_READ | PROT_WRITE : PROT_READ;
    return mmap(at, length, protection, MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED;
}

/* From the page to the records, which begin a page of the kernel's. */
static uint64_t room_bytes(void) { return whole_pages(HXB_DIRECTPAGE_LENGTH_BYTES); }

static uint64_t mapped_bytes(uint32_t capacity) { return room_bytes() + (uint64_t)COPIES * capacity; }

int direct_map(struct direct_memory *memory, uint32_t capacity, int records, int page, bool is_sender) {
    uint64_t length = mapped_bytes(capacity);
    void *range = mmap(NULL, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED) {
        return fail_errno("cannot reserve the addresses of a ring of %u bytes", capacity);
    }
    uint8_t *first = (uint8_t *)range + room_bytes();
    if (!map_at(range, room_bytes(), page, true) || !map_at(first, capacity, records, is_sender)
        || !map_at(first + capacity, capacity, records, is_sender)) {
        int result = fail_errno("cannot map a ring of %u bytes", capacity);
        munmap(range, length);
        return result;
    }
    madvise(range, length, MADV_DONTFORK);
    *memory = (struct direct_memory){.page = range, .records = first, .capacity = capacity, .peer_signal = -1};
    return HXB_OK;
}

void direct_unmap(struct direct_memory *memory) {
    munmap(memory->page, mapped_bytes(memory->capacity));
    if (memory->peer_signal >= 0) {
        int state = call_begin();
        descriptor_close(memory->peer_signal);
        call_end(state);
    }
}
