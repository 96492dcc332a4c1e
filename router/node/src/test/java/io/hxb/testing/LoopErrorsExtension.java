package io.hxb.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hxb.log.LoopErrors;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Fails a test in which a loop of this process met an error, such as an assertion: the loop logs it
 * and goes on, so that the test alone would not notice. Registered for all tests.
 */
public final class LoopErrorsExtension implements BeforeEachCallback, AfterEachCallback {
    private static final ExtensionContext.Namespace NAMESPACE =
            ExtensionContext.Namespace.create(LoopErrorsExtension.class);

    @Override
    public void beforeEach(final ExtensionContext context) {
        context.getStore(NAMESPACE).put("before", LoopErrors.INSTANCE.count());
    }

    /** Loops meet errors in this test, and the test defines what becomes of them. */
    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    public @interface Expected {}

    @Override
    public void afterEach(final ExtensionContext context) {
        if (context.getRequiredTestMethod().isAnnotationPresent(Expected.class)) {
            return;
        }
        assertEquals(
                context.getStore(NAMESPACE).get("before", Long.class),
                LoopErrors.INSTANCE.count(),
                "errors of loops in this process; the log has them");
    }
}
