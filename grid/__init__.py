"""What is run: vocabulary, worlds and their tools, guards, clauses, personas, scenarios, the runner.

Evidence comes out of this package; verdicts do not. Only ``ledgers`` judges.
"""
