/// A directory that is kept open until the object is released.
final class OpenDirectory: Sendable {
    let descriptor: Int32

    init(_ path: String) throws(FileError) {
        descriptor = try FileSystem.openFile(path, O_RDONLY | O_DIRECTORY, "open directory")
    }

    deinit { close(descriptor) }
}
