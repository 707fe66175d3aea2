"""A step is sent before the page is drawn for it.

A control that stands in the address changes it before its step is sent, and Streamlit's program keeps the address in
what its whole page is drawn from, though nothing that it draws shows it. The step itself it sends in a task of its own,
before which the browser may draw the control that has moved, and on a large page that takes longer than to send it.
"""

CHANGED = (
    "/* A program of Streamlit's (Apache-2.0), changed by Raterscope: a new address draws nothing, and a step is sent "
    "in the task that asks for it. */\n"
)
_CHANGES = {
    "this.syncQueryParams=e=>{this.setState({queryParams:e}),": "this.syncQueryParams=e=>{this.state.queryParams=e,",
    "setTimeout(()=>{this.sendUpdateWidgetsMessage(": "queueMicrotask(()=>{this.sendUpdateWidgetsMessage(",
}


def sends_before_drawing(program: str) -> str:
    """The same program with both; as it came where it is not put together as we know it."""
    if any(program.count(expression) != 1 for expression in _CHANGES):
        return program
    for expression, instead in _CHANGES.items():
        program = program.replace(expression, instead)
    return CHANGED + program
