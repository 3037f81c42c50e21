"""Reports as text, JSON, Markdown, LaTeX and HTML: comparisons, analyses, audits and claims."""
