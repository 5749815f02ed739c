import Build
import CanonicalJSON

/// Which build of a tool it is: its version, the commit that it was built from, and the libraries that it runs with.
enum VersionText {
    /// A line for each.
    static func text(_ tool: Tool) -> String {
        let (commit, source) = Build.origin
        let origin =
            switch source {
            case .checkout: "commit \(commit!)"
            case .changedCheckout: "commit \(commit!), with changes"
            case .sourceArchive: "commit \(commit!), from a source archive"
            case .unknown: "commit unknown: the build was not told"
            }
        let libraries = tool.libraries.map { "\($0.name) \($0.version)\n" }
        return "\(tool.name) \(Build.version)\n\(origin)\n" + libraries.joined()
    }

    /// One object (`Spec/schemas/version-result.json`).
    static func json(_ tool: Tool, _ sandbox: Sandbox) -> String {
        let (commit, source) = Build.origin
        let libraries = tool.libraries.map { ($0.name, $0.version) }
        let json: JSONObject = [
            "commit": commit, "libraries": JSONObject(libraries),
            "sandbox": ["landlock": Int(sandbox.landlock), "seccomp": sandbox.filtersCalls] as JSONObject,
            "source": source.rawValue, "tool": tool.name, "version": Build.version,
        ]
        return json.text + "\n"
    }
}
