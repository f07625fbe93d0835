internal import Dispatch
internal import MessageStoreLMDB

/// A directory as a carrier: on another disk, or one that a system or a service carries to other machines.
///
/// An object is a file, durable when a put returns. A file appears under its name when it is whole, by a hard link, which
/// the file system must support. Several processes and machines may use one directory if its file system makes links
/// exclusive, as local ones and NFS do; a folder that a service copies between machines has no such put, so that two
/// writers are found only after the copies met.
public struct FolderCarrier: Carrier {
    /// Objects of at most so many bytes are put; 4 MB if nothing else is set.
    public let objectSize: Int
    private let path: String
    private let queue = DispatchQueue(label: "MessageStore.FolderCarrier", attributes: .concurrent)
    /// The rest of a list whose pages are asked for one after the other.
    private let rest = Locked<(prefix: String, last: String, names: ArraySlice<String>)?>(nil)

    /// - Parameters:
    ///   - path: The directory; its parent must exist.
    ///   - objectSize: Objects of at most so many bytes are put.
    /// - Throws: `StoreError`: `invalidArgument` if the path is empty or holds a NUL, or its parent does not exist;
    ///   `carrierRefused` if something else is there.
    public init(_ path: String, objectSize: Int = 4 << 20) throws {
        let path = FileSystem.withoutTrailingSlashes(path)
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw StoreError(.invalidArgument, "the path of a folder is empty or holds a NUL")
        }
        guard objectSize >= 4096 else { throw StoreError(.invalidArgument, "objects have at least 4,096 bytes") }
        (self.path, self.objectSize) = (path, objectSize)
        try Self.translating(path) {
            if let status = try FileSystem.status(of: path) {
                guard status.kind == .directory else {
                    throw StoreError(.carrierRefused, "the folder is a file, a link or something else", path: path)
                }
            } else {
                let parent = FileSystem.parent(of: path)
                guard try FileSystem.status(of: parent + "/.") != nil else {
                    throw StoreError(.invalidArgument, "the directory for the folder does not exist", path: parent)
                }
                try FileSystem.createSharedDirectory(path)
            }
            try FileSystem.createSharedDirectory(temporaryDirectory)
        }
        // Other machines may have other clocks.
        OwnFiles.removeLeft(in: temporaryDirectory, unchangedFor: 86_400) {
            OwnFiles.number(of: $0, after: Self.mark) != nil
        } where: {
            $1.kind == .file
        }
    }

    /// Files that are written, until they get their names.
    private var temporaryDirectory: String { path + "/.tmp" }
    /// Precedes the number of such a file.
    private static let mark = ".putting-"

    /// The directory.
    public var description: String { path }

    /// Puts a file if no object has the name, and forces it to the medium.
    public func put(_ bytes: [UInt8], ifAbsent name: String) async throws -> Bool {
        try await run(name) { file -> Bool in
            if try FileSystem.status(of: file) != nil { return false }
            let temporary = try temporaryPath(for: file)
            defer { try? FileSystem.remove(temporary) }
            try FileSystem.create(temporary, bytes: bytes)
            guard try FileSystem.link(temporary, to: file) else { return false }
            try FileSystem.synchronize(FileSystem.parent(of: file))
            return true
        }
    }

    /// Reads a file; links are refused.
    public func get(_ name: String) async throws -> [UInt8]? {
        try await run(name) { file -> [UInt8]? in
            guard let status = try FileSystem.status(of: file) else { return nil }
            guard status.kind == .file, status.size <= CarrierLimits.object else {
                throw StoreError(
                    .carrierRefused, "an object is a directory, a link, something else, or too large", path: file)
            }
            do { return try FileSystem.read(file, limit: status.size) } catch let error as FileError {
                if error.isNotFound { return nil }
                throw error
            }
        }
    }

    /// Lists files below the directory.
    public func list(_ prefix: String, after name: String?) async throws -> [String] {
        try await run(nil) { _ -> [String] in
            // The end of a prefix may be the beginning of a file's name.
            let directory = prefix.lastIndex(of: "/").map { String(prefix[..<$0]) } ?? ""
            guard !directory.split(separator: "/").contains(where: { $0.hasPrefix(".") }) else { return [] }
            let kept = rest.withLock { rest in
                defer { rest = nil }
                return rest.flatMap { $0.prefix == prefix && $0.last == name ? $0.names : nil }
            }
            var names: ArraySlice<String>
            if let kept {
                names = kept
            } else {
                var found: [String] = []
                try collect(directory, prefix, after: name ?? "", &found)
                names = found.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }[...]
            }
            let page = Array(names.prefix(CarrierLimits.page))
            names = names.dropFirst(CarrierLimits.page)
            if let last = page.last, !names.isEmpty {
                rest.withLock { [names] in $0 = (prefix, last, names) }
            }
            return page
        }
    }

    /// Puts a file in the place of another one by renaming it.
    public func replace(_ name: String, with bytes: [UInt8]) async throws {
        try await run(name) { file in
            try FileSystem.put(bytes, at: file, through: temporaryPath(for: file))
        }
    }

    /// Removes a file.
    public func remove(_ name: String) async throws {
        try await run(name) { file in
            guard try hasDirectories(to: file), try FileSystem.status(of: file)?.kind == .file else { return }
            try FileSystem.remove(file)
            try FileSystem.synchronize(FileSystem.parent(of: file))
        }
    }

    /// Adds the names of files below a directory that have the prefix and follow a name.
    private func collect(_ directory: String, _ prefix: String, after last: String, _ names: inout [String]) throws {
        let place = directory.isEmpty ? path : path + "/" + directory
        let entries: [String]
        do { entries = try FileSystem.names(in: place) { !$0.hasPrefix(".") } } catch {
            if error.isNotFound { return }
            throw error
        }
        for entry in entries {
            let name = directory.isEmpty ? entry : directory + "/" + entry
            let mayHold = prefix.hasPrefix(name + "/") || name.hasPrefix(prefix)
            guard mayHold, let status = try FileSystem.status(of: place + "/" + entry) else { continue }
            if status.kind == .directory {
                try collect(name, prefix, after: last, &names)
            } else if status.kind == .file, name.hasPrefix(prefix), last.utf8.lexicographicallyPrecedes(name.utf8) {
                names.append(name)
            }
        }
    }

    /// A path for a file until it gets its name, whose directories are made.
    private func temporaryPath(for file: String) throws -> String {
        if try !hasDirectories(to: file) { try createDirectories(to: FileSystem.parent(of: file)) }
        return temporaryDirectory + "/messagestore" + Self.mark + String(UInt64.random(in: .min ... .max), radix: 16)
    }

    /// Whether the directories of a file are there.
    ///
    /// - Throws: `StoreError` with code `carrierRefused` if one is a link, which could lead out of the place, or no
    ///   directory.
    private func hasDirectories(to file: String) throws -> Bool {
        let directory = FileSystem.parent(of: file)
        guard directory != path else { return true }
        guard try hasDirectories(to: directory), let status = try FileSystem.status(of: directory) else { return false }
        guard status.kind == .directory else {
            throw StoreError(.carrierRefused, "a directory of the place is a link or something else", path: directory)
        }
        return true
    }

    private func createDirectories(to directory: String) throws {
        guard directory != path else { return }
        let parent = FileSystem.parent(of: directory)
        if try FileSystem.status(of: parent) == nil { try createDirectories(to: parent) }
        try FileSystem.createSharedDirectory(directory)
    }

    private func run<Result: Sendable>(
        _ name: String?, _ body: @escaping @Sendable (_ file: String) throws -> Result
    ) async throws -> Result {
        try name?.checkObjectName()
        return try await queue.run { try Self.translating(path) { try body(path + "/" + (name ?? "")) } }
    }

    private static func translating<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as FileError {
            let code: StoreError.Code =
                error.isFull ? .diskFull : error.isDenied ? .carrierRefused : .carrierFailed
            throw StoreError(code, "\(error)", path: path)
        }
    }
}
