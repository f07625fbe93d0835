@main
enum CrashChild {
    static func main() {}
}
