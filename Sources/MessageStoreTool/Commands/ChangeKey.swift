internal import ArgumentParser
internal import MessageStore

struct ChangeKey: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Let another key open a sealed store, without writing its files again.",
        discussion: """
            The files stay sealed under the same random key, which the key in the new file opens from now on, and the key of \
            --key-file no more. Copies of the files that were made before still open with the old key, and so do segments, \
            shipped objects and files in an inbox. `compact --new-key-file` seals the files under another random key.
            """)

    @Argument(help: "The store's directory.")
    var store: String

    @Option(help: "The file with the key that the store is to have.")
    var newKeyFile: String

    func run() throws {
        guard let key = MessageStoreCommand.key else {
            throw ToolError.usage("the old key is missing: --key-file FILE")
        }
        try MessageStore.changeKey(ofStoreAt: store, from: key, to: KeyFile.source(from: newKeyFile))
    }
}
