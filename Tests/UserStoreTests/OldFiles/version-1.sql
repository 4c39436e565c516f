-- Version 1 of a user's file, as the library NearMePlaceStore made it: places in plain text. Dumped
-- from a file made with SpatiaLite 5.0.1, without SpatiaLite's own tables, which nobody reads here.
BEGIN TRANSACTION;
PRAGMA application_id = 1313699172;
PRAGMA user_version = 1;
CREATE TABLE place (
  rowid INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE CHECK (id <> ''),
  name TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('home', 'work', 'other')),
  arrival_radius_m REAL CHECK (arrival_radius_m > 0),
  "geom" POINT
);
INSERT INTO place VALUES (1, 'home', 'Gartenhaus', 'home', 150.0,
  X'0001E6100000D7A3703D0A2753C085EB51B81EA54340D7A3703D0A2753C085EB51B81EA543407C01000000D7A3703D0A2753C085EB51B81EA54340FE');
INSERT INTO place VALUES (2, 'work', 'Wörk', 'work', NULL,
  X'0001E610000066666666662653C06666666666A6434066666666662653C06666666666A643407C0100000066666666662653C06666666666A64340FE');
COMMIT;
