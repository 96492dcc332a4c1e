package io.hxb.frame;

/** The types of frames, as they stand in {@link FrameHeaderFlyweight#type()}. */
public final class FrameType {
    /** Messages of one flow, in sequence. */
    public static final int DATA = 1;

    /** Acknowledgement with a selective bitmap and the receiver's window. */
    public static final int ACK = 2;

    /** Announces this node to the nodes of a segment; link-local. */
    public static final int HELLO = 3;

    /** Reports to a neighbour which links are healthy; link-local. */
    public static final int LINK_STATUS = 4;

    /** Notifies a source that its frame could not be delivered, and why. */
    public static final int UNREACHABLE = 5;

    /** Asks a context for its incarnation, before the first data of a flow. */
    public static final int OPEN = 6;

    /** Answers {@link #OPEN} with the context's incarnation and window. */
    public static final int ACCEPT = 7;

    /** Asks the receiver of a flow for an acknowledgement (its window was 0, or it is silent). */
    public static final int PROBE = 8;

    /** Reports to a neighbour what is wrong between us (cabling, cluster, version); link-local. */
    public static final int MISCONFIGURATION = 9;

    /** Agrees on the keys of a session; link-local between neighbours, else routed. */
    public static final int SESSION = 10;

    /** Notifies the receiver of a flow that nothing is missing and that it may forget the flow. */
    public static final int CLOSE = 11;

    /** Answers {@link #CLOSE}: the flow is forgotten. */
    public static final int CLOSED = 12;

    /** Notifies the source of a flow that the context is closed, and what it had released. */
    public static final int ENDED = 13;

    /** Carries a range of a frame that is longer than its link takes: {@link FragmentFlyweight}. */
    public static final int FRAGMENT = 14;

    /** Asks the source of a long frame for ranges of it that are lost: {@link MissingFlyweight}. */
    public static final int MISSING = 15;

    /** Is reported to its source by every relay and by its destination: {@link TraceFlyweight}. */
    public static final int TRACE = 16;

    /** Reports where a {@link #TRACE} has been: {@link TracedFlyweight}. */
    public static final int TRACED = 17;

    /** Tells a neighbour what is known of the nodes of the cluster: {@link SummaryFlyweight}. */
    public static final int SUMMARY = 18;

    /** Tells a neighbour which nodes are cabled to which: {@link LinkStateFlyweight}. */
    public static final int LINK_STATE = 19;

    /** Reports to a source that a longer way of its frames is busy: {@link BusyFlyweight}. */
    public static final int BUSY = 20;

    /** One more than the largest type. */
    public static final int COUNT = 21;

    private FrameType() {}
}
