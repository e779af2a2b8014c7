"""``python -m clients.generate``: write all that is generated of the clients."""

from clients.generate import CLIENTS, generated

for path, text in generated().items():
    path.write_text(text)
    print(path.relative_to(CLIENTS.parent))
