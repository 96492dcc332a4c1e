package io.hxb.manager;

/** What a program asks of the manager; codes as they stand in {@link ManagerMessage}. */
public enum ManagerOperation {
    /** Who is there: own host, hosts of the table, default VID. First on each connection. */
    HELLO(1),
    /** The path of a pair: what holds, what is in the table, what is heard. */
    GET(2),
    /** Lets a pair take another VID. */
    SET(3),
    /** Withdraws what this session set for a pair. */
    RESET(4),
    /** Withdraws all that this session set. */
    RESET_ALL(5),
    /** What follows holds together, at {@link #END}. */
    BEGIN(6),
    /** Ends a batch: all of it holds, or nothing. */
    END(7),
    /** What differs from the table now survives sessions and restarts. */
    COMMIT(8),
    /** Back to what was committed last; what sessions have set is withdrawn. */
    ROLLBACK(9),
    /** Names a host as an MPI rank of this session's job. */
    BIND_RANK(10),
    /** What was sent to a host. */
    TRAFFIC(11),
    /** What went over a VID. */
    VID_TRAFFIC(12),
    /** A NIC. */
    NIC(13),
    /** Who a host is: its name and address. */
    HOST(14),
    /** From now on, a reply to this request besides whenever paths have changed. */
    WATCH(15),
    /** What has happened so far: one of the manager's counts. */
    COUNT(16),
    /** Begins a connection that is sealed under the key of the cluster; before all others. */
    AUTHENTICATE(17),
    /** Who controls the paths of this host from outside, and for how long. */
    LEASE(18),
    /** Begins a table of initial paths: what follows changes rows of the one that holds. */
    TABLE_BEGIN(19),
    /** Default VID and rank of a host in that table. */
    TABLE_ROW(20),
    /** The VID of a pair of hosts that does not follow the ranks in that table. */
    TABLE_PAIR(21),
    /** The table holds from now on, if it is valid as a whole; until the session ends. */
    TABLE_END(22),
    /** All that this session has set outlives it. */
    KEEP(23),
    /** Traffic between two hosts, for which {@link #OPTIMISE} is to compute paths. */
    DEMAND(24),
    /** Begins to compute the best paths for the traffic of all demands so far; forgets those. */
    OPTIMISE(25),
    /** One of the paths that {@link #OPTIMISE} has computed. */
    CHOICE(26),
    /** Undoes {@link #KEEP}: what the session had set ends with it after all. */
    UNDO_KEEP(27);

    private static final ManagerOperation[] BY_CODE = new ManagerOperation[32];

    static {
        for (final ManagerOperation operation : values()) {
            BY_CODE[operation.code] = operation;
        }
    }

    private final int code;

    ManagerOperation(final int code) {
        this.code = code;
    }

    /** Its code. */
    public int code() {
        return code;
    }

    /** The operation of a code, null if there is none. */
    static ManagerOperation of(final int code) {
        return code < BY_CODE.length ? BY_CODE[code] : null;
    }
}
