package io.hxb.config;

import static io.hxb.config.ConfigKey.basic;
import static io.hxb.config.Limits.any;
import static io.hxb.config.Limits.described;
import static io.hxb.config.ValueType.text;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where the metrics of a machine's nodes can be read over HTTP. Immutable.
 *
 * @param listen TCP address as {@code ADDRESS:PORT}, or {@code none}.
 * @param token file of the token of operators: a path, or {@code credential:NAME}; empty for none.
 */
public record ObserveConfig(String listen, String token) {
    /** For no server. */
    public static final String NONE = "none";

    private static final Pattern ADDRESS =
            Pattern.compile("(\\d{1,3}(?:\\.\\d{1,3}){3}|\\[[0-9a-fA-F:.]+]):(\\d{1,5})");

    /** The keys. */
    public static final ConfigSection<ObserveConfig> KEYS =
            ConfigSection.<ObserveConfig>of(
                    "observe",
                    v -> new ObserveConfig(v.next(), v.next()),
                    basic(
                            "listen",
                            text("address such as `127.0.0.1:9109`"),
                            "127.0.0.1:9109",
                            ObserveConfig::listen,
                            described("`ADDRESS:PORT` with a numeric address, or `none`"),
                            "Where [metrics](../howto/observe.md#metrics) of this machine's nodes"
                                    + " are read over HTTP; beyond this machine it needs"
                                    + " `observe.token`."),
                    basic(
                            "token",
                            text("file"),
                            "",
                            ObserveConfig::token,
                            any(),
                            "Token of those who may see all, values of users too: a path, or"
                                    + " `credential:NAME`."),
                    new ConfigSection.Rule<>(
                            "listen",
                            observe -> !observe.isWanted() || observe.isAddress(),
                            observe ->
                                    "must be none or ADDRESS:PORT, such as 127.0.0.1:9109: '"
                                            + observe.listen
                                            + "'"),
                    new ConfigSection.Rule<>(
                            "token",
                            observe ->
                                    !observe.isWanted()
                                            || !observe.isAddress()
                                            || !observe.token.isBlank()
                                            || observe.address().getAddress().isLoopbackAddress(),
                            observe ->
                                    "must name a file where listen is not a loopback address: "
                                            + observe.listen));

    /** The defaults. */
    public static final ObserveConfig DEFAULT = KEYS.defaults();

    /** Without a server. */
    public static final ObserveConfig OFF = new ObserveConfig(NONE, "");

    /** True if there is a server. */
    public boolean isWanted() {
        return !listen.equals(NONE);
    }

    /**
     * Where it listens. No name is looked up.
     *
     * @throws IllegalArgumentException if it does not listen.
     */
    public InetSocketAddress address() {
        final Matcher address = ADDRESS.matcher(listen);
        if (!address.matches()) {
            throw new IllegalArgumentException("not an address and a port: " + listen);
        }
        return new InetSocketAddress(
                InetAddress.ofLiteral(address.group(1)), Integer.parseInt(address.group(2)));
    }

    private boolean isAddress() {
        try {
            return !address().isUnresolved();
        } catch (final IllegalArgumentException e) {
            return false;
        }
    }
}
