"""Reading: from the bytes of a request to a job."""
