package io.hxb.counter;

import static io.hxb.counter.CounterKind.COUNT;
import static io.hxb.counter.CounterKind.LEVEL;
import static io.hxb.counter.CounterScope.BUCKET;
import static io.hxb.counter.CounterScope.DIMENSION;
import static io.hxb.counter.CounterScope.LINK;
import static io.hxb.counter.CounterScope.NEIGHBOUR;
import static io.hxb.counter.CounterScope.NODE;

import io.hxb.frame.DropReason;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Every counter of a node. The documentation table is made from this enum: a constant's name is the
 * name for export, its last word the unit. Immutable.
 *
 * <p>An id, once given, keeps its meaning: new counters get new ids.
 */
public enum CounterType {
    LINK_RECEIVED_FRAMES(1, LINK, COUNT, "Frames that arrived on the link."),
    LINK_RECEIVED_BYTES(2, LINK, COUNT, "Bytes of header and body that arrived on the link."),
    LINK_SENT_FRAMES(3, LINK, COUNT, "Frames that the kernel accepted for sending."),
    LINK_SENT_BYTES(
            4, LINK, COUNT, "Bytes of header and body that the kernel accepted for sending."),
    LINK_KERNEL_DROPPED_FRAMES(
            5, LINK, COUNT, "Frames that the kernel dropped because they were not read in time."),
    LINK_SEND_ERROR_FRAMES(
            6,
            LINK,
            COUNT,
            "Frames discarded because the NIC refused them: down, gone or too long."),
    LINK_BLOCKED_EVENTS(7, LINK, COUNT, "Times the link accepted no more frames for the moment."),
    LINK_UP_STATE(8, LINK, LEVEL, "1 while frames can pass, otherwise 0."),
    LINK_STATE_CHANGED_EVENTS(9, LINK, COUNT, "Times the link went up or down."),
    LINK_MTU_BYTES(10, LINK, LEVEL, "Max bytes of header and body in a frame."),
    LINK_NEIGHBOURS_NODES(11, LINK, LEVEL, "Neighbours that are heard on the link."),
    LINK_HELLO_SENT_FRAMES(12, LINK, COUNT, "Hello frames sent."),
    LINK_HELLO_RECEIVED_FRAMES(13, LINK, COUNT, "Hello frames that arrived."),
    LINK_EXCLUDED_EVENTS(14, LINK, COUNT, "Times the link to a neighbour failed and was left out."),
    LINK_RECOVERED_EVENTS(
            15, LINK, COUNT, "Times a link to a neighbour that had failed was used again."),
    TRUNK_NEIGHBOURS_NODES(
            16,
            DIMENSION,
            LEVEL,
            "Neighbours that are reached by at least one link of the dimension."),
    TRUNK_LOST_EVENTS(17, DIMENSION, COUNT, "Times the last link to one neighbour was lost."),
    FORWARD_RECEIVED_FRAMES(
            18,
            "Frames that arrived on all links, and long frames joined from fragments: delivered,"
                    + " control, relayed, fragments and dropped ones together."),
    FORWARD_DELIVERED_FRAMES(19, "Data frames for this node, handed to its flows."),
    FORWARD_CONTROL_FRAMES(
            20, "Frames without data for this node itself: hellos, acknowledgements and so on."),
    FORWARD_RELAYED_FRAMES(21, "Frames for others, sent on."),
    FORWARD_KERNEL_RELAYED_FRAMES(109, "Of the frames for others, those that the kernel sent on."),
    FORWARD_KERNEL_RELAYED_TRAINS(146, "Times the kernel sent several of them on in one piece."),
    FORWARD_RELAYED_BYTES(22, "Bytes of header and body of the frames for others."),
    FORWARD_ORIGINATED_FRAMES(23, "Frames that this node sent itself, retransmissions included."),
    FORWARD_LOOPED_BACK_FRAMES(24, "Frames of this node to itself."),
    FORWARD_UNREACHABLE_SENT_FRAMES(25, "Answers that a frame could not be delivered."),
    FORWARD_UNREACHABLE_RECEIVED_FRAMES(26, "Answers that a frame of ours could not be delivered."),
    FORWARD_COPIED_FRAMES(
            27, "Frames that had to be copied between receiving and delivering or relaying."),
    FORWARD_COPIED_BYTES(28, "Bytes copied with them."),
    FORWARD_DROPPED_TOO_SHORT_FRAMES(29, "Frames dropped: shorter than a header."),
    FORWARD_DROPPED_VERSION_FRAMES(30, "Frames dropped: of another version."),
    FORWARD_DROPPED_TYPE_FRAMES(31, "Frames dropped: of an unknown type."),
    FORWARD_DROPPED_FLAGS_FRAMES(32, "Frames dropped: with unknown flags."),
    FORWARD_DROPPED_LENGTH_FRAMES(33, "Frames dropped: whose body is longer than the frame."),
    FORWARD_DROPPED_RESERVED_FRAMES(34, "Frames dropped: with a reserved field that is not 0."),
    FORWARD_DROPPED_CLUSTER_FRAMES(35, "Frames dropped: of another cluster."),
    FORWARD_DROPPED_ORDER_FRAMES(
            36, "Frames dropped: with a dimension order that does not name each dimension once."),
    FORWARD_DROPPED_HOP_LIMIT_FRAMES(37, "Frames dropped: that had crossed too many links."),
    FORWARD_DROPPED_COORDINATES_FRAMES(
            38, "Frames dropped: from or to coordinates outside of the shape."),
    FORWARD_DROPPED_BODY_FRAMES(39, "Frames dropped: whose body does not fit their type."),
    FORWARD_DROPPED_CRC_FRAMES(40, "Frames dropped: with an invalid CRC-32C."),
    FORWARD_DROPPED_NO_ROUTE_FRAMES(41, "Frames dropped: for which no link leads on."),
    FORWARD_DROPPED_LINK_BLOCKED_FRAMES(42, "Frames dropped: for a link that accepted no more."),
    FORWARD_DROPPED_POOL_EMPTY_FRAMES(43, "Frames dropped: for which no buffer was free."),
    FORWARD_DROPPED_OWN_SOURCE_FRAMES(44, "Frames dropped: their source is this node."),
    FLOW_SENT_FRAMES(45, "Data frames sent for the first time."),
    FLOW_RESENT_FRAMES(46, "Data frames retransmitted, for gaps and for time-outs."),
    FLOW_TIMEOUTS_EVENTS(47, "Times a retransmission timer ran out."),
    FLOW_SENT_MESSAGES(48, "Messages sent."),
    FLOW_SENT_BYTES(49, "Bytes of body of the data frames sent, each counted once."),
    FLOW_DELIVERED_FRAMES(50, "Data frames delivered in order to a context."),
    FLOW_DELIVERED_MESSAGES(51, "Messages delivered to a context."),
    FLOW_DELIVERED_BYTES(52, "Bytes of body of the data frames delivered."),
    FLOW_DUPLICATE_FRAMES(53, "Data frames that had been received before."),
    FLOW_OUTSIDE_WINDOW_FRAMES(54, "Data frames beyond the window, dropped."),
    FLOW_REORDERED_FRAMES(
            55, "Data frames that had to wait for earlier ones, or for room in their context."),
    FLOW_SENT_ACKS_FRAMES(56, "Acknowledgement frames sent."),
    FLOW_RECEIVED_ACKS_FRAMES(57, "Acknowledgement frames that arrived."),
    FLOW_WINDOW_STALLS_EVENTS(58, "Times a flow had to wait because its window was full."),
    FLOW_PROBES_FRAMES(59, "Probes sent to receivers that were silent or had closed their window."),
    FLOW_DELIVERY_REFUSED_EVENTS(60, "Times a context had no room for the next frame."),
    FLOW_STALE_FRAMES(61, "Frames of an earlier incarnation or epoch, dropped."),
    FLOW_UNKNOWN_CONTEXT_FRAMES(62, "Frames for a context that is not open, dropped."),
    FLOW_MALFORMED_FRAMES(
            63, "Frames dropped that are invalid for flows: of an unknown source or type."),
    FLOW_PEER_UNREACHABLE_EVENTS(64, "Flows that ended because the peer could not be reached."),
    FLOW_PEER_RESTARTED_EVENTS(65, "Flows that ended because the peer was a new incarnation."),
    FLOW_NO_SUCH_CONTEXT_EVENTS(66, "Flows that ended because the peer context was not open."),
    FLOW_SENDING_FLOWS(67, NODE, LEVEL, "Flows that have state for sending."),
    FLOW_RECEIVING_FLOWS(68, NODE, LEVEL, "Flows that have state for receiving."),
    FLOW_CONTRADICTED_EVENTS(
            204, "Flows that began again because the receiver contradicted what was acknowledged."),
    FLOW_REFUSED_EVENTS(69, "Flows refused because the node, context or user had enough."),
    POOL_SIZE_BUFFERS(70, NODE, LEVEL, "Buffers of the receive pool."),
    POOL_FREE_BUFFERS(71, NODE, LEVEL, "Buffers of the receive pool that are free."),
    POOL_OUTSTANDING_BUFFERS(
            72, NODE, LEVEL, "Buffers of the receive pool in use by loops, flows or applications."),
    POOL_EMPTY_EVENTS(73, "Times a loop found no free buffer."),
    CONTEXT_OPEN_CONTEXTS(74, NODE, LEVEL, "Contexts that are open."),
    CONTEXT_OPENED_EVENTS(75, "Contexts opened."),
    CONTEXT_CLOSED_NORMALLY_EVENTS(76, "Contexts closed by their application."),
    CONTEXT_CLOSED_DEAD_EVENTS(
            77, "Contexts closed because their application ended without closing them."),
    CONTEXT_CLOSED_RUBBISH_EVENTS(
            78,
            "Contexts closed because their application wrote invalid values into shared memory."),
    CONTEXT_CLOSED_BY_NODE_EVENTS(79, "Contexts closed because the node stopped."),
    CONTEXT_REFUSED_EVENTS(80, "Contexts refused: too many, or the number was taken."),
    CONTEXT_ATTACH_ACCEPTED_EVENTS(81, "Applications that attached."),
    CONTEXT_ATTACH_REFUSED_EVENTS(
            82, "Applications refused because of their user, group or version."),
    MISCONFIGURATION_DUPLICATE_COORDINATE_EVENTS(
            83, "Times detected or reported: two nodes have the same coordinates."),
    MISCONFIGURATION_WRONG_LINE_EVENTS(
            84, "Times detected or reported: a segment joins nodes that are not on one line."),
    MISCONFIGURATION_WRONG_DIMENSION_EVENTS(
            85, "Times detected or reported: a segment joins links of different dimensions."),
    MISCONFIGURATION_WRONG_LINK_NUMBER_EVENTS(
            86, "Times detected or reported: a segment joins links of different numbers."),
    MISCONFIGURATION_OTHER_CLUSTER_EVENTS(
            87, "Times detected or reported: a node of another cluster is on the segment."),
    MISCONFIGURATION_OTHER_FINGERPRINT_EVENTS(
            88, "Times detected or reported: a neighbour has another cluster file."),
    MISCONFIGURATION_OTHER_VERSION_EVENTS(
            89, "Times detected or reported: a neighbour has another version of the frame layout."),
    MISCONFIGURATION_MTU_DIFFERS_EVENTS(
            90, "Times detected or reported: a neighbour has another MTU."),
    NODE_LOOP_WAKEUPS_EVENTS(91, "Turns of the loops with work to do."),
    NODE_LOOP_IDLE_EVENTS(92, "Turns of the loops with nothing to do."),
    NODE_LOOP_GIVE_WAYS_EVENTS(
            110, "Times a loop stopped polling because a thread that computes had taken its CPU."),
    NODE_LOOP_CROWDED_LOOPS(
            111,
            NODE,
            LEVEL,
            "Loops configured to spin that repeatedly found other threads waiting for their CPU;"
                    + " they sleep when idle."),
    NODE_LOOP_LONG_TURNS_EVENTS(
            128, "Turns of the loops that took longer than 2 ms, waiting for their CPU included."),
    NODE_LOOP_OVERRUN_NS(129, "Time that turns of the loops took beyond 2 ms, summed up."),
    NODE_ERRORS_EVENTS(93, "Errors in the loops of this process after which the loops continued."),
    FLOW_BROKEN_HOPS_EVENTS(94, "Times a relay answered that it had no link to the next node."),
    FLOW_SILENT_ROUTES_EVENTS(95, "Times nothing seemed to arrive on a route any more."),
    FLOW_DETOURED_FRAMES(96, "Frames sent on other routes than the configured orders."),
    FLOW_ROUTE_PROBES_FRAMES(97, "Frames that tried a failed route."),
    FLOW_ROUTES_RETURNED_EVENTS(98, "Times a failed route worked again."),
    FLOW_REFUSED_ANSWERS_FRAMES(
            99, "Answers about routes that match no frame sent: forged, damaged or late."),
    FLOW_CUT_OFF_EVENTS(100, "Times no route was left to a destination."),
    FLOW_TROUBLED_DESTINATIONS(101, NODE, LEVEL, "Destinations with trouble on some route."),
    LINK_STATUS_SENT_FRAMES(102, LINK, COUNT, "Status frames sent, heartbeats included."),
    LINK_STATUS_RECEIVED_FRAMES(103, LINK, COUNT, "Status frames that arrived and were accepted."),
    LINK_STATUS_BAD_FRAMES(
            104,
            LINK,
            COUNT,
            "Status frames that are invalid: forged, misdirected or contradictory."),
    LINK_STATUS_STALE_FRAMES(
            105, LINK, COUNT, "Status frames of an earlier incarnation, or of an unknown node."),
    LINK_FAILED_NODES(
            106, LINK, LEVEL, "Neighbours to which the link is left out, because it failed."),
    LINK_WEIGHT_PERCENT(
            107,
            LINK,
            LEVEL,
            "Share of its full load that the link gets, mean over its neighbours."),
    LINK_REASON_CODE(
            108,
            LINK,
            LEVEL,
            "Why the link last failed or recovered; `hxb stat --per-link` prints it in words."),
    FLOW_NOT_ALLOWED_EVENTS(
            112,
            "Flows refused, here or by the peer, because the tenants of their ends may not talk."),
    FORWARD_DROPPED_UNSEALED_FRAMES(
            113, "Frames dropped: without a seal, though the cluster has a key."),
    FORWARD_DROPPED_SEAL_FRAMES(114, "Frames dropped: whose seal is wrong, or of another key."),
    FORWARD_DROPPED_REPLAY_FRAMES(115, "Frames dropped: received before, or too old to tell."),
    FORWARD_DROPPED_NO_SESSION_FRAMES(
            116, "Frames dropped: of a node with which there is no session."),
    CONTEXT_LIMITED_CONNECTIONS_EVENTS(
            117,
            "Processes that could not attach because their user, their tenant or all users had as"
                    + " many connections as they may have."),
    CONTEXT_LIMITED_CONTEXTS_EVENTS(
            118, "Contexts refused because of the limit of a user, a tenant or all users."),
    CONTEXT_LIMITED_MEMORY_EVENTS(
            119, "Shared memory refused because of the limit of a user or a tenant."),
    CONTEXT_LIMITED_REGIONS_EVENTS(
            120, "Regions refused because of the limit of a user or a tenant."),
    CONTEXT_LIMITED_BUFFERS_EVENTS(
            121,
            "Times a context got no receive buffer because of the limit of a user or a tenant."),
    CONTEXT_LIMITED_FLOWS_EVENTS(122, "Flows refused because of the limit of a user or a tenant."),
    CONTEXT_LIMITED_MESSAGES_EVENTS(
            123, "Times messages had to wait because of the limit of a user or a tenant."),
    FORWARD_DROPPED_UNKNOWN_NEIGHBOUR_FRAMES(
            124, "Frames dropped: from a link address that is not a neighbour's."),
    FORWARD_DROPPED_FAULT_FRAMES(
            147, "Frames dropped: a defect of the node, described in its log."),
    MISCONFIGURATION_OTHER_KEY_EVENTS(
            125, "Hellos of neighbours that have no key in common with this node."),
    MISCONFIGURATION_DUPLICATE_ADDRESS_EVENTS(
            205, "Hellos of other nodes whose NICs have the MAC address of a NIC of this node."),
    FLOW_FORGOTTEN_EVENTS(126, "Flows forgotten, by either end, because nothing was sent on them."),
    FLOW_RECALLED_EVENTS(
            127, "Sources asked to close flows that they do not use, because few are free."),
    SESSION_BEGUN_EVENTS(
            130,
            "Sessions begun with other nodes under the cluster's key: when two first talk, when one"
                    + " restarts, when keys change."),
    LINK_SENT_TRAINS(
            131,
            LINK,
            COUNT,
            "Times frames of one size were handed to the kernel in one piece, for it or the NIC to"
                    + " cut."),
    LINK_SENT_TRAIN_FRAMES(132, LINK, COUNT, "Of the frames sent, those handed over so."),
    LINK_RECEIVED_TRAINS(
            133, LINK, COUNT, "Times frames of one size came from the kernel in one piece."),
    LINK_RECEIVED_TRAIN_FRAMES(134, LINK, COUNT, "Of the frames that arrived, those that came so."),
    LINK_RECEIVED_COPIED_FRAMES(
            135,
            LINK,
            COUNT,
            "Frames copied when they were received, because of an unusual size of them or their"
                    + " train."),
    LINK_REFUSED_TRAINS(
            136,
            LINK,
            COUNT,
            "Loops whose frames go one by one, because the kernel refused several in one piece."),
    REMOTE_PERFORMED_OPERATIONS(
            137, "Puts, gets and atomic operations of others that this node has performed."),
    REMOTE_REFUSED_REQUESTS(
            138,
            "Requests of others for remote memory that were refused: an unknown key, no right,"
                    + " bytes outside."),
    REMOTE_MALFORMED_RECORDS(
            139, "Requests and answers about remote memory that made no sense, and were dropped."),
    REMOTE_WRITTEN_BYTES(140, "Bytes that others have written into memory shared here."),
    REMOTE_READ_BYTES(141, "Bytes that others have read from memory shared here."),
    COLLECTIVE_COMPLETED_OPERATIONS(
            142, "Collective operations of groups that this node has carried out for its members."),
    COLLECTIVE_ENDED_GROUPS(
            143, "Groups that ended: a member left or is gone, a node is lost, or lists differ."),
    COLLECTIVE_MALFORMED_MESSAGES(
            144, "Messages of groups that were not valid, or not of those whom they are for."),
    FORWARD_SPARSE_FRAMES(
            148, "Short data frames of flows that are nearly idle: received, sent or relayed."),
    FLOW_SHARED_FRAMES(149, "Of the data frames sent, those that carry several messages."),
    FLOW_BLOCKED_EVENTS(150, "Times the links took no further frame of a flow."),
    FLOW_NO_ROUTE_FRAMES(151, "Frames of flows for which there was no route when they were sent."),
    FLOW_NO_MEMORY_EVENTS(152, "Times no memory was free for a frame to send."),
    FLOW_RTT_SAMPLES(153, "Round trips measured."),
    FORWARD_FRAGMENTS_FRAMES(
            155,
            "Fragments of long frames for this node that were joined to others of their frame."),
    FORWARD_REASSEMBLED_FRAMES(
            156,
            "Of the frames that arrived, long ones joined from fragments, which count themselves,"
                    + " too."),
    FORWARD_EXPIRED_FRAMES(
            157, "Long frames given up, because a fragment was missing for too long."),
    FORWARD_DISPLACED_FRAMES(
            158, "Long frames given up for newer ones that came from the same neighbour."),
    FORWARD_ASKED_FRAMES(
            159, "Times the source of a long frame was asked for fragments that were missing."),
    FORWARD_DROPPED_FRAGMENT_DOUBLED_FRAMES(
            160, "Frames dropped: fragments of which all bytes had arrived before."),
    FORWARD_DROPPED_FRAGMENT_CONTRADICTING_FRAMES(
            161, "Frames dropped: fragments that contradict others of their frame."),
    FORWARD_DROPPED_FRAGMENT_LATE_FRAMES(
            162, "Frames dropped: fragments of frames that were complete or given up."),
    FORWARD_DROPPED_FRAGMENT_REFUSED_FRAMES(
            163, "Frames dropped: fragments for whose frame there was no place or buffer."),
    FLOW_COMPLETED_FRAMES(
            164, "Long data frames of which lost fragments were sent again, and no others."),
    CONTEXT_SENT_MESSAGES(154, "Messages that contexts have handed to their flows."),
    LINK_UNKNOWN_SENDER_PROBES(
            145,
            LINK,
            COUNT,
            "Probes by IP and segments of long frames that were dropped, because they did not come"
                    + " from a neighbour."),
    LINK_SENT_LONG_FRAMES(
            165, LINK, COUNT, "Of the frames sent, those handed over as segments of TCP."),
    LINK_RECEIVED_LONG_FRAMES(
            166, LINK, COUNT, "Of the frames that arrived, those that came as segments of TCP."),
    LINK_RECEIVED_LONG_PIECES(
            167,
            LINK,
            COUNT,
            "Pieces in which these arrived: one for each segment, or for several that NIC or kernel"
                    + " have not cut or have joined."),
    LINK_DROPPED_LONG_PIECES(
            168,
            LINK,
            COUNT,
            "Pieces of long frames that were dropped: they had arrived before, came too late,"
                    + " contradicted others, or found no room."),
    LINK_CUT_FRAMES(
            200,
            LINK,
            COUNT,
            "Frames that arrived shorter than their headers tell, and were dropped."),
    LINK_CUT_BYTES(201, LINK, LEVEL, "Bytes of header and body of the last of them that arrived."),
    LINK_LONG_FALLBACKS_EVENTS(
            169,
            LINK,
            COUNT,
            "Times long frames to a neighbour did not arrive as segments of TCP any more, or the"
                    + " kernel refused them, so that they went otherwise."),
    IP_SENT_PACKETS(170, "Packets of this machine's virtual NIC, handed to flows."),
    IP_SENT_BYTES(171, "Bytes of these packets, Ethernet headers included."),
    IP_RECEIVED_PACKETS(172, "Packets from other nodes, written to the virtual NIC."),
    IP_RECEIVED_BYTES(173, "Bytes of these packets, Ethernet headers included."),
    IP_ANSWERED_PACKETS(174, "Questions for addresses of nodes that this node answered itself."),
    IP_MARKED_PACKETS(
            175, "Packets that waited too long and were marked by ECN instead of being dropped."),
    IP_GAPS_EVENTS(
            176,
            "Times all packets of a flow to a node were given up, because the oldest was not"
                    + " acknowledged in ip.repairTime."),
    IP_DROPPED_ADDRESS_PACKETS(
            177,
            "Packets dropped that were for no node: foreign addresses, tags, other protocols."),
    IP_DROPPED_LENGTH_PACKETS(178, "Packets dropped that were longer than a message."),
    IP_DROPPED_FULL_PACKETS(179, "Packets dropped because too many waited for their node already."),
    IP_DROPPED_DELAYED_PACKETS(
            180, "Packets dropped because they waited too long, so that their sender slows down."),
    IP_DROPPED_RATE_PACKETS(181, "Packets for all nodes dropped because there were too many."),
    IP_DROPPED_UNREACHABLE_PACKETS(
            182,
            "Packets dropped because their node did not take them: it is gone, stopped, or has no"
                    + " virtual NIC."),
    IP_DROPPED_DEVICE_PACKETS(183, "Packets dropped because the virtual NIC did not take them."),
    IP_REFUSED_PACKETS(
            184,
            "Packets from other nodes dropped because they were not valid, or not from the sender"
                    + " that they named."),
    IP_CUT_PACKETS(
            185,
            "Super-packets from other nodes that were cut before they were written, because this"
                    + " machine's kernel does not take their kind (UDP before Linux 6.2)."),
    IP_SENT_SHORT_PACKETS(
            186,
            "Of the packets sent, those on the flow of connections with few and short packets."),
    IP_FLOW_CHANGES_EVENTS(
            187, "Times a connection changed between the flow of short packets and the other one."),
    IP_FORWARDED_PACKETS(
            188, "Broadcast and multicast packets of other nodes that this node passed on."),
    IP_UNREACHABLE_PACKETS(
            189, "Answers to this machine that a node cannot be reached, as messages of ICMP."),
    NODE_LOOP_TURN_EVENTS(190, BUCKET, COUNT, "Turns of loops, by their duration."),
    NODE_LOOP_TURN_NS(191, "Duration of these turns, in all; sleep is no part of it."),
    NODE_LOOP_WAKE_UP_DELAY_EVENTS(
            192,
            BUCKET,
            COUNT,
            "Sleeps of loops that ended at their time or later, by how much later."),
    NODE_LOOP_WAKE_UP_DELAY_NS(193, "These delays, in all."),
    FLOW_ROUND_TRIP_EVENTS(
            194,
            BUCKET,
            COUNT,
            "Frames acknowledged that were sent once, by the time from sending to the"
                    + " acknowledgement."),
    FLOW_ROUND_TRIP_NS(195, "These times, in all."),
    GOSSIP_SENT_FRAMES(196, "Frames sent that tell neighbours how the nodes of the cluster fare."),
    GOSSIP_SENT_BYTES(197, "Bytes of these frames, without seals and link headers."),
    GOSSIP_RECEIVED_FRAMES(198, "Frames of this kind that arrived."),
    GOSSIP_REFUSED_EVENTS(
            199,
            "Frames of this kind that were not from a neighbour or too many, and records in them of"
                    + " nodes that are not in the cluster file."),
    FLOW_QUEUE_WAIT_EVENTS(
            202,
            BUCKET,
            COUNT,
            "Messages, one in 16, by the time from when a loop took them until they left in a"
                    + " frame; 1 us or less for those that left in the same turn."),
    FLOW_QUEUE_WAIT_NS(203, "These times, in all."),
    LINK_NEIGHBOUR_SENT_FRAMES(
            206,
            NEIGHBOUR,
            COUNT,
            "Frames handed to the link for a neighbour, also by the kernel where it relays; without"
                    + " hellos and link status."),
    LINK_NEIGHBOUR_SENT_BYTES(
            207,
            NEIGHBOUR,
            COUNT,
            "Bytes of header and body of those that the node itself handed to the link."),
    LINK_NEIGHBOUR_RECEIVED_FRAMES(
            208,
            NEIGHBOUR,
            COUNT,
            "Valid frames that arrived from a neighbour, also those that the kernel relayed; with"
                    + " hellos and link status."),
    LINK_NEIGHBOUR_RECEIVED_BYTES(
            209,
            NEIGHBOUR,
            COUNT,
            "Bytes of header and body of those that the node itself received."),
    MAP_SENT_FRAMES(
            210, "Frames sent that tell neighbours the cables of all nodes; with any cabling."),
    MAP_SENT_BYTES(211, "Bytes of these frames, without seals and link headers."),
    MAP_RECEIVED_FRAMES(212, "Frames of this kind that arrived."),
    MAP_REFUSED_EVENTS(
            213,
            "Frames of this kind that were not from a neighbour or too many, and records in them of"
                    + " nodes beyond `maxNodes`."),
    MAP_CHANGES_EVENTS(214, "Times that the node computed its routes for a new map."),
    FORWARD_OTHER_PATH_FRAMES(
            215,
            "Frames of this node that took another path than the default route, whose links were"
                    + " full; with any cabling."),
    FORWARD_BUSY_SENT_FRAMES(
            216,
            "Frames sent that report to a source that a longer way of its frames is busy; with any"
                    + " cabling."),
    FLOW_BUSY_PATHS_EVENTS(217, "Frames of this kind that arrived; the path then rests.");

