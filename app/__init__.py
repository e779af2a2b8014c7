"""minecheck for people and programs: HTTP service and command line."""
