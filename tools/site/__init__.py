"""The site: pages of the repository as they are, and references that are generated."""
