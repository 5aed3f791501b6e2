"""The vendor's own clients, unmodified, over a socket."""

from __future__ import annotations

import importlib
import io
from collections.abc import Iterator
from hashlib import sha1
from typing import Any

import pytest
from box_sdk_gen import (
    BaseUrls,
    BoxAPIError,
    BoxCCGAuth,
    BoxClient,
    BoxDeveloperTokenAuth,
    CCGConfig,
    NetworkSession,
)
from box_sdk_gen.managers.folders import CreateFolderParent, UpdateFolderByIdParent
from box_sdk_gen.managers.metadata_templates import CreateMetadataTemplateFields, CreateMetadataTemplateFieldsTypeField
from box_sdk_gen.managers.shared_links_files import AddShareLinkToFileSharedLink
from box_sdk_gen.managers.uploads import (
    UploadFileAttributes,
    UploadFileAttributesParentField,
    UploadFileVersionAttributes,
)
from box_sdk_gen.managers.user_collaborations import (
    CreateCollaborationAccessibleBy,
    CreateCollaborationAccessibleByTypeField,
    CreateCollaborationItem,
    CreateCollaborationItemTypeField,
    CreateCollaborationRole,
)

from .conftest import BEN, Box


def client_of(box: Box, auth: Any = None) -> Any:
    urls = BaseUrls(base_url=box.url, upload_url=f"{box.url}/api", oauth_2_url=f"{box.url}/oauth2")
    session = NetworkSession(base_urls=urls)
    return BoxClient(auth=auth or BoxDeveloperTokenAuth(token=box.token), network_session=session)


@pytest.fixture
def client(box: Box) -> Any:
    return client_of(box)


def upload(client: Any, name: str, data: bytes, parent: str = "0") -> Any:
    attributes = UploadFileAttributes(name=name, parent=UploadFileAttributesParentField(id=parent))
    return client.uploads.upload_file(attributes, io.BytesIO(data)).entries[0]


def test_a_file_goes_up_gets_a_version_and_comes_down(client: Any):
    file = upload(client, "plan.txt", b"one")
    changed = client.uploads.upload_file_version(
        file.id, UploadFileVersionAttributes(name="plan.txt"), io.BytesIO(b"two")
    )
    assert changed.entries[0].etag == "1"
    assert client.downloads.download_file(file.id).read() == b"two"
    (past,) = client.file_versions.get_file_versions(file.id).entries
    client.file_versions.promote_file_version(file.id, id=past.id)
    assert client.downloads.download_file(file.id).read() == b"one"


def test_folders_are_made_moved_trashed_and_restored(client: Any):
    outer = client.folders.create_folder("outer", CreateFolderParent(id="0"))
    inner = client.folders.create_folder("inner", CreateFolderParent(id="0"))
    moved = client.folders.update_folder_by_id(inner.id, parent=UpdateFolderByIdParent(id=outer.id))
    assert moved.parent is not None
    assert moved.parent.id == outer.id
    client.folders.delete_folder_by_id(outer.id, recursive=True)
    assert [each.id for each in client.trashed_items.get_trashed_items().entries] == [outer.id]
    assert client.trashed_folders.restore_folder_from_trash(outer.id).item_status.value == "active"
    assert [each.name for each in client.folders.get_folder_items(outer.id).entries] == ["inner"]


def test_files_are_found_shared_and_commented_on(box: Box, client: Any):
    file = upload(client, "report.txt", b"The quarterly figures")
    matches = client.search.search_for_content(query="figures")
    assert [each.id for each in matches.entries] == [file.id]
    link = client.shared_links_files.add_share_link_to_file(
        file.id, "shared_link", shared_link=AddShareLinkToFileSharedLink(password="Sesame-123")
    ).shared_link
    ben = client_of(box.as_user(BEN))
    seen = ben.shared_links_files.find_file_for_shared_link(f"shared_link={link.url}&shared_link_password=Sesame-123")
    assert seen.id == file.id
    made = client.user_collaborations.create_collaboration(
        CreateCollaborationItem(type=CreateCollaborationItemTypeField.FILE, id=file.id),
        CreateCollaborationAccessibleBy(type=CreateCollaborationAccessibleByTypeField.USER, id=BEN),
        CreateCollaborationRole.VIEWER,
    )
    assert made.accessible_by.id == BEN
    assert ben.files.get_file_by_id(file.id).name == "report.txt"