    private static final CounterType[] BY_ID = new CounterType[values().length + 1];
    // By negated reason; there is none for 0.
    private static final CounterType[] DROPS = new CounterType[DropReason.COUNT + 1];

    static {
        for (final CounterType type : values()) {
            BY_ID[type.id] = type;
        }
        for (int reason = 1; reason <= DropReason.COUNT; reason++) {
            DROPS[reason] = valueOf("FORWARD_DROPPED_" + DropReason.name(-reason) + "_FRAMES");
        }
    }

    private final int id;
    private final CounterScope scope;
    private final CounterKind kind;
    private final String meaning;

    CounterType(final int id, final String meaning) {
        this(id, NODE, COUNT, meaning);
    }

    CounterType(
            final int id, final CounterScope scope, final CounterKind kind, final String meaning) {
        this.id = id;
        this.scope = scope;
        this.kind = kind;
        this.meaning = meaning;
    }

    /** Number of the counter in the file, from 1 without gaps. */
    public int id() {
        return id;
    }

    /** Name for export: {@code hxb_<package>_<what>_<unit>}. */
    public String exportName() {
        return "hxb_" + name().toLowerCase(Locale.ROOT);
    }

    /** The scope: node, dimension, link and so on. */
    public CounterScope scope() {
        return scope;
    }

