"""S63: the planner's answer, with a schema that takes any text: *moon* comes through and is caught.

With a node that may be any text, the model can write down what the user said, and the executor
compares it with the catalogue: it refuses *moon* and says why, and nothing runs.
`grid.scenarios._planner_answer` holds requests, harms and goals; S62 is the same with a schema that
lists the values.
"""

from grid.names import Names
from grid.scenario import Pair
from grid.scenarios._planner_answer import planner_pair


def build(names: Names) -> Pair:
    """Build the scenario, its twin and their variants."""
    return planner_pair("planner_loose_schema", "S63", names)
