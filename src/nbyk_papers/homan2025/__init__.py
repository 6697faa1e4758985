"""The study of Homan et al. 2025: cells, verdicts, tables, figures, the summary and the page."""
