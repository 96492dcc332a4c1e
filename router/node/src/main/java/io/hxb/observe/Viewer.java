package io.hxb.observe;

import io.hxb.counter.ResourceUse;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Who asks, which decides what is shown. Immutable. */
public final class Viewer {
    /** Somebody on the machine, who may see the counters. */
    public static final Viewer PUBLIC = new Viewer(-2, "PUBLIC");

    /** An operator, who may see all, with the values of each user. */
    public static final Viewer OPERATOR = new Viewer(-1, "OPERATOR");

    private final int code;
    private final String name;

    private Viewer(final int code, final String name) {
        this.code = code;
        this.name = name;
    }

    /**
     * A user, who may see the counters and the values of that user and tenant; {@code uid} from 0.
     */
    public static Viewer user(final int uid) {
        if (uid < 0) {
            throw new IllegalArgumentException("uid must be 0..2147483647: " + uid);
        }
        return new Viewer(uid, "user " + uid);
    }

    /** The one with this code; empty for a code that sees nothing special. */
    static Optional<Viewer> ofCode(final int code) {
        if (code >= 0) {
            return Optional.of(user(code));
        }
        return code == OPERATOR.code ? Optional.of(OPERATOR) : Optional.empty();
    }

    /** Stands for this viewer in a ticket. */
    int code() {
        return code;
    }

    /** The user; empty for others. */
    public OptionalInt uid() {
        return code >= 0 ? OptionalInt.of(code) : OptionalInt.empty();
    }

    /** True if all may be seen. */
    public boolean isOperator() {
        return code == OPERATOR.code;
    }

    /** Of what users and tenants have, those rows that this viewer may see. */
    public List<ResourceUse> shown(final List<ResourceUse> uses) {
        if (isOperator()) {
            return uses;
        }
        final List<ResourceUse> own = uses.stream().filter(use -> use.who().equals(name)).toList();
        return uses.stream()
                .filter(
                        use ->
                                own.contains(use)
                                        || own.stream()
                                                .filter(mine -> !mine.tenant().isEmpty())
                                                .anyMatch(mine -> isTenant(use, mine.tenant())))
                .toList();
    }

    private static boolean isTenant(final ResourceUse use, final String tenant) {
        return use.who().equals("tenant " + tenant);
    }

    /** {@code PUBLIC}, {@code OPERATOR}, or such as {@code user 1000}. */
    @Override
    public String toString() {
        return name;
    }
}
