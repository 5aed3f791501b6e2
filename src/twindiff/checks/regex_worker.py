"""The process that searches costly patterns: a line `[pattern, text, seconds]` in, a line `[found, seconds used]` out.

The timer counts this process's own CPU time, and its signal keeps the default action, which ends the process at once.
"""

import json
import re
import signal
import sys
import time
import warnings


def matches(pattern: str, text: str) -> bool:
    """Search as `re` does; a pattern that cannot be compiled matches nothing."""
    try:
        return re.search(pattern, text) is not None
    except (re.error, ValueError, OverflowError, RecursionError):
        return False


def main() -> None:
    """Respond to requests until standard input ends."""
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent process
    for line in iter(sys.stdin.buffer.readline, b""):
        pattern, text, seconds = json.loads(line)
        started = time.process_time()
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
        answer = matches(pattern, text)
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        sys.stdout.buffer.write(json.dumps([answer, time.process_time() - started]).encode() + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
