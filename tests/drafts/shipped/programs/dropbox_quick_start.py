import os

import dropbox
from dropbox.exceptions import ApiError
from dropbox.files import CommitInfo, UploadSessionCursor, WriteMode

with dropbox.Dropbox(os.environ["DROPBOX_ACCESS_TOKEN"]) as dbx:
    print(dbx.users_get_current_account().name.display_name)
    dbx.files_upload(b"Potential headline: Game 5 a nail-biter", "/sports/cavs vs warriors/game.txt")
    for entry in dbx.files_list_folder("", recursive=True).entries:
        print(entry.path_display)
    metadata, answer = dbx.files_download("/sports/cavs vs warriors/game.txt")
    print(metadata.size, answer.content[:9])
    try:
        dbx.files_upload(b"other", "/sports/cavs vs warriors/game.txt")
    except ApiError as error:
        print(error.error.get_path().reason)
    dbx.files_upload(b"other", "/sports/cavs vs warriors/game.txt", mode=WriteMode.overwrite)
    session = dbx.files_upload_session_start(b"one ").session_id
    dbx.files_upload_session_append_v2(b"two ", UploadSessionCursor(session, 4))
    dbx.files_upload_session_finish(b"three", UploadSessionCursor(session, 8), CommitInfo("/parts.txt"))
    print(dbx.files_move_v2("/sports", "/games").metadata.path_display)
    print([each.metadata.get_metadata().name for each in dbx.files_search_v2("game").matches])
    link = dbx.sharing_create_shared_link_with_settings("/parts.txt")
    print(link.url.endswith("dl=0"), len(dbx.sharing_list_shared_links(path="/parts.txt").links))
    shared = dbx.sharing_share_folder("/games").get_complete().shared_folder_id
    someone = dropbox.sharing.AddMember(dropbox.sharing.MemberSelector.email("ada@example.com"))
    dbx.sharing_add_folder_member(shared, [someone])
    print([each.invitee.get_email() for each in dbx.sharing_list_folder_members(shared).invitees])
    cursor = dbx.files_list_folder("").cursor
    dbx.files_delete_v2("/games")
    dbx.files_create_folder_v2("/new")
    print([each.name for each in dbx.files_list_folder_continue(cursor).entries])
    try:
        dbx.files_get_metadata("/games")
    except ApiError as error:
        print(error.error.get_path())
