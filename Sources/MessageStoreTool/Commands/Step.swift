internal import ArgumentParser
internal import Foundation
internal import MessageStore

struct Step: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Go through the log event by event, forward and back, and look around anywhere.",
        discussion: """
            Lines are read from standard input, with a prompt on a terminal:

            \(StepInstruction.guide)

            After each movement the position, the time and the event are shown. `next` and `back` stop at the events \
            that the options choose, `until` at any. A line that cannot be done says why on standard error, and the \
            session goes on; the end of the input ends it.

            \(Condition.guide)
            """)

    @Argument(help: "The store's directory.")
    var store: String

    @Option(parsing: .unconditional, help: "Where to begin: \(Moment.help); by default before the first event.")
    var from: Moment?

    @OptionGroup var chosen: EventArguments

    @Flag(help: "Show what messages say; without it only sizes are shown.")
    var text = false

    func run() throws {
        let store = try StoreArguments.openReadOnly(self.store)
        guard let selection = try chosen.selection(store) else { throw ToolError.usage("--since comes after --until") }
        let session = try StepSession(
            store, at: from?.position(in: store) ?? .origin, selection, hasContent: text)
        try session.showPlace()
        // What is kept for going back is removed with the store, however it ends.
        defer { try? store.close() }
        let isInteractive = Terminal.standardInput.isInteractive
        if isInteractive { Interruption.beginNoting() }
        while true {
            // Who reads the output sees the answer before the next line is asked for.
            try StandardOutput.flush()
            if isInteractive {
                writeToStandardError("\(session.position)> ")
                try Interruption.waitForInput()
            }
            guard let line = readLine() else { break }
            do {
                guard try session.run(line) else { break }
            } catch let interruption as Interruption {
                // On a terminal it ends what is at work, and at the prompt the session.
                guard isInteractive else { throw interruption }
                writeToStandardError("messagestore: interrupted\n")
                Interruption.forget()
            } catch {
                _ = Failure.report(error)
            }
        }
    }
}
