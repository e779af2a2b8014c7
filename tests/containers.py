"""Requirements that every service of a compose file meets."""

from typing import Any


def may_do_as_little_as_possible(service: dict[str, Any]) -> None:
    """Fail unless it has no rights to spare."""
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert not service.keys() & {"privileged", "cap_add", "network_mode", "pid"}


def has_limits(service: dict[str, Any]) -> None:
    """Fail unless its processors and memory are limited."""
    assert service["deploy"]["resources"]["limits"].keys() == {"cpus", "memory"}
