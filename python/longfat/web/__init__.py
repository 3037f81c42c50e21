"""`longfat view`: a local web application for a store's studies and runs, and a playground.

There is no build step: the server sends JSON, and pages are ES modules that draw it. Nothing is
written: the store is opened read-only, and runs simulated for a page are not stored.
"""
