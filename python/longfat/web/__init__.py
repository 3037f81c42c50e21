"""`longfat view`: a local web application of a store's studies and runs, and a playground.

Nothing is built: the server sends JSON, pages are ES modules that draw it. Nothing is written: the
store is only read, and what is simulated for a page is gone with it.
"""
