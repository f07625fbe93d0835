#if os(macOS) || os(Linux)
import Foundation

/// A child that answers questions line by line, and is replaced when one of them ends it.
final class Worker {
    /// What became of a question.
    enum Answer: Equatable {
        case line(String)
        case crash(signal: Int32)
        case exit(Int32)
        case hang
    }

    private let environment: [String: String]
    private let user: UInt32?
    private var process: Process?
    private var questions: FileHandle?
    private var answers: FileHandle?
    private var buffered = Data()
    /// Signalled when the process ends.
    private var ended = DispatchSemaphore(value: 0)

    /// - Parameter user: Who it runs as, where that is another; only root may choose.
    init(environment: [String: String] = [:], user: UInt32? = nil) {
        (self.environment, self.user) = (environment, user)
        // A question to a worker that has ended is an error, not a signal.
        signal(SIGPIPE, SIG_IGN)
    }

    deinit { stop() }

    /// Asks one question; a line in, a line out.
    func ask(_ words: [String], limit: TimeInterval = 60) throws -> Answer {
        let process = try started()
        try? questions?.write(contentsOf: Data((words.joined(separator: "\t") + "\n").utf8))
        if let line = readLine(until: Date() + limit) { return .line(line) }
        let isRunning = ended.wait(timeout: .now() + 2) == .timedOut
        if isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
        self.process = nil
        if isRunning { return .hang }
        return process.terminationReason == .exit
            ? .exit(process.terminationStatus) : .crash(signal: process.terminationStatus)
    }

    private func started() throws -> Process {
        if let process, process.isRunning { return process }
        let process = Process()
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = try ChildProcess.executable()
        process.arguments = ["answer"] + (user.map { ["\($0)"] } ?? [])
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
            .merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        let ended = DispatchSemaphore(value: 0)
        process.terminationHandler = { _ in ended.signal() }
        try process.run()
        (self.process, self.ended) = (process, ended)
        (questions, answers, buffered) = (input.fileHandleForWriting, output.fileHandleForReading, Data())
        return process
    }

    private func stop() {
        try? questions?.close()
        process?.waitUntilExit()
    }

    /// A line of the answers; nil where none came in time or the worker has ended.
    private func readLine(until deadline: Date) -> String? {
        guard let answers else { return nil }
        while true {
            if let end = buffered.firstIndex(of: 0x0A) {
                let line = String(decoding: buffered[buffered.startIndex..<end], as: UTF8.self)
                buffered.removeSubrange(buffered.startIndex...end)
                return line
            }
            var entry = pollfd(fd: answers.fileDescriptor, events: Int16(POLLIN), revents: 0)
            let left = Int32(max(0, deadline.timeIntervalSinceNow * 1000))
            guard poll(&entry, 1, left) > 0 else { return nil }
            let data = answers.availableData
            guard !data.isEmpty else { return nil }
            buffered.append(data)
        }
    }
}
#endif
