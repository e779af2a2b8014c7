"""Tools for language models, over the Model Context Protocol; needs the extra `mcp`."""
