import Dispatch
import MessageStore
@_exported import MessageStoreTestKit

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A process that writes and checks stores, so that what ends it ends no test.
///
///     append PATH SEED [BATCHES]   writes until it is killed, or so many batches
///     append-compacting PATH SEED [BATCHES]  the same, with a compaction after each third batch
///     limited PATH SEED BATCHES    the same, once Dispatch has what it needs
///     persist PATH SEED BATCHES    the same, and goes on after errors
///     sync PATH                    streams packages until it is killed
///     ship PATH SEED PLACE         records, redacts and ships until it is killed; see ``Shipping``
///     restore-shipped PATH NUMBER PLACE  restores what was shipped, again and again
///     create PATH                  makes one store after another at the path and a number
///     search PATH SEED [ROUNDS]    records, indexes, erases and compacts until it is killed, or so many times
///     search-erase PATH SEED       indexes, erases, acknowledges that, and continues
///     sealed DIRECTORY ROUND [LEDGER [SEAL]]  does everything with a store in clear, or one with a key whose nonces are noted,
///                                  until it is killed, or makes that seal; see ``SealedWriting``
///     change-key PATH OLD NEW      seals a store's keys, which a key of bytes OLD opens, under a key of bytes NEW
///     hold PATH COUNT              reads in so many threads at once until it is killed
///     once PATH COUNT [relaxed]    records once, and ends without closing
///     redact PATH                  records and redacts, and ends without closing
///     answer [USER]                answers questions line by line, as another user; see ``Answers``
///
/// Acknowledged positions are written to standard output as 8 bytes; it ends when nobody reads them any more.
@main
enum ReliabilityChild {
    static func main() {
        do { try run() } catch {
            // As a host ends that shows the error; a trap would look like a crash of the store.
            exit(3)
        }
    }

    private static func run() throws {
        var arguments = CommandLine.arguments.dropFirst().makeIterator()
        let command = arguments.next()
        if command == "answer" {
            if let user = arguments.next().flatMap({ UInt32($0) }) {
                guard setgroups(0, nil) == 0, setgid(user) == 0, setuid(user) == 0 else { exit(64) }
            }
            return Answers.run()
        }
        guard let path = arguments.next() else { exit(64) }
        let number = arguments.next().flatMap { UInt64($0) }
        let last = arguments.next()
        let batches = last.flatMap { Int($0) }
        switch (command, number) {
        case ("append", let seed?): try Writing(path: path, seed: seed, batches: batches ?? .max).append()
        case ("append-compacting", let seed?):
            try Writing(path: path, seed: seed, batches: batches ?? .max).append(compactions: 0.3)
        case ("limited", let seed?):
            startDispatch()
            try Writing(path: path, seed: seed, batches: batches ?? .max).append()
        case ("persist", let seed?): Writing(path: path, seed: seed, batches: batches ?? .max).persist()
        case ("sync", _):
            Task {
                try? await Writing.sync(path)
                exit(3)
            }
            dispatchMain()
        case ("ship", let seed?):
            Task {
                try? await Shipping(directory: path, place: last ?? "").ship(seed: seed)
                exit(3)
            }
            dispatchMain()
        case ("restore-shipped", let number?):
            Task {
                try? await Shipping(directory: path, place: last ?? "").restore(number: number)
                exit(3)
            }
            dispatchMain()
        case ("sealed", let round?):
            let seal = arguments.next().flatMap { Int($0) }
            let writing = try SealedWriting(path, round: round, ledger: last, killedAt: seal)
            Task {
                try? await writing.run()
                exit(3)
            }
            dispatchMain()
        case ("search", let seed?): try Searching.run(path, seed: seed, rounds: batches ?? .max)
        case ("search-erase", let seed?): try Searching.erase(path, seed: seed)
        case ("create", _): try Writing.create(path)
        case ("once", let count?):
            try Once.record(path, Int(count), durability: last == "relaxed" ? .relaxed : .full)
        case ("redact", _): try Once.redact(path)
        case ("make", let step?): try Forgetting.make(step, path)
        case ("erase", _): try Forgetting.erase(path)
        case ("erase-stopped", _): try Forgetting.eraseStopped(path)
        case ("forget", let step?): try Forgetting.run(step, path, to: last ?? "")
        case ("hand-over", let helper?): try HandingOver.handOver(path, helper: helper, numbers: last ?? "")
        case ("record-inbox", _): try HandingOver.record(path)
        case ("change-key", let old?):
            func key(_ byte: UInt8) -> KeySource { KeySource { [UInt8](repeating: byte, count: 32) } }
            guard let new = last.flatMap({ UInt8($0) }) else { exit(64) }
            try MessageStore.changeKey(ofStoreAt: path, from: key(UInt8(old)), to: key(new))
        case ("hold", let count?): try Holding.hold(path, Int(count))
        default: exit(64)
        }
    }
}

/// Lets Dispatch take the descriptors of its timers: where it gets none it ends the process, which would look like a crash
/// of the store. A process that has too few for that ends with 127.
private func startDispatch() {
    let spare = (0..<4).map { _ in open("/dev/null", O_RDONLY) }
    guard !spare.contains(-1) else { exit(127) }
    for descriptor in spare { close(descriptor) }
    let fired = DispatchSemaphore(value: 0)
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) { fired.signal() }
    fired.wait()
}

/// Acknowledges a position to the test.
func acknowledge(_ position: Position) {
    let written = withUnsafeBytes(of: position.rawValue.littleEndian) { write(1, $0.baseAddress, $0.count) }
    guard written == MemoryLayout<UInt64>.size else { exit(0) }
}
