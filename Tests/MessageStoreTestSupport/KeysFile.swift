/// The file of the keys of a sealed store.
func keysFile(of store: String) -> String { store + "/log/keys.json" }
