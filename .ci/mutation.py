"""The places of the sources where `.ci/mutants` can change one thing, and the copy of the package in which it does."""

import hashlib
import pathlib
import random
import re
import subprocess

MODULES = [
    "MessageStoreLMDB", "MessageStoreLog", "MessageStoreSharing", "MessageStoreProjections", "MessageStore",
    "MessageStoreSearch", "MessageStoreShipping", "MessageStoreTool"]
PLACEHOLDER = "MUTANT"
# A string, in masked code; a comment is blank there.
TEXT = "\x01"

SWITCH = """\
#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

private nonisolated(unsafe) let mutation: (active: Int, marks: UnsafeMutablePointer<UInt8>?) = {
    let active = getenv("MESSAGESTORE_MUTANT").flatMap { Int(String(cString: $0)) } ?? 0
    guard let path = getenv("MESSAGESTORE_MUTANT_MARKS") else { return (active, nil) }
    let file = open(path, O_RDWR | O_CLOEXEC)
    guard file >= 0 else { return (active, nil) }
    defer { close(file) }
    let marks = mmap(nil, MARKS, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
    return (active, marks == MAP_FAILED ? nil : marks?.assumingMemoryBound(to: UInt8.self))
}()

/// Whether the mutant is the one that this process runs with; notes that it was reached.
func isActiveMutant(_ number: Int) -> Bool {
    mutation.marks?[number] = 1
    return mutation.active == number
}
"""
MARKS = 4096


def end_of_string(text, position, hashes, quote):
    """Where a string ends whose first character after its opening quote is at the position."""
    while position < len(text):
        if text.startswith(quote + hashes, position):
            return position + len(quote) + len(hashes)
        if text.startswith("\\" + hashes + "(", position):
            position, depth = position + 2 + len(hashes), 1
            while position < len(text) and depth:
                inner = re.compile(r'(#*)("""|")').match(text, position)
                if inner:
                    position = end_of_string(text, inner.end(), *inner.groups())
                    continue
                depth += {"(": 1, ")": -1}.get(text[position], 0)
                position += 1
        elif text.startswith("\\" + hashes, position):
            position += 2 + len(hashes)
        else:
            position += 1
    return position


def masked(text):
    """The text with each comment as spaces and each string as marks, of the same length and lines."""
    parts, position = [], 0
    token = re.compile(r'(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<hashes>#*)(?P<quote>"""|")', re.S)
    while match := token.search(text, position):
        parts.append(text[position:match.start()])
        if match["comment"]:
            position, fill = match.end(), " "
        else:
            position, fill = end_of_string(text, match.end(), match["hashes"], match["quote"]), TEXT
        parts.append(re.sub(r"[^\n]", fill, text[match.start():position]))
    return "".join(parts) + text[position:]


def unit(code, start, end):
    """The bounds of the whole expression in the line that contains a part of it, within brackets, commas and keywords."""
    left, depth = start, 0
    while left > 0:
        before = code[:left]
        last = before[-1]
        if last in ")]}":
            depth += 1
        elif last in "([{":
            if not depth:
                break
            depth -= 1
        elif not depth and (
            last in ",;" or re.search(r"(: | [?] |[ +\-*/%&|^]= |\b(return|if|guard|while|where|in|else|throw) )$", before)
        ):
            break
        left -= 1
    opener = re.search(r"\b(if|guard|while|for|switch|where)\b[^{]*$", code[:left])
    right, depth = end, 0
    while right < len(code):
        here = code[right]
        if here == "{" and not depth and (opener or right == len(code) - 1):
            break
        if here in "([{":
            depth += 1
        elif here in ")]}":
            if not depth:
                break
            depth -= 1
        elif not depth and (here in ",;" or re.match(r"(:( |$)| [?] | else\b)", code[right:])):
            break
        right += 1
    while left < right and code[left] == " ":
        left += 1
    while left < right and code[right - 1] == " ":
        right -= 1
    return left, right


# Each operator's name, what it replaces and by what.
REPLACED = [
    ("boundary", r"(?<= )[<>]=?(?= )", lambda o: {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}[o]),
    ("equality", r"(?<= )[=!]=(?= )", lambda o: {"==": "!=", "!=": "=="}[o]),
    ("logic", r"(?<= )(&&|\|\|)(?= )", lambda o: {"&&": "||", "||": "&&"}[o]),
    ("sum", r"(?<= )&?[+-](?= (?!1\b))", lambda o: {"+": "-", "-": "+", "&+": "&-", "&-": "&+"}[o]),
    ("off by one", r" &?[+-] 1\b(?![.\d])", lambda o: ""),
    ("boolean", r"\b(true|false)\b(?!:)", lambda o: {"true": "false", "false": "true"}[o]),
    ("negation", r"(?<![\w)\]!?\x01])!(?=[\w(])", lambda o: ""),
    ("extremum", r"\b(min|max)(?=\()", lambda o: {"min": "max", "max": "min"}[o]),
    ("end", r"(?<=\.)(first|last)\b(?![(:])", lambda o: {"first": "last", "last": "first"}[o]),
    ("bound", r"(?<=\.)(lowerBound|upperBound)\b", lambda o: {"lowerBound": "upperBound", "upperBound": "lowerBound"}[o]),
]
OPERATORS = [name for name, _, _ in REPLACED] + ["condition", "statement", "nothing"]
LEFT_OUT = re.compile(r"\b(precondition|preconditionFailure|assert|assertionFailure|fatalError|#available)\b|^\s*(@|#|import\b)")
KEYWORDS = re.compile(
    r"(let|var|func|if|guard|else|for|while|repeat|do|return|throw|switch|case|default|defer|import|static|private|public"
    r"|package|internal|fileprivate|mutating|init|struct|enum|class|extension|break|fallthrough|catch|where|in|yield|discard"
    r"|typealias|actor|protocol|override|lazy|weak|unowned|final|nonisolated|consuming|borrowing|inout)\b")
