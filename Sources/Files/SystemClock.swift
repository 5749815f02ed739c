internal import Platform

/// The clock on the wall.
public enum SystemClock {
    /// Returns Unix seconds now, in whole microseconds: what is stored is what is hashed (`Spec/timestamps.md`).
    public static func now() -> Double {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
        return (Double(time.tv_sec) * 1e6 + Double(time.tv_nsec / 1000)) / 1e6
    }

    /// Waits for less than a second. A signal ends the wait early.
    public static func wait(seconds: Double) {
        usleep(UInt32(seconds * 1_000_000))
    }
}
