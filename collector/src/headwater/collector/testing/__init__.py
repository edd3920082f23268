"""For those who write stores. ``conformance`` is a test suite over a store, ``reference`` is what it compares with, and
``proxy`` lets a server hang. Needs the extra ``testing``."""
