"""python -m healthprobe FILE: what healthprobe-verify does."""

import sys

from .command import main

sys.exit(main())
