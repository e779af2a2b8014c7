"""minecheck for people and programs: HTTP service and command line."""

__version__ = "0.6.0"