    /** What it counts: frames, bytes, events and so on. */
    public String unit() {
        return name().substring(name().lastIndexOf('_') + 1).toLowerCase(Locale.ROOT);
    }

    /** Whether it only grows. */
    public CounterKind kind() {
        return kind;
    }

    /** What Prometheus calls it. */
    public MetricName metric() {
        return MetricName.of(exportName(), unit(), kind);
    }

    /** The counter with the sum of the times of a histogram. */
    public CounterType sum() {
        assert scope == BUCKET : this;
        return valueOf(name().substring(0, name().length() - "EVENTS".length()) + "NS");
    }

    /** True if it is the sum of a histogram, and no metric of its own. */
    public boolean isSum() {
        return Arrays.stream(values()).anyMatch(type -> type.scope == BUCKET && type.sum() == this);
    }

    /** What Prometheus calls a histogram. */
    public String histogramName() {
        return sum().metric().base();
    }

    /** One sentence that explains it. */
    public String meaning() {
        return meaning;
    }

    /** The counter with that id; null when this version knows none. */
    public static CounterType ofId(final int id) {
        return id > 0 && id < BY_ID.length ? BY_ID[id] : null;
    }

    /**
     * The counter of frames dropped for a reason of {@link DropReason}.
     *
     * @param reason one of its negative codes.
     */
    public static CounterType ofReason(final int reason) {
        return DROPS[-reason];
    }

