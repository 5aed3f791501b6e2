"""Countries by ISO 3166-1 code, and the settlement currencies of Stripe's countries."""

from __future__ import annotations

_CODES = """
AC AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC
CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE
GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM
KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ
NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH
SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TA TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE
VG VI VN VU WF WS XK YE YT ZA ZM ZW
"""
COUNTRIES = frozenset(_CODES.split())
"""Country codes of ISO 3166-1, and three more that Stripe accepts: Ascension, Kosovo and Tristan da Cunha."""

_SETTLES_IN = """
AE aed AT eur AU aud BE eur BG eur BR brl CA cad CH chf CY eur CZ czk DE eur DK dkk EE eur ES eur FI eur FR eur GB gbp
GI gbp GR eur HK hkd HR eur HU huf IE eur IN inr IT eur JP jpy LI chf LT eur LU eur LV eur MT eur MX mxn MY myr NL eur
NO nok NZ nzd PL pln PT eur RO ron SE sek SG sgd SI eur SK eur TH thb US usd
"""
SETTLES_IN: dict[str, str] = dict(zip(_SETTLES_IN.split()[::2], _SETTLES_IN.split()[1::2], strict=True))
"""Settlement currency by country of the account; https://stripe.com/global"""
