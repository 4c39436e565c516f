/// The element that a sorted array has at an index, without sorting all of it.
///
/// - Parameter values: no NaN among them; their order is changed.
/// - Complexity: O(n) on average.
/// - Source: Quickselect (C. A. R. Hoare, Communications of the ACM 4, 1961, algorithm 65).
package func element(_ index: Int, ofSorted values: inout [Double]) -> Double {
  values.withUnsafeMutableBufferPointer { values in
    var (low, high) = (0, values.count - 1)
    while low < high {
      let pivot = values[(low + high) / 2]
      var (i, j) = (low, high)
      while i <= j {
        while values[i] < pivot { i += 1 }
        while pivot < values[j] { j -= 1 }
        if i <= j {
          values.swapAt(i, j)
          i += 1
          j -= 1
        }
      }
      if index <= j {
        high = j
      } else if index >= i {
        low = i
      } else {
        break
      }
    }
    return values[index]
  }
}
