package io.hxb.tool.sim;

import io.hxb.tool.report.UsageException;

import java.util.ArrayList;
import java.util.List;

/** Parts of a list, for the tasks of an array job. Stateless. */
final class Parts {
    private Parts() {}

    /** Every N-th element from the I-th of {@code I/N} on; all when {@code part} is null. */
    static <T> List<T> select(final String part, final List<T> all) {
        if (part == null) {
            return all;
        }
        if (!part.matches("\\d{1,6}/\\d{1,6}")) {
            throw new UsageException("--part is written like 2/8, not '" + part + "'");
        }
        final int slash = part.indexOf('/');
        final int index = Integer.parseInt(part.substring(0, slash));
        final int count = Integer.parseInt(part.substring(slash + 1));
        if (index < 1 || index > count) {
            throw new UsageException("--part must be 1/" + count + " to " + count + "/" + count);
        }
        final List<T> some = new ArrayList<>();
        for (int i = index - 1; i < all.size(); i += count) {
            some.add(all.get(i));
        }
        return some;
    }
}
