"""What is run: vocabulary, worlds, tools, guards, clauses, personas, scenarios, the runner.

Evidence comes out of this package; verdicts do not. Only ``ledgers`` judges.
"""