def test_metadata_is_queried(client: Any):
    kind = CreateMetadataTemplateFieldsTypeField.STRING
    fields = [CreateMetadataTemplateFields(type=kind, key="customer", display_name="Customer")]
    template = client.metadata_templates.create_metadata_template(
        "enterprise", "Order", template_key="order", fields=fields
    )
    file = upload(client, "order.txt", b"x")
    client.file_metadata.create_file_metadata_by_id(file.id, "enterprise", "order", {"customer": "Lee"})
    matches = client.search.search_by_metadata_query(
        f"{template.scope}.order", "0", query="customer = :who", query_params={"who": "Lee"}, fields=["name"]
    )
    assert [each.id for each in matches.entries] == [file.id]


def test_metadata_of_a_folder_is_handed_down(client: Any):
    kind = CreateMetadataTemplateFieldsTypeField.STRING
    fields = [CreateMetadataTemplateFields(type=kind, key="customer", display_name="Customer")]
    client.metadata_templates.create_metadata_template("enterprise", "Order", template_key="order", fields=fields)
    folder = client.folders.create_folder("Orders", CreateFolderParent(id="0")).id
    values = {"customer": "Lee"}
    client.folder_metadata.create_folder_metadata_by_id(folder, "enterprise", "order", values)
    policies = client.metadata_cascade_policies
    policy = policies.create_metadata_cascade_policy(folder, "enterprise", "order")
    assert policies.get_metadata_cascade_policies(folder).entries[0].id == policy.id
    policies.apply_metadata_cascade_policy(policy.id, "overwrite")
    inner = client.folders.create_folder("inner", CreateFolderParent(id=folder)).id
    assert client.folder_metadata.get_folder_metadata_by_id(inner, "enterprise", "order").extra_data == values


def test_a_large_file_goes_up_in_parts(client: Any):
    data = bytes(range(256)) * 240_000  # 61 MB
    file = client.chunked_uploads.upload_big_file(io.BytesIO(data), "large.bin", len(data), "0")
    assert file.sha_1 == sha1(data).hexdigest()


def test_client_credentials_let_an_application_in(box: Box):
    auth = BoxCCGAuth(config=CCGConfig(client_id="app", client_secret="secret", user_id=BEN))
    assert client_of(box, auth).users.get_user_me().id == BEN


def test_an_error_is_one_that_the_client_understands(client: Any):
    with pytest.raises(BoxAPIError) as raised:
        client.files.get_file_by_id("1")
    assert raised.value.response_info.code == "not_found"
    assert raised.value.response_info.request_id


@pytest.fixture
def older(box: Box) -> Iterator[Any]:
    """The client of the years before, whose addresses are its configuration."""
    boxsdk = pytest.importorskip("boxsdk", reason="boxsdk<4 is not installed")
    api: Any = importlib.import_module("boxsdk.config").API
    kept = api.BASE_API_URL, api.UPLOAD_URL, api.OAUTH2_API_URL
    api.BASE_API_URL, api.UPLOAD_URL = f"{box.url}/2.0", f"{box.url}/api/2.0"
    api.OAUTH2_API_URL = f"{box.url}/oauth2"
    with pytest.warns(DeprecationWarning, match="deprecated"):
        client = boxsdk.Client(boxsdk.OAuth2(client_id="app", client_secret="s", access_token=box.token))
    yield client
    api.BASE_API_URL, api.UPLOAD_URL, api.OAUTH2_API_URL = kept


def test_the_older_client_makes_its_round(older: Any, box: Box):
    folder = older.folder("0").create_subfolder("Plans")
    file = folder.upload_stream(io.BytesIO(b"one"), "a.txt")
    file.update_contents_with_stream(io.BytesIO(b"two"))
    assert older.file(file.id).content() == b"two"
    file.rename("b.txt")
    assert [each.name for each in folder.get_items()] == ["b.txt"]
    assert [each.id for each in older.search().query("two")] == [file.id]
    assert file.get_shared_link().startswith("https://app.box.com/s/")
    file.add_comment("Looks good")
    assert [each.message for each in file.get_comments()] == ["Looks good"]
    file.collaborate(older.user(BEN), "viewer")
    assert box.as_user(BEN).bytes_of(file.id) == b"two"
    file.delete()
    assert [each.id for each in older.trash().get_items()] == [file.id]
    assert older.trash().restore_item(file).name == "b.txt"
