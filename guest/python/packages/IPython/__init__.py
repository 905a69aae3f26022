"""What programs for notebooks use of IPython: how values are shown. There are no magics, and no shell."""

from IPython import display

version_info = 9, 0, 0  # of what is here; Matplotlib asks

def get_ipython():
    """Returns None, as outside of IPython."""
    return None
