package io.hxb.tool.forward;

import io.hxb.pm.stream.HxbSocketAddress;
import io.hxb.tool.option.NodeNames;
import io.hxb.tool.tunnel.ListenAddress;

import java.net.InetSocketAddress;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A local port and where it leads: {@code [HOST:]PORT:NODE:PORT}. Immutable.
 *
 * @param local where it listens.
 * @param target what it leads to.
 */
record ForwardRule(InetSocketAddress local, HxbSocketAddress target) {
    private static final Pattern FORM =
            Pattern.compile("((?:.+:)?\\d{1,5}):([^:\\[\\]]+):(\\d{1,5})");

    /**
     * Reads a rule.
     *
     * @throws IllegalArgumentException with a message for the user if it is wrong.
     */
    static ForwardRule parse(final NodeNames names, final String text) {
        final Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new IllegalArgumentException(
                    "a rule is [HOST:]PORT:NODE:PORT, such as 8080:1,0,0:80: '" + text + "'");
        }
        final int port = Integer.parseInt(form.group(3));
        if (port < 1 || port > ListenAddress.MAX_PORT) {
            throw new IllegalArgumentException(
                    "the port of the node must be 1.." + ListenAddress.MAX_PORT + ": " + text);
        }
        return new ForwardRule(
                ListenAddress.parse(form.group(1)),
                new HxbSocketAddress(names.node(form.group(2)), port));
    }
}
