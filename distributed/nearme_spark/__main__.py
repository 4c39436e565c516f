import sys

from nearme_spark.cli import main

sys.exit(main())
