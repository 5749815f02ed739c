import CFuzzer

// hp-fuzz: runs one target of libFuzzer. The first argument names it, the others are libFuzzer's own:
//
//     hp-fuzz json -max_total_time=60 CORPUS
//
// Built by `make fuzz` alone; a target traps where one of its properties does not hold.

guard CommandLine.argc > 1, let target = Target(rawValue: CommandLine.arguments[1]) else {
    fatalError("usage: hp-fuzz \(Target.allCases.map(\.rawValue).joined(separator: "|")) [LIBFUZZER OPTIONS]")
}

// libFuzzer keeps the array for as long as the program runs, and runs itself by its first entry.
var arguments = unsafe [CommandLine.unsafeArgv[0]] + (2..<Int(CommandLine.argc)).map { unsafe CommandLine.unsafeArgv[$0] } + [nil]
unsafe arguments.withUnsafeMutableBufferPointer { buffer in
    var count = CInt(buffer.count - 1)
    var start: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = buffer.baseAddress
    _ = unsafe LLVMFuzzerRunDriver(&count, &start, target.function)
}
