"""The public library: every question as a function, on boards in any form."""
