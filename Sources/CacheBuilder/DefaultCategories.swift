/// The categories that a build knows unless it is given others; `data/categories.json` is the same.
///
/// Compiled in, so that the program is one file. Values match exactly: `amenity=bank;atm`,
/// `amenity=atm` and keys such as `disused:amenity` are no place.
let defaultCategoriesJSON = """
  {
    "categories": [
      {
        "name": "gas_station",
        "aliases": ["fuel", "gas", "gas_stations", "petrol_station", "petrol_stations"],
        "any": [{"amenity": "fuel"}],
        "except": [{"access": "private"}]
      },
      {
        "name": "pharmacy",
        "aliases": ["pharmacies"],
        "any": [
          {"amenity": "pharmacy"},
          {"healthcare": "pharmacy"},
          {"shop": "chemist", "dispensing": "yes"}
        ]
      },
      {
        "name": "grocery",
        "aliases": ["groceries", "supermarket", "supermarkets", "convenience", "greengrocer"],
        "any": [{"shop": ["supermarket", "grocery", "convenience", "greengrocer"]}]
      },
      {
        "name": "bank",
        "aliases": ["banks"],
        "any": [{"amenity": "bank"}]
      },
      {
        "name": "post_office",
        "aliases": ["post_offices"],
        "any": [
          {"amenity": ["post_office", "post_partner"]},
          {"post_office": "post_partner"}
        ]
      }
    ]
  }

  """
