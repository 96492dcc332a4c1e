package io.hxb.pm;

import io.hxb.pm.attach.AttachMessage;
import io.hxb.pm.attach.ContextRequest;
import io.hxb.pm.attach.DirectChange;
import io.hxb.pm.collective.wire.GroupProtocol;
import io.hxb.pm.idle.IdleParameters;
import io.hxb.pm.rma.PmAccess;
import io.hxb.pm.shm.CloseReason;
import io.hxb.pm.shm.CompletionRing;
import io.hxb.pm.shm.ControlMemory;
import io.hxb.pm.shm.DeliveryRing;
import io.hxb.pm.shm.DirectPage;
import io.hxb.pm.shm.DirectRing;
import io.hxb.pm.shm.EventRing;
import io.hxb.pm.shm.LinkEventRing;
import io.hxb.pm.shm.NodePage;
import io.hxb.pm.shm.NotificationRing;
import io.hxb.pm.shm.OperationRing;
import io.hxb.pm.shm.OutcomeRing;
import io.hxb.pm.shm.ReleaseRing;
import io.hxb.pm.shm.RemoteMemoryArea;
import io.hxb.pm.shm.ShortRing;
import io.hxb.pm.shm.SubmissionRing;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Writes the C header with the layout of shared memory and of the attach protocol: every numeric
 * constant of the classes that have it in Java, which are its only source. Stateless.
 */
public final class LayoutHeader {
    /** Where the header is, from the root of the project. */
    static final String PATH = "pm-api/src/main/c/hxb_layout.h";

    private static final String BEGIN =
            """
            /* Layout of the memory that an application shares with its node, and of the messages to attach.
             * Written by io.hxb.pm.LayoutHeader from the Java classes, whose comments draw each layout as a table.
             * Do not edit it: LayoutHeaderTest compares it with them and prints how to write it again. */
            #ifndef HXB_LAYOUT_H
            #define HXB_LAYOUT_H
            """;

    private LayoutHeader() {}

    /** Prints the header. */
    public static void main(final String[] arguments) throws IllegalAccessException {
        System.out.print(text());
    }

    static Map<String, Class<?>> classes() {
        final Map<String, Class<?>> classes = new LinkedHashMap<>();
        classes.put("ATTACH", AttachMessage.class);
        classes.put("REQUEST", ContextRequest.class);
        classes.put("PAGE", NodePage.class);
        classes.put("LINKS", LinkEventRing.class);
        classes.put("CONTROL", ControlMemory.class);
        classes.put("SUBMISSION", SubmissionRing.class);
        classes.put("COMPLETION", CompletionRing.class);
        classes.put("SHORT", ShortRing.class);
        classes.put("DELIVERY", DeliveryRing.class);
        classes.put("RELEASE", ReleaseRing.class);
        classes.put("EVENTS", EventRing.class);
        classes.put("DIRECT", DirectRing.class);
        classes.put("DIRECTPAGE", DirectPage.class);
        classes.put("DIRECTCHANGE", DirectChange.class);
        classes.put("LARGE", LargeStart.class);
        classes.put("AREA", RemoteMemoryArea.class);
        classes.put("OPERATION", OperationRing.class);
        classes.put("OUTCOME", OutcomeRing.class);
        classes.put("NOTIFICATION", NotificationRing.class);
        classes.put("ACCESS", PmAccess.class);
        classes.put("GROUP", GroupProtocol.class);
        classes.put("STATUS", PmStatus.class);
        classes.put("IDLE", IdleParameters.class);
        return classes;
    }

    /** The constants by their names in C, in the order of their declaration. */
    static Map<String, Long> constants() throws IllegalAccessException {
        final Map<String, Long> constants = new LinkedHashMap<>();
        for (final Map.Entry<String, Class<?>> entry : classes().entrySet()) {
            for (final Field field : entry.getValue().getDeclaredFields()) {
                final Class<?> type = field.getType();
                if (Modifier.isStatic(field.getModifiers())
                        && (type == int.class || type == long.class)) {
                    field.setAccessible(true);
                    constants.put(
                            "HXB_" + entry.getKey() + "_" + field.getName(),
                            ((Number) field.get(null)).longValue());
                }
            }
        }
        for (final CloseReason reason : CloseReason.values()) {
            constants.put("HXB_REASON_" + reason.name(), (long) reason.code());
        }
        constants.put("HXB_REASON_COUNT", (long) CloseReason.count());
        return constants;
    }

    static String text() throws IllegalAccessException {
        final StringBuilder text = new StringBuilder(BEGIN);
        String group = "";
        for (final Map.Entry<String, Long> constant : constants().entrySet()) {
            final String name = constant.getKey();
            final String next = name.substring(0, name.indexOf('_', 4));
            if (!next.equals(group)) {
                text.append('\n');
                group = next;
            }
            text.append("#define ").append(name).append(' ');
            text.append(literal(constant.getValue())).append('\n');
        }
        text.append("\n/* Texts of HXB_REASON_*, to follow \"context 3 is closed: \". */\n");
        text.append("#define HXB_REASON_TEXTS");
        String separator = " \\\n    \"";
        for (final CloseReason reason : CloseReason.values()) {
            text.append(separator).append(reason.text());
            separator = "\", \\\n    \"";
        }
        return text.append("\"\n\n#endif\n").toString();
    }

    private static String literal(final long value) {
        if (value > Integer.MAX_VALUE) {
            return String.format("INT64_C(0x%x)", value);
        }
        if (value == Integer.MIN_VALUE) {
            return "(-2147483647 - 1)";
        }
        return value < 0 ? "(" + value + ")" : Long.toString(value);
    }
}