OPERATOR_FIRST = re.compile(r"\s*([.?:&|+*/%<>=^,)\]]|-|!=|(as|is|else|in)\b)")


class Source:
    """A file's lines, as they are and masked, with what bracket each begins in and whether each is in an `#if`."""

    def __init__(self, path):
        self.text = path.read_text()
        self.lines, self.code = self.text.split("\n"), [line.rstrip() for line in masked(self.text).split("\n")]
        self.brackets, self.conditional, stack, depth = [], [], [], 0
        for code in self.code:
            depth += bool(re.match(r"\s*#if\b", code))
            self.brackets.append(stack[-1] if stack else "{")
            self.conditional.append(depth > 0)
            depth -= bool(re.match(r"\s*#endif\b", code))
            for character in code:
                if character in "([{":
                    stack.append(character)
                elif character in ")]}" and stack:
                    stack.pop()

    def neighbour(self, number, step):
        number += step
        while 0 <= number < len(self.code) and not self.code[number].strip():
            number += step
        return self.code[number] if 0 <= number < len(self.code) else ""

    def continues(self, number):
        """Whether the line goes on with the one before, or the next one with it: whether its ends are no ends."""
        before, after = self.neighbour(number, -1), self.neighbour(number, 1)
        open_before = re.search(r"([-+*/%&|=<>?:.]|\b(return|try|await|throw|in))$", before) and not before.endswith((">", "?"))
        return (bool(OPERATOR_FIRST.match(self.code[number])) or bool(open_before),
                bool(re.match(r"\s*([.?:&|+*/%<>=^]|-|!=|(as|is)\b)", after)))


def places(source):
    """Each place of a file's lines that can be changed: the line's number, the operator, and the line with a switch."""
    for number, code in enumerate(source.code):
        line = source.lines[number]
        if not code.strip() or source.conditional[number] or LEFT_OUT.search(code):
            continue
        starts, ends = source.continues(number)
        indent = len(code) - len(code.lstrip())

        def switched(left, right, changed):
            original = line[left:right]
            outside = (starts and left == indent) or (ends and right == len(code))
            if outside or not original or re.match(r"(let|var|case|#)\b", original) or re.search(r"[-+*/%&|=<>]$", original):
                return None
            prefix = re.match(r"(try[?!]? )?(await )?", original).group()
            if not changed.startswith(prefix):
                return None
            return (line[:left] + f"{prefix}({PLACEHOLDER} ? {changed[len(prefix):]} : {original[len(prefix):]})"
                    + line[right:])

        for name, pattern, replacement in REPLACED:
            for match in re.finditer(pattern, code):
                left, right = unit(code, match.start(), match.end())
                changed = line[left:match.start()] + replacement(match.group()) + line[match.end():right]
                if schema := switched(left, right, changed):
                    yield number, name, schema
        for match in re.finditer(r"\b(if|guard|while) (?!(let|var|case)\b)", code):
            left, right = unit(code, match.end(), match.end())
            if schema := switched(left, right, f"!({line[left:right]})"):
                yield number, "condition", schema
        statement = code.strip()
        whole = source.brackets[number] == "{" and not starts and not ends
        balanced = all(statement.count(a) == statement.count(b) for a, b in ("()", "[]", "{}"))
        if whole and balanced and statement == "continue" or (
            whole and balanced and not KEYWORDS.match(statement)
            and re.match(r"(try )?(await )?[\w.\[\]?!()]+( [-+&|*/]?&?=  ?\S.*|\(.*\))$", statement.replace("= ", "=  ", 1))
        ):
            yield number, "statement", line[:indent] + f"if !{PLACEHOLDER} {{ {line[indent:len(code)]} }}"
        if whole and re.match(r"return (?!nil\b)\S", statement):
            head = next((c for c in reversed(source.code[:number]) if re.search(r"\b(func|var|subscript|init)\b.*\{$", c)), "")
            if re.search(r"(->|:) [\w.\[\]<>: ()]*\? ?\{$", head):
                yield number, "nothing", line[:indent] + f"if {PLACEHOLDER} {{ return nil }}; " + line[indent:]


def code_lines(folder):
    return sum(bool(re.match(r"\s*(?!//)\S", line)) for path in folder.rglob("*.swift") for line in path.read_text().split("\n"))


