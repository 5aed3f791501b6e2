"""Pipelines of deals and tickets and their stages, also by the API of deals before version 3.

https://developers.hubspot.com/docs/reference/api/crm/pipelines,
https://legacydocs.hubspot.com/docs/methods/deal-pipelines/overview
"""

from __future__ import annotations

from typing import Any, cast

from twindiff.kit.call import Call
from twindiff.kit.twin import Operations

from .account import DEAL_STAGES
from .object_schemas import get_kind
from .tables import CrmDeal, CrmPipeline, CrmStage, CrmTicket
from .wire_style import HubSpotError, NoSuchRecord, RecordConflict

api = Operations()
Shown = dict[str, Any]
Stages = list[dict[str, Any]]
_LABELS = {"default": "Sales Pipeline", "0": "Support Pipeline"}
_USES: dict[str, tuple[Any, Any, Any]] = {
    "deals": (CrmDeal, CrmDeal.pipeline, CrmDeal.dealstage),
    "tickets": (CrmTicket, CrmTicket.hs_pipeline, CrmTicket.hs_pipeline_stage),
}
"""The table of a kind, the column of the pipeline and that of the stage."""


def _list_stages(call: Call, kind: str, id: str) -> list[CrmStage]:
    return call.db.rows(CrmStage, CrmStage.kind == kind, CrmStage.pipeline == id, order=CrmStage.display_order)


def _list_pipelines(call: Call, kind: str) -> list[CrmPipeline]:
    """Return the pipelines of a kind; one that only its stages name has the usual label."""
    rows = call.db.rows(CrmPipeline, CrmPipeline.kind == kind, order=CrmPipeline.display_order)
    known = {row.id for row in rows}
    named = dict.fromkeys(row.pipeline for row in call.db.rows(CrmStage, CrmStage.kind == kind))
    usual = [CrmPipeline(kind=kind, id=id, label=_LABELS.get(id, id)) for id in named if id not in known]
    return [*usual, *rows]


def _find_pipeline(call: Call, kind: str, id: str) -> CrmPipeline:
    for row in _list_pipelines(call, kind):
        if row.id == id:
            return row
    raise NoSuchRecord(f"There is no pipeline '{id}'.")


def _find_stage(call: Call, kind: str, pipeline: str, id: str) -> CrmStage:
    for row in _list_stages(call, kind, _find_pipeline(call, kind, pipeline).id):
        if row.id == id:
            return row
    raise NoSuchRecord(f"There is no stage '{id}' in pipeline '{pipeline}'.")


def _show_stage(row: CrmStage) -> Shown:
    names = {"id": row.id, "label": row.label, "displayOrder": row.display_order}
    return {**names, "metadata": row.metadata, "archived": False, "writePermissions": "CRM_PERMISSIONS_ENFORCEMENT"}


def _show_pipeline(call: Call, row: CrmPipeline) -> Shown:
    stages = [_show_stage(each) for each in _list_stages(call, row.kind, row.id)]
    shown = {"id": row.id, "label": row.label, "displayOrder": row.display_order}
    return {**shown, "stages": stages, "archived": False}


def _check_metadata(kind: str, given: Shown) -> Shown:
    """Return the metadata of a stage; raises HubSpotError for a stage of deals without a probability."""
    metadata: Any = given.get("metadata") or {}
    if not isinstance(metadata, dict):
        raise HubSpotError("Invalid input JSON: 'metadata' must be an object.")
    values = {str(name): str(value) for name, value in cast(Shown, metadata).items()}
    if kind == "deals":
        try:
            is_share = 0 <= float(values.get("probability", "")) <= 1
        except ValueError:
            is_share = False
        if not is_share:
            raise HubSpotError("A stage of deals must have a probability between 0.0 and 1.0 in its metadata.")
        values.setdefault("isClosed", str(float(values["probability"]) in (0, 1)).lower())
    return values


def _read_order(given: Shown, usual: int) -> int:
    order: Any = given.get("displayOrder", usual)
    if not isinstance(order, int):
        raise HubSpotError(f"Invalid input JSON: 'displayOrder' must be a number, not {order!r}.")
    return order


def _add_stage(call: Call, kind: str, pipeline: str, given: Shown, usual: int) -> CrmStage:
    label = str(given.get("label") or "")
    if not label:
        raise HubSpotError("A stage must have a label.")
    if label in [each.label for each in _list_stages(call, kind, pipeline)]:
        raise RecordConflict(f"The pipeline already has a stage with the label '{label}'.")
    id = str(given.get("stageId") or 137_000_000 + call.db.next("stage"))
    values: Shown = {
        "label": label,
        "display_order": _read_order(given, usual),
        "metadata": _check_metadata(kind, given),
    }
    if call.db.find(CrmStage, CrmStage.kind == kind, CrmStage.pipeline == pipeline, CrmStage.id == id):
        raise RecordConflict(f"The pipeline already has a stage '{id}'.")
    return call.db.add(CrmStage(kind=kind, pipeline=pipeline, id=id, **values))


