"""Keeps frameworks off the network and off the terminal.

Importing this module sets their switches, over whatever is there: an adapter imports it before its
framework, because several frameworks read their switches once, at import.
"""

import logging
import os

SILENCE = {
    "CREWAI_DISABLE_TELEMETRY": "true",
    "CREWAI_DISABLE_TRACKING": "true",
    "CREWAI_DISABLE_VERSION_CHECK": "true",
    "CREWAI_TESTING": "true",
    "CREWAI_TRACING_ENABLED": "false",
    "LANGCHAIN_TRACING_V2": "false",
    "LANGSMITH_TRACING": "false",
    "OTEL_SDK_DISABLED": "true",
    "PYTHON_DOTENV_DISABLED": "1",
    "TOKENIZERS_PARALLELISM": "false",
}
"""Telemetry, tracing, version checks, questions on a terminal, and `.env` files: all off."""

os.environ.update(SILENCE)

# A handler on the root logger keeps provider and tool texts, which are hostile, off the terminal.
logging.getLogger().addHandler(logging.NullHandler())
