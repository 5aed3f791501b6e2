"""What can be done with environments, their points, clocks, runs, calls and webhooks, whoever asks for it.

Functions over the service: plain values in, records and values out, an ApiError for what cannot be done. Our own APIs,
the pages and the test runs map their words to these, and none of them calls another's handlers.
"""
