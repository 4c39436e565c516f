/// The categories that a build knows unless it is given others; `data/categories.json` is the same.
///
/// Compiled in, so that the program is one file. Values match exactly: `amenity=bank;atm` and
/// `amenity=atm` are no bank. Keys such as `disused:amenity` make no place, and take one away whose
/// own tag they repeat; `disused:name`, or what else a shop was before, does not close the shop.
///
/// - Source: wiki.openstreetmap.org/wiki/Lifecycle_prefix, and Key:disused for the older `disused=yes`.
let defaultCategoriesJSON = """
  {
    "categories": [
      {
        "name": "gas_station",
        "aliases": ["fuel", "gas", "gas_stations", "petrol_station", "petrol_stations"],
        "any": [{"amenity": "fuel"}],
        "except": [
          {"access": "private"},
          {"disused:*": "fuel"}, {"abandoned:*": "fuel"},
          {"disused": "yes"}, {"abandoned": "yes"}
        ]
      },
      {
        "name": "pharmacy",
        "aliases": ["pharmacies"],
        "any": [
          {"amenity": "pharmacy"},
          {"healthcare": "pharmacy"},
          {"shop": "chemist", "dispensing": "yes"}
        ],
        "except": [
          {"disused:*": "pharmacy"}, {"abandoned:*": "pharmacy"},
          {"disused": "yes"}, {"abandoned": "yes"}
        ]
      },
      {
        "name": "grocery",
        "aliases": ["groceries", "supermarket", "supermarkets", "convenience", "greengrocer"],
        "any": [{"shop": ["supermarket", "grocery", "convenience", "greengrocer"]}],
        "except": [
          {"shop": "supermarket", "disused:*": "supermarket"},
          {"shop": "grocery", "disused:*": "grocery"},
          {"shop": "convenience", "disused:*": "convenience"},
          {"shop": "greengrocer", "disused:*": "greengrocer"},
          {"shop": "supermarket", "abandoned:*": "supermarket"},
          {"shop": "grocery", "abandoned:*": "grocery"},
          {"shop": "convenience", "abandoned:*": "convenience"},
          {"shop": "greengrocer", "abandoned:*": "greengrocer"},
          {"disused": "yes"}, {"abandoned": "yes"}
        ]
      },
      {
        "name": "bank",
        "aliases": ["banks"],
        "any": [{"amenity": "bank"}],
        "except": [
          {"atm": "only"},
          {"disused:*": "bank"}, {"abandoned:*": "bank"},
          {"disused": "yes"}, {"abandoned": "yes"}
        ]
      },
      {
        "name": "post_office",
        "aliases": ["post_offices"],
        "any": [
          {"amenity": ["post_office", "post_partner"]},
          {"post_office": "post_partner"}
        ],
        "except": [
          {"amenity": "post_office", "disused:*": "post_office"},
          {"amenity": "post_office", "abandoned:*": "post_office"},
          {"disused": "yes"}, {"abandoned": "yes"}
        ]
      }
    ]
  }

  """
