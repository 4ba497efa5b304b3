"""Statistics on plain numbers: rates, differences over scenarios, several tests, power.

Nothing here knows a ledger. Every test and interval comes from scipy or statsmodels (extra
``stats``), imported when first asked for; what is here states their traps and an answer for each
degenerate case: 0 of 0, 0 of n, n of n, all alike, one cluster, very large n. No function returns
NaN or an infinity, and none warns. Rates and differences are shares from 0 to 1, never per cent.
"""
