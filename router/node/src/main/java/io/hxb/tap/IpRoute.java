package io.hxb.tap;

import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Addresses behind a node, which is the gateway to them, such as {@code 10.9.0.0/24 via 3}.
 * Immutable.
 *
 * @param prefix the addresses.
 * @param node id of the gateway.
 */
public record IpRoute(IpPrefix prefix, int node) {
    private static final Pattern FORMAT = Pattern.compile("(\\S+)\\s+via\\s+(\\d{1,8})");

    /**
     * Reads one.
     *
     * @throws IllegalArgumentException with what is wrong with it.
     */
    public static IpRoute parse(final String text) {
        final Matcher matcher = FORMAT.matcher(text.strip());
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "must be addresses and the number of a node such as '10.9.0.0/24 via 3', not '"
                            + text
                            + "'");
        }
        return new IpRoute(IpPrefix.parse(matcher.group(1)), Integer.parseInt(matcher.group(2)));
    }

    /** The one of the prefixes of virtual NICs that has the gateway's address, by its family. */
    public Optional<IpPrefix> family(final List<IpPrefix> prefixes) {
        return prefixes.stream().filter(each -> each.isIpv4() == prefix.isIpv4()).findFirst();
    }

    @Override
    public String toString() {
        return prefix + " via " + node;
    }
}
