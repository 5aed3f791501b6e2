"""`python -m twindiff.browser`: a worker. Its first line of input is a BrowserJob, every further one a WorkerMessage.

It writes RunEvents, one a line. The end of its input means that the server is gone, which ends the run.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import traceback
from pathlib import Path

import msgspec

from twindiff.browser.job import ALLOWANCE_SECONDS, BrowserJob, RunEvent, WorkerMessage
from twindiff.browser.limits import bound_files, end
from twindiff.browser.worker import BrowserRun

MAX_LINE_BYTES = 16 << 20


async def main() -> None:
    """Run the job on the first line of standard input, handling further messages meanwhile."""
    loop = asyncio.get_running_loop()
    words = asyncio.StreamReader(limit=MAX_LINE_BYTES)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(words), sys.stdin)
    job = msgspec.json.decode(await words.readline(), type=BrowserJob)
    bound_files(job.limits.file_mb)
    answers: asyncio.Queue[str] = asyncio.Queue()
    run = BrowserRun(job, _emit, answers)
    listening = asyncio.create_task(_listen(words, run, answers))
    try:
        await run()
    except Exception as error:  # noqa: BLE001 - an internal error, or a browser that does not start
        traceback.print_exc()
        said = str(error).splitlines()[0][:1000] if str(error) else type(error).__name__
        _emit(RunEvent("end", said, {"status": "failed", "failure_category": "browser", "failure_detail": said}))
    finally:
        listening.cancel()
        if words.at_eof():  # the server is gone and cannot do it
            shutil.rmtree(Path.cwd(), ignore_errors=True)


async def _listen(words: asyncio.StreamReader, run: BrowserRun, answers: asyncio.Queue[str]) -> None:
    while line := await words.readline():
        word = msgspec.json.decode(line, type=WorkerMessage)
        if word.cancel:
            run.stop("the run was cancelled", "cancelled")
        else:
            answers.put_nowait(word.message)
    run.stop("the server went away", "server")
    await asyncio.sleep(ALLOWANCE_SECONDS)
    end(run.job.run_id)


def _emit(event: RunEvent) -> None:
    os.write(sys.stdout.fileno(), msgspec.json.encode(event) + b"\n")


if __name__ == "__main__":
    asyncio.run(main())
