"""Settings that every test shares."""

from hypothesis import HealthCheck, settings

# The first example compiles inner loops, so neither a deadline nor a slow start is a fault.
settings.register_profile(
    "minecheck", deadline=None, max_examples=200, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("minecheck")
