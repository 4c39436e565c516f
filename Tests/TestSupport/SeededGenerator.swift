import Basics
@_exported import Basics

/// The generator of tests: its sequence never changes, so that a printed seed repeats a failure.
package typealias SeededGenerator = SplitMix64
