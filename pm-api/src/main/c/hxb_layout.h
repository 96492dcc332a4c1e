/* Layout of the memory that an application shares with its node, and of the messages to attach.
 * Written by io.hxb.pm.LayoutHeader from the Java classes, whose comments draw each layout as a table.
 * Do not edit it: LayoutHeaderTest compares it with them and says how to write it again. */
#ifndef HXB_LAYOUT_H
#define HXB_LAYOUT_H

#define HXB_ATTACH_LENGTH_BYTES 512
#define HXB_ATTACH_PIECE_BYTES 4194304
#define HXB_ATTACH_MEMORY_IDS 1024
#define HXB_ATTACH_HELLO 1
#define HXB_ATTACH_OPEN_CONTEXT 2
#define HXB_ATTACH_CLOSE_CONTEXT 3
#define HXB_ATTACH_LEND 4
#define HXB_ATTACH_ADD_PIECES 5
#define HXB_ATTACH_TAKE_BACK 6
#define HXB_ATTACH_REPLY 128
#define HXB_ATTACH_MAGIC 1346525256
#define HXB_ATTACH_VERSION 2
#define HXB_ATTACH_OLDEST_VERSION 2
#define HXB_ATTACH_DONE 0
#define HXB_ATTACH_REFUSED 1
#define HXB_ATTACH_REFUSED_FOR_NOW 2
#define HXB_ATTACH_VERSION_OFFSET 4
#define HXB_ATTACH_TYPE 6
#define HXB_ATTACH_STATUS 8
#define HXB_ATTACH_NUMBER 12
#define HXB_ATTACH_ARGUMENTS 16
#define HXB_ATTACH_TEXT_LENGTH 80
#define HXB_ATTACH_TEXT 84

#define HXB_PAGE_LENGTH_BYTES 4096
#define HXB_PAGE_MAX_LOOPS 16
#define HXB_PAGE_ALIVE 1
#define HXB_PAGE_CLOSED 2
#define HXB_PAGE_BEAT_INTERVAL_NS 200000000
#define HXB_PAGE_LINK_EVENTS_OFFSET 2304
#define HXB_PAGE_MAGIC INT64_C(0x3145444f4e425848)
#define HXB_PAGE_VERSION 1
#define HXB_PAGE_VERSION_OFFSET 8
#define HXB_PAGE_LOOPS 12
#define HXB_PAGE_NODE_ID 16
#define HXB_PAGE_NODE_COUNT 20
#define HXB_PAGE_MTU 24
#define HXB_PAGE_CONTEXTS 28
#define HXB_PAGE_RECEIVE_BUFFERS 32
#define HXB_PAGE_RECEIVE_BUFFER_BYTES 36
#define HXB_PAGE_INCARNATION 40
#define HXB_PAGE_SHAPE_LENGTH 44
#define HXB_PAGE_SHAPE 48
#define HXB_PAGE_STATE 128
#define HXB_PAGE_BEAT 192
#define HXB_PAGE_SLEEP 256
#define HXB_PAGE_SLEEP_STRIDE 128
#define HXB_PAGE_MAX_SHAPE_BYTES 64

#define HXB_LINKS_ENTRIES 16
#define HXB_LINKS_ENTRY_BYTES 96
#define HXB_LINKS_MAX_TEXT_BYTES 64
#define HXB_LINKS_FIRST 64
#define HXB_LINKS_TIME 8
#define HXB_LINKS_NODE 16
#define HXB_LINKS_DIMENSION 20
#define HXB_LINKS_NUMBER 21
#define HXB_LINKS_GOOD 22
#define HXB_LINKS_LAST 23
#define HXB_LINKS_TEXT_LENGTH 24
#define HXB_LINKS_TEXT 32
#define HXB_LINKS_LENGTH_BYTES 1600

#define HXB_CONTROL_MESSAGES 1
#define HXB_CONTROL_SENDS 2
#define HXB_CONTROL_LINKS 4
#define HXB_CONTROL_OPEN 1
#define HXB_CONTROL_CLOSED 2
#define HXB_CONTROL_EVENT_ENTRIES 64
#define HXB_CONTROL_MAGIC INT64_C(0x315854434d505848)
#define HXB_CONTROL_VERSION 2
#define HXB_CONTROL_VERSION_OFFSET 8
#define HXB_CONTROL_CONTEXT_ID 12
#define HXB_CONTROL_STATE 128
#define HXB_CONTROL_REASON 132
#define HXB_CONTROL_WAITING 256
#define HXB_CONTROL_RELEASE_AWAITED 384
#define HXB_CONTROL_RINGS 512