def _add_pipeline(call: Call, kind: str, id: str, label: str, order: int, stages: Stages) -> CrmPipeline:
    if not label:
        raise HubSpotError("A pipeline must have a label.")
    taken = _list_pipelines(call, kind)
    if label in [each.label for each in taken] or id in [each.id for each in taken]:
        raise RecordConflict(f"There is a pipeline with the label '{label}' already.")
    row = call.db.add(CrmPipeline(kind=kind, id=id, label=label, display_order=order))
    for number, each in enumerate(stages):
        _add_stage(call, kind, id, each, number)
    return row


def _refuse_used(call: Call, kind: str, pipeline: str, stage: str = "") -> None:
    table, in_pipeline, in_stage = _USES[kind]
    where = [in_pipeline == pipeline, ~table.archived, *([in_stage == stage] if stage else [])]
    used = call.db.rows(table, *where)
    if used:
        what = f"Stage '{stage}'" if stage else f"Pipeline '{pipeline}'"
        raise HubSpotError(f"{what} cannot be deleted: {len(used)} {kind} are in it, such as {used[0].id}.")


def _get_kind(call: Call, said: str) -> str:
    kind = get_kind(call, said)
    if kind not in _USES:
        raise HubSpotError(f"Records of {kind} have no pipelines; deals and tickets have.")
    return kind


def _find_stored(call: Call, row: CrmPipeline) -> CrmPipeline | None:
    return call.db.find(CrmPipeline, CrmPipeline.kind == row.kind, CrmPipeline.id == row.id)


def _change(call: Call, row: Any, values: Shown) -> Any:
    """Change a row, which is added if it stood for stages only."""
    if isinstance(row, CrmPipeline) and _find_stored(call, row) is None:
        row = call.db.add(CrmPipeline(kind=row.kind, id=row.id, label=row.label))
    return call.db.change(row, **{name: value for name, value in values.items() if value is not None})


def _remove_pipeline(call: Call, kind: str, id: str) -> None:
    row = _find_pipeline(call, kind, id)
    _refuse_used(call, kind, row.id)
    if len(_list_pipelines(call, kind)) == 1:
        raise HubSpotError(f"The last pipeline of {kind} cannot be deleted.")
    for each in _list_stages(call, kind, row.id):
        call.db.remove(each)
    stored = _find_stored(call, row)
    if stored is not None:
        call.db.remove(stored)


@api.get("/crm/v3/pipelines/{objectType}")
def list_pipelines(call: Call, object_type: str) -> Shown:
    """List the pipelines of deals or tickets with their stages."""
    return {"results": [_show_pipeline(call, each) for each in _list_pipelines(call, _get_kind(call, object_type))]}


@api.post("/crm/v3/pipelines/{objectType}", status=201)
def post_pipeline(
    call: Call, object_type: str, label: str, stages: Stages | None = None, display_order: int = 0
) -> Shown:
    """Create a pipeline with its stages."""
    kind, id = _get_kind(call, object_type), str(137_000_000 + call.db.next("stage"))
    return _show_pipeline(call, _add_pipeline(call, kind, id, label, display_order, stages or []))


@api.get("/crm/v3/pipelines/{objectType}/{pipelineId}")
def get_pipeline(call: Call, object_type: str, pipeline_id: str) -> Shown:
    """Return a pipeline."""
    return _show_pipeline(call, _find_pipeline(call, _get_kind(call, object_type), pipeline_id))


@api.patch("/crm/v3/pipelines/{objectType}/{pipelineId}")
def patch_pipeline(
    call: Call, object_type: str, pipeline_id: str, label: str | None = None, display_order: int | None = None
) -> Shown:
    """Change the label or the place of a pipeline."""
    row = _find_pipeline(call, _get_kind(call, object_type), pipeline_id)
    return _show_pipeline(call, _change(call, row, {"label": label, "display_order": display_order}))


@api.put("/crm/v3/pipelines/{objectType}/{pipelineId}")
def put_pipeline(
    call: Call, object_type: str, pipeline_id: str, label: str, stages: Stages, display_order: int = 0
) -> Shown:
    """Replace a pipeline and its stages."""
    kind = _get_kind(call, object_type)
    row = _change(
        call, _find_pipeline(call, kind, pipeline_id), {"label": label or None, "display_order": display_order}
    )
    kept = {str(each.get("stageId")) for each in stages}
    for stage in _list_stages(call, kind, row.id):
        if stage.id not in kept:
            _refuse_used(call, kind, row.id, stage.id)
        call.db.remove(stage)
    for number, each in enumerate(stages):
        _add_stage(call, kind, row.id, each, number)
    return _show_pipeline(call, row)


@api.delete("/crm/v3/pipelines/{objectType}/{pipelineId}", status=204)
def delete_pipeline(call: Call, object_type: str, pipeline_id: str) -> None:
    """Remove a pipeline that no record is in."""
    _remove_pipeline(call, _get_kind(call, object_type), pipeline_id)


