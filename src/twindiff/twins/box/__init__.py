"""The Box twin: one enterprise, served through Box's content API."""

from __future__ import annotations

from pathlib import Path

from twindiff.kit import Twin, Users
from twindiff.kit.oauth import OAUTH_SECRETS, OauthToken
from twindiff.kit.seeding import Variables
from twindiff.twins.box.wire_style import BoxStyle

from .auth import oauth
from .auth.authorization import actor_of, guard
from .content import (
    downloads,
    file_versions,
    files,
    folder_locks,
    folders,
    thumbnails,
    trash,
    upload_sessions,
    uploads,
    watermarks,
    web_links,
    zip_downloads,
)
from .enterprise import (
    allowlists,
    avatars,
    device_pinners,
    external_users,
    groups,
    integration_mappings,
    invites,
    storage_policies,
    terms_of_services,
    user_accounts,
    users,
)
from .event_delivery import event_stream, recent_items, webhooks
from .event_delivery.enterprise_events import record_administration
from .governance import (
    archives,
    barrier_segments,
    disposition,
    information_barriers,
    legal_holds,
    retention_assignments,
    retention_policies,
    shield_lists,
)
from .metadata import (
    cascade_policies,
    metadata_instances,
    metadata_queries,
    metadata_templates,
    skill_invocations,
    taxonomies,
    taxonomy_nodes,
)
from .samples import bike_shop
from .screens import screen
from .search import search
from .seeding import seeding
from .sharing import collaborations, collections, file_requests, shared_links
from .tables.administration_tables import TABLES as ADMINISTRATION
from .tables.barrier_tables import TABLES as BARRIERS
from .tables.further_tables import TABLES, AccessToken, Application
from .tables.governance_tables import TABLES as GOVERNANCE
from .tables.item_tables import User
from .tables.taxonomy_tables import TABLES as TAXONOMIES
from .template_completion import complete_rows
from .vendor_tools import tools as vendor_tools
from .views import representations
from .work import (
    ai,
    app_items,
    comments,
    docgen_templates,
    hubs,
    sign_requests,
    sign_templates,
    tasks,
)

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
    docgen_templates,
    downloads,
    event_stream,
    external_users,
    collections,
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
    metadata_instances,
    cascade_policies,
    metadata_queries,
    taxonomies,
    taxonomy_nodes,
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

_HOSTS = (
    *("api.box.com", "upload.box.com", "upload.app.box.com", "account.box.com", "app.box.com", "dl.boxcloud.com"),
    *("box.com", "*.box.com", "*.boxcloud.com"),
)

twin = Twin(
    "box",
    BoxStyle(),
    *(page.api for page in _PAGES),
    oauth.browser,
    thumbnails.browser,
    tables=(*TABLES, *ADMINISTRATION, *GOVERNANCE, *BARRIERS, *TAXONOMIES, OauthToken),
    users=Users(User, User.id, User.login),
    seeds=_HERE / "seeds",
    templates={"box_default": bike_shop},
    seeding=seeding,
    descriptions={
        "box_base": "3 people and the root folder, nothing else",
        "box_default": "A bike shop's folders, with files of ten types",
    },
    vendor_tools=vendor_tools,
    screen=screen,
    missing=(_HERE / "missing_operations.txt").read_text().splitlines(),
    layers=(guard, record_administration),
    actor_of=actor_of,
    secret_columns=(
        *OAUTH_SECRETS,
        AccessToken.token,
        Application.client_secret,
        Application.primary_key,
        Application.secondary_key,
    ),
    completes=complete_rows,
    hosts=dict.fromkeys(_HOSTS, ""),
    addresses={"": "api.box.com", "/api/2.0/files": "upload.box.com", "/d/": "dl.boxcloud.com"},
    webhooks=webhooks.webhooks,
    variables=Variables(
        tokens={"BOX_ACCESS_TOKEN": "box-{secret}", "BOX_DEVELOPER_TOKEN": "box-{secret}"},
        urls={"BOX_API_URL": "", "BOX_BASE_URL": ""},
        secrets={"BOX_CLIENT_ID": "{secret}", "BOX_CLIENT_SECRET": "secret-{secret}"},
        client=("BOX_CLIENT_ID", "BOX_CLIENT_SECRET"),
    ),
)
