#if os(Linux)
import Foundation
import MessageStoreWorkload

/// A disk that has taken a sequence of changes, and what may be left of it when its power goes.
///
/// Content that was flushed is durable. Of what was written since, any part may be there, in any order, the last sector of a
/// write torn. Directories change in order: how much of that is there depends on the file system (``DirectoryRule``).
struct SimulatedDisk {
    /// Which changes of directories outlive a power loss.
    enum DirectoryRule: CaseIterable {
        /// In order, and all before a flush of anything, as a journal of metadata has it.
        case journalled
        /// Only what a flush of the directory itself confirmed.
        case strict
    }

    private struct File {
        var durable: [UInt8] = []
        var pending: [Pending] = []
    }

    private enum Pending {
        /// `isDurable` of one through a descriptor whose writes are flushes as well.
        case write(offset: Int, bytes: [UInt8], isDurable: Bool = false)
        case truncate(length: Int)
    }

    private enum Entry {
        case link(path: String, file: Int?)
        case remove(path: String)
        case rename(from: String, to: String)
        case exchange(String, String)
        case directory(path: String)
    }

    private var files: [File] = []
    private var descriptors: [Int32: (file: Int, isSynchronous: Bool)] = [:]
    /// The names as the program sees them.
    private var names: [String: Int] = [:]
    private var directories: Set<String> = []
    /// Every change of a directory, and how many of them are durable: in order, and each by itself.
    private var entries: [(change: Entry, isConfirmed: Bool)] = []
    private var durableEntries = 0
    /// The last position acknowledged.
    private(set) var acknowledged: UInt64 = 0

    /// Takes a change.
    ///
    /// - Parameter isComplete: Whether its call returned; else it may have been done in part, and confirms nothing.
    mutating func take(_ change: FileChange, isComplete: Bool = true) {
        switch change {
        case .open(let descriptor, let flags, let path): open(descriptor, flags, path)
        case .close(let descriptor): descriptors[descriptor] = nil
        case .write(let descriptor, let offset, let bytes):
            guard let (file, isSynchronous) = descriptors[descriptor] else { return }
            let isDurable = isSynchronous && isComplete
            files[file].pending.append(.write(offset: offset, bytes: bytes, isDurable: isDurable))
        case .truncate(let descriptor, let length):
            guard let (file, _) = descriptors[descriptor] else { return }
            files[file].pending.append(.truncate(length: length))
        case .flush(let descriptor): if isComplete { flush(descriptor) }
        case .rename(let from, let to):
            entries.append((.rename(from: from, to: to), false))
            rename(&names, &directories, from, to)
        case .exchange(let one, let other):
            entries.append((.exchange(one, other), false))
            exchange(&names, &directories, one, other)
        case .remove(let path):
            entries.append((.remove(path: path), false))
            names[path] = nil
            directories.remove(path)
        case .makeDirectory(let path):
            entries.append((.directory(path: path), false))
            directories.insert(path)
        case .acknowledge(let bytes):
            for number in ChildProcess.numbers(Data(bytes)) { acknowledged = max(acknowledged, number) }
        }
    }

    private mutating func open(_ descriptor: Int32, _ flags: Int32, _ path: String) {
        if directories.contains(path) {
            files.append(File())
            descriptors[descriptor] = (files.count - 1, false)
            directoryDescriptors[descriptor] = path
            return
        }
        directoryDescriptors[descriptor] = nil
        if names[path] == nil {
            files.append(File())
            names[path] = files.count - 1
            entries.append((.link(path: path, file: files.count - 1), false))
        }
        guard let file = names[path] else { return }
        if flags & O_TRUNC != 0 { files[file].pending.append(.truncate(length: 0)) }
        descriptors[descriptor] = (file, flags & (O_DSYNC | O_SYNC) != 0)
    }

    private var directoryDescriptors: [Int32: String] = [:]

    private mutating func flush(_ descriptor: Int32) {
        guard let (file, _) = descriptors[descriptor] else { return }
        if let path = directoryDescriptors[descriptor] {
            for index in entries.indices where Self.parents(of: entries[index].change).contains(path) {
                entries[index].isConfirmed = true
            }
        }
        for change in files[file].pending { Self.apply(change, to: &files[file].durable) }
        files[file].pending = []
        durableEntries = entries.count
    }

    private static func parents(of entry: Entry) -> [String] {
        let paths =
            switch entry {
            case .link(let path, _), .remove(let path), .directory(let path): [path]
            case .rename(let from, let to): [from, to]
            case .exchange(let one, let other): [one, other]
            }
        return paths.map { ($0 as NSString).deletingLastPathComponent }
    }

