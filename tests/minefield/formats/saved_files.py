"""A link of Penpa-edit and a file of Minegauler, as the programs write them."""

HOST = "https://swaroopg92.github.io/penpa-edit/#m="
#: What the program itself wrote for a puzzle with two mines that the player has marked.
PENPA_LINK = f"{HOST}edit&p=" + (
    "7ZZNb+I8EMfvfIrK11pqnACFSD3wWqkqPGWhy7YIIQOmpE1impdSBfHdO+OEkgSodvXsoYdVlNHwm9ieGTv/4L+G3B"
    "PUoEVqVKhGGV4lnbIq+EZZ3VpyDazAFuZZx3KFvxZiJTxaC4Ol9MwzSul/7TZdcNsX9Obhud58qa1btV8XpUfDuO8u"
    "zp+bvfvn+fAn62nWhad17YrbuWvW7fPr6LGzrL2Jlijf+XK2tAWf8+hxePNuu+3K03LBGjfLRmXBXc1/rQyqb/Xe1V"
    "VhlOQ0LmyiqhnVaHRtjggjlOhwMzKmUc/cRB0z6tOoDyFC2ZgSJ7QDayZt6ZEdi27jgTq4rb07VHH0GjFkGvjdxAf3"
    "AdyZ5c1sMbmNyZ05igaU4Np1NRpd4sg3gYthbvh7Jp2phWDKA2inv7RWhBoQ8MO5fAmTR9l4S6OaqiAZ8ZtlwEy7Mt"
    "CNy0DvSBlY3f8uw8HTkMBMCdXxdgu78wOKmJgjrKeyd+/3bt/cgO2aG8LKOBQ2kMVbSFhl144E6MXcE3op94Sh5QHL"
    "Ax2BlgKXeaCWTYNqBkC6TCX9oOytsi1lh8q2ldWVbShbVHYAFdPoUllD2aaymrIlZcvYlWzfUs1KtfCzb+l0CMNiir"
    "gV7sSR0lW7THTjkH7mcyqTw7rStWCecS3bwoiBUMBVyttxYUT6obfgMwFHpCGdlfStQBB4bYkv7Ykfxybinc8CYsby"
    "kY5kmBs6UwFHPoVsKVc2nMAjM+xCGWg9udITR0MIxfzp1FQYOjLVVHrzXE5rbtvZWpTGZlD8ymVQ4MH7lPrNPU+uM8"
    "ThwTIDUhKSmUm4uWYGPJsif+G51fA1JmbghWJbIO9E3SOD6rT4T2K/t8TiTml/JLTfWL/+oijFCiO9L0RmH8zjI1ID"
    "9Au1SUWP8RPCkorm+YGKYLKHQgL0iJYAzcsJoENFAXggKsBO6ArOmpcWzCqvLrjUgcDgUvvmwDcjPtbx/0j4ICj8AQ"
    "=="
)
#: A file as the program writes it.
MGB_FILE = (
    '{"type": "regular", "x_size": 3, "y_size": 2, "mine_coords": [[1, 0], [2, 1]], '
    '"per_cell": 1, "reach": 8}'
)
