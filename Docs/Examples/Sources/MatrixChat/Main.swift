import Foundation
import MatrixClient
import MessageStore

/// A terminal client of a Matrix server, on a store.
@main
struct Main {
    static let usage = """
        Usage: MatrixChat --server URL --user NAME --store PATH

        The password is that of the environment's MATRIX_PASSWORD, else it is asked for. PATH keeps the messages and the
        session: with it alone, --store PATH continues without signing in, and without a network.
        """

    static func main() async {
        do {
            guard let options = Options(CommandLine.arguments.dropFirst()) else {
                print(usage)
                exit(2)
            }
            let client = try await client(options)
            let receiving = Task { try await client.run() }
            let chat = Chat(client)
            let ending = Task {
                // The server ended the session, or the store cannot be written any more.
                if case .failure(let error) = await receiving.result, !(error is CancellationError) {
                    Terminal.show("The connection ended: \(error)")
                }
            }
            try await chat.run()
            receiving.cancel()
            await ending.value
            try await client.store.close()
        } catch {
            Terminal.show("MatrixChat: \(error)")
            exit(1)
        }
    }

    private static func client(_ options: Options) async throws -> MatrixClient {
        guard let server = options.server, let user = options.user else {
            guard let client = try await MatrixClient.open(options.store) else { throw MatrixError.signedOut }
            return client
        }
        let password = ProcessInfo.processInfo.environment["MATRIX_PASSWORD"] ?? Terminal.password()
        return try await MatrixClient.signIn(to: server, user: user, password: password, in: options.store)
    }
}

/// The command line.
struct Options {
    private(set) var server: String?
    private(set) var user: String?
    private(set) var store = ""

    /// Reads the arguments; nil where they are none of the program's.
    init?(_ arguments: ArraySlice<String>) {
        var rest = arguments
        while let name = rest.popFirst() {
            guard let value = rest.popFirst() else { return nil }
            switch name {
            case "--server": server = value
            case "--user": user = value
            case "--store": store = value
            default: return nil
            }
        }
        guard !store.isEmpty, (server == nil) == (user == nil) else { return nil }
    }
}
