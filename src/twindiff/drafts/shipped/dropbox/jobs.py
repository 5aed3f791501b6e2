"""Jobs: batches and sharing that Dropbox does later. Here each is done at once, and a check returns what came of it.

https://www.dropbox.com/developers/documentation/http/documentation#files-delete_batch-check
"""

from __future__ import annotations

from twindiff.kit.call import Call
from twindiff.kit.twin import Operations

from .entries import Shown
from .tables import DropboxJob
from .wire_style import DropboxError

files = Operations(prefix="/2/files")
sharing = Operations(prefix="/2/sharing")
JOB_LETTERS = 58


def start_job(call: Call, kind: str, result: Shown) -> Shown:
    """Store what came of a job, and return its id as Dropbox does when a job begins."""
    id = call.ids.new("dbjid:AA", JOB_LETTERS)
    call.db.add(DropboxJob(async_job_id=id, kind=kind, result=result))
    return {".tag": "async_job_id", "async_job_id": id}


def _check(call: Call, async_job_id: str, *kinds: str) -> Shown:
    job = call.db.find(DropboxJob, DropboxJob.async_job_id == async_job_id)
    if job is None or job.kind not in kinds:
        raise DropboxError("invalid_async_job_id")
    return job.result


@files.post("/delete_batch/check", reads=True)
def post_check_delete_batch(call: Call, async_job_id: str) -> Shown:
    """Return what came of deletions."""
    return _check(call, async_job_id, "delete_batch")


@files.post("/move_batch/check", reads=True)
@files.post("/move_batch/check_v2", reads=True)
def post_check_move_batch(call: Call, async_job_id: str) -> Shown:
    """Return what came of moves."""
    return _check(call, async_job_id, "move_batch")


@files.post("/copy_batch/check", reads=True)
@files.post("/copy_batch/check_v2", reads=True)
def post_check_copy_batch(call: Call, async_job_id: str) -> Shown:
    """Return what came of copies."""
    return _check(call, async_job_id, "copy_batch")


@files.post("/create_folder_batch/check", reads=True)
def post_check_create_folder_batch(call: Call, async_job_id: str) -> Shown:
    """Return which folders were created."""
    return _check(call, async_job_id, "create_folder_batch")


@files.post("/upload_session/finish_batch/check", reads=True)
def post_check_finish_batch(call: Call, async_job_id: str) -> Shown:
    """Return which files were uploaded."""
    return _check(call, async_job_id, "finish_batch")


@files.post("/save_url/check_job_status", reads=True)
def post_check_save_url(call: Call, async_job_id: str) -> Shown:
    """Return the file that was saved from an address."""
    return _check(call, async_job_id, "save_url")


@sharing.post("/check_job_status", reads=True)
@sharing.post("/check_remove_member_job_status", reads=True)
def post_check_sharing_job(call: Call, async_job_id: str) -> Shown:
    """Say that the sharing of a folder, or somebody's part in it, has ended."""
    return _check(call, async_job_id, "unshare_folder", "remove_member", "relinquish_membership")


@sharing.post("/check_share_job_status", reads=True)
def post_check_share_job(call: Call, async_job_id: str) -> Shown:
    """Return the folder that was shared."""
    return _check(call, async_job_id, "share_folder")
