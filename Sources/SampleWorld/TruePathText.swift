import Geodesy
import Simulation

/// Where somebody really was, as a table: a row a second in motion and a row a minute at rest.
func truePathText(_ day: ErrandDay) -> String {
  var text = "t_unix,lat,lon,speed_mps,state\n"
  for moment in day.moments {
    let stay = day.stays.first { $0.arrival <= moment.second && moment.second < $0.departure }
    let state = stay?.kind ?? (moment.mode == .foot ? "foot" : "car")
    let coordinate = moment.spot.coordinate
    let rest = [
      decimalText(coordinate.latitude, 7), decimalText(coordinate.longitude, 7),
      decimalText(moment.metersPerSecond, 2), state,
    ]
    for second in stride(from: moment.second, to: moment.second + moment.seconds, by: 60) {
      text += "\(second).0," + rest.joined(separator: ",") + "\n"
    }
    // The last second of a rest, so that no line leads from its middle to the next place.
    if moment.seconds > 1 {
      text += "\(moment.second + moment.seconds - 1).5," + rest.joined(separator: ",") + "\n"
    }
  }
  return text
}
