package io.hxb.vlan.health;

/** Is called when the state of a path changes, by the thread that owns the {@link PathHealth}. */
public interface HealthListener {
    /** Why a path is left. */
    enum Reason {
        /** Nothing comes there, while the host answers in other VIDs. */
        SILENT,
        /** Too many frames are lost there. */
        LOSSY
    }

    /** Frames from a host do not arrive in a VID. */
    void onDead(int host, int vid, Reason reason);

    /** They arrive again, and have done so for long enough. */
    void onHealed(int host, int vid);

    /** Traffic to a host takes another VID; it takes effect at {@link #onMovesDone}. */
    void onMoved(int host, int from, int to);

    /**
     * Broadcasts, and frames to hosts outside of the plan, take another VID; it takes effect at
     * {@link #onMovesDone}.
     */
    void onDefaultMoved(int from, int to);

    /** All that has moved is to take effect now. */
    void onMovesDone();

    /** The two ends of a pair send in different VIDs, and have done so for a while. */
    void onHalf(int host, int vid, int peerVid);

    /** They no longer do. */
    void onWhole(int host, int vid);
}
