package io.hxb.tool;

import io.hxb.config.ConfigException;
import io.hxb.fabric.GraphException;
import io.hxb.log.Printable;
import io.hxb.log.PrintableOutput;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.Json;
import io.hxb.tool.report.ResultStream;
import io.hxb.tool.report.ToolException;
import io.hxb.tool.report.UsageException;

import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Handles commands that fail: a message on standard error, with {@code --json} also an object on
 * standard output, and the exit status. Owned by the main thread.
 */
final class Failures implements IParameterExceptionHandler, IExecutionExceptionHandler {
    private final PrintStream errors;

    /** Messages go to {@code errors}. */
    Failures(final PrintStream errors) {
        this.errors = errors;
    }

    @Override
    public int handleParseException(final ParameterException thrown, final String[] arguments) {
        final List<String> own = new ArrayList<>(Arrays.asList(arguments));
        final int end = own.indexOf("--");
        final List<String> words = own.subList(0, end < 0 ? own.size() : end);
        return wrongUsage(
                RenamedWords.message(thrown.getCommandLine(), words)
                        .orElseGet(() -> message(thrown)),
                thrown.getCommandLine(),
                words.contains("--json"));
    }

    private static String message(final ParameterException thrown) {
        final String text = String.valueOf(thrown.getMessage()).strip();
        if (thrown instanceof UnmatchedArgumentException unmatched) {
            final List<String> suggestions = unmatched.getSuggestions();
            return text
                    + (suggestions.isEmpty()
                            ? ""
                            : "; the nearest known: " + String.join(", ", suggestions));
        }
        return text;
    }

    @Override
    public int handleExecutionException(
            final Exception thrown, final CommandLine command, final ParseResult parsed) {
        final boolean isJson = command.getParseResult().hasMatchedOption("--json");
        // A graph that cannot be used came from a file, as a rule: the command was called
        // correctly.
        if (thrown instanceof UsageException
                || (thrown instanceof IllegalArgumentException
                        && !(thrown instanceof GraphException))) {
            trace(thrown, false);
            return wrongUsage(String.valueOf(thrown.getMessage()), command, isJson);
        }
        final boolean isExpected =
                thrown instanceof ToolException
                        || thrown instanceof ConfigException
                        || thrown instanceof GraphException
                        || thrown instanceof IOException
                        || thrown instanceof UncheckedIOException;
        if (!ResultStream.isReaderGone(System.out)) {
            final String message = isExpected ? message(thrown) : thrown.toString();
            errors.println("hxb: " + Printable.message(message));
            trace(thrown, !isExpected);
            object(isJson, message);
        }
        return thrown instanceof ConfigException ? ExitStatus.USAGE : ExitStatus.FAILED;
    }

    /** The message of an exception; those of files only name the file. */
    private static String message(final Exception thrown) {
        final Throwable cause =
                thrown instanceof UncheckedIOException && thrown.getCause() != null
                        ? thrown.getCause()
                        : thrown;
        final String text = String.valueOf(thrown.getMessage());
        if (cause instanceof FileSystemException file && file.getReason() == null) {
            return text + ": " + reason(file);
        }
        return text;
    }

    private static String reason(final FileSystemException thrown) {
        return switch (thrown) {
            case NoSuchFileException missing -> "no such file or folder";
            case AccessDeniedException denied -> "permission denied";
            case FileAlreadyExistsException exists -> "it exists already";
            case DirectoryNotEmptyException full -> "the folder is not empty";
            case NotDirectoryException file -> "it is not a folder";
            default -> "it cannot be used";
        };
    }

    private void trace(final Throwable thrown, final boolean isWanted) {
        if (isWanted || System.getenv("HXB_DEBUG") != null) {
            printTrace(thrown, errors);
        }
    }

    /** Prints where it was thrown; messages may have text of others. */
    static void printTrace(final Throwable thrown, final PrintStream errors) {
        final PrintStream printable =
                new PrintStream(new PrintableOutput(errors), true, StandardCharsets.UTF_8);
        thrown.printStackTrace(printable);
    }

    private int wrongUsage(final String message, final CommandLine command, final boolean isJson) {
        errors.println("hxb: " + Printable.message(message));
        errors.println(Usage.hint(command));
        object(isJson, message);
        return ExitStatus.USAGE;
    }

    /** Reports what ran out, and what to do. */
    int outOfMemory(final OutOfMemoryError thrown, final boolean isJson) {
        return report(OutOfMemory.message(thrown), thrown, false, isJson);
    }

    /** Reports an error of the program or of what it runs on. */
    int error(final Throwable thrown, final boolean isJson) {
        if (thrown instanceof final OutOfMemoryError memory) {
            return outOfMemory(memory, isJson);
        }
        final boolean isNative = thrown instanceof LinkageError;
        return report(
                isNative
                        ? "a part of the program cannot be loaded ("
                                + thrown
                                + "): build it again (deploy/hxb --version), and give it a folder"
                                + " of temporary files from which programs may run (not mounted"
                                + " noexec)"
                        : "the program failed: " + thrown,
                thrown,
                true,
                isJson);
    }

    private int report(
            final String message,
            final Throwable thrown,
            final boolean isTraced,
            final boolean isJson) {
        errors.println("hxb: " + Printable.message(message));
        trace(thrown, isTraced);
        object(isJson, message);
        return ExitStatus.FAILED;
    }

    private static void object(final boolean isJson, final String message) {
        if (isJson) {
            final Map<String, Object> failure = new LinkedHashMap<>();
            failure.put("ok", false);
            failure.put("error", message);
            System.out.println(Json.line(failure));
        }
    }

    /** True if everything printed has been written; reports it otherwise. */
    boolean isWritten(final PrintStream output) {
        final String complaint = ResultStream.complaint(output);
        if (complaint == null) {
            return true;
        }
        if (!ResultStream.isReaderGone(output)) {
            errors.println("hxb: " + complaint);
        }
        return false;
    }
}
