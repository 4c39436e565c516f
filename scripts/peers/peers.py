"""Other tools on the same files: peers.py JOB ARGUMENTS...

gpxpy FILE                     reads a GPX file
strtree|balltree POIS FIXES N  fence work with shapely or scikit-learn
redis SOCKET POIS FIXES N      fence work with GEOSEARCH, pipelined
postgis FOLDER POIS FIXES N    fence work with ST_DWithin, one join for all fixes

The fence work: for each of N fixes, in twenty stretches, and each of five categories, whether a
point of the category lies within a mile. Prints seconds (loading and building apart), fixes, and
how many were within.
"""

import csv
import sys
import time

MILE = 1609.344
METERS_PER_DEGREE = 111194.9  # of a sphere of 6371.0 km, as far as nothing better is at hand


def gpxpy_points(path):
    import gpxpy

    with open(path, encoding="utf-8") as file:
        gpx = gpxpy.parse(file)
    points = [p for t in gpx.tracks for s in t.segments for p in s.points]
    print(
        f"{len(points)} points, latitudes {sum(p.latitude for p in points):.6f}, "
        f"longitudes {sum(p.longitude for p in points):.6f}, "
        f"seconds {sum(int(p.time.timestamp()) for p in points)}"
    )


def load(pois, fixes, count):
    import numpy as np

    with open(pois) as file:
        rows = [(int(r[1]), float(r[2]), float(r[3])) for r in csv.reader(file)]
    table = np.array(rows)
    points = np.fromfile(fixes, dtype="<f8").reshape(-1, 4)
    stretch = min(count, len(points)) // 20
    starts = np.arange(20) * (len(points) // 20)
    rows = (starts[:, None] + np.arange(stretch)[None, :]).ravel()
    return table, points[rows][:, 1:3]


def report(seconds, count, within):
    print(f"{seconds:.6f}\t{count}\t{within}")


def haversine(a, b):
    import numpy as np

    a, b = np.radians(a), np.radians(b)
    h = (
        np.sin((b[:, 0] - a[:, 0]) / 2) ** 2
        + np.cos(a[:, 0]) * np.cos(b[:, 0]) * np.sin((b[:, 1] - a[:, 1]) / 2) ** 2
    )
    return 2 * 6371008.8 * np.arcsin(np.sqrt(h))


def strtree(pois, fixes, count):
    import numpy as np
    import shapely

    table, here = load(pois, fixes, count)
    groups = [table[table[:, 0] == c][:, 1:3] for c in range(5)]
    trees = [shapely.STRtree(shapely.points(g[:, 1], g[:, 0])) for g in groups]
    started = time.perf_counter()
    north = MILE / METERS_PER_DEGREE * 1.01
    east = north / np.cos(np.radians(here[:, 0]))
    boxes = shapely.box(
        here[:, 1] - east, here[:, 0] - north, here[:, 1] + east, here[:, 0] + north
    )
    within = 0
    for tree, group in zip(trees, groups):
        fix, poi = tree.query(boxes)
        near = haversine(here[fix], group[poi]) <= MILE
        within += len(np.unique(fix[near]))
    report(time.perf_counter() - started, len(here), within)


def balltree(pois, fixes, count):
    import numpy as np
    from sklearn.neighbors import BallTree

    table, here = load(pois, fixes, count)
    groups = [table[table[:, 0] == c][:, 1:3] for c in range(5)]
    trees = [BallTree(np.radians(group), metric="haversine") for group in groups]
    started = time.perf_counter()
    radians = np.radians(here)
    within = 0
    for tree in trees:
        distance, _ = tree.query(radians, k=1)
        within += int((distance[:, 0] * 6371008.8 <= MILE).sum())
    report(time.perf_counter() - started, len(here), within)


def redis_geosearch(socket, pois, fixes, count):
    import redis

    table, here = load(pois, fixes, count)
    server = redis.Redis(unix_socket_path=socket)
    for c in range(5):
        group = table[table[:, 0] == c]
        values = [x for i, row in enumerate(group) for x in (float(row[2]), float(row[1]), str(i))]
        for start in range(0, len(values), 3000):
            server.geoadd(f"c{c}", values[start : start + 3000])
    started = time.perf_counter()
    within = 0
    for start in range(0, len(here), 500):
        pipe = server.pipeline(transaction=False)
        for latitude, longitude in here[start : start + 500]:
            for c in range(5):
                pipe.geosearch(
                    f"c{c}", longitude=float(longitude), latitude=float(latitude),
                    radius=MILE, unit="m", count=1, any=True,
                )
        within += sum(1 for found in pipe.execute() if found)
    report(time.perf_counter() - started, len(here), within)


def postgis(folder, pois, fixes, count):
    import psycopg2
    from psycopg2.extras import execute_values

    table, here = load(pois, fixes, count)
    connection = psycopg2.connect(host=folder, user="bench", dbname="bench")
    cursor = connection.cursor()
    cursor.execute("CREATE EXTENSION IF NOT EXISTS postgis")
    cursor.execute("DROP TABLE IF EXISTS poi, fix")
    cursor.execute("CREATE TABLE poi (category int, at geography(Point))")
    cursor.execute("CREATE TABLE fix (at geography(Point))")
    point = "ST_SetSRID(ST_MakePoint(%s, %s), 4326)::geography"
    execute_values(
        cursor, "INSERT INTO poi VALUES %s",
        [(int(c), float(lon), float(lat)) for c, lat, lon in table], f"(%s, {point})", 1000,
    )
    execute_values(
        cursor, "INSERT INTO fix VALUES %s",
        [(float(lon), float(lat)) for lat, lon in here], f"({point})", 1000,
    )
    cursor.execute("CREATE INDEX ON poi USING gist (at)")
    cursor.execute("ANALYZE poi")
    connection.commit()
    started = time.perf_counter()
    cursor.execute(
        "SELECT coalesce(sum(c), 0) FROM (SELECT (SELECT count(DISTINCT category) FROM poi "
        "WHERE ST_DWithin(poi.at, fix.at, %s)) AS c FROM fix) AS each",
        (MILE,),
    )
    within = int(cursor.fetchone()[0])
    report(time.perf_counter() - started, len(here), within)


job, *arguments = sys.argv[1:]
if job == "gpxpy":
    gpxpy_points(*arguments)
else:
    *before, count = arguments
    jobs = {"strtree": strtree, "balltree": balltree, "redis": redis_geosearch, "postgis": postgis}
    jobs[job](*before, int(count))
