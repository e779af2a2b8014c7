"""Games that the service keeps between requests."""
