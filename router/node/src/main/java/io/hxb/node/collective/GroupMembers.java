package io.hxb.node.collective;

/** What a node knows of the contexts that may be members of groups. Any thread. */
public interface GroupMembers {
    /**
     * Distinguishes one opening of a context from the next.
     *
     * @param context any number.
     * @return 0 if nobody has it open.
     */
    int incarnation(int context);

    /**
     * The tenant of the user who has a context open.
     *
     * @param context one that is open; any number is allowed.
     */
    int tenant(int context);

    /** True if the tenant of a context may talk with itself: all members of a group are of one. */
    boolean mayJoin(int context);
}
