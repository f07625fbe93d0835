import Foundation
import MessageStore

/// A device that is signed in, kept in a file that only its owner may read.
struct MatrixSession: Codable, Sendable {
    let address: String
    let user: String
    /// The same whenever the user signs in again here: transaction ids are a device's own.
    let device: String
    let token: String

    /// The session that a directory has; nil where nobody signed in.
    init?(in directory: String) {
        guard let data = FileManager.default.contents(atPath: Self.path(in: directory)),
            let session = try? JSONDecoder().decode(MatrixSession.self, from: data)
        else { return nil }
        self = session
    }

    init(address: String, user: String, device: String, token: String) {
        (self.address, self.user, self.device, self.token) = (address, user, device, token)
    }

    func save(in directory: String) throws {
        let path = Self.path(in: directory)
        let new = path + ".new"
        try? FileManager.default.removeItem(atPath: new)
        let data = try JSONEncoder().encode(self)
        guard FileManager.default.createFile(atPath: new, contents: data, attributes: [.posixPermissions: 0o600]) else {
            throw CocoaError(.fileWriteNoPermission)
        }
        guard rename(new, path) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    private static func path(in directory: String) -> String { directory + "/session.json" }
}
