package io.hxb.node.collective;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The members of a group at this node. Owned by the thread of the node's own context. */
final class MemberList {
    private final List<Member> members = new ArrayList<>();
    private int present;
    private int listed;

    /** Members, those that have left included. */
    int count() {
        return members.size();
    }

    /** A member by its place, which is that of its rank once all are there. */
    Member get(final int index) {
        return members.get(index);
    }

    /** Members that have not left. */
    int present() {
        return present;
    }

    /** The member that a context is; null if it is none. */
    Member find(final int context) {
        for (int i = 0; i < members.size(); i++) {
            final Member member = members.get(i);
            if (member.context() == context && !member.isGone()) {
                return member;
            }
        }
        return null;
    }

    /** True if a member of that rank is here. */
    boolean hasRank(final int rank) {
        for (final Member member : members) {
            if (member.rank() == rank) {
                return true;
            }
        }
        return false;
    }

    /** Adds a context; its list is to follow. */
    Member add(final int context, final int incarnation, final int rank) {
        final Member member = new Member(context, incarnation, rank);
        members.add(member);
        present++;
        return member;
    }

    /** A member has given its whole list; returns how many have. */
    int onListed() {
        return ++listed;
    }

    /** All are there: they are kept in the order of their ranks. */
    void onComplete() {
        members.sort(Comparator.comparingInt(Member::rank));
    }

    /** A member has left. */
    void onGone(final Member member) {
        member.onGone();
        present--;
    }
}
