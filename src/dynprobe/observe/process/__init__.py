"""The process an observation runs in: started, read, limited in time, ended."""
