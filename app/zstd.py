"""Zstandard: the module of Python 3.14, or the same for older versions.

Tested in tests/app/requests/test_decompressing.py.
"""

import sys
from typing import Final

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

__all__ = ["WINDOW_OPTIONS", "zstd"]

#: Options of a decompressor that reads what strangers send: with a window of up to 8 MiB, which is
#: what RFC 9659 has for Content-Encoding. By default it would take 128 MiB.
WINDOW_OPTIONS: Final[dict[int, int]] = {zstd.DecompressionParameter.window_log_max: 23}
