package io.hxb.manager;

/** What has become of a request; codes as they stand in {@link ManagerMessage}. */
public enum Status {
    /** Done. */
    OK(0, "done"),
    /** The version of the request is not supported. */
    VERSION(1, "the manager uses another version of the protocol: update the older side"),
    /** No such operation, or fields that must be 0 are not. */
    MALFORMED(2, "the request is malformed"),
    /** The VID is not one of the plan. */
    NO_SUCH_VID(3, "the VID is not in the plan"),
    /** The peer is not a host of the table, or is this host. */
    NO_SUCH_HOST(4, "no other host of the table has this number, address or rank"),
    /** The table has changed since the number that the request expects. */
    CHANGED(5, "the paths have changed meanwhile: read them again"),
    /** A batch was begun or ended twice. */
    BATCH(6, "a batch is begun once and ended once"),
    /** The batch, the ranks of a job or the number of sessions has reached its limit. */
    LIMIT(7, "a limit of the manager is reached"),
    /** This user may not change paths. */
    NOT_ALLOWED(8, "this user may read paths but not change them"),
    /** A change of the batch failed, so nothing of it holds. */
    BATCH_FAILED(9, "a request of the batch failed, nothing of it holds"),
    /** The file of committed paths could not be written. */
    NOT_WRITTEN(10, "the committed paths could not be written to their file"),
    /** The file of committed paths could not be read. */
    NOT_READ(12, "the committed paths could not be read from their file"),
    /** There is nothing at that index. */
    END_OF_LIST(11, "there is nothing at this index and beyond"),
    /** Clients on other machines have to show the key of the cluster. */
    KEY_NEEDED(13, "the manager answers other machines only with the key of its cluster"),
    /** The manager has no such key. */
    OTHER_KEY(14, "the manager has another key: it may be of another cluster"),
    /** Another management server has the lease, or had it with a higher generation. */
    LEASED(15, "another management server controls the paths of this host"),
    /** This session had the lease, and has it no longer. */
    FENCED(16, "the lease of this management server has ended"),
    /** The table that a session was to set is not valid as a whole. */
    BAD_TABLE(20, "the table is not valid: two hosts have one rank, or none was begun"),
    /** The manager has hosts and VIDs, but not the switches between them. */
    NO_PLAN(24, "this manager was started without the plan that paths are computed from"),
    /** The paths that were asked for are still being computed. */
    RUNNING(25, "the paths are still being computed: ask again"),
    /** The optimiser has failed. */
    NOT_COMPUTED(26, "the paths could not be computed: the log of the manager has the reason");

    private final int code;
    private final String text;

    Status(final int code, final String text) {
        this.code = code;
        this.text = text;
    }

    /** Its code. */
    public int code() {
        return code;
    }

    /** A sentence for people, with what to do where something can be done. */
    public String text() {
        return text;
    }

    /**
     * The status of a code.
     *
     * @throws IllegalArgumentException if there is none.
     */
    public static Status of(final int code) {
        for (final Status status : values()) {
            if (status.code == code) {
                return status;
            }
        }
        throw new IllegalArgumentException("no status of the manager: " + code);
    }
}
