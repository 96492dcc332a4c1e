package io.hxb.manager;

import java.util.Map;

/**
 * The answer to an HTTP request. Immutable.
 *
 * @param status of HTTP.
 * @param content becomes JSON.
 */
record HttpAnswer(int status, Map<String, Object> content) {
    static final int OK = 200;
    static final int BAD_REQUEST = 400;
    static final int FORBIDDEN = 403;
    static final int NOT_FOUND = 404;
    static final int NOT_ALLOWED = 405;
    static final int CONFLICT = 409;
    static final int UNAVAILABLE = 503;

    static HttpAnswer error(final int status, final String text) {
        return new HttpAnswer(status, Map.of("ok", false, "error", text));
    }

    /** What a status of the manager means in HTTP. */
    static int code(final Status status) {
        return switch (status) {
            case OK -> OK;
            case NO_SUCH_HOST, END_OF_LIST -> NOT_FOUND;
            case NOT_ALLOWED, LEASED, FENCED, KEY_NEEDED, OTHER_KEY -> FORBIDDEN;
            case CHANGED -> CONFLICT;
            case LIMIT, NOT_WRITTEN, NOT_READ, NO_PLAN, RUNNING, NOT_COMPUTED -> UNAVAILABLE;
            case VERSION, MALFORMED, NO_SUCH_VID, BATCH, BATCH_FAILED, BAD_TABLE -> BAD_REQUEST;
        };
    }
}
