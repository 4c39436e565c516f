"""nearme on Apache Spark: paths are handed out, and what comes back is what one machine prints."""

__version__ = "0.1.0"
