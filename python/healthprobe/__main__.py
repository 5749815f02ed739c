"""python -m healthprobe FILE: what healthprobe-verify does; python -m healthprobe to-parquet FILE: a Parquet file."""

import sys

from . import parquet
from .command import main

sys.exit(parquet.main(sys.argv[2:]) if sys.argv[1:2] == ["to-parquet"] else main())
