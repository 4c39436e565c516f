import Foundation
import OutputLines
import Timeline

/// Shows notifications to the person at the terminal, as `nearme replay` prints them.
package final class TerminalSink: Sink {
  package let name = "terminal"
  package let batchLimit = 1_000
  private let text: TerminalText
  private let output: BlockingOutput

  /// Makes a sink.
  ///
  /// - Parameter rings: whether the terminal's bell sounds with each new notification.
  /// - Parameter descriptor: where it writes; the caller keeps it open.
  package init(zone: UTCOffsetTable, rings: Bool = false, descriptor: Int32 = STDOUT_FILENO) {
    text = TerminalText(zone: zone, rings: rings)
    output = BlockingOutput(descriptor, "standard output")
  }

  package func deliver(_ deliveries: [Delivery]) async -> DeliveryOutcome {
    await output.write(deliveries.compactMap { text.text($0) }.joined())
  }
}

/// Deliveries as lines for a person.
package struct TerminalText: Sendable {
  private let format: TextFormat
  private let rings: Bool

  /// Makes it; times are told in a zone.
  package init(zone: UTCOffsetTable, rings: Bool = false) {
    format = TextFormat(zone: zone)
    self.rings = rings
  }

  /// What is shown, with its end; nil for what a terminal cannot take back, and for records.
  package func text(_ delivery: Delivery) -> String? {
    switch delivery.news {
    case .posted(let notification):
      format.text(.notification(notification, isUpdate: false))
        .map { Self.printable($0) + (rings ? "\u{7}" : "") + "\n" }
    case .replaced(let notification, isNews: true):
      format.text(.notification(notification, isUpdate: true))
        .map { Self.printable($0) + "\n" }
    default: nil
    }
  }

  /// Titles and names are text from elsewhere: what steers a terminal is not passed on.
  package static func printable(_ text: String) -> String {
    var kept = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      let isControl =
        scalar.value < 0x20 && scalar != "\n" || (0x7F..<0xA0).contains(scalar.value)
      kept.append(isControl ? "\u{FFFD}" : scalar)
    }
    return String(kept)
  }
}

/// Writes to a descriptor that may block, without holding up anything else.
///
/// Unchecked: the queue is the only one that writes.
final class BlockingOutput: @unchecked Sendable {
  private let descriptor: Int32
  private let label: String
  private let queue = DispatchQueue(label: "sink")

  init(_ descriptor: Int32, _ label: String) {
    self.descriptor = descriptor
    self.label = label
  }

  func write(_ text: String) async -> DeliveryOutcome {
    let bytes = Array(text.utf8)
    guard !bytes.isEmpty else { return .delivered }
    return await withCheckedContinuation { continuation in
      queue.async { [self] in
        let number = writeAll(bytes, to: descriptor)
        continuation.resume(
          returning: number == 0
            ? .delivered
            : .broken(
              .system(
                label,
                "cannot be written",
                number,
                advice: "nothing is lost: what was not shown is shown at the next start"
              )
            )
        )
      }
    }
  }
}

/// Writes all bytes.
///
/// - Returns: 0, or the system's error.
func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
  var done = 0
  while done < bytes.count {
    let count = bytes.withUnsafeBytes { buffer in
      write(descriptor, buffer.baseAddress.map { $0 + done }, buffer.count - done)
    }
    if count > 0 {
      done += count
    } else if count < 0, errno == EAGAIN || errno == EWOULDBLOCK {
      // A terminal that another process has set not to block.
      var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      _ = poll(&wait, 1, 1_000)
    } else if count < 0, errno != EINTR {
      return errno
    }
  }
  return 0
}
