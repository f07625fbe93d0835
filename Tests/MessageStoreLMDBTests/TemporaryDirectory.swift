import Foundation
import MessageStoreLMDB
import MessageStoreTestKit

/// Lends a new directory and removes it at the end.
func withTemporaryDirectory<Result>(_ body: (String) throws -> Result) throws -> Result {
    let path = try makeTemporaryDirectory()
    defer { try? FileSystem.remove(path) }
    return try body(path)
}

func makeTemporaryDirectory() throws -> String {
    let path = FileSystem.testDirectory + "/lmdb-tests-" + UUID().uuidString
    try FileSystem.createDirectory(path)
    return path
}
