/// The kit's defaults.
struct DefaultSessionConfig: NIMSessionConfig {}
