"""The Box twin: an enterprise as Box's content API shows it."""

from __future__ import annotations

from pathlib import Path

from twindiff.kit import Twin, Users
from twindiff.kit.oauth import OauthToken
from twindiff.kit.seeding import Variables
from twindiff.kit.styles.box import BoxStyle

from . import (
    ai,
    allowlists,
    app_items,
    archives,
    avatars,
    barrier_segments,
    collaborations,
    comments,
    device_pinners,
    disposition,
    docgen,
    downloads,
    events,
    external_users,
    favorites,
    file_requests,
    file_versions,
    files,
    folder_locks,
    folders,
    groups,
    hubs,
    information_barriers,
    integration_mappings,
    invites,
    legal_holds,
    metadata,
    metadata_cascade_policies,
    metadata_queries,
    metadata_taxonomies,
    metadata_taxonomy_nodes,
    metadata_templates,
    oauth,
    recent_items,
    representations,
    retention_assignments,
    retention_policies,
    search,
    shared_links,
    shield_lists,
    sign_requests,
    sign_templates,
    skill_invocations,
    storage_policies,
    tasks,
    terms_of_services,
    thumbnails,
    trash,
    upload_sessions,
    uploads,
    user_accounts,
    users,
    watermarks,
    web_links,
    webhooks,
    zip_downloads,
)
from .administration_tables import TABLES as ADMINISTRATION
from .barrier_tables import TABLES as BARRIERS
from .completing import completed
from .further_tables import TABLES
from .governance_tables import TABLES as GOVERNANCE
from .guard import actor_of, guard
from .samples import bike_shop
from .screens import screen
from .seeding import seeding
from .tables import User
from .taxonomy_tables import TABLES as TAXONOMIES

_HERE = Path(__file__).parent
_PAGES = (
    ai,
    allowlists,
    app_items,
    archives,
    avatars,
    barrier_segments,
    collaborations,
    comments,
    device_pinners,
    disposition,
    docgen,
    downloads,
    events,
    external_users,
    favorites,
    file_requests,
    file_versions,
    files,
    folder_locks,
    folders,
    groups,
    hubs,
    information_barriers,
    integration_mappings,
    invites,
    legal_holds,
    metadata,
    metadata_cascade_policies,
    metadata_queries,
    metadata_taxonomies,
    metadata_taxonomy_nodes,
    metadata_templates,
    oauth,
    recent_items,
    representations,
    retention_assignments,
    retention_policies,
    search,
    shared_links,
    shield_lists,
    sign_requests,
    sign_templates,
    skill_invocations,
    storage_policies,
    tasks,
    terms_of_services,
    thumbnails,
    trash,
    upload_sessions,
    uploads,
    user_accounts,
    users,
    watermarks,
    web_links,
    webhooks,
    zip_downloads,
)

twin = Twin(
    "box",
    BoxStyle(),
    *(page.api for page in _PAGES),
    oauth.browser,
    tables=(*TABLES, *ADMINISTRATION, *GOVERNANCE, *BARRIERS, *TAXONOMIES, OauthToken),
    users=Users(User, User.id, User.login),
    seeds=_HERE / "seeds",
    templates={"box_default": bike_shop},
    seeding=seeding,
    descriptions={
        "box_base": "3 people and the root folder, nothing else",
        "box_default": "A bike shop's folders, with files of ten types",
    },
    screen=screen,
    missing=(_HERE / "missing_operations.txt").read_text().splitlines(),
    layers=(guard,),
    actor_of=actor_of,
    completes=completed,
    hosts={"upload.box.com": "", "dl.boxcloud.com": "", "app.box.com": "", "account.box.com": ""},
    webhooks=webhooks.webhooks,
    variables=Variables(
        tokens={"BOX_ACCESS_TOKEN": "box-{secret}", "BOX_DEVELOPER_TOKEN": "box-{secret}"},
        urls={"BOX_API_URL": "", "BOX_BASE_URL": ""},
        secrets={"BOX_CLIENT_ID": "{secret}", "BOX_CLIENT_SECRET": "secret-{secret}"},
        client=("BOX_CLIENT_ID", "BOX_CLIENT_SECRET"),
    ),
)
