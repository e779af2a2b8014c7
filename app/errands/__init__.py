"""What else can be asked: one errand each, which one function does, in a worker."""
