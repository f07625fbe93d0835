@main struct T { static func main() {} }
