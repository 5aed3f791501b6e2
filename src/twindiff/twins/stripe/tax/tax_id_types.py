"""Types of tax ids, and the form of their values.

https://docs.stripe.com/billing/customer/tax-ids
"""

from __future__ import annotations

import re

from twindiff.twins.stripe.core.wire_style import StripeError, join_choices

_EU_VAT = re.compile(r"[A-Z]{2}[0-9A-Z+*]{2,12}")
_LISTED = """
ad_nrt ae_trn al_tin am_tin ao_tin ar_cuit au_abn au_arn aw_tin az_tin ba_tin bb_tin bd_bin bf_ifu bg_uic bh_vat
bj_ifu bo_tin br_cnpj br_cpf bs_tin by_tin ca_bn ca_gst_hst ca_pst_bc ca_pst_mb ca_pst_sk ca_qst cd_nif ch_uid
ch_vat cl_tin cm_niu cn_tin co_nit cr_tin cv_nif de_stn do_rcn ec_ruc eg_tin es_cif et_tin eu_oss_vat eu_vat fo_vat
gb_vat ge_vat gi_tin gn_nif hk_br hr_oib hu_tin ic_nif id_npwp il_vat in_gst is_vat it_cf jp_cn jp_rn jp_trn ke_pin
kg_tin kh_tin kr_brn kz_bin la_tin li_uid li_vat lk_vat ma_vat md_vat me_pib mk_vat mr_nif mx_rfc my_frp my_itn
my_sst ng_tin no_vat no_voec np_pan nz_gst om_vat pe_ruc ph_tin pl_nip py_ruc ro_tin rs_pib ru_inn ru_kpp sa_vat
sg_gst sg_uen si_tin sn_ninea sr_fin sv_nit th_vat tj_tin tr_tin tw_vat tz_vat ua_vat ug_tin us_ein uy_ruc uz_tin
uz_vat ve_rif vn_tin za_vat zm_tin zw_tin
"""
TYPES = tuple(_LISTED.split())
"""Supported types; https://docs.stripe.com/billing/customer/tax-ids#supported-tax-id"""


def check_tax_id(kind: str, value: str, at: str = "") -> None:
    """Raise StripeError for a tax id of an unknown type or of a wrong form; `at` is the parent parameter for errors."""
    type_param, value_param = (f"{at}[{name}]" if at else name for name in ("type", "value"))
    if kind not in TYPES:
        raise StripeError(f"Invalid {type_param}: must be one of {join_choices(TYPES)}", param=type_param)
    if not value or len(value) > 50 or (kind == "eu_vat" and not _EU_VAT.fullmatch(value)):
        raise StripeError(f"Invalid value for {kind}.", code="tax_id_invalid", param=value_param)
