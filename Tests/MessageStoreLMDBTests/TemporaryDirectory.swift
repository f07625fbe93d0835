import Foundation
import MessageStoreLMDB
@_exported import MessageStoreTestKit

/// Makes a directory that outlives its maker: child processes use it.
func makeTemporaryDirectory() throws -> String {
    let path = FileSystem.testDirectory + "/lmdb-tests-" + UUID().uuidString
    try FileSystem.createDirectory(path)
    return path
}
