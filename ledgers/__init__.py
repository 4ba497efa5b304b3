"""What it means: evidence store, rules, adjudication, chain, verification, summary.

Everything here works from recorded evidence alone; no framework and no mitmproxy is needed.
"""
