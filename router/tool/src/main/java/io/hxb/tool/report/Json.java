package io.hxb.tool.report;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** Reads and writes JSON; one mapper for the process. Stateless; any thread may call it. */
public final class Json {
    private Json() {}

    /** Loaded on first use: commands without JSON do not pay for it at start. */
    private static final class Holder {
        static final JsonMapper MAPPER = JsonMapper.builder().build();
    }

    /** The object in one line. */
    public static String line(final Object value) {
        return Holder.MAPPER.writeValueAsString(value);
    }

    /**
     * Reads one object.
     *
     * @throws ToolException naming {@code source} when the text is not such an object.
     */
    public static <T> T parse(final String text, final Class<T> type, final String source) {
        try {
            return Holder.MAPPER.readValue(text, type);
        } catch (final JacksonException e) {
            throw new ToolException(source + " is damaged: " + e.getOriginalMessage(), e);
        }
    }
}