def quotas(package, count):
    """How many mutants each module has: by its lines of code, and two at least."""
    sizes = {module: code_lines(package / "Sources" / module) for module in MODULES}
    exact = {module: count * size / sum(sizes.values()) for module, size in sizes.items()}
    shares = {module: max(2, int(share)) for module, share in exact.items()}
    for module in sorted(MODULES, key=lambda module: int(exact[module]) - exact[module])[:count - sum(shares.values())]:
        shares[module] += 1
    while sum(shares.values()) > count:
        shares[max(MODULES, key=lambda module: shares[module] - exact[module] if shares[module] > 2 else -1)] -= 1
    return shares


def sequence(package, module, seed):
    """All mutants of a module in the order of the seed: each operator as often, each line once in its file."""
    found = {operator: [] for operator in OPERATORS}
    for path in sorted((package / "Sources" / module).rglob("*.swift")):
        source = Source(path)
        if "\n// Generated by" in source.text[:400]:
            continue
        stripped = [line.strip() for line in source.lines]
        for number, operator, schema in places(source):
            if stripped.count(stripped[number]) == 1:
                found[operator].append({
                    "file": str(path.relative_to(package)), "operator": operator, "line": stripped[number],
                    "schema": schema.strip()})
    numbers = random.Random(f"{seed} {module}")
    for mutants in found.values():
        numbers.shuffle(mutants)
    while any(found.values()):
        yield found[numbers.choice([operator for operator in OPERATORS if found[operator]])].pop()


def place(package, mutants):
    """Each mutant's file and line number: in its file, or else in the one file of the module that has the line once."""
    found = {}
    for mutant in mutants:
        paths = [package / mutant["file"]]
        paths += sorted((package / "/".join(mutant["file"].split("/")[:2])).rglob("*.swift"))
        for path in paths:
            lines = [line.strip() for line in path.read_text().split("\n")] if path.exists() else []
            if lines.count(mutant["line"]) == 1:
                found[mutant["id"]] = (str(path.relative_to(package)), lines.index(mutant["line"]))
                break
    return found


class Copy:
    """A copy of the package with the mutants in it, each behind its switch, and what was built of it."""

    def __init__(self, package, folder):
        self.package, self.folder = package, folder

    def write(self, mutants):
        """Copies what changed, with the mutants; returns a digest of all that is in the copy."""
        self.places = place(self.package, mutants)
        listed = subprocess.run(
            ["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=self.package, check=True, capture_output=True, text=True)
        names = [name for name in listed.stdout.split("\0") if name and not name.startswith(".ci/") and (self.package / name).is_file()]
        names += ["Package.resolved"] if (self.package / "Package.resolved").exists() else []
        files = {name: (self.package / name).read_bytes() for name in names}
        for mutant in mutants:
            if mutant["id"] in self.places:
                name, number = self.places[mutant["id"]]
                lines = files[name].decode().split("\n")
                indent = lines[number][:len(lines[number]) - len(lines[number].lstrip())]
                lines[number] = indent + mutant["schema"].replace(PLACEHOLDER, f"isActiveMutant({mutant['id']})")
                files[name] = "\n".join(lines).encode()
        for module in MODULES:
            files[f"Sources/{module}/ActiveMutant.swift"] = SWITCH.replace("mmap(nil, MARKS", f"mmap(nil, {MARKS}").encode()
        manifest = files["Package.swift"].decode().replace(".treatAllWarnings(as: .error)", '.unsafeFlags(["-suppress-warnings"])')
        # The tests' own code is run once, so that it is not worth being optimised.
        manifest += """
for target in package.targets where target.type == .test {
    target.swiftSettings?.append(.unsafeFlags(["-Onone"], .when(configuration: .release)))
}
"""
        files["Package.swift"] = manifest.encode()
        for path in [path for path in self.folder.rglob("*") if path.is_file() and ".build" not in path.relative_to(self.folder).parts]:
            if str(path.relative_to(self.folder)) not in files:
                path.unlink()
        digest = hashlib.sha256()
        for name, content in sorted(files.items()):
            path = self.folder / name
            digest.update(f"{name} {len(content)}\n".encode() + content)
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists() or path.read_bytes() != content:
                path.write_bytes(content)
                path.chmod((self.package / name).stat().st_mode if (self.package / name).exists() else 0o644)
        return digest.hexdigest()

    def build(self, mutants, arguments):
        """Builds the copy; returns its digest and the mutants that do not compile, without which it was built."""
        broken = []
        while True:
            compiling = [mutant for mutant in mutants if mutant not in broken]
            digest = self.write(compiling)
            built = subprocess.run(["swift", "build", *arguments], cwd=self.folder, capture_output=True, text=True)
            if built.returncode == 0:
                return digest, broken
            errors = set(re.findall(r"^(/\S+?\.swift):\d+:\d+: error:", built.stdout + built.stderr, re.M))
            files = {str(pathlib.Path(path).resolve().relative_to(self.folder.resolve())) for path in errors}
            new = [mutant for mutant in compiling if self.places.get(mutant["id"], ("", 0))[0] in files]
            if not new:
                raise SystemExit(built.stdout[-4000:] + built.stderr[-4000:])
            broken += new
