"""What programs for notebooks use of IPython: how values are shown. There are no magics, and no shell."""

from IPython import display

version_info = 9, 0, 0  # of what is here; Matplotlib and pandas ask
__version__ = "9.0.0"

def get_ipython():
    """Returns None, as outside of IPython."""
    return None
