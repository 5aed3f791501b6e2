"""The use cases: actions on environments, points, clocks, runs, calls and webhooks, independent of any API.
They are functions over the service that take plain values, return records and values, and raise ApiError. Our own APIs,
the pages and the test runs translate their requests to these functions instead of calling each other's handlers.
"""