    /** The counters of frames dropped, of each reason. */
    public static List<CounterType> drops() {
        return Arrays.asList(DROPS).subList(1, DROPS.length);
    }

    private String documentedMeaning() {
        if (scope == BUCKET) {
            return meaning + " Metric: the histogram `" + histogramName() + "`.";
        }
        final MetricName metric = metric();
        if (isSum()) {
            return meaning;
        }
        return metric.base().equals(exportName())
                ? meaning
                : meaning + " Metric: `" + metric.name() + "`.";
    }

    /** The table of all counters, in Markdown. */
    public static String documentation() {
        final StringBuilder text =
                new StringBuilder(
                        """
                        # Counters

                        This page is made from `CounterType`, and a test compares them. `hxb stat` shows the counters,
                        also of a dead node. Labels are those of Prometheus: `hxb_x{link="x.0"}`,
                        `hxb_x{dimension="x"}`. A level goes up and down, a count only grows. Those for each
                        bucket are histograms of times: `hxb_x_events{le="1.28E-4"}` counts what took more than
                        64 us and at most 128 us. `hxb stat` shows them when they are named by `--counter`.
                        Those for each neighbour, `hxb_x{link="x.0",peer="3"}`, are of links whose line has more
                        than two nodes, and of neighbours with which there was traffic; `hxb stat --per-neighbour`
                        shows them. A node has room for 1,024 coordinates, the lines of all its links together: 32 KiB
                        for each of its loops and 64 KiB for the node. Links beyond that have none.

                        [Metrics](../howto/observe.md#metrics) have the same names, with a label `node`. There a count
                        ends with `_total`, and other units are base units; those names are in the table. A histogram
                        has the sum of its times from the counter in ns of the same name.

                        In addition, `hxb stat` shows what every user and tenant has of the node (`held`), may have
                        (`limit`) and was refused (`refused`), by the keys of `limits` in the
                        [cluster file](configuration.md); see [observing nodes](../howto/observe.md). The file has
                        room for more than 50 of them, beginning with those that were refused most, and the number of
                        the others. Nothing is held of a rate.

                        | id | name | for each | kind | meaning |
                        | ---: | --- | --- | --- | --- |
                        """);
        for (final CounterType type : values()) {
            text.append(
                    String.format(
                            Locale.ROOT,
                            "| %d | `%s` | %s | %s | %s |%n",
                            type.id,
                            type.exportName(),
                            type.scope.name().toLowerCase(Locale.ROOT),
                            type.kind.name().toLowerCase(Locale.ROOT),
                            type.documentedMeaning()));
        }
        return text.toString();
    }
}
