#if canImport(Darwin)
@preconcurrency internal import Darwin
#elseif canImport(Musl)
@preconcurrency internal import Musl
#else
@preconcurrency internal import Glibc
#endif

/// The buffered stream that commands print to.
///
/// `print` does not report a stream that cannot be written, so ``flush()`` checks the stream where it matters: before a
/// command waits, and at the tool's end.
enum StandardOutput {
    /// Takes the numbers of the standard streams that whoever started the process closed.
    ///
    /// Otherwise the next file that is opened, one of the store's, would be such a stream and take the text that is
    /// written to it. The file opened in its place can only be read, so that writing fails.
    static func claimStreams() {
        for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) < 0 { _ = open("/dev/null", O_RDONLY) }
    }

    /// Writes the buffered text.
    ///
    /// - Throws: ``ToolError`` if that, or anything since the last call, could not be written. A pipe that nobody reads
    ///   any more is no error.
    static func flush() throws {
        if fflush(stdout) != 0 {
            let number = errno
            clearerr(stdout)
            if number != EPIPE { throw cannotBeWritten(number) }
        } else if ferror(stdout) != 0 {
            // A failure before this call left no reason.
            clearerr(stdout)
            throw cannotBeWritten(nil)
        }
    }

    /// The error of a system call that wrote to standard output, by its number if that is known.
    static func cannotBeWritten(_ number: Int32?) -> ToolError {
        let reason = number.map { ": \(String(cString: strerror($0)))" } ?? ""
        return .check("standard output cannot be written" + reason)
    }
}
