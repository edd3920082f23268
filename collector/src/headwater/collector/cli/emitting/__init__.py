"""The parts of ``headwater emit``: reading events out of files, and handing them to a log, a directory or a server."""
