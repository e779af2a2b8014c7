"""The syntax of the address of a Redis."""

import re
from typing import Final
from urllib.parse import parse_qsl, urlsplit

_SCHEMES: Final = ("redis", "rediss", "unix")
#: Options of connections that can be written in a URL, as the package redis names them.
_OPTIONS: Final = frozenset(
    {
        *("client_name", "db", "encoding", "encoding_errors", "health_check_interval"),
        *("lib_name", "lib_version", "max_connections", "password", "protocol"),
        *("retry_on_timeout", "socket_connect_timeout", "socket_keepalive", "socket_read_size"),
        *("socket_timeout", "ssl_ca_certs", "ssl_ca_data", "ssl_ca_path", "ssl_cert_reqs"),
        *("ssl_certfile", "ssl_check_hostname", "ssl_ciphers", "ssl_exclude_verify_flags"),
        *("ssl_include_verify_flags", "ssl_keyfile", "ssl_min_version", "ssl_password"),
        "username",
    }
)
_HINT: Final = (
    "such as redis://redis:6379/0, rediss://:password@host:6380/1 or unix:///run/redis.sock?db=0; "
    "in a password write %2F for /, %3A for :, %40 for @, %23 for # and %3F for ?"
)


def require_redis_url(url: str) -> str:
    """Return the URL if it is that of a Redis.

    Raises:
        ValueError: it is not. The message shows nothing of it, since any part may be a password.
    """
    fault = _find_fault(url)
    if fault is not None:
        raise ValueError(f"should be the URL of a Redis, but {fault}; {_HINT}")
    return url


def _find_fault(url: str) -> str | None:
    """Return what is wrong with a URL; None if nothing is."""
    if not url.isascii() or not url.isprintable() or " " in url:
        return "has characters that a URL may not have"
    try:
        parts = urlsplit(url)
    except ValueError:
        return "its host is malformed"
    if parts.scheme not in _SCHEMES:
        return "does not begin with redis://, rediss:// or unix://"
    if parts.fragment or url.endswith("#"):
        return "has a #"
    if re.search(r"%(?![0-9A-Fa-f]{2})", url):
        return "has a % that no two hexadecimal digits follow"
    return (
        _find_fault_of_address(url) if parts.scheme != "unix" else _find_fault_of_socket(url)
    ) or (_find_fault_of_options(parts.query))


def _find_fault_of_address(url: str) -> str | None:
    """Return what is wrong with host, port and database."""
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        return "its port is not a number up to 65535"
    if port == 0 or parts.netloc.endswith(":"):
        return "its port is not a number from 1"
    if not parts.hostname:
        return "names no host"
    if not re.fullmatch(r"/?|/[0-9]{1,9}", parts.path):
        return "its database is not a number"
    return None


def _find_fault_of_socket(url: str) -> str | None:
    """Return what is wrong with the path of a socket."""
    parts = urlsplit(url)
    if parts.netloc.rpartition("@")[2]:
        return "has a host before the path of the socket, which begins with a third /"
    if not parts.path.startswith("/") or parts.path.endswith("/"):
        return "names no file of a socket"
    return None


def _find_fault_of_options(query: str) -> str | None:
    """Return what is wrong with the options."""
    try:
        options = parse_qsl(query, keep_blank_values=True, strict_parsing=True) if query else []
    except ValueError:
        return "an option has no value"
    names = [name for name, _ in options]
    if not _OPTIONS.issuperset(names):
        return f"an option is unknown (there are {', '.join(sorted(_OPTIONS))})"
    if len(set(names)) < len(names):
        return "an option comes twice"
    values = dict(options)
    if not re.fullmatch("[0-9]{1,9}", values.get("db", "0")):
        return "its database is not a number"
    if values.get("protocol", "2") not in ("2", "3"):
        return "its protocol is neither 2 nor 3"
    for name in ("socket_timeout", "socket_connect_timeout"):
        if not re.fullmatch(r"[0-9]*\.?[0-9]+", values.get(name, "1")):
            return f"{name} is not a number of seconds"
    return None