@api.get("/crm/v3/pipelines/{objectType}/{pipelineId}/stages")
def list_stages(call: Call, object_type: str, pipeline_id: str) -> Shown:
    """List the stages of a pipeline."""
    return {"results": get_pipeline(call, object_type, pipeline_id)["stages"]}


@api.post("/crm/v3/pipelines/{objectType}/{pipelineId}/stages", status=201)
def post_stage(
    call: Call,
    object_type: str,
    pipeline_id: str,
    label: str,
    metadata: dict[str, Any] | None = None,
    display_order: int = 0,
) -> Shown:
    """Add a stage to a pipeline."""
    kind = _get_kind(call, object_type)
    row = _find_pipeline(call, kind, pipeline_id)
    return _show_stage(_add_stage(call, kind, row.id, {"label": label, "metadata": metadata}, display_order))


@api.get("/crm/v3/pipelines/{objectType}/{pipelineId}/stages/{stageId}")
def get_stage(call: Call, object_type: str, pipeline_id: str, stage_id: str) -> Shown:
    """Return a stage of a pipeline."""
    return _show_stage(_find_stage(call, _get_kind(call, object_type), pipeline_id, stage_id))


@api.patch("/crm/v3/pipelines/{objectType}/{pipelineId}/stages/{stageId}")
def patch_stage(
    call: Call,
    object_type: str,
    pipeline_id: str,
    stage_id: str,
    label: str | None = None,
    metadata: dict[str, Any] | None = None,
    display_order: int | None = None,
) -> Shown:
    """Change a stage of a pipeline."""
    kind = _get_kind(call, object_type)
    row = _find_stage(call, kind, pipeline_id, stage_id)
    merged = _check_metadata(kind, {"metadata": {**row.metadata, **metadata}}) if metadata else None
    values = {"label": label, "metadata": merged, "display_order": display_order}
    return _show_stage(_change(call, row, values))


@api.delete("/crm/v3/pipelines/{objectType}/{pipelineId}/stages/{stageId}", status=204)
def delete_stage(call: Call, object_type: str, pipeline_id: str, stage_id: str) -> None:
    """Remove a stage that no record is in."""
    kind = _get_kind(call, object_type)
    row = _find_stage(call, kind, pipeline_id, stage_id)
    _refuse_used(call, kind, row.pipeline, row.id)
    call.db.remove(row)


# -- deals before version 3 --------------------------------------------------------------------------------------------


def _show_early(call: Call, row: CrmPipeline) -> Shown:
    stages: Stages = []
    for each in _list_stages(call, "deals", row.id):
        share = float(each.metadata.get("probability", 0))
        about = {"stageId": each.id, "label": each.label, "probability": share, "active": True}
        stages.append({**about, "displayOrder": each.display_order, "closedWon": share == 1})
    shown = {"pipelineId": row.id, "stages": stages, "label": row.label, "active": True}
    return {**shown, "displayOrder": row.display_order, "staticDefault": row.id == "default"}


def _read_early(given: Stages | None) -> Stages:
    """Return stages as version 3 has them; without any, those that HubSpot gives to a pipeline of deals."""
    if given:
        return [{**each, "metadata": {"probability": each.get("probability", "")}} for each in given]
    return [{"label": label, "metadata": {"probability": share}} for _, label, share in DEAL_STAGES]


@api.get("/deals/v1/pipelines")
def list_deal_pipelines(call: Call) -> list[Shown]:
    """List the pipelines of deals."""
    return [_show_early(call, each) for each in _list_pipelines(call, "deals")]


@api.post("/deals/v1/pipelines")
def post_deal_pipeline(call: Call, label: str, stages: Stages | None = None, display_order: int = 0) -> Shown:
    """Create a pipeline of deals."""
    read = _read_early(stages)
    return _show_early(call, _add_pipeline(call, "deals", call.ids.uuid(), label, display_order, read))


@api.get("/deals/v1/pipelines/{pipelineId}")
def get_deal_pipeline(call: Call, pipeline_id: str) -> Shown:
    """Return a pipeline of deals."""
    return _show_early(call, _find_pipeline(call, "deals", pipeline_id))


@api.put("/deals/v1/pipelines/{pipelineId}")
def put_deal_pipeline(call: Call, pipeline_id: str, label: str = "", stages: Stages | None = None) -> Shown:
    """Change a pipeline of deals; stages that are given replace those there are."""
    row = _find_pipeline(call, "deals", pipeline_id)
    if stages:
        put_pipeline(call, "deals", pipeline_id, label or row.label, _read_early(stages))
    return _show_early(call, _change(call, _find_pipeline(call, "deals", pipeline_id), {"label": label or None}))


@api.delete("/deals/v1/pipelines/{pipelineId}", status=204)
def delete_deal_pipeline(call: Call, pipeline_id: str) -> None:
    """Remove a pipeline of deals that no deal is in."""
    _remove_pipeline(call, "deals", pipeline_id)
