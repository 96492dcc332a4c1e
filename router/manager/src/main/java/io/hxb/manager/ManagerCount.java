package io.hxb.manager;

import java.util.Locale;

/** What a manager counts, from 0 at its start; the code is the place in this list. */
public enum ManagerCount {
    /** Requests that were answered. */
    REQUESTS(0),
    /** Requests that were answered with a status other than done. */
    REFUSED_REQUESTS(1),
    /** Changes of paths, batches counted once. */
    CHANGES(2),
    /** Paths that were undone because their session ended. */
    UNDONE_PATHS(3),
    /** Sessions that have begun. */
    SESSIONS(4),
    /** Sessions that found no place. */
    REFUSED_SESSIONS(5),
    /** Connections without the key of the cluster, or with another one. */
    WITHOUT_KEY(6),
    /** Connections that ended because a message was changed, repeated or left out on its way. */
    BROKEN_SEALS(7),
    /** Connections that sent something that is neither a request nor HTTP. */
    MALFORMED_CONNECTIONS(8),
    /** Connections that showed no key in time, or before others came. */
    DROPPED_STRANGERS(9),
    /** Times that the NIC has gone. */
    NIC_LOSSES(10),
    /** Changes that were refused because the lease of a management server had ended. */
    FENCED_CHANGES(11),
    /** Frames that the TAP device's thread dropped because they were too long for the NIC. */
    TAP_TOO_LONG_FRAMES(12),
    /** Frames that it dropped because there was no room before the NIC or in memory. */
    TAP_NO_ROOM_FRAMES(13),
    /** Frames that it dropped because NIC or device was down. */
    TAP_DOWN_FRAMES(14),
    /** Frames that it dropped because the kernel refused them. */
    TAP_REFUSED_FRAMES(15),
    /** Probes of paths that were sent. */
    PROBES_SENT(16),
    /** Probes that came in and were believed. */
    PROBES_RECEIVED(17),
    /** Probes that were not believed: of another network or key, forged, or repeated. */
    PROBES_REFUSED(18),
    /** Probes that were not sent, because there were too many. */
    PROBES_WITHHELD(19),
    /** Paths that were found dead. */
    PATH_FAILURES(20),
    /** Paths that were found alive again. */
    PATH_RECOVERIES(21),
    /** Times that traffic to a host took another VID because of that. */
    PATH_MOVES(22),
    /** Hosts whose paths are probed now. */
    PROBED_HOSTS(23),
    /** Paths that are dead now. */
    DEAD_PATHS(24),
    /** Pairs whose two ends send in different VIDs now. */
    HALF_PAIRS(25),
    /** Times that broadcasts took another VID because the default VID was dead, or was back. */
    DEFAULT_MOVES(26);

    private static final ManagerCount[] ALL = values();

    private final int code;

    ManagerCount(final int code) {
        this.code = code;
    }

    int code() {
        return code;
    }

    /** Its name in replies and JSON. */
    public String key() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The count of a code, null if there is none. */
    static ManagerCount of(final int code) {
        return code >= 0 && code < ALL.length ? ALL[code] : null;
    }

    /** How many there are. */
    static int size() {
        return ALL.length;
    }
}
