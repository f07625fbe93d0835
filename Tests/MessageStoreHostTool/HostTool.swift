import Foundation
import MessageStore
import MessageStoreTool

/// The tool as a host builds it: with the projection of its own.
///
/// `RELEASE` chooses the release of the app whose code it has; without it, the latest.
@main
enum HostTool {
    static func main() {
        let release = ProcessInfo.processInfo.environment["RELEASE"].flatMap { UInt32($0) }
        var configuration = MessageStore.Configuration()
        configuration.projections = [Mentions(version: release ?? 3)]
        MessageStoreCommand.main(configuration: configuration)
    }
}
