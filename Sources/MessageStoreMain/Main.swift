internal import MessageStoreTool

/// The tool as it is released, without any host's types.
@main
enum Main {
    static func main() { MessageStoreCommand.main() }
}
