import ArgumentParser
import CacheBuilder
import Foundation
import PlaceStore
import Places

/// `nearme cache index`.
struct CacheIndexCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "index",
    abstract: "List the cells of a folder of caches, and check them; exits with 1 if one is wrong.",
    discussion: """
      A folder of cells is made by `nearme cache build --tiles`. Each line is a cell with its places, \
      bytes and CRC-32, with tabs between; each cache is read and compared with it.

        nearme cache index planet
        nearme cache index planet --format json
      """
  )

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text, json
  }

  @Argument(help: "The folder.")
  var folder: String

  @Option(help: "How to print it; json is the index itself.")
  var format = Format.text

  func run() throws {
    try reportingFailures {
      try mappingCacheFailures {
        try refuseEmptyNames([folder])
        let index = try CellIndex.read(folder: folder)
        var problems: [String] = []
        for cell in index.cells {
          let path = folder + "/" + cell.file
          do throws(ImportError) {
            let found = try cacheChecksum(path: path)
            if found != cell.crc32 {
              problems.append("\(path): its CRC-32 is \(found), and \(cell.crc32) in the index")
            }
          } catch {
            problems.append(error.description)
          }
        }
        switch format {
        case .json: print(try index.text, terminator: "")
        case .text:
          print(
            "\(folder): \(counted(index.places, "place")) in \(counted(index.cells.count, "cell")) of "
              + "\(index.degrees)°, each with a margin of \(index.marginMeters / 1_000) km"
          )
          for cell in index.cells {
            print("\(cell.cell)\t\(cell.places)\t\(cell.bytes)\t\(cell.crc32)")
          }
        }
        for problem in problems { printError("nearme: \(problem)") }
        guard problems.isEmpty else {
          throw CommandFailure(
            .checkFailed,
            "\(problems.count) of \(index.cells.count) cells are not sound; copy the folder again, or build it "
              + "again with `nearme cache build --tiles`"
          )
        }
      }
    }
  }
}
