import CFuzzer
import Glibc

// hp-fuzz: runs one target of libFuzzer, which the environment names, with libFuzzer's own arguments (it starts
// itself again with the same ones):
//
//     HP_FUZZ_TARGET=json hp-fuzz -max_total_time=60 CORPUS
//
// Built by `make fuzz` alone; a target traps where one of its properties is broken.

guard let name = unsafe getenv("HP_FUZZ_TARGET"), let target = unsafe Target(rawValue: String(cString: name)) else {
    fatalError("HP_FUZZ_TARGET is one of \(Target.allCases.map(\.rawValue).joined(separator: ", "))")
}

var count = CommandLine.argc
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = unsafe CommandLine.unsafeArgv
_ = unsafe LLVMFuzzerRunDriver(&count, &arguments, target.function)
