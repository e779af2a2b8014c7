"""The number of examples of a property: few in the quick run, all of them in the full one."""

from hypothesis import settings


def examples(full: int) -> settings:
    """Use a number of examples in the profile ``full``, and at most the usual number in others."""
    if settings.get_current_profile_name() == "full":
        return settings(max_examples=full)
    return settings(max_examples=min(full, settings().max_examples))
