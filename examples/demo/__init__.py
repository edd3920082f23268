"""A small shop's revenue pipeline over three simulated days, and the questions that headwater answers about it.

    feeds.py      what the outside world delivers: orders and exchange rates
    warehouse.py  snapshots and a table that is published atomically, in plain files
    pipeline.py   the pipeline itself, instrumented with headwater.producer
    days.py       what happened on each of the days: the process that emits
    spark.py      what a Spark application with column lineage sends
    story.py      the pages that the demo prints
    __main__.py   runs all of it

Nothing here is simulated but the calendar: the files are written, the sums are computed, the failed release fails.
"""