#define HXB_SUBMISSION_RUN (-1)
#define HXB_SUBMISSION_ENTRY_BYTES 64
#define HXB_SUBMISSION_SLOT 8
#define HXB_SUBMISSION_LENGTH 12
#define HXB_SUBMISSION_NODE 16
#define HXB_SUBMISSION_CONTEXT 20
#define HXB_SUBMISSION_TAG 24
#define HXB_SUBMISSION_REGION 28
#define HXB_SUBMISSION_REGION_OFFSET 32
#define HXB_SUBMISSION_SHORTS_BEFORE 40

#define HXB_COMPLETION_ENTRY_BYTES 16
#define HXB_COMPLETION_SLOT 8

#define HXB_SHORT_MAX_LENGTH 256
#define HXB_SHORT_HEADER_BYTES 8
#define HXB_SHORT_DATA 256
#define HXB_SHORT_TAKEN 128
#define HXB_SHORT_BYTES_PER_SLOT 64
#define HXB_SHORT_MAX_BYTES 1048576

#define HXB_DELIVERY_ENTRY_BYTES 32
#define HXB_DELIVERY_BUFFER 8
#define HXB_DELIVERY_OFFSET 12
#define HXB_DELIVERY_LENGTH 16
#define HXB_DELIVERY_TAG 20
#define HXB_DELIVERY_SOURCE_NODE 24
#define HXB_DELIVERY_SOURCE_CONTEXT 28

#define HXB_RELEASE_NONE (-1)
#define HXB_RELEASE_EVENT (-1)
#define HXB_RELEASE_ENTRY_BYTES 8

#define HXB_EVENTS_ENTRY_BYTES 32
#define HXB_EVENTS_STATUS 8
#define HXB_EVENTS_NODE 12
#define HXB_EVENTS_CONTEXT 16

#define HXB_LARGE_LENGTH 16
#define HXB_LARGE_TAG 8
#define HXB_LARGE_RESERVED 12
#define HXB_LARGE_FRAGMENT (-2147483647 - 1)

#define HXB_STATUS_OK 0
#define HXB_STATUS_NO_BUFFERS (-1)
#define HXB_STATUS_EMPTY (-2)
#define HXB_STATUS_TIMED_OUT (-3)
#define HXB_STATUS_PEER_UNREACHABLE (-4)
#define HXB_STATUS_PEER_RESTARTED (-5)
#define HXB_STATUS_NO_SUCH_CONTEXT (-6)
#define HXB_STATUS_CONTEXT_CLOSED (-7)
#define HXB_STATUS_NODE_GONE (-8)
#define HXB_STATUS_TOO_LONG (-9)
#define HXB_STATUS_NODE_SILENT (-10)
#define HXB_STATUS_PEER_FULL (-11)
#define HXB_STATUS_EVENT (-12)
#define HXB_STATUS_NOT_ALLOWED (-13)
#define HXB_STATUS_FLOW_LIMIT (-14)

#define HXB_REASON_NONE 0
#define HXB_REASON_DETACHED 1
#define HXB_REASON_NODE_CLOSED 2
#define HXB_REASON_BAD_SLOT 3
#define HXB_REASON_SLOT_IN_FLIGHT 4
#define HXB_REASON_BAD_DESTINATION 5
#define HXB_REASON_BAD_LENGTH 6
#define HXB_REASON_BAD_REGION 7
#define HXB_REASON_BAD_RELEASE 8
#define HXB_REASON_GONE 9
#define HXB_REASON_BAD_SHORT 10
#define HXB_REASON_COUNT 11

/* Texts of HXB_REASON_*, to follow "context 3 is closed: ". */
#define HXB_REASON_TEXTS \
    "it is open", \
    "the application has closed it", \
    "the node has stopped", \
    "a submission named a send slot that does not exist", \
    "a submission named a send slot that was still in flight", \
    "a submission named a node or context that does not exist", \
    "a submission had a negative length or more than one buffer holds", \
    "a submission named bytes outside of the application's regions", \
    "a release named a receive buffer that the context does not hold", \
    "the application is gone", \
    "a short message lay outside of its ring, or was too long"

#endif
