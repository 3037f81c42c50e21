"""Comparisons as documents: JSON, Markdown, and Markdown spliced into a page."""
