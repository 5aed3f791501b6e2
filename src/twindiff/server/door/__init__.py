"""The TLS door: a forward proxy that answers for the vendors' own hosts, so that unmodified programs reach twins.

`door.py` decides which environment and twin a request goes to, `connection.py` speaks the proxy's protocol,
`http2.py` HTTP/2, and `authority.py` makes certificates. docs/design/doors.md explains the parts.
"""