    private func rename(_ names: inout [String: Int], _ directories: inout Set<String>, _ from: String, _ to: String) {
        func moved(_ path: String) -> String? {
            if path == from { return to }
            return path.hasPrefix(from + "/") ? to + path.dropFirst(from.count) : nil
        }
        for (path, file) in names {
            guard let new = moved(path) else { continue }
            names[path] = nil
            names[new] = file
        }
        for path in directories {
            guard let new = moved(path) else { continue }
            directories.remove(path)
            directories.insert(new)
        }
    }

    private func exchange(
        _ names: inout [String: Int], _ directories: inout Set<String>, _ one: String, _ other: String
    ) {
        let free = one + ".exchanged"
        rename(&names, &directories, one, free)
        rename(&names, &directories, other, one)
        rename(&names, &directories, free, other)
    }

    private static func apply(_ change: Pending, to bytes: inout [UInt8]) {
        switch change {
        case .write(let offset, let content, _):
            if bytes.count < offset + content.count {
                bytes += [UInt8](repeating: 0, count: offset + content.count - bytes.count)
            }
            bytes.replaceSubrange(offset..<offset + content.count, with: content)
        case .truncate(let length):
            if length < bytes.count {
                bytes.removeSubrange(length...)
            } else {
                bytes += [UInt8](repeating: 0, count: length - bytes.count)
            }
        }
    }
}

extension SimulatedDisk {
    /// What became of the writes that no flush confirmed.
    enum Loss: CaseIterable {
        case none, all, prefix, dropOne, keepOne, random, torn
    }

    /// Writes what is left to `root`, under which the program's `base` lies.
    func writeState(
        to root: String, base: String, _ loss: Loss, _ rule: DirectoryRule, _ random: inout SplitMix64
    ) throws {
        var names: [String: Int] = [:]
        var directories: Set<String> = []
        let extra =
            loss == .none ? entries.count : durableEntries + random.nextIndex(entries.count - durableEntries + 1)
        for (index, entry) in entries.enumerated() {
            switch rule {
            case .journalled: guard index < extra else { continue }
            case .strict: guard entry.isConfirmed || (loss == .none) else { continue }
            }
            switch entry.change {
            case .link(let path, let file): names[path] = file
            case .remove(let path):
                names[path] = nil
                // A directory that is gone has nothing in it any more.
                if directories.remove(path) != nil { names = names.filter { !$0.key.hasPrefix(path + "/") } }
            case .rename(let from, let to): rename(&names, &directories, from, to)
            case .exchange(let one, let other): exchange(&names, &directories, one, other)
            case .directory(let path): directories.insert(path)
            }
        }
        for path in directories.sorted() where path.hasPrefix(base) {
            try FileManager.default.createDirectory(
                atPath: root + path.dropFirst(base.count), withIntermediateDirectories: true)
        }
        for (path, file) in names where path.hasPrefix(base) {
            let target = root + path.dropFirst(base.count)
            guard FileManager.default.fileExists(atPath: (target as NSString).deletingLastPathComponent) else {
                continue
            }
            try Data(content(of: file, loss, &random)).write(to: URL(fileURLWithPath: target))
        }
    }

    private func content(of file: Int, _ loss: Loss, _ random: inout SplitMix64) -> [UInt8] {
        var bytes = files[file].durable
        let pending = files[file].pending
        guard !pending.isEmpty else { return bytes }
        let chosen = random.nextIndex(pending.count)
        for (index, change) in pending.enumerated() {
            if case .write(_, _, isDurable: true) = change {
                Self.apply(change, to: &bytes)
                continue
            }
            let isThere =
                switch loss {
                case .none: true
                case .all: false
                case .prefix: index < chosen
                case .dropOne: index != chosen
                case .keepOne: index == chosen
                case .random, .torn: random.chance(0.5)
                }
            guard isThere else { continue }
            guard loss == .torn, case .write(let offset, let content, _) = change else {
                Self.apply(change, to: &bytes)
                continue
            }
            for start in stride(from: 0, to: content.count, by: 512) where random.chance(0.6) {
                let sector = Array(content[start..<min(start + 512, content.count)])
                Self.apply(.write(offset: offset + start, bytes: sector), to: &bytes)
            }
        }
        return bytes
    }
}

extension SimulatedDisk {
    /// What may be left where the power goes during a change: one draw of all that may.
    func lost(
        during change: FileChange, base: String, _ random: inout SplitMix64
    ) throws -> (state: TemporaryDirectory, words: String) {
        var disk = self
        disk.take(change, isComplete: false)
        let loss = Loss.allCases[random.nextIndex(Loss.allCases.count)]
        let rule = DirectoryRule.allCases[random.nextIndex(2)]
        let state = try TemporaryDirectory()
        try disk.writeState(to: state.path, base: base, loss, rule, &random)
        return (state, "\(loss), \(rule)")
    }
}
#endif
