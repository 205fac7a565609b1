"""What the Python clients share: makes calls one after the other, and prints a line of JSON for each."""

import json
import types


def run(calls):
    """`calls` are pairs of a name and a function. A later function may use what an earlier one has kept."""
    for name, send in calls:
        problem = None
        try:
            answer = send()
            if isinstance(answer, types.GeneratorType):
                list(answer)
        except Exception as error:  # Whatever a client raises is the result of the call.
            problem = f"{type(error).__name__}: {error}"[:300]
        print(json.dumps({"name": name, "problem": problem}), flush=True)
