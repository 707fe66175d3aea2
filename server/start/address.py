"""A step's address is noted without drawing the page anew for it.

A control that stands in the address changes it before its step is sent, and Streamlit's program keeps the address in
what its whole page is drawn from, though nothing that it draws shows it.
"""

CHANGED = "/* A program of Streamlit's (Apache-2.0), changed by Raterscope: a new address draws nothing. */\n"
_DRAWS = "this.syncQueryParams=e=>{this.setState({queryParams:e}),"
_NOTES = "this.syncQueryParams=e=>{this.state.queryParams=e,"


def noted(program: str) -> str:
    """The same program with that; as it came where it is not put together as we know it."""
    return CHANGED + program.replace(_DRAWS, _NOTES) if program.count(_DRAWS) == 1 else program
