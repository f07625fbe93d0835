import MessageStore
import MessageStoreLMDB
import MessageStoreModel
import MessageStoreWorkload

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Writes a seed's stream of batches into a store, from where the store ends.
struct Writing {
    let path: String
    let seed: UInt64
    let batches: Int

    /// Small enough that layers are flushed and maps grow all the time.
    static var configuration: MessageStore.Configuration {
        var configuration = CrashStream.configuration
        configuration.bufferBytes = 16 << 10
        configuration.replayBytes = 64 << 10
        configuration.mapBytes = 1 << 20
        return configuration
    }

    /// Writes, erases, compacts and copies until all batches are in; an error ends the process.
    func append(compactions: Double = 0.05) throws {
        let store = try MessageStore.open(path, account: RandomEvents.account, configuration: Self.configuration)
        var stream = try stream(of: store)
        acknowledge(stream.model.lastPosition)
        var random = SplitMix64(seed: seed &+ stream.model.lastPosition.rawValue)
        for _ in 0..<batches {
            if let events = stream.erasure, let position = try store.erase(.events(events)) {
                stream.erase()
                guard position == stream.model.lastPosition else { exit(66) }
                acknowledge(position)
            }
            let result = try store.record(stream.next())
            guard result.lastPosition == stream.model.lastPosition else { exit(66) }
            acknowledge(result.lastPosition)
            if random.chance(0.05) { try store.rebuild() }
            if random.chance(0.05) { try store.flush() }
            if random.chance(compactions), try store.compact().cutEvents > 0 { try note(store, &stream) }
            if random.chance(0.02) { try store.backup(to: path + "-backup-\(result.lastPosition)") }
        }
        try store.close()
    }

    /// The stream of a store; a compaction that nobody noted before a crash is noted now.
    private func stream(of store: MessageStore) throws -> CrashStream {
        let last = try store.lastPosition()
        let history = try CrashHistory.of(store, at: path)
        guard !history.isUndone else { exit(67) }
        var stream = CrashStream(seed: seed)
        stream.advance(to: last, history)
        guard stream.model.lastPosition == last else { exit(65) }
        stream.reopen()
        if !history.notNoted.isEmpty { try note(store, &stream) }
        return stream
    }

    /// Notes the events that the last compaction cut off, so that the note outlives whatever is recorded next.
    private func note(_ store: MessageStore, _ stream: inout CrashStream) throws {
        let history = try CrashHistory.of(store, at: path)
        let cut = CrashHistory.Cut(
            end: stream.model.lastPosition, base: try store.statistics().replayStart, positions: history.notNoted)
        stream.cut(cut)
        let descriptor = open(CrashHistory.file(of: path), O_WRONLY | O_CREAT, 0o600)
        let bytes = Array(cut.line.utf8)
        // Whoever writes changes of files down does not know `O_APPEND`.
        guard descriptor >= 0, lseek(descriptor, 0, SEEK_END) >= 0,
            write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0,
            close(descriptor) == 0
        else { exit(3) }
        try FileSystem.synchronize(FileSystem.parent(of: path))
    }

    /// Streams packages until it is killed; an error ends the process.
    static func sync(_ path: String) async throws {
        let store = try await MessageStore.open(path, account: RandomEvents.account, configuration: configuration)
        var packages = CrashPackages()
        let last = try store.lastPosition()
        while packages.lastPosition < last { _ = packages.next() }
        guard packages.lastPosition == last else { exit(65) }
        acknowledge(last)
        let stream = Locked(packages)
        try await store.ingest(AsyncStream { stream.withLock { $0.next() } }) { package, result in
            acknowledge(result.lastPosition)
        }
    }

    /// Writes on after errors, as a host does that shows them and goes on.
    ///
    /// Ends with 0 if all batches got in, with 3 if opening fails, with 4 if the store takes none any more, with 5 if
    /// closing it fails.
    func persist() {
        var store = try? MessageStore.open(path, account: RandomEvents.account, configuration: Self.configuration)
        guard let opened = store, let last = try? opened.lastPosition() else { exit(3) }
        guard var stream = try? stream(of: opened) else { exit(65) }
        acknowledge(last)
        for _ in 0..<batches {
            let before = stream.model.lastPosition
            let batch = stream.next()
            var failures = 0
            while true {
                if let result = try? opened.record(batch) {
                    guard result.lastPosition == stream.model.lastPosition else { exit(66) }
                    break
                }
                // An error does not say whether the batch is in: the log does.
                if let last = try? opened.lastPosition(), last != before {
                    guard last == stream.model.lastPosition else { exit(66) }
                    break
                }
                failures += 1
                if failures == 20 { exit(4) }
            }
            acknowledge(stream.model.lastPosition)
        }
        guard (try? opened.close()) != nil else { exit(5) }
        store = nil
    }

    /// Makes one store after another at `path` and a number.
    static func create(_ path: String) throws {
        var number: UInt64 = 0
        while true {
            acknowledge(Position(number))
            let store = try MessageStore.open(
                "\(path)\(number)", account: RandomEvents.account, configuration: .ofTests)
            try store.record(Event(OfflineSyncCompleted()))
            try store.close()
            number += 1
        }
    }
}

extension CrashHistory {
    /// What a store erased and cut off.
    static func of(_ store: MessageStore, at path: String) throws -> CrashHistory {
        let notes = (try? FileSystem.read(CrashHistory.file(of: path), limit: 1 << 24)) ?? []
        return CrashHistory(
            try store.events(limit: .max), last: try store.lastPosition(), notes: String(decoding: notes, as: UTF8.self)
        )
    }
}
