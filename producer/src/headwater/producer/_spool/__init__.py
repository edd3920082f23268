"""Where events wait on disk between ``emit`` and the sender.

<spool_dir>/
  <lane>/            one process's; the name sorts by the time it was made
    lock             held with flock while the process lives: a lane whose lock is free is an orphan
    ack              how far the lane has been sent
    00000001.seg     frames, appended by one os.write each
    00000002.seg
"""
