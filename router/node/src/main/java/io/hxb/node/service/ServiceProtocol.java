package io.hxb.node.service;

/**
 * Tags of the messages that a node's own context understands, and those that count also the
 * receiving programs of {@code hxb perf}. Stateless.
 *
 * <pre>
 * tag           payload                          answer
 * ECHO          anything                         ECHO_REPLY with the same payload
 * COUNT         as MessagePattern writes it      none; checked and counted by source context
 * COUNT_NUMBER  a MessagePattern's number first  none; counted by its number, the rest is not read
 * COUNT_REPORT  none                             COUNT_REPLY: messages, bytes, lost, duplicated,
 *                                                reordered, corrupt, CPU time in ns of the
 *                                                receiving program and of its node, -1 where there
 *                                                is none; 8 bytes each, little-endian
 * COUNT_RESET   none                             COUNT_REPLY with all 0
 * TRACE         number (8), destination node     TRACE_SENT: number (8), index of the link that
 *               (4), dimension order or -1 (4),  took the frame or a status (4), longest body (4),
 *               bytes of the body (4), 0 (4);    time in ns of CLOCK_MONOTONIC (8), 0 (8); then
 *               from a context of this node      TRACE_REPORT for each report: number (8), node (4),
 *               alone                            kind (1), hop limit (1), link of arrival (2), link
 *                                                of departure (2), 0 (2), ns there (4), time of the
 *                                                report's arrival here (8)
 * </pre>
 *
 * <p>Requests about ports are those of PortProtocol.
 */
public final class ServiceProtocol {
    /** Context of every node that is the node's own. */
    public static final int CONTEXT = 0;

    /** Asks for the same payload back. */
    public static final int ECHO = 0x4858_0001;

    /** The same payload back. */
    public static final int ECHO_REPLY = 0x4858_0002;

    /** A message to be checked and counted. */
    public static final int COUNT = 0x4858_0003;

    /** Asks what was counted of this source context. */
    public static final int COUNT_REPORT = 0x4858_0004;

    /** What was counted. */
    public static final int COUNT_REPLY = 0x4858_0005;

    /** Forgets what was counted of this source context. */
    public static final int COUNT_RESET = 0x4858_0006;

    /** A message to be counted by its number; its other bytes are not looked at. */
    public static final int COUNT_NUMBER = 0x4858_0007;

    /** Asks for a traced frame to be sent. */
    public static final int TRACE = 0x4858_0008;

    /** The traced frame was sent, or why not. */
    public static final int TRACE_SENT = 0x4858_0009;

    /** What a node reports about a traced frame. */
    public static final int TRACE_REPORT = 0x4858_000A;

    /** Bytes of a {@link #TRACE}. */
    public static final int TRACE_BYTES = 24;

    /** Bytes of a {@link #TRACE_SENT} and of a {@link #TRACE_REPORT}. */
    public static final int TRACE_REPLY_BYTES = 32;

    /** In a {@link #TRACE_SENT}: the request names no other node, or a wrong length. */
    public static final int TRACE_REFUSED = -100;

    /** Bytes of a {@link #COUNT_REPLY}. */
    public static final int REPLY_BYTES = 8 * Long.BYTES;

    /** Port on which programs listen that receive measurements of other machines. */
    public static final int PERF_PORT = 18_520;

    private ServiceProtocol() {}
}
