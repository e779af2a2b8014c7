"""How many examples a property is tried on: few in the quick run, all of them in the full one."""

from hypothesis import settings


def examples(full: int) -> settings:
    """So many examples in the profile ``full``, and in others at most as many as usual there."""
    if settings.get_current_profile_name() == "full":
        return settings(max_examples=full)
    return settings(max_examples=min(full, settings().max_examples))
